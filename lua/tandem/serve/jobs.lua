--- Jobs: commands of tandem run as processes of their own, so that no request waits for another.
--
-- Owns how a command becomes a job and its exit an answer, and the routes of /v1/jobs. A request
-- for something long starts a job and waits a few seconds for it (the server parks it meanwhile);
-- then it is answered with the result, or with 202 and the job's id. Processes, budgets and their
-- directories are src/serve/jobs/jobs.c's. How far a job is, its command says:
-- cli/console.lua, for plans plan/evaluate.lua.
local answer = require "tandem.serve.answer"
local infile = require "tandem.io.infile"

local jobs = {}

local WAIT_S <const> = 10
local CODES <const> = { OK = 0, NO = 1, USAGE = 2, INVALID = 3 }

---@class tandem.serve.Job
---@field id string
---@field state "new"|"queued"|"running"|"done"|"failed"|"cancelled"
---@field kind string
---@field detail string
---@field directory string
---@field why? string
---@field ended boolean
---@field code? integer
---@field progress? number  0 to 1
---@field seconds number

local function native() return require "tandem.serve.native" end

--- What a finished job is answered with, by its kind; each noun adds its own.
---@type table<string, fun(job: tandem.serve.Job, detail: table, context: table): table>
jobs.kinds = {}

--- Kinds whose answer is what is wrong with a scenario: exit code 3 is no problem of theirs.
---@type table<string, true>
jobs.tells_problems = {}

--- A file of a job, whole.
---@param job tandem.serve.Job
---@param name string
---@return string
function jobs.read(job, name)
  return infile.read(job.directory .. "/" .. name) or ""
end

--- Writes a file into the directory of a job that is being made.
---@param job tandem.serve.Job
---@param name string
---@param text string
---@return string path
function jobs.write(job, name, text)
  local path = job.directory .. "/" .. name
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
  return path
end

--- Takes a file of the request (a spooled body) into the directory of a job.
---@param job tandem.serve.Job
---@param name string
---@param from string
---@return string path
function jobs.take(job, name, from)
  local path = job.directory .. "/" .. name
  assert(os.rename(from, path))
  return path
end

--- A text of a command without our directory, which means nothing to who asks.
---@param text string
---@param job tandem.serve.Job
---@return string
function jobs.without_directory(text, job)
  return (text:gsub(job.directory:gsub("%p", "%%%0") .. "/", ""))
end

---@class tandem.JobAnswer
---@field code integer
---@field problems tandem.AnswerProblem[]
---@field plot? string       its chart as SVG
---@field plot_slim? string  the same for a narrow screen
---@field run? string        the id of what was kept

--- What a command left as data (tandem.cli.envelope, without the result); nil when it did not come
--- to that.
---@param job tandem.serve.Job
---@return tandem.JobAnswer|nil
function jobs.answer_of(job)
  return (require("tandem.io.json").decode(jobs.read(job, "answer")))
end

local function ended(text) return text:find "[.?!]$" and text or text .. "." end

local function capital(text) return (text:gsub("^%l", string.upper)) end

-- A problem's sentence, with the path that it is about where the request can be right there.
local function sentence(problem, job)
  local path = problem.kind == "invalid" and problem.where and problem.where.path
  local text = jobs.without_directory(problem.what, job)
  return ended(path and ("%s: %s"):format(path, text) or capital(text))
end

-- Problems of a scenario as the answer lists them; names of our files mean nothing.
local function listed(problems, job)
  local list = {}
  for _, one in ipairs(problems) do
    if one.kind == "invalid" and one.where then
      list[#list + 1] = { line = one.where.line, path = one.where.path, nearest = one.nearest,
        message = jobs.without_directory(one.what, job) }
    end
  end
  return list[1] and list or nil
end

-- A kind of problem → status and code of the answer.
local KINDS <const> = { usage = { 400, "bad_request" }, absent = { 404, "not_found" },
  bug = { 500, "bug" }, cannot_answer = { 422, "cannot_answer" } }
local OTHERWISE <const> = { 422, "invalid" }

--- The problem of a job that ended otherwise than well.
---@param job tandem.serve.Job
---@return table
function jobs.problem(job)
  if job.state == "cancelled" then
    return answer.problem(409, "cancelled", "The job was cancelled.")
  elseif job.state == "failed" then
    return answer.problem(422, "job_failed", ("The job did not end well: %s."):format(
      job.why or "unknown"))
  end
  local told = jobs.answer_of(job)
  local first = told and told.problems[1]
  if not first then
    return answer.problem(500, "bug", "The command ended without a word.")
  end
  local status, code = table.unpack(KINDS[first.kind] or OTHERWISE)
  local text = sentence(first, job)
  return answer.problem(status, code, first.kind == "bug" and "The command made a mistake: " .. text
    or text, first.kind == "invalid" and first.where and first.where.path or nil,
    listed(told.problems, job))
end

local function detail_of(job) return require("tandem.io.json").decode(job.detail) end

-- Whether its command did what was asked: an answer, or what is wrong with a scenario.
local function is_well(job)
  return job.state == "done" and (job.code == CODES.OK or job.code == CODES.NO
    or job.code == CODES.INVALID and jobs.tells_problems[job.kind] == true)
end

