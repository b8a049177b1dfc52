--- `tandem runs`: the runs that a store keeps.
local codes = require "tandem.cli.codes"
local format = require "tandem.text.format"
local forms = require "tandem.cli.forms"
local storing = require "tandem.cli.storing"

---@type tandem.Command
local command = {
  summary = "list the runs that are kept: filtered, sorted",
  about = "Lists the runs of a store, the newest first: those of tandem run and tandem import.",
  options = {
    storing.option,
    { "--name", value = "TEXT", help = "Only runs with this in their name." },
    { "--kind", value = "KIND", choices = { "simulated", "measured" }, help = "Only this kind." },
    { "--tag", value = "TAG", help = "Only runs with this tag." },
    { "--state", value = "STATE", choices = { "complete", "interrupted" },
      help = "Only runs in this state." },
    { "--since", value = "TIME", help = "Only runs since then: 2h, 3d, 2026-11-21, "
      .. "\"2026-11-21 14:00\"." },
    { "--sort", value = "COLUMN", help = "when (the newest first, the default), id, kind, name, "
      .. "state, spans, p99, duration." },
    { "--limit", value = "N", kind = "integer", least = 1, help = "At most so many; how many are "
      .. "left out is told, in JSON as left_out." },
    { "--csv", help = "Print CSV instead of the table." },
    forms.json("Print JSON (schema tandem.runs/1) instead of the table."),
  },
  examples = { "tandem runs", "tandem runs --kind simulated --sort p99", "tandem runs --since 2h",
    "tandem runs --json | jq -r .result.rows[].id" },
}

-- The moment that --since means; nil and why not.
local function moment(text)
  local now_ns = require("tandem.io.date").now_ns()
  local year, month, day, rest = text:match "^(%d%d%d%d)-(%d%d)-(%d%d)[ T]?(.*)$"
  if year then
    local hour, minute = rest:match "^(%d%d):(%d%d)$"
    if hour and hour < "24" and minute < "60" or rest == "" then
      local found = require("tandem.io.date").of_wall(math.tointeger(year), math.tointeger(month),
        math.tointeger(day), math.tointeger(hour or 0), math.tointeger(minute or 0))
      if found then return found end
    end
  end
  local count, unit = text:match "^(%d+%.?%d*)%s*(%a+)$"
  local seconds = ({ s = 1, min = 60, h = 3600, d = 86400, w = 604800 })[unit]
  if seconds then return now_ns - math.floor(tonumber(count) * seconds * 1e9) end
  return nil, ("--since wants a time such as 2h, 3d or 2026-11-21, not '%s'"):format(text)
end

---@param args table
---@param console tandem.Console
---@return integer code
function command.run(args, console)
  if args.csv and args.json then return console:usage(forms.not_both("--csv", "--json")) end
  local since, wrong
  if args.since then
    since, wrong = moment(args.since)
    if not since then return console:usage(wrong) end
  end
  return storing.with(args, console, { readonly = true }, function(store)
    local rows, message, code = store:runs { name = args.name, kind = args.kind, tag = args.tag,
      state = args.state, since_ns = since, sort = args.sort }
    if not rows then return nil, message, code end
    local left = args.limit and #rows.rows > args.limit and #rows.rows - args.limit or nil
    if left then rows = rows:first(args.limit) end
    if args.csv then
      console.write_out(rows:to_csv())
      if left then console:note(("%s more"):format(format.plural(left, "run"))) end
    elseif args.json then
      console.write_out(rows:to_json("tandem.runs/1", { left_out = left }))
    elseif #rows.rows == 0 then
      console:note(("no such runs in %s"):format(store.path))
    else
      console:print(rows:lines(console.style))
      if left then
        console:print(console.style:paint(("  and %s more"):format(format.plural(left, "run")),
          "dim"))
      end
    end
    return codes.OK
  end)
end

return command
