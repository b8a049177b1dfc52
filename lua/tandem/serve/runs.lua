--- Runs: simulated on request, listed, read, compared, as Chrome traces.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local scenarios = require "tandem.serve.scenarios"

local runs = {}

local LIST_MOST <const>, REQUESTS_MOST <const>, KEPT_MOST <const> = 1000, 10000, 256
local VERSION <const> = "SELECT data_version, total_changes() AS own FROM pragma_data_version"

--- The run that the path names.
---@param request tandem.serve.Request
---@param context tandem.serve.Context
---@param kind? "simulated"|"measured"  what it must be
---@return tandem.Run
function runs.find(request, context, kind)
  local id = request.params.id
  local run = answer.check(context.store:run(id))
  if kind and run.kind ~= kind then
    answer.raise(404, "not_found", ("Run %s is not %s but %s."):format(run.id, kind, run.kind),
      "id")
  end
  return run
end

local FIELDS <const> = { "kind", "name", "state", "created_utc_ns", "scenario_hash", "seed",
  "version", "note", "tags", "spans_dropped", "complete_until_ns", "first_ns", "last_ns" }

local function described(run)
  local out = { run_id = run.id, spans = run.span_count, duration_s = run:duration_s() }
  for _, name in ipairs(FIELDS) do out[name] = run[name] end
  return out
end

-- The result of a simulation is JSON already, and long: it is put in as it is.
local function card(run)
  local text = answer.encode(described(run))
  local result = run.summary_json
  if not result then return text .. "\n" end
  return answer.with(text, "result", result) .. "\n"
end

-- What was made before, as long as nobody has written into the store since. Another connection's
-- writes change data_version, this one's are counted.
local function unchanged(context, key, make)
  local db, kept = context.store.db, context.kept
  local row = answer.check(db:one(VERSION))
  if not kept or kept.version ~= row.data_version or kept.own ~= row.own
    or kept.count > KEPT_MOST then
    kept = { version = row.data_version, own = row.own, count = 0, texts = {} }
    context.kept = kept
  end
  local text = kept.texts[key]
  if not text then
    text = make()
    kept.texts[key], kept.count = text, kept.count + 1
  end
  return text
end

local SUMMARY <const> = { "requests", "duration_s", "offered_rps", "carried_rps", "throughput_rps",
  "goodput_rps", "latency", "slo_met", "checks", "replications", "seed", "llm" }

-- What is not known is null in a stored result, and absent in an answer.
local function known(value)
  if type(value) == "userdata" then return nil end
  for key, one in pairs(type(value) == "table" and value or {}) do value[key] = known(one) end
  return value
end

-- Read by the laxer decoder: a long result is seconds of the strict one.
local function result_of(run)
  return known(require("tandem.page.simulated").result(run)) or {}
end

local function summary_of(run)
  local result, out = result_of(run), { name = run.name, state = run.state }
  for _, name in ipairs(SUMMARY) do out[name] = result[name] end
  return out
end

-- Where the time of its requests goes: by stage, by resource, by class; and request by request.
local function breakdown_of(run, limit, offset)
  local result = result_of(run)
  local out = { run_id = run.id, stages = result.stages or {}, resources = result.resources,
    classes = result.classes or {}, latency = result.latency }
  if not limit then return out end
  local rows = answer.check(run.store.db:all("SELECT r.id, c.name AS class, r.arrival_ns, r.end_ns,"
    .. " r.gpu, r.outcome FROM request AS r LEFT JOIN class AS c ON c.run = r.run AND"
    .. " c.id = r.class WHERE r.run = ? ORDER BY r.arrival_ns, r.id LIMIT ? OFFSET ?", run.number,
    limit, offset))
  local by_id = {}
  for _, row in ipairs(rows) do
    row.stages = {}
    by_id[row.id] = row
  end
  if #rows > 0 and run.span_count > 0 then
    local first, last = rows[1].arrival_ns, rows[1].end_ns or math.maxinteger
    for _, row in ipairs(rows) do last = math.max(last, row.end_ns or math.maxinteger) end
    for span in run.store:query { "SELECT request, name, lane, start_ns, dur_ns FROM span WHERE"
      .. " run = ? AND request IS NOT NULL AND start_ns >= ? AND start_ns <= ? ORDER BY start_ns",
      run.number, first, last } do
      local row = by_id[span.request]
      if row then
        row.stages[#row.stages + 1] = { name = span.name, lane = span.lane,
          start_ns = span.start_ns, dur_ns = span.dur_ns }
      end
    end
  end
  out.requests = rows
  return out
end

local function artifacts_of(id) return { trace = ("/v1/runs/%s/trace"):format(id) } end

