--- Profiling sessions: measured runs as the services of the field list them, with an HDF5 timeline
--- and kernels each.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local runs = require "tandem.serve.runs"

local sessions = {}

jobs.kinds.timeline = function(job, detail)
  return answer.file(job.directory .. "/trace", "application/x-hdf5", detail.run .. ".h5")
end

-- The newest job that wrote this run's timeline.
local function timeline_job(run)
  for _, job in ipairs(require("tandem.serve.native").jobs()) do
    if job.kind == "timeline" and require("tandem.json").decode(job.detail).run == run.id then
      return job
    end
  end
end

local STATUS <const> = { new = "generating", queued = "generating", running = "generating",
  done = "ready", failed = "failed", cancelled = "failed" }

local function session_of(row)
  return { id = row.id, name = row.name, kind = row.kind, state = row.state,
    created_utc_ns = row.created_utc_ns, duration_s = row.duration_s, spans = row.spans,
    tags = row.tags, timeline = ("/api/profiling/timeline/%s.h5"):format(row.id),
    kernels = ("/api/profiling/kernels/%s"):format(row.id) }
end

---@type tandem.serve.Route[]
sessions.routes = {
  { method = "GET", path = "/api/profiling/sessions", summary = "the profiling sessions",
    query = { limit = { type = "integer", least = 1, most = 1000, default = 100,
      about = "at most so many" } },
    answers = { [200] = "{sessions: [{id, name, created_utc_ns, duration_s, timeline, kernels}]}" },
    handle = function(request, context)
      local found = answer.check(context.store:runs { kind = "measured",
        limit = request.query.limit })
      local out = {}
      for i, row in ipairs(found.rows) do out[i] = session_of(row) end
      return answer.json(200, { sessions = out })
    end },
  { method = "GET", path = "/api/profiling/session/{id}", summary = "one session",
    answers = { [200] = "{id, name, …, sources, facts}", [404] = "there is no such session" },
    handle = function(request, context)
      local run = runs.find(request, context, "measured")
      local out = session_of { id = run.id, name = run.name, kind = run.kind, state = run.state,
        created_utc_ns = run.created_utc_ns, duration_s = run:duration_s(),
        spans = run.span_count, tags = run.tags }
      out.sources, out.facts = {}, {}
      for row in run:sources() do
        out.sources[#out.sources + 1] = { format = row.format, rows = row.rows, rank = row.rank }
      end
      for row in run:facts() do out.facts[row.key] = row.value end
      return answer.json(200, out)
    end },
  { method = "DELETE", path = "/api/profiling/session/{id}", summary = "remove a session",
    answers = { [200] = "{removed}", [404] = "there is no such session" },
    handle = function(request, context)
      local run = runs.find(request, context, "measured")
      answer.check(context.store:remove(run.id))
      return answer.json(200, { removed = run.id })
    end },
  { method = "GET", path = "/api/profiling/timeline/{id}.h5", summary = "its timeline as HDF5",
    answers = { [200] = "an HDF5 file", [202] = "a job that writes it",
      [404] = "there is no such session", [422] = "this build has no HDF5" },
    handle = function(request, context)
      local run = runs.find(request, context, "measured")
      local made = not request.job and timeline_job(run)
      if made and made.state == "done" and made.code == 0 then
        return jobs.kinds.timeline(made, { run = run.id })
      end
      return runs.export(request, context, "timeline", "hdf5")
    end },
  { method = "GET", path = "/api/profiling/timeline/{id}/status",
    summary = "whether its timeline is written",
    answers = { [200] = "{id, status: none | generating | ready | failed, job_id, progress}",
      [404] = "there is no such session" },
    handle = function(request, context)
      local run = runs.find(request, context, "measured")
      local job = timeline_job(run)
      local status = job and STATUS[job.state] or "none"
      if job and job.state == "done" and job.code ~= 0 then status = "failed" end
      return answer.json(200, { id = run.id, status = status, job_id = job and job.id,
        progress = job and job.progress })
    end },
  { method = "GET", path = "/api/profiling/kernels/{id}",
    summary = "its kernels, with what Nsight Compute measured",
    query = { limit = { type = "integer", least = 1, most = 10000, default = 1000,
      about = "at most so many metrics" } },
    answers = { [200] = "{id, kernels: [{name, count, total_ns}], metrics: [{kernel, launch, "
      .. "metric, value, unit}]}", [404] = "there is no such session" },
    handle = function(request, context)
      local run = runs.find(request, context, "measured")
      local kernels = answer.check(context.store.db:all("SELECT name, count(*) AS count, "
        .. "sum(dur_ns) AS total_ns, min(dur_ns) AS min_ns, max(dur_ns) AS max_ns FROM span "
        .. "WHERE run = ? AND category = 'kernel' GROUP BY name ORDER BY total_ns DESC, name "
        .. "LIMIT 1000", run.number))
      local metrics = answer.check(context.store.db:all("SELECT kernel, launch, metric, unit, "
        .. "value, text FROM kernel_metric WHERE run = ? LIMIT ?", run.number,
        request.query.limit))
      return answer.json(200, { id = run.id, kernels = kernels, metrics = metrics })
    end },
}

return sessions
