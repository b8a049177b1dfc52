--- `tandem version`: the version and what was built in.
local codes = require "tandem.cli.codes"

---@type tandem.Command
local version = {
  summary = "show the version and the features built in",
  options = { { "--json", help = "Print them as JSON (schema tandem.version/1)." } },
  examples = { "tandem version" },
}

---@param args table
---@param place tandem.Console
---@return integer code
function version.run(args, place)
  local core = require "tandem.core"
  local features = core.features()
  if args.json then
    place:print(require("tandem.report.json").encode({
      schema = "tandem.version/1", version = core.version(), features = features,
    }, { indent = 2 }))
    return codes.OK
  end
  place:print("tandem " .. core.version())
  local rows = {}
  for _, name in ipairs(require("tandem.nearest").sorted_keys(features)) do
    local value = features[name]
    if type(value) == "boolean" then
      value = value and "yes" or "no"
    end
    rows[#rows + 1] = { name, tostring(value) }
  end
  place:print(require("tandem.column_table").lines({ { title = "" }, { title = "" } }, rows,
    { style = place.style, indent = 2 }))
  return codes.OK
end

return version
