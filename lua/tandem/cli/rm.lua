--- `tandem rm`: removes runs from a store.
local codes = require "tandem.cli.codes"
local format = require "tandem.text.format"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "remove runs from the store",
  about = "Removes runs and all that belongs to them. Nothing is asked; --dry-run only says what "
    .. "would go. The file keeps its size until tandem gc.",
  arguments = {
    { name = "runs", value = "RUN", count = "+", help = "Beginnings of ids, or last." },
  },
  options = {
    storing.option,
    { "--dry-run", help = "Remove nothing: say what would be removed." },
  },
  examples = { "tandem rm last", "tandem rm 6f64 a09 --dry-run",
    "tandem rm $(tandem runs --tag old --csv | tail -n +2 | cut -d, -f1)" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  return storing.with(args, console, { readonly = args.dry_run }, function(store)
    local found, seen = {}, {}
    for _, text in ipairs(args.runs) do -- all of them are found before one is removed
      local run, message, code = store:run(text)
      if not run then return nil, message, code end
      if not seen[run.id] then found[#found + 1] = run end
      seen[run.id] = true
    end
    for _, run in ipairs(found) do
      if not args.dry_run then
        local done, message, code = store:remove(run.id)
        if not done then return nil, message, code end
      end
      console:note(("%s %s %s, %s"):format(args.dry_run and "would remove" or "removed", run.id,
        run.name, format.plural(run.span_count, "span")))
    end
    return codes.OK
  end)
end

return command
