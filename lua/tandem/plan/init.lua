--- td.plan: how many GPUs, how much load, which configuration.
--
-- Owns the three questions as people call them; checks are question.lua's, answers gpus.lua,
-- load.lua and best.lua. Reached as td.plan from scripts and the REPL, and by `tandem plan`.
local question = require "tandem.plan.question"

local plan = {}

-- A wrong question is one line, at the caller's; everything else is as it was raised.
local function ask(find, options, answer)
  local ok, result = pcall(function() return answer(question.of(find, options)) end)
  if ok then return result end
  if type(result) == "table" and result.plan then
    error(("td.plan.%s: %s"):format(find, result.plan), 3)
  end
  error(result, 0)
end

---@class tandem.PlanOptions
---@field scenario tandem.Scenario  what is asked about
---@field slo? table           { p99 = "250ms" }, or by class (default: the scenario's own)
---@field limits? table        { ["resources.L40 gpu.utilization"] = { max = 0.8 } }
---@field kinds? (string|table)[]  GPUs of the catalogue or td.gpu …
---@field load? string|number|(string|number)[]  "40rps", a list, td.range(…)
---@field confidence? number   how sure each row is, a fraction (default: 0.95)
---@field precision? number    differences below this fraction of a limit are not resolved; 0.01
---@field replications? integer  at most for one candidate; 64
---@field budget? { gpus?: number, usd_per_hour?: number, watts?: number|string,
---              simulations?: integer }  at most so much of each
---@field time_limit? string|number  "20s", or seconds: then the best answer so far is given
---@field seed? integer       one for every candidate (default: the scenario's)
---@field threads? integer    how many to use (default: the processors)
---@field sensitivity? boolean  false: not examined; true: for every load
---@field doubt? boolean      false: as if the step models of LLM servers were exact

---@class tandem.PlanGpusOptions: tandem.PlanOptions
---@field count? string|string[]  path of what is counted (default: "gpus"), or two of them:
---                            the cheapest pair
---@field min? integer         the fewest to consider (default: 1)
---@field max? integer         the most to consider (default: 64)
---@field minimize? "usd_per_hour"|"gpus"|"watts"  what the best has least of
---@field mix? boolean         also pairs of two kinds
---@field survive? integer     that may be down while the objectives hold (default: 0)
---@field users? string|string[]  in place of load: "2x" the users, each with a
---                            prefix of its own where the scenario's group is drawn among so many
---@field busier? string|string[]  … the same users, who come "2x" as often
---@field load_path? string    what `load` sets, where it is no rate of arrivals
---@field monotone? boolean    false: more can be worse
---@field method? "auto"|"bisection"|"scan"  default: auto; scan tests every number

---@class tandem.PlanLoadOptions: tandem.PlanOptions
---@field kind? string|table   the GPU (default: the scenario's own)
---@field gpus? integer        how many (default: the scenario's own)

---@class tandem.PlanBestOptions: tandem.PlanOptions
---@field over table<string, any[]|tandem.Range>  paths and their values
---@field minimize? "usd_per_hour"|"gpus"|"watts"  what the best has least of

--- The fewest GPUs for each load and kind, and the best kind.
---@param options tandem.PlanGpusOptions
---@return tandem.PlanAnswer
function plan.gpus(options) return ask("gpus", options, require("tandem.plan.gpus").answer) end

--- The highest load that meets the limits.
---@param options tandem.PlanLoadOptions
---@return tandem.PlanAnswer
function plan.load(options) return ask("load", options, require("tandem.plan.load").answer) end

--- The cheapest configuration.
---@param options tandem.PlanBestOptions
---@return tandem.PlanAnswer
function plan.best(options) return ask("best", options, require("tandem.plan.best").answer) end

return plan
