--- Profiling sessions as the services of the field have them: begun, listed, looked at, removed,
--- with an HDF5 timeline and kernels each.
--
-- Owns what a session is: a measured run, or a simulation that was asked for here. That one's id is
-- its job's, which the run then carries as a tag, so that the session outlives the job. Its
-- timeline and kernels are those that a profiler would have captured.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local runs = require "tandem.serve.runs"
local scenarios = require "tandem.serve.scenarios"

local sessions = {}

local TAG <const> = "session-"
local NO_CAPTURE <const> = "tandem serve starts no programs for whoever asks. Capture with %s and "
  .. "send what it wrote to POST /v1/realtraces: that is a session, too."

-- What profilers can be asked for by, and what we can do of it.
local MODES <const> = {
  { id = "simulated", name = "Simulation", available = true,
    description = "Simulates a scenario and keeps every span of its first replication." },
  { id = "nsys", name = "Nsight Systems", available = false,
    reason = NO_CAPTURE:format "nsys profile",
    description = "Kernels, copies, API calls and NVTX ranges of a program." },
  { id = "ncu", name = "Nsight Compute", available = false, reason = NO_CAPTURE:format "ncu --csv",
    description = "Hardware metrics of its kernels, one by one." },
  { id = "torch", name = "PyTorch profiler", available = false,
    reason = NO_CAPTURE:format "torch.profiler",
    description = "Operators, kernels and memory of a PyTorch program." },
}

-- ---- finding one

local function native() return require "tandem.serve.native" end

local function job_of(id)
  local job = native().job(id)
  return job and job.kind == "session" and job or nil
end

---@class tandem.serve.Session
---@field id string
---@field run? tandem.Run   nil: not simulated yet, or never
---@field job? tandem.serve.Job

-- The session that the path names, by its own id or its run's; leaves with 404.
local function find(request, context)
  local id = request.params.id
  local rows = answer.check(context.store.db:all("SELECT r.id FROM run_tag AS t JOIN run AS r ON "
    .. "r.number = t.run WHERE t.tag = ?", TAG .. id))
  local job = job_of(id)
  local named = rows[1] and answer.check(context.store:run(rows[1].id))
  if named or job then return { id = id, run = named, job = job } end
  local run = answer.check(context.store:run(id))
  for _, tag in ipairs(run.tags or {}) do
    local own = tag:match("^" .. TAG .. "(%x+)$")
    if own then return { id = own, run = run } end
  end
  return { id = run.id, run = runs.find(request, context, "measured") }
end

-- The same, of one that has its run.
local function find_made(request, context)
  local session = find(request, context)
  if session.run then return session end
  answer.raise(409, "not_ready", ("Session %s has no run yet: it is %s."):format(session.id,
    session.job.state), "id")
end

local STATUS <const> = { new = "pending", queued = "pending", running = "running",
  done = "completed", failed = "failed", cancelled = "failed" }

local function described(session)
  local run, job, id = session.run, session.job, session.id
  local out = { id = id, session_id = id, mode = "imported", status = "completed",
    timeline = ("/api/profiling/timeline/%s.h5"):format(id),
    kernels = ("/api/profiling/kernels/%s"):format(id) }
  if job then
    out.status, out.progress, out.job_id = STATUS[job.state], job.progress, job.id
    out.events = ("/v1/jobs/%s/events"):format(job.id)
    out.mode = "simulated"
    if job.state == "done" and not run then out.status = "failed" end
    if out.status == "failed" then
      out.error = require("tandem.io.json").decode(jobs.problem(job).body).error
    end
  end
  if run then
    if run.kind == "simulated" then out.mode = "simulated" end
    out.run_id, out.name, out.kind, out.state = run.id, run.name, run.kind, run.state
    out.created_utc_ns, out.duration_s = run.created_utc_ns, run:duration_s()
    out.total_duration_ns = run.last_ns and run.first_ns and run.last_ns - run.first_ns or nil
    out.spans, out.total_events, out.tags = run.span_count, run.span_count, run.tags
  end
  return out
end

-- ---- beginning one

local KEYS <const> = { mode = "string", scenario_id = "string", scenario = "table",
  script = "string", seed = "integer", requests = "integer", duration = "any", engine = "string",
  set = "table" }
local PLAIN <const> = { "seed", "requests", "duration", "engine" }

