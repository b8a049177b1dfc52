--- Real traces: uploaded, imported by a job, read back.
local answer = require "tandem.serve.answer"
local jobs = require "tandem.serve.jobs"
local runs = require "tandem.serve.runs"

local realtraces = {}

jobs.kinds.import = function(job)
  local report = require("tandem.io.json").decode(jobs.read(job, "out"))
  for _, source in ipairs(report.sources) do source.path = nil end -- of our spool
  return answer.json(201, { real_trace_id = report.id, name = report.name, rows = report.rows,
    spans = report.spans, sources = report.sources },
    { Location = "/v1/realtraces/" .. report.id })
end
jobs.prints_json "analysis"

-- The files of the form, or the body itself: in our directory, under names of ours.
local function take_files(request, job)
  local paths, label = {}, nil
  local function take(file, text, name)
    local path = #paths == 0 and "upload" or ("upload-%d"):format(#paths + 1)
    paths[#paths + 1] = file and jobs.take(job, path, file) or jobs.write(job, path, text)
    label = label or name
  end
  for _, part in ipairs(request.parts) do
    if part.filename and part.bytes > 0 then take(part.file, part.text, part.filename) end
  end
  if #paths == 0 and #request.parts == 0 and request.body_bytes > 0 then
    take(request.body_file, request.body, request.headers["x-filename"])
  end
  return paths, label
end

local function field(request, name)
  for _, part in ipairs(request.parts) do
    if part.name == name and not part.filename then return part.text end
  end
end

local function arguments(request, context)
  return function(job)
    local words = { "import" }
    local paths, label = take_files(request, job)
    if #paths == 0 then
      answer.raise(400, "bad_request", "There is no file: curl -F file=@report.sqlite sends one.",
        "file")
    end
    table.move(paths, 1, #paths, 2, words)
    local name = field(request, "name") or label or "upload"
    words[#words + 1] = "--name=" .. name:sub(1, 200)
    words[#words + 1] = "--json"
    return jobs.stored(context, words)
  end
end

-- What its uploaded files will be called.
local function about_of(request)
  local name = field(request, "name")
  for _, part in ipairs(request.parts) do name = name or part.filename end
  return name or request.headers["x-filename"]
end

local function analysis(request, context, words)
  return jobs.answer(request, context, { kind = "analysis", arguments = function()
    return jobs.stored(context, words)
  end })
end

---@type tandem.serve.Route[]
realtraces.routes = {
  { method = "POST", path = "/v1/realtraces", summary = "upload a real trace", large = true,
    curl = "-F file=@report.sqlite -F name=baseline",
    about = "Nsight Systems (.sqlite, .h5; .nsys-rep where nsys is installed), torch profiler, "
      .. "Perfetto, JSON Lines and whatever else tandem import reads, found by content. Several "
      .. "files are the ranks of one measurement.",
    body = { ["multipart/form-data"] = "file (one or more), name",
      ["application/octet-stream"] = "the file itself" },
    answers = { [201] = "{real_trace_id, name, rows, spans, sources}", [202] = "a job",
      [400] = "no file", [413] = "too large", [422] = "no format that can be read" },
    handle = function(request, context)
      return jobs.answer(request, context, { kind = "import",
        about = not request.job and about_of(request) or nil,
        arguments = not request.job and arguments(request, context) or nil })
    end },
  { method = "GET", path = "/v1/realtraces", summary = "the real traces, the newest first",
    answers = { [200] = "{runs}" },
    handle = function(request, context)
      request.query = { kind = "measured" }
      for _, route in ipairs(runs.routes) do
        if route.path == "/v1/runs" and route.method == "GET" then
          return route.handle(request, context)
        end
      end
    end },
  { method = "GET", path = "/v1/realtraces/{id}",
    summary = "one real trace: files, clocks, problems",
    answers = { [200] = "the result of tandem show --json", [202] = "a job",
      [404] = "there is no such trace" },
    handle = function(request, context)
      local run = runs.find(request, context, "measured")
      return analysis(request, context, { "show", run.id, "--json" })
    end },
  { method = "GET", path = "/v1/realtraces/{id}/trace", summary = "it as Chrome JSON",
    answers = { [200] = "Chrome trace JSON, packed where accepted", [202] = "a job",
      [404] = "there is no such trace" },
    handle = function(request, context)
      runs.find(request, context, "measured")
      return runs.export(request, context, "trace", "chrome")
    end },
  { method = "GET", path = "/v1/realtraces/{id}/metrics", summary = "the figures its files tell",
    answers = { [200] = "{real_trace_id, metrics: [{scope, subject, name, value, unit}], "
      .. "facts}", [404] = "there is no such trace" },
    handle = function(request, context)
      local run = runs.find(request, context, "measured")
      local metrics = run:metrics():all()
      for i, row in ipairs(metrics) do
        local plain = {}
        for name, value in pairs(row) do plain[name] = value end
        metrics[i] = plain
      end
      local facts = {}
      for row in run:facts() do facts[row.key] = row.value end
      return answer.json(200, { real_trace_id = run.id, metrics = metrics, facts = facts,
        duration_s = run:duration_s(), spans = run.span_count })
    end },
  { method = "GET", path = "/v1/realtraces/{id}/kernels", summary = "its kernels by name",
    answers = { [200] = "the result of tandem kernels --json", [202] = "a job",
      [404] = "there is no such trace" },
    handle = function(request, context)
      local run = runs.find(request, context, "measured")
      return analysis(request, context, { "kernels", run.id, "--json" })
    end },
}

return realtraces
