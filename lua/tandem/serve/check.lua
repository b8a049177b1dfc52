--- A scenario checked without running it: for those who write one, as they write.
--
-- Owns the route. The check is a job like a run, since a script may do anything; its problems are
-- the answer, not an error.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local scenarios = require "tandem.serve.scenarios"

local check = {}

local KEYS <const> = { files = "table" }
for key, kind in pairs(scenarios.KEYS) do KEYS[key] = kind end

jobs.tells_problems.check = true
jobs.kinds.check = function(job)
  local told = require("tandem.io.json").decode(jobs.read(job, "out"))
  if not told then return jobs.problem(job) end
  local file = told.files[1]
  local problems = {}
  for i, problem in ipairs(file.problems) do
    problems[i] = { path = problem.path ~= "" and problem.path or nil, line = problem.line,
      message = jobs.without_directory(problem.message, job) }
  end
  local form = file.form or {}
  form.functions = form.functions and #form.functions > 0 and form.functions or nil
  return answer.json(200, { ok = file.ok, name = file.name, problems = problems,
    data = form.data, functions = form.functions, lua = form.lua, script = form.script,
    with = form.with, hash = form.hash })
end

---@type tandem.serve.Route[]
check.routes = {
  { method = "POST", path = "/v1/check", summary = "every problem of a scenario, not running it",
    about = "Problems are the answer, each with its path, as --set takes it, and its line where "
      .. "the scenario is a text. A scenario without problems also comes back as data (JSON's "
      .. "form, costs as formulas) and as Lua text; one with functions, which data cannot hold, as "
      .. "its script, with the paths of these and what was changed (with).",
    body = { ["application/json"] = "{scenario_id | scenario | script | run_id, files}" },
    example = [[{"scenario": {"name": "small", "workload": {"type": "poisson", "rps": 20,
      "duration": "2s"}, "target": "L40", "pipeline": [{"type": "fixed", "name": "pre",
      "tiem": "2ms"}]}}]],
    answers = { [200] = "{ok, name, hash, problems: [{path, line, message}], data, lua | script, "
      .. "functions, with}", [202] = "a job", [400] = "not JSON", [404] = "no such scenario",
      [422] = "its script exceeds its budget", [503] = "too many jobs wait" },
    handle = function(request, context)
      local words, form, text, files
      if not request.job then
        local object = answer.object(request, KEYS)
        form, text = scenarios.of(object, context)
        files = scenarios.files(object)
        words = { "check", "--json", "--source" }
      end
      return jobs.answer(request, context, { kind = "check", arguments = function(job)
        table.insert(words, 2, scenarios.write(job, form, text, files))
        return words
      end })
    end },
}

return check
