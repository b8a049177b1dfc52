--- What the sources say of each plot of td.plot: words, and the example in its comment.
--
-- Owns how an example is taken out of a comment and run. Used by the help topic, the editor stubs
-- and the specs, so that there is one text and every example runs.
local examples = {}

---@class tandem.PlotExample
---@field words string  the sentences
---@field code string   one call, over one or several lines

--- What is said of a kind.
---@param kind string
---@return tandem.PlotExample
function examples.of(kind)
  local entry = assert(require("tandem.shell.annotations").of(
    require("tandem.plot.public")[kind]), kind)
  local words, code = require("tandem.help.call").parts(entry)
  return { words = table.concat(words, " "), code = assert(code, kind) }
end

--- The plot that an example makes.
---@param code string
---@return tandem.Plot
function examples.run(code)
  return assert(load("return " .. code, "=example", "t", { td = { plot =
    require "tandem.plot.public" } }))()
end

return examples
