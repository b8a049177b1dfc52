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

-- The figures that such pages show first, by their names there (percent, MB of 10^6 bytes; the
-- communication that nothing hides), from the
-- rows of the answer's first table: sums over GPUs. What the run does not tell is left out.
local function sum(rows, key, times, over)
  local all
  for _, row in ipairs(rows) do
    local value = tonumber(row[key])
    if value then all = (all or 0) + value end
  end
  return all and (times or 1) * all / (over or 1)
end

local FIRST <const> = {
  hta = function(rows)
    local total = sum(rows, "total_ns") or 0
    return total > 0 and { gpu_idle_time_pct = sum(rows, "idle_ns", 100, total),
      compute_time_pct = sum(rows, "compute_ns", 100, total),
      communication_time_pct = sum(rows, "exposed_comm_ns", 100, total) }
  end,
  memory = function(rows)
    return { peak_memory_mb = sum(rows, "peak_bytes", 1, 1e6),
      allocated_memory_mb = sum(rows, "end_bytes", 1, 1e6),
      reserved_memory_mb = sum(rows, "reserved_bytes", 1, 1e6) }
  end,
  timeline = function(rows)
    local total, active = 0, 0
    for _, row in ipairs(rows) do
      local length = row.to_ns - row.from_ns
      total, active = total + length, active + length * row.busy_share
    end
    return { total_time_us = total / 1e3, gpu_active_time_us = active / 1e3 }
  end,
  compile = function(rows)
    return { compile_time_ms = sum(rows, "compile_ns", 1, 1e6),
      total_graph_breaks = sum(rows, "graph_breaks"), fusion_ratio = rows[1].fusion_ratio,
      ops_before_fusion = rows[1].operators, ops_after_fusion = rows[1].calls }
  end,
}

-- What the command printed, and "summary".
jobs.kinds.profiler = function(job, detail)
  local first = FIRST[detail.name]
  local printed = jobs.printed(job, { ["Content-Type"] = "application/json" })
  if not first or printed.status ~= 200 then return printed end
  local text = jobs.read(job, "out")
  local rows = require("cjson").decode(text).tables[1].rows
  local summary = #rows > 0 and first(rows)
  if not summary or next(summary) == nil then return answer.json(200, text) end
  return answer.json(200, answer.with(text, "summary", answer.encode(summary)))
end

---@type tandem.serve.Route[]
analyses.routes = {}
for _, one in ipairs(COMMANDS) do
  local name, words, summary = table.unpack(one)
  analyses.routes[#analyses.routes + 1] = {
    method = "GET", path = "/api/profiler/" .. name, summary = summary,
    query = { run = { default = "last", pattern = "^%w+$",
      about = "the run's id (default: last)" } },
    answers = { [200] = ("the result of tandem %s --json (tandem.analysis/1)%s"):format(words[1],
      FIRST[name] and "; before it summary, the figures that come first, of those that the run "
        .. "tells" or ""),
      [202] = "a job", [404] = "there is no such run", [422] = "this run cannot tell" },
    handle = function(request, context)
      local run = answer.check(context.store:run(request.query.run))
      return jobs.answer(request, context, { kind = "profiler", detail = { name = name },
        arguments = function()
          local line = { words[1], run.id }
          table.move(words, 2, #words, 3, line)
          return jobs.stored(context, line)
        end })
    end,
  }
end

return analyses
