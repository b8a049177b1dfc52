--- Analyses of a run under the names that profiler pages ask for.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"

local analyses = {}

-- Their name → ours; a command each, with --json.
local COMMANDS <const> = {
  { "flame", { "flame", "--json" }, "stacks as a flame graph" },
  { "memory", { "memory", "--json" }, "memory over time, peaks, what was not freed" },
  { "timeline", { "utilization", "--json" }, "how busy GPUs were over time" },
  { "kernels", { "kernels", "--json" }, "kernels by name" },
  { "hta", { "breakdown", "--json" }, "GPU time: computing, communicating, copying, idle" },
  { "compile", { "compile", "--json" }, "what torch.compile did" },
}

jobs.prints_json "profiler"

---@type tandem.serve.Route[]
analyses.routes = {}
for _, one in ipairs(COMMANDS) do
  local name, words, summary = table.unpack(one)
  analyses.routes[#analyses.routes + 1] = {
    method = "GET", path = "/api/profiler/" .. name, summary = summary,
    query = { run = { default = "last", pattern = "^%w+$",
      about = "the run's id; last unless told" } },
    answers = { [200] = ("what tandem %s --json prints (tandem.analysis/1)"):format(words[1]),
      [202] = "a job", [404] = "there is no such run" },
    handle = function(request, context)
      local run = answer.check(context.store:run(request.query.run))
      return jobs.answer(request, context, { kind = "profiler", arguments = function()
        local line = { words[1], run.id }
        table.move(words, 2, #words, 3, line)
        return jobs.stored(context, line)
      end })
    end,
  }
end

return analyses
