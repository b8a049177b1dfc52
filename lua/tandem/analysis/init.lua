--- The analyses of a stored run: which there are, and how they are asked.
--
-- Owns the list (one description a file, lua/tandem/analysis/NAME.lua) and the methods that runs
-- get from it: run:kernels { by = "base" }. The counting is C (src/analysis) unless a description
-- has an `answer` of its own. Called by store/run.lua and cli/analysis.lua.
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
---                        what view:answer of core gives, made in Lua; C's unless told
---@field plots? fun(answer: tandem.Answer): tandem.AnalysisPlot[]  for pages and answer:plot
---@field heading? fun(answer: tandem.Answer, place: tandem.Style): string[]  lines above the tables
---@field notes? fun(answer: tandem.Answer): string[]  sentences under the tables, besides the basis
---@field headline? fun(answer: tandem.Answer): string|nil  one sentence for the head of reports
---@field own_command? boolean  its command is lua/tandem/cli/NAME.lua
---@field examples? string[]

---@class tandem.AnalysisPlot
---@field title string
---@field chart tandem.Plot

--- In the order that help shows them, by what they are about.
---@type { title: string, names: string[] }[]
analysis.groups = {
  { title = "What ran", names = {
    "kernels",
    "gpu",
    "api",
    "launches",
    "syncs",
    "ranges",
    "projected",
    "range_kernels",
    "ops",
    "osrt",
  } },
  { title = "Where the time goes", names = {
    "breakdown",
    "overlap",
    "idle",
    "gaps",
    "queue",
    "launch_delay",
    "utilization",
    "sequences",
    "graphs",
    "critical_path",
    "ranks",
    "phases",
    "categories",
    "flame",
    "steps",
  } },
  { title = "Memory and copies", names = {
    "copies",
    "bandwidth",
    "memory",
  } },
  { title = "What to change", names = {
    "compile",
    "advice",
  } },
}

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

--- Asks a run.
---@param run tandem.Run
---@param name string
---@param given? table<string, any>  options of the analysis and of the filter
---@return tandem.Answer|nil
---@return string|nil message
---@return integer|nil code
function analysis.ask(run, name, given)
  local description = analysis.named(name)
  if not description then
    return nil, ("there is no analysis '%s'; %s"):format(tostring(name),
      require("tandem.nearest").hint(tostring(name), analysis.names())), 2
  end
  local filter, chosen = require("tandem.analysis.options").split(description, given or {})
  if not filter then return nil, chosen --[[@as string]], 2 end
  local view, message, code = require("tandem.analysis.view").of(run, filter)
  if not view then return nil, message, code end
  return view:ask(name, chosen --[[@as table]])
end

--- What runs have as methods. Wrong options raise; what the world did wrong comes back.
---@class tandem.Analyses
---@field advice fun(self: tandem.Run, options?: table): tandem.Answer
---@field kernels fun(self: tandem.Run, options?: table): tandem.Answer
---@field gpu fun(self: tandem.Run, options?: table): tandem.Answer
---@field api fun(self: tandem.Run, options?: table): tandem.Answer
---@field syncs fun(self: tandem.Run, options?: table): tandem.Answer
---@field ranges fun(self: tandem.Run, options?: table): tandem.Answer
---@field osrt fun(self: tandem.Run, options?: table): tandem.Answer
---@field copies fun(self: tandem.Run, options?: table): tandem.Answer
---@field launches fun(self: tandem.Run, options?: table): tandem.Answer
---@field projected fun(self: tandem.Run, options?: table): tandem.Answer
---@field range_kernels fun(self: tandem.Run, options?: table): tandem.Answer
---@field ops fun(self: tandem.Run, options?: table): tandem.Answer
---@field breakdown fun(self: tandem.Run, options?: table): tandem.Answer
---@field overlap fun(self: tandem.Run, options?: table): tandem.Answer
---@field idle fun(self: tandem.Run, options?: table): tandem.Answer
---@field gaps fun(self: tandem.Run, options?: table): tandem.Answer
---@field queue fun(self: tandem.Run, options?: table): tandem.Answer
---@field launch_delay fun(self: tandem.Run, options?: table): tandem.Answer
---@field utilization fun(self: tandem.Run, options?: table): tandem.Answer
---@field steps fun(self: tandem.Run, options?: table): tandem.Answer
---@field bandwidth fun(self: tandem.Run, options?: table): tandem.Answer
---@field sequences fun(self: tandem.Run, options?: table): tandem.Answer
---@field graphs fun(self: tandem.Run, options?: table): tandem.Answer
---@field ranks fun(self: tandem.Run, options?: table): tandem.Answer
---@field phases fun(self: tandem.Run, options?: table): tandem.Answer
---@field critical_path fun(self: tandem.Run, options?: table): tandem.Answer
---@field categories fun(self: tandem.Run, options?: table): tandem.Answer
---@field flame fun(self: tandem.Run, options?: table): tandem.Answer
---@field compile fun(self: tandem.Run, options?: table): tandem.Answer
---@field memory fun(self: tandem.Run, options?: table): tandem.Answer

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
