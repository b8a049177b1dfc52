--- Plans: how many GPUs, how much load, which configuration.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local runs = require "tandem.serve.runs"
local scenarios = require "tandem.serve.scenarios"

local plans = {}

local KEYS <const> = { scenario_id = "string", scenario = "table", script = "string",
  run_id = "string", files = "table", find = "string", kinds = "any", load = "any", slo = "table",
  limit = "table", gpus = "integer", over = "table", minimize = "string", mix = "boolean",
  max = "integer", count = "string", budget = "table", confidence = "number",
  precision = "number", replications = "integer", seed = "integer", set = "table",
  duration = "any", requests = "integer" }
local OPTIONS <const> = { "find", "kinds", "load", "gpus", "minimize", "max", "count", "confidence",
  "precision", "replications", "seed", "duration", "requests" }
local TABLES <const> = { "slo", "limit", "over", "budget", "set" }

-- The answer, and its curve beside it.
jobs.kinds.plan = function(job)
  local told = jobs.answer_of(job)
  local text, plot = jobs.read(job, "out"), told and told.plot
  return answer.json(200, plot and answer.with(text, "plot", answer.encode(plot)) or text)
end

-- A list is what the command line writes with commas.
local function joined(value)
  if type(value) ~= "table" then return value end
  local words = {}
  for i, one in ipairs(value) do words[i] = tostring(one) end
  return table.concat(words, ",")
end

local function words_of(object)
  object.kinds, object.load = joined(object.kinds), joined(object.load)
  for key, value in pairs(object.over or {}) do object.over[key] = joined(value) end
  local words = runs.options(object, OPTIONS, { "plan" })
  if object.mix then words[#words + 1] = "--mix" end
  for _, name in ipairs(TABLES) do runs.settings(object[name], "--" .. name, words) end
  table.move({ "--json", "--plot=-" }, 1, 2, #words + 1, words)
  return words
end

---@type tandem.serve.Route[]
plans.routes = {
  { method = "POST", path = "/v1/plans", summary = "how many GPUs, how much load, what is best",
    about = "Options as of tandem plan: find is gpus, load or best; kinds, load and the values of "
      .. "over may be lists; slo, limit, over, budget and set are objects. Searches are jobs: "
      .. "those that take longer than a few seconds are answered with 202.",
    body = { ["application/json"] = "{scenario_id | scenario | script | run_id, find, kinds, load, "
      .. "slo, …}" },
    example = [[{"scenario_id": "demo", "kinds": ["H100", "L40S"], "load": "400rps",
      "slo": {"p99": "250ms"}}]],
    answers = { [200] = "the result of tandem plan --json (tandem.plan/1), and plot: its curve as "
      .. "SVG", [202] = "a job", [400] = "an option that is not understood",
      [422] = "a scenario that cannot be run" },
    handle = function(request, context)
      local words, form, text, files
      if not request.job then
        local object = answer.object(request, KEYS)
        form, text = scenarios.of(object, context)
        files = scenarios.files(object)
        words = words_of(object)
      end
      return jobs.answer(request, context, { kind = "plan", arguments = function(job)
        table.insert(words, 2, scenarios.write(job, form, text, files))
        return words
      end })
    end },
}

return plans
