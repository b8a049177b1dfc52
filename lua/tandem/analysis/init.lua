--- The analyses of a stored run: which there are, and how they are asked.
--
-- Owns the descriptions (one a file, lua/tandem/analysis/NAME.lua) and the methods that runs get
-- from them: run:kernels { by = "base" }. Which there are says the core's table
-- (src/analysis/analysis.h), and the counting is C unless a description has its own `answer`.
-- Called by store/run.lua and cli/analysis.lua.
local core = require "tandem.core"

local analysis = {}

---@class tandem.AnalysisFrame
---@field title string
---@field columns tandem.RowColumn[]  in order; a column without any value is not printed
---@field plain? boolean  for programs: in CSV and JSON, not in text and on pages

---@class tandem.Analysis
---@field title string
---@field summary string   one line, for the list of commands
---@field about string     a paragraph: what is counted, the share of what, whose definition
---@field options? tandem.AnalysisOption[]
---@field frames table<string, tandem.AnalysisFrame>  by the name the analysis gives them
---@field answer? fun(view: tandem.View, chosen: table): table|nil, string|nil, integer|nil
---                        what view:answer of core gives, made in Lua (default: C's)
---@field plots? fun(answer: tandem.Answer): tandem.AnalysisPlot[]  for pages and answer:plot
---@field heading? fun(answer: tandem.Answer, style: tandem.Style): string[]  lines above the tables
---@field notes? fun(answer: tandem.Answer): string[]  sentences under the tables, besides the basis
---@field page_notes? fun(answer: tandem.Answer): string[]  the same where pages say less
---@field headline? fun(answer: tandem.Answer): string|string[]|nil  for the head of reports
---@field own_command? boolean  its command is lua/tandem/cli/NAME.lua
---@field examples? string[]

---@class tandem.AnalysisPlot
---@field title string
---@field chart tandem.Plot

--- In the order that help shows them, by what they are about: core's, and those made in Lua.
---@type { title: string, names: string[] }[]
analysis.groups = core.analyses()
table.insert(analysis.groups[#analysis.groups].names, "advice")

--- The description of an analysis; nil when there is none.
---@param name string
---@return tandem.Analysis|nil
function analysis.named(name)
  for _, group in ipairs(analysis.groups) do
    for _, known in ipairs(group.names) do
      if known == name then return require("tandem.analysis." .. name) end
    end
  end
end

--- All names, in order.
---@return string[]
function analysis.names()
  local all = {}
  for _, group in ipairs(analysis.groups) do
    table.move(group.names, 1, #group.names, #all + 1, all)
  end
  return all
end

--- Options of an analysis of which people see so many rows: long tables get no more.
---@param description tandem.Analysis
---@param given table<string, any>  changed
---@param shown integer  0: all
---@return table<string, any> given
function analysis.shown(description, given, shown)
  for _, option in ipairs(description.options or {}) do
    if option.rows and given[option.name] == nil then given[option.name] = shown end
  end
  return given
end

--- Asks a run.
---@param run tandem.Run
---@param name string
---@param given? table<string, any>  options of the analysis and of the filter
---@param alone? boolean  nobody makes visits or an overlay of the run's view: see View:trim
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function analysis.ask(run, name, given, alone)
  local description = analysis.named(name)
  if not description then
    return nil, ("there is no analysis '%s'; %s"):format(tostring(name),
      require("tandem.text.nearest").hint(tostring(name), analysis.names())), 2
  end
  local filter, chosen = require("tandem.analysis.options").split(description, given or {})
  if not filter then return nil, chosen --[[@as string]], 2 end
  local view, message, code = require("tandem.analysis.view").of(run, filter)
  if not view then return nil, message, code end
  view.alone = view.alone or alone
  return view:ask(name, chosen --[[@as table]])
end

--- What runs have as methods. Wrong options raise; what the world did wrong comes back.
---@class tandem.Analyses
---@field [string] fun(self: tandem.Run, options?: table): tandem.Answer

--- The method of a run for an analysis: nil when there is none of this name.
---@param name any
---@return (fun(run: tandem.Run, options?: table): tandem.Answer|nil, string|nil, integer|nil)|nil
function analysis.method(name)
  if type(name) ~= "string" or not analysis.named(name) then return nil end
  return function(run, options)
    local answer, message, code = analysis.ask(run, name, options)
    if not answer and code == 2 then error(message, 2) end
    return answer, message, code
  end
end

return analysis
