--- `tandem tag`: words by which runs are found again.
local codes = require "tandem.cli.codes"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "tag a run: tandem runs --tag finds it",
  about = "Adds tags to a run, or takes them away; without tags, prints those it has.",
  arguments = {
    storing.run,
    { name = "tags", value = "TAG", count = "*", help = "Tags to add: single words." },
  },
  options = {
    { "--remove", value = "TAG", collect = true, help = "Take this tag away. May be repeated." },
    storing.option,
  },
  examples = { "tandem tag last baseline h100", "tandem tag last --remove baseline",
    "tandem runs --tag baseline" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  local changes = #args.tags > 0 or #args.remove > 0
  return storing.with(args, console, { readonly = not changes }, function(store)
    if changes then
      local done, message, code = require("tandem.store.edit").tag(store, args.run, args.tags,
        args.remove)
      if not done then return nil, message, code end
      return codes.OK
    end
    local run, message, code = store:run(args.run)
    if not run then return nil, message, code end
    for _, tag in ipairs(run.tags) do console:print(console.style:text(tag)) end
    return codes.OK
  end)
end

return command
