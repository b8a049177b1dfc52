--- `tandem version`: the version and what was built in.
local codes = require "tandem.cli.codes"
local forms = require "tandem.cli.forms"

---@type tandem.Command
local version = {
  summary = "show the version and the features built in",
  options = { forms.json("Print them as JSON (schema tandem.version/1).") },
  examples = { "tandem version" },
}

---@param args table
---@param console tandem.Console
---@return integer code
function version.run(args, console)
  local core = require "tandem.core"
  local features = core.features()
  if args.json then
    console:print(require("tandem.io.json").encode({
      schema = "tandem.version/1", version = core.version(), features = features,
    }, { indent = 2 }))
    return codes.OK
  end
  console:print("tandem " .. core.version())
  local rows = {}
  for _, name in ipairs(require("tandem.text.nearest").sorted_keys(features)) do
    local value = features[name]
    if type(value) == "boolean" then
      value = value and "yes" or "no"
    end
    rows[#rows + 1] = { name, tostring(value) }
  end
  console:print(require("tandem.text.columns").lines({ { title = "" }, { title = "" } }, rows,
    { style = console.style, indent = 2 }))
  return codes.OK
end

return version