local function check_mode(wanted)
  local names = {}
  for i, mode in ipairs(MODES) do
    names[i] = mode.id
    if mode.id == wanted then
      if mode.available then return end
      answer.raise(422, "mode_unavailable", mode.reason, "mode")
    end
  end
  answer.raise(400, "bad_request", ("There is no mode '%s'; %s."):format(wanted,
    require("tandem.text.nearest").hint(wanted, names)), "mode")
end

jobs.kinds.session = function(job, _, context)
  return answer.json(200, described(find({ params = { id = job.id } }, context)))
end

local function begin(request, context)
  if request.job then -- it has waited for nothing but its turn
    local job = job_of(request.job)
    if not job then return answer.problem(404, "not_found", "The session was forgotten.") end
    return answer.json(202, described { id = job.id, job = job },
      { Location = "/api/profiling/session/" .. job.id })
  end
  local object = answer.object(request, KEYS)
  check_mode(object.mode or "simulated")
  local form, text = scenarios.of(object, context)
  local words = jobs.stored(context, runs.options(object, PLAIN, { "run", "--spans=all" }))
  runs.settings(object.set, "--set", words)
  return jobs.answer(request, context, { kind = "session", wait_s = 0, arguments = function(job)
    table.insert(words, 2, scenarios.write(job, form, text))
    words[#words + 1] = "--tag=" .. TAG .. job.id
    return words
  end })
end

-- ---- the list

local function list(request, context)
  local out, known = {}, {}
  local rows = answer.check(context.store.db:all("SELECT r.id, t.tag FROM run AS r LEFT JOIN "
    .. "run_tag AS t ON t.run = r.number AND t.tag GLOB ? WHERE r.kind = 'measured' OR "
    .. "t.tag IS NOT NULL ORDER BY r.created_utc_ns DESC, r.number DESC LIMIT ?",
    TAG .. "*", request.query.limit))
  for i, row in ipairs(rows) do
    local id = row.tag and row.tag:sub(#TAG + 1) or row.id
    known[id] = true
    out[i] = described { id = id, run = answer.check(context.store:run(row.id)) }
  end
  local under_way = {}
  for _, job in ipairs(native().jobs()) do
    if job.kind == "session" and not known[job.id] then
      under_way[#under_way + 1] = described { id = job.id, job = job }
    end
  end
  table.move(out, 1, #out, #under_way + 1, under_way)
  for i = #under_way, request.query.limit + 1, -1 do under_way[i] = nil end
  return answer.json(200, { sessions = under_way })
end

-- ---- timelines

jobs.kinds.timeline = function(job, detail)
  return answer.file(job.directory .. "/trace", "application/x-hdf5", detail.session .. ".h5")
end

-- The newest job that wrote this run's timeline.
local function timeline_job(run)
  for _, job in ipairs(native().jobs()) do
    if job.kind == "timeline"
      and require("tandem.io.json").decode(job.detail).run == run.id then
      return job
    end
  end
end

local GENERATION <const> = { new = "generating", queued = "generating", running = "generating",
  done = "ready", failed = "failed", cancelled = "failed" }

local function timeline(request, context)
  local session = find_made(request, context)
  local run = session.run
  local made = not request.job and timeline_job(run)
  if made and made.state == "done" and made.code == 0 then
    return jobs.kinds.timeline(made, { session = session.id })
  end
  return jobs.answer(request, context, { kind = "timeline",
    detail = { run = run.id, session = session.id }, arguments = function(job)
      local words = { "export", run.id, "--format", "hdf5", "--output", job.directory .. "/trace" }
      if run.kind == "simulated" then words[#words + 1] = "--as-captured" end
      return jobs.stored(context, words)
    end })
end

-- ---- kernels

local KERNELS <const> = "SELECT name, count(*) AS count, sum(dur_ns) AS total_ns, "
  .. "min(dur_ns) AS min_ns, max(dur_ns) AS max_ns FROM span WHERE run = run('%s') AND %s "
  .. "GROUP BY name ORDER BY total_ns DESC, name LIMIT 1000"
-- What a profiler would see as kernels of a simulated run: what its GPUs did.
local WHICH <const> = { measured = "category = 'kernel'",
  simulated = "category = 'stage' AND lane = 'GPU'" }

jobs.kinds.session_kernels = function(job, detail, context)
  local rows = require("tandem.io.json").decode(jobs.read(job, "out")).rows
  local run = answer.check(context.store:run(detail.run))
  local metrics = answer.check(context.store.db:all("SELECT kernel, launch, metric, unit, value, "
    .. "text FROM kernel_metric WHERE run = ? LIMIT ?", run.number, detail.limit))
  return answer.json(200, { id = detail.session, session_id = detail.session, kernels = rows,
    metrics = metrics })
end

---@type tandem.serve.Route[]
sessions.routes = {
  { method = "GET", path = "/api/profiling/modes", summary = "how sessions can be begun here",
    answers = { [200] = "{modes: [{id, name, description, available, reason}], default}" },
    handle = function() return answer.json(200, { modes = MODES, default = "simulated" }) end },
  { method = "POST", path = "/api/profiling/run", summary = "begin a profiling session",
    about = "A simulated one: the scenario runs as a job, its first replication with every span. "
      .. "Captures of real programs are made elsewhere and sent to /v1/realtraces; modes says so.",
    body = { ["application/json"] = "{mode, scenario_id | scenario | script, seed, requests, "
      .. "duration, engine, set}" },
    example = [[{"mode": "simulated", "scenario_id": "demo", "requests": 100, "seed": 1}]],
    answers = { [202] = "{session_id, status: pending, progress, events}",
      [400] = "no such mode", [404] = "no such scenario",
      [422] = "a mode that this server has not", [503] = "too many jobs wait" },
    handle = begin },
  { method = "GET", path = "/api/profiling/sessions", summary = "the profiling sessions",
    query = { limit = { type = "integer", least = 1, most = 1000, default = 100,
      about = "at most so many" } },
    answers = { [200] = "{sessions: [{session_id, mode, status, name, created_utc_ns, duration_s, "
      .. "timeline, kernels}]}, those under way first, then the newest" },
    handle = list },
  { method = "GET", path = "/api/profiling/session/{id}", summary = "one session",
    answers = { [200] = "{session_id, mode, status: pending | running | completed | failed, "
      .. "progress, error, run_id, …, sources, facts}", [404] = "there is no such session" },
    handle = function(request, context)
      local session = find(request, context)
      local out = described(session)
      if session.run then
        out.sources, out.facts = {}, {}
        for row in session.run:sources() do
          out.sources[#out.sources + 1] = { format = row.format, rows = row.rows, rank = row.rank }
        end
        for row in session.run:facts() do out.facts[row.key] = row.value end
      end
      return answer.json(200, out)
    end },
  { method = "DELETE", path = "/api/profiling/session/{id}", summary = "remove a session",
    about = "One that is under way is cancelled.",
    answers = { [200] = "{removed}", [404] = "there is no such session" },
    handle = function(request, context)
      local session = find(request, context)
      if session.job and not session.job.ended then native().job_cancel(session.job.id) end
      if session.run then answer.check(context.store:remove(session.run.id)) end
      return answer.json(200, { removed = session.id })
    end },
  { method = "GET", path = "/api/profiling/timeline/{id}.h5", summary = "its timeline as HDF5",
    answers = { [200] = "an HDF5 file", [202] = "a job that writes it",
      [404] = "there is no such session", [409] = "it has no run yet",
      [422] = "this build has no HDF5" },
    handle = timeline },
  { method = "GET", path = "/api/profiling/timeline/{id}/status",
    summary = "whether its timeline is written",
    answers = { [200] = "{session_id, status: none | generating | ready | failed, job_id, "
      .. "progress}", [404] = "there is no such session", [409] = "it has no run yet" },
    handle = function(request, context)
      local session = find_made(request, context)
      local job = timeline_job(session.run)
      local status = job and GENERATION[job.state] or "none"
      if job and job.state == "done" and job.code ~= 0 then status = "failed" end
      return answer.json(200, { id = session.id, session_id = session.id, status = status,
        job_id = job and job.id, progress = job and job.progress })
    end },
  { method = "GET", path = "/api/profiling/kernels/{id}",
    summary = "its kernels, with what Nsight Compute measured",
    query = { limit = { type = "integer", least = 1, most = 10000, default = 1000,
      about = "at most so many metrics" } },
    answers = { [200] = "{session_id, kernels: [{name, count, total_ns, min_ns, max_ns}], "
      .. "metrics: [{kernel, launch, metric, value, unit}]}", [202] = "a job",
      [404] = "there is no such session", [409] = "it has no run yet" },
    handle = function(request, context)
      local session = find_made(request, context)
      local run = session.run
      return jobs.answer(request, context, { kind = "session_kernels",
        detail = { run = run.id, session = session.id, limit = request.query.limit },
        arguments = function()
          return jobs.stored(context, { "sql", KERNELS:format(run.id, WHICH[run.kind]), "--json" })
        end })
    end },
}

return sessions
