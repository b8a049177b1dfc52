--- Jobs: commands of tandem run as processes of their own, so that no request waits for another.
--
-- Owns how a command becomes a job and its exit an answer, and the routes of /v1/jobs. A request
-- for something long starts a job and waits a few seconds for it (the server parks it meanwhile);
-- then it is answered with the result, or with 202 and the job's id. Processes, budgets and their
-- directories are src/serve/jobs.c's.
local answer = require "tandem.serve.answer"
local infile = require "tandem.infile"

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

-- "scenario.json:3: pipeline.b.kind: what is wrong" → its parts. Names of our files mean nothing.
-- A list also has those without a line: of what the request sets, or of the scenario as a whole.
local function problem_of(line, listed)
  local number, rest = line:match "^[^:]+%.%l+:(%d+): (.*)$"
  if not number and not listed then return nil end
  rest = rest or line:match "^scenario%.%l+: (.*)$" or line
  local path, message = rest:match "^([%a_][%w_.%[%]#-]*): (.*)$"
  return { line = math.tointeger(tonumber(number)), path = path, message = message or rest }
end

-- A command that checked a scenario ends its list of problems so.
local SUMMARY <const> = "tandem [%l-]+: %d+ problems?; nothing was run\n$"

local function problems_of(job, err)
  local list, listed, told = {}, job.kind == "scenario", err
  if listed then
    told = jobs.read(job, "out") -- check prints them
  elseif err:find(SUMMARY) then
    told, listed = err:gsub(SUMMARY, ""), true
  end
  for line in jobs.without_directory(told, job):gmatch "[^\n]+" do
    list[#list + 1] = problem_of(line, listed)
  end
  return list
end

local function ended(text) return text:find "[.?!]$" and text or text .. "." end

local function capital(text) return (text:gsub("^%l", string.upper)) end

-- A sentence from a command's complaint: without its name, our directory and more lines.
local function sentence(text, job)
  text = text:gsub("\ntry: [^\n]*", "")
  text = jobs.without_directory(text:match "([^\n]*)\n*$" or "", job)
  text = text:gsub("^tandem [%l-]+: ", "")
  return text == "" and "The command said nothing." or ended(capital(text))
end

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
  local err = jobs.read(job, "err")
  local bug = err:find("\nstack traceback:", 1, true)
  if bug then
    return answer.problem(500, "bug", "The command made a mistake: "
      .. sentence(err:sub(1, bug):gsub("^.-%.lua:%d+: ", ""), job))
  end
  local problems = problems_of(job, err)
  if problems[1] then
    local first = problems[1]
    local message = first.path and first.path .. (first.message:find "^is " and " " or ": ")
      .. first.message or capital(first.message)
    return answer.problem(422, "invalid", ended(message), first.path, problems)
  elseif job.code == CODES.USAGE then
    return answer.problem(400, "bad_request", sentence(err, job))
  elseif job.code == CODES.INVALID and err:find "no run" then
    return answer.problem(404, "not_found", sentence(err, job))
  end
  return answer.problem(422, "invalid", sentence(err, job))
end

---@param job tandem.serve.Job
---@return table
function jobs.view(job)
  return { job_id = job.id, kind = job.kind, state = job.state, progress = job.progress,
    seconds = job.seconds, why = job.why, events = ("/v1/jobs/%s/events"):format(job.id),
    result = job.ended and ("/v1/jobs/%s/result"):format(job.id) or nil }
end

local function result(job, context)
  if not job.ended then
    return answer.json(202, jobs.view(job), { Location = "/v1/jobs/" .. job.id })
  elseif job.state ~= "done" or job.code ~= CODES.OK and job.code ~= CODES.NO
    and not (job.code == CODES.INVALID and jobs.tells_problems[job.kind]) then
    return jobs.problem(job)
  end
  return jobs.kinds[job.kind](job, require("tandem.json").decode(job.detail), context)
end

---@class tandem.serve.Work
---@field kind string
---@field detail? table                                what its end needs to know
---@field arguments fun(job: tandem.serve.Job): string[]  fills the directory; the command line
---@field wait_s? number                               how long the request waits

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
  local id = native().job_new(work.kind, answer.encode(work.detail or {}))
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
--- the run cannot tell, its last sentence as a problem.
---@param job tandem.serve.Job
---@param headers table<string, string>
---@param names? string[]  of files, the first that has something; standard output unless told
---@return table
function jobs.printed(job, headers, names)
  for _, name in ipairs(names or { "out" }) do
    local path = ("%s/%s"):format(job.directory, name)
    if not is_empty(path) then return { status = 200, file = path, headers = headers } end
  end
  return answer.problem(422, "cannot_answer", sentence(jobs.read(job, "err"), job))
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
      for i, job in ipairs(list) do list[i] = jobs.view(job) end
      return answer.json(200, { jobs = list })
    end },
  { method = "GET", path = "/v1/jobs/{id}", summary = "how far a job is",
    answers = { [200] = "{job_id, kind, state, progress, seconds, result}",
      [404] = "there is no such job" },
    handle = function(request) return answer.json(200, jobs.view(find(request))) end },
  { method = "DELETE", path = "/v1/jobs/{id}", summary = "cancel a job",
    about = "It is asked to stop, and stopped when it does not within five seconds.",
    answers = { [200] = "as GET", [404] = "there is no such job" },
    handle = function(request)
      local job = find(request)
      native().job_cancel(job.id)
      return answer.json(200, jobs.view(native().job(job.id) or job))
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