---@param job tandem.serve.Job
---@return table
local function view(job)
  local well
  if job.state == "done" then well = is_well(job) end
  return { job_id = job.id, kind = job.kind, about = detail_of(job).about, state = job.state,
    well = well, progress = job.progress, seconds = job.seconds, why = job.why,
    events = ("/v1/jobs/%s/events"):format(job.id),
    result = job.ended and ("/v1/jobs/%s/result"):format(job.id) or nil }
end

local function result(job, context)
  if not job.ended then
    return answer.json(202, view(job), { Location = "/v1/jobs/" .. job.id })
  elseif not is_well(job) then
    return jobs.problem(job)
  end
  return jobs.kinds[job.kind](job, detail_of(job), context)
end

---@class tandem.serve.Work
---@field kind string
---@field detail? table                                what its end needs to know
---@field about? string                                 what it is about, for who reads the list
---@field arguments fun(job: tandem.serve.Job): string[]  fills the directory; the command line
---@field wait_s? number                               how long the request waits

-- The first characters of a name, which may be long and need not be UTF-8.
local LONGEST <const> = 80
local function shortened(text)
  local long = utf8.len(text) and utf8.offset(text, LONGEST + 1)
  if long then return long <= #text and text:sub(1, long - 1) .. "…" or text end
  return (text:sub(1, LONGEST):gsub("[^%g ]", "?"))
end

--- Answers a request by a job: starts it, or, when the request has waited for it, says what came
--- of it.
---@param request tandem.serve.Request
---@param context tandem.serve.Context
---@param work tandem.serve.Work
---@return table
function jobs.answer(request, context, work)
  if request.job then
    local job = native().job(request.job)
    if not job then return answer.problem(404, "not_found", "The job was forgotten.") end
    return result(job, context)
  end
  local detail = work.detail or {}
  detail.about = work.about and shortened(work.about)
  local id = native().job_new(work.kind, answer.encode(detail))
  if not id then
    local made = answer.problem(503, "busy", "Too many jobs wait already; try again later.")
    made.headers["Retry-After"] = "5"
    return made
  end
  local job = native().job(id)
  local ok, arguments = pcall(work.arguments, job)
  if not ok then
    native().job_cancel(id)
    error(arguments, 0)
  end
  native().job_start(id, arguments)
  local prefer = request.headers.prefer
  local wait_s = prefer and prefer:find "respond%-async" and 0 or work.wait_s or WAIT_S
  return { job = id, wait_s = wait_s }
end

--- Arguments of a command for this server's store: a list and what follows it.
---@param context tandem.serve.Context
---@param words string[]
---@return string[]
function jobs.stored(context, words)
  words[#words + 1] = "--store"
  words[#words + 1] = context.store_path
  return words
end

local function is_empty(path)
  local file <close> = io.open(path, "rb")
  return not file or not file:read(1)
end

--- What a command printed, or wrote into another file, as the answer; where it wrote nothing since
--- the run cannot tell, why.
---@param job tandem.serve.Job
---@param headers table<string, string>
---@param names? string[]  of files, the first that has something (default: standard output)
---@return table
function jobs.printed(job, headers, names)
  for _, name in ipairs(names or { "out" }) do
    local path = ("%s/%s"):format(job.directory, name)
    if not is_empty(path) then return { status = 200, file = path, headers = headers } end
  end
  return jobs.problem(job)
end

--- Standard output of a command as the answer: JSON.
---@param kind string
function jobs.prints_json(kind)
  jobs.kinds[kind] = function(job)
    return jobs.printed(job, { ["Content-Type"] = "application/json" })
  end
end

local function find(request)
  local job = native().job(request.params.id)
  if not job then
    answer.raise(404, "not_found", ("There is no job '%s'."):format(request.params.id), "id")
  end
  return job
end

---@type tandem.serve.Route[]
jobs.routes = {
  { method = "GET", path = "/v1/jobs", summary = "the jobs of this server, the newest first",
    answers = { [200] = "{jobs}" },
    handle = function()
      local list = native().jobs()
      for i, job in ipairs(list) do list[i] = view(job) end
      return answer.json(200, { jobs = list })
    end },
  { method = "GET", path = "/v1/jobs/{id}", summary = "how far a job is",
    answers = { [200] = "{job_id, kind, about, state, well, progress, "
      .. "seconds, result}; a job that is done went well or its result is a problem",
      [404] = "there is no such job" },
    handle = function(request) return answer.json(200, view(find(request))) end },
  { method = "DELETE", path = "/v1/jobs/{id}", summary = "cancel a job",
    about = "It is asked to stop, and stopped when it does not within five seconds.",
    answers = { [200] = "as GET", [404] = "there is no such job" },
    handle = function(request)
      local job = find(request)
      native().job_cancel(job.id)
      return answer.json(200, view(native().job(job.id) or job))
    end },
  { method = "GET", path = "/v1/jobs/{id}/result",
    summary = "what its request would have been answered with",
    answers = { [200] = "the result", [202] = "the job has not ended yet",
      [404] = "there is no such job", [409] = "it was cancelled" },
    handle = function(request, context) return result(find(request), context) end },
  { method = "GET", path = "/v1/jobs/{id}/events", summary = "its progress as Server-Sent Events",
    about = "Events named progress, the last one end; data: {job_id, state, progress}: how far, "
      .. "0 to 1. Searches do not know their end: each round of theirs is half of what was left.",
    answers = { [200] = "text/event-stream", [404] = "there is no such job" },
    handle = function(request)
      return { status = 200, events = find(request).id,
        headers = { ["Content-Type"] = "text/event-stream" } }
    end },
}

return jobs