jobs.kinds.run = function(job, _, context)
  local told = jobs.answer_of(job)
  if not (told and told.run) then
    return answer.problem(500, "not_kept", "The run was simulated but not kept.")
  end
  local run = answer.check(context.store:run(told.run))
  return answer.json(201, { run_id = run.id, summary = summary_of(run),
    breakdown = breakdown_of(run), artifacts = artifacts_of(run.id) },
    { Location = "/v1/runs/" .. run.id })
end

local RUN_KEYS <const> = { scenario_id = "string", scenario = "table", script = "string",
  run_id = "string", files = "table", seed = "integer", replications = "integer",
  requests = "integer", duration = "any",
  engine = "string", spans = "string", set = "table" }
local PLAIN <const> = { "seed", "replications", "requests", "duration", "engine", "spans" }

--- Options of a request as those of a command line; nothing of it can be taken for another option.
---@param object table
---@param names string[]
---@param words string[]
---@return string[]
function runs.options(object, names, words)
  for _, name in ipairs(names) do
    local value = object[name]
    if value ~= nil then
      if type(value) == "table" then
        answer.raise(400, "bad_request", name .. " is not a single value.", name)
      end
      words[#words + 1] = ("--%s=%s"):format(name, value)
    end
  end
  return words
end

--- A table of settings as KEY=VALUE words after an option.
---@param object table|nil
---@param option string
---@param words string[]
---@return string[]
function runs.settings(object, option, words)
  for _, key in ipairs(require("tandem.text.nearest").sorted_keys(object or {})) do
    local value = object[key]
    if type(key) ~= "string" or not key:find "^[%a_][%w_.%[%]#-]*$" or type(value) == "table" then
      answer.raise(400, "bad_request", ("'%s' is not a setting."):format(tostring(key)),
        option:gsub("^%-+", "") .. "." .. tostring(key))
    end
    words[#words + 1] = option
    words[#words + 1] = ("%s=%s"):format(key, tostring(value))
  end
  return words
end

local function post(request, context)
  local words, form, text, files, about
  if not request.job then
    local object = answer.object(request, RUN_KEYS)
    about = scenarios.about(object, context)
    form, text = scenarios.of(object, context)
    files = scenarios.files(object)
    words = jobs.stored(context, runs.options(object, PLAIN, { "run" }))
    runs.settings(object.set, "--set", words)
  end
  return jobs.answer(request, context, { kind = "run", about = about, arguments = function(job)
    table.insert(words, 2, scenarios.write(job, form, text, files))
    return words
  end })
end

--- Answers with a run's trace in a format, written by a job.
---@param request tandem.serve.Request
---@param context tandem.serve.Context
---@param kind string  of the job, whose end answers
---@param format string
---@param wait_s? number
---@return table
function runs.export(request, context, kind, format, wait_s)
  local run = runs.find(request, context)
  return jobs.answer(request, context, { kind = kind, detail = { run = run.id, format = format },
    wait_s = wait_s,
    arguments = function(job)
      return jobs.stored(context, { "export", run.id, "--format", format, "--output",
        job.directory .. "/trace" })
    end })
end

-- The name of a format → { its type, how its files end }.
local FORMATS <const> = { chrome = { "application/json", ".json" },
  perfetto = { "application/octet-stream", ".pftrace" },
  arrow = { "application/vnd.apache.arrow.file", ".arrow" },
  parquet = { "application/vnd.apache.parquet", ".parquet" },
  csv = { "text/csv; charset=utf-8", ".csv" },
  jsonl = { "application/x-ndjson", ".jsonl" }, hdf5 = { "application/x-hdf5", ".h5" },
  speedscope = { "application/json", ".speedscope.json" },
  folded = { "text/plain; charset=utf-8", ".folded" } }
local FORMAT_NAMES <const> = { "chrome", "perfetto", "csv", "jsonl", "hdf5", "arrow", "parquet",
  "speedscope", "folded" }

jobs.kinds.trace = function(job, detail)
  local kind, ending = table.unpack(FORMATS[detail.format])
  return answer.file(job.directory .. "/trace", kind, detail.run .. ending)
end
jobs.prints_json "diff"

local function words_of(list, path)
  for i, word in ipairs(list or {}) do
    if not require("tandem.store.edit").is_tag(word) or #word > 100 then
      answer.raise(400, "bad_request", "A tag is a word.", ("%s[%d]"):format(path, i))
    end
  end
  return list or {}
end

local function tag(request, context)
  local object = answer.object(request, { add = "table", remove = "table" })
  local run = runs.find(request, context)
  answer.check(require("tandem.store.edit").tag(context.store, run.id,
    words_of(object.add, "add"), words_of(object.remove, "remove")))
  return answer.json(200, { run_id = run.id, tags = answer.check(context.store:run(run.id)).tags })
end

---@type tandem.serve.Route[]
runs.routes = {
  { method = "POST", path = "/v1/runs", summary = "simulate a scenario",
    about = "Short runs are answered at once; long ones with 202 and a job (with "
      .. "Prefer: respond-async all of them). scenario_id is a posted one or the name of a shipped "
      .. "one. Options as of tandem run.",
    body = { ["application/json"] = "{scenario_id | scenario | script | run_id, seed, "
      .. "replications, requests, duration, engine, spans, set: {\"workload.rps\": 4}}" },
    example = [[{"scenario_id": "demo", "duration": "5s", "seed": 1}]],
    answers = { [201] = "{run_id, summary, breakdown, artifacts: {trace}}",
      [202] = "a job (see /v1/jobs/{id})", [400] = "not JSON", [404] = "no such scenario",
      [422] = "the scenario cannot be run", [503] = "too many jobs wait" },
    handle = post },
  { method = "GET", path = "/v1/runs", summary = "the runs, the newest first",
    query = { kind = { choices = { "simulated", "measured" }, about = "only these" },
      name = { about = "part of the name" }, tag = { about = "with this tag" },
      limit = { type = "integer", least = 1, most = LIST_MOST, default = 100,
        about = "at most so many" } },
    answers = { [200] = "{runs: [{run_id, kind, name, state, created_utc_ns, spans, …}]}" },
    handle = function(request, context)
      local found = answer.check(context.store:runs { kind = request.query.kind,
        name = request.query.name, tag = request.query.tag, limit = request.query.limit })
      local out = {}
      for i, row in ipairs(found.rows) do
        out[i] = { run_id = row.id, kind = row.kind, name = row.name, state = row.state,
          created_utc_ns = row.created_utc_ns, spans = row.spans, p99_s = row.p99_s,
          duration_s = row.duration_s, tags = row.tags, note = row.note, seed = row.seed }
      end
      return answer.json(200, { runs = out })
    end },
  { method = "GET", path = "/v1/runs/{id}", summary = "one run: what it is, and its result",
    about = "id is the beginning of an id, or last.",
    answers = { [200] = "{run_id, kind, name, state, …, result: tandem.result/1}",
      [404] = "there is no such run" },
    handle = function(request, context)
      return answer.json(200, unchanged(context, request.params.id, function()
        return card(runs.find(request, context))
      end))
    end },
  { method = "DELETE", path = "/v1/runs/{id}", summary = "remove a run",
    answers = { [200] = "{removed}", [404] = "there is no such run" },
    handle = function(request, context)
      local run = runs.find(request, context)
      answer.check(context.store:remove(run.id))
      return answer.json(200, { removed = run.id })
    end },
  { method = "GET", path = "/v1/runs/{id}/breakdown",
    summary = "where the time goes: stages, resources, classes",
    query = { limit = { type = "integer", least = 0, most = REQUESTS_MOST, default = 100,
      about = "at most so many requests" },
      offset = { type = "integer", default = 0, about = "leave out so many before" } },
    answers = { [200] = "{run_id, stages, resources, classes, latency, requests: [{id, class, "
      .. "arrival_ns, end_ns, outcome, stages: [{name, lane, start_ns, dur_ns}]}]}",
      [404] = "there is no such simulated run" },
    handle = function(request, context)
      return answer.json(200, breakdown_of(runs.find(request, context, "simulated"),
        request.query.limit, request.query.offset))
    end },
  { method = "GET", path = "/v1/runs/{id}/trace",
    summary = "its trace as Chrome JSON or in another format",
    query = { format = { choices = FORMAT_NAMES, default = "chrome", about = "which" } },
    answers = { [200] = "a Chrome trace by default, packed where accepted",
      [202] = "a job", [404] = "there is no such run", [422] = "its spans were not kept" },
    handle = function(request, context)
      return runs.export(request, context, "trace", request.query.format)
    end },
  { method = "POST", path = "/v1/runs/{id}/tags", summary = "tag it, or take tags away",
    body = { ["application/json"] = "{add: [word], remove: [word]}" },
    example = [[{"add": ["baseline"]}]],
    answers = { [200] = "{run_id, tags}", [400] = "no tags, or no words",
      [404] = "there is no such run" },
    handle = tag },
  { method = "GET", path = "/v1/runs/{id}/compare", summary = "this run against another",
    query = { with = { required = true, pattern = "^%w+$", example = "last",
      about = "the other run's id" },
      by = { pattern = "^[%l,]+$", about = "as of tandem diff: kernel, stage, …" } },
    answers = { [200] = "the result of tandem diff --json", [202] = "a job",
      [404] = "there is no such run", [422] = "these runs cannot tell" },
    handle = function(request, context)
      local a = runs.find(request, context)
      local b = answer.check(context.store:run(request.query.with))
      return jobs.answer(request, context, { kind = "diff", arguments = function()
        local words = { "diff", a.id, b.id, "--json" }
        if request.query.by then words[#words + 1] = "--by=" .. request.query.by end
        return jobs.stored(context, words)
      end })
    end },
}

return runs
