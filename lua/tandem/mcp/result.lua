--- What a call is answered with: the command's envelope, small, a page of it at a time.
--
-- Owns pages (long lists are cut to a window, and `page` says of which), the bound on an answer's
-- size, and links to the server's pages. The envelope is tandem.cli.envelope's.
local envelope = require "tandem.cli.envelope"
local jobs = require "tandem.serve.jobs"
local json = require "tandem.io.json"
local safe = require "tandem.text.safe"

local result = {}

local USUAL_ROWS <const> = 64
local MOST_TEXT <const> = 48 * 1024      -- bytes of an answer, about 15,000 tokens
local MOST_STRING <const> = 8 * 1024     -- of one text in it
local MOST_OUT <const> = 64 * 1024 * 1024 -- of what a command wrote, to be read at all

-- Copies a value with its long lists cut to a window, noting each: { path, total, from, rows }. A
-- list within another's row is cut to its beginning.
local function cut(value, rows, offset, path, noted)
  if type(value) == "string" and #value > MOST_STRING then
    noted[#noted + 1] = { path = path, total_bytes = #value, bytes = MOST_STRING }
    return require("tandem.io.utf8").text(value:sub(1, MOST_STRING)) .. "…"
  elseif type(value) ~= "table" or value == json.null then
    return value
  end
  local out = {}
  if not json.is_list(value) then
    for key, one in pairs(value) do
      out[key] = cut(one, rows, offset, path == "" and key or path .. "." .. key, noted)
    end
    return out
  end
  local from, long = 0, #value > rows
  if long then
    from = math.min(offset, #value)
    noted[#noted + 1] = { path = path, total = #value, from = from,
      rows = math.max(0, math.min(rows, #value - from)) }
  end
  for i = from + 1, math.min(#value, from + rows) do
    out[#out + 1] = cut(value[i], rows, long and 0 or offset, ("%s[%d]"):format(path, i), noted)
  end
  return json.list(out)
end

-- The page that fits: fewer rows where these are wide.
local function page_of(value, own)
  local rows, offset = own.page_rows or USUAL_ROWS, own.page_offset or 0
  while true do
    local noted = {}
    local made = cut(value, rows, offset, "", noted)
    local text = json.encode(made)
    if #text <= MOST_TEXT or rows <= 1 then
      local more = false
      for _, one in ipairs(noted) do
        more = more or one.total ~= nil and one.from + one.rows < one.total
      end
      if #text > MOST_TEXT then
        return nil, ("the answer is too long (%d KiB): ask for less of it"):format(#text // 1024)
      end
      return made, nil, noted[1] and { rows = rows, offset = offset, cut = json.list(noted),
        next_offset = more and offset + rows or nil } or nil
    end
    rows = math.max(1, math.min(rows // 2, rows * MOST_TEXT // #text))
  end
end

-- Names of our directories mean nothing to who asks.
local function plain(text, job, context)
  text = jobs.without_directory(text, job)
  local folder = context.folder
  if not folder then return text end
  return (text:gsub(folder:gsub("%p", "%%%0") .. "/", ""))
end

local function links_of(id, context)
  local run = id and context.base and context.store:run(id)
  if not run then return nil end
  return { page = ("%s/#/%s/%s"):format(context.base, run.kind == "measured" and "real" or "run",
    run.id), trace = ("%s/v1/runs/%s/trace"):format(context.base, run.id) }
end

--- A tool's result of a table and the text for those who read that alone.
---@param told table
---@param is_error boolean
---@param text? string
---@return table
function result.of(told, is_error, text)
  told.schema = envelope.SCHEMA
  return { structuredContent = told, isError = is_error,
    content = json.list { { type = "text", text = text and safe.lines(text)
      or safe.json(json.encode(told)) } } }
end

--- A call that was refused, in one sentence.
---@param what string
---@param kind? tandem.ProblemKind
---@return table
function result.refused(what, kind)
  return result.of({ code = 2, problems = json.list { { what = what, kind = kind or "usage" } } },
    true)
end

-- The tool whose call a job is.
local function tool_of(job) return json.decode(job.detail).tool end

local function job_of(job)
  return { id = job.id, tool = tool_of(job), state = job.state,
    progress = job.progress, seconds = job.seconds }
end

--- The handle of a job that has not ended.
---@param job tandem.serve.Job
---@return table
function result.handle(job) return result.of({ job = job_of(job) }, false) end

-- A text as its lines, so that it has pages too.
local function lines_of(text)
  local list = {}
  for line in text:gmatch "[^\n]*" do list[#list + 1] = line end
  while list[#list] == "" do list[#list] = nil end
  return { lines = json.list(list) }
end

-- What the command printed, as a value; nil when nothing, or it is too long to be read.
local function printed(job, context)
  local size = require("tandem.core").files.size(job.directory .. "/out") or 0
  if size > MOST_OUT then
    return nil, ("the answer is too long (%d MiB): ask for less of it"):format(size >> 20)
  end
  local out = plain(jobs.read(job, "out"), job, context)
  if not out:find "%S" then return nil end
  if tool_of(job) == "help" then return lines_of(out) end
  local value, wrong = json.decode(out, nil, nil, true)
  if wrong then return nil, "the answer is cut off" end
  return value
end

--- What came of a job that has ended.
---@param job tandem.serve.Job
---@param own table        page_rows, page_offset
---@param context tandem.mcp.Context
---@return table
function result.ended(job, own, context)
  local told = jobs.answer_of(job)
  if job.state ~= "done" or not told then
    local why = job.state == "cancelled" and "the job was cancelled"
      or "the job did not end well: " .. (job.why or "it said nothing")
    return result.of({ job = job_of(job), problems = json.list { { what = why,
      kind = job.state == "cancelled" and "interrupted" or "io" } } }, true)
  end
  local problems = json.list {}
  for i, one in ipairs(told.problems or {}) do
    one.what = plain(one.what, job, context)
    if one.where and one.where.file then one.where.file = plain(one.where.file, job, context) end
    problems[i] = one
  end
  local value, long = printed(job, context)
  local shown, page
  if value ~= nil then shown, long, page = page_of(value, own) end
  if long then problems[#problems + 1] = { what = long, kind = "usage" } end
  local id = told.run or type(shown) == "table" and type(shown.id) == "string"
    and tool_of(job) == "import" and shown.id or nil
  return result.of({ result = shown, code = told.code, problems = problems, run = id, page = page,
    job = job_of(job), links = links_of(id, context) }, told.code ~= 0 and told.code ~= 1
      or long ~= nil, tool_of(job) == "help" and shown and table.concat(shown.lines, "\n") or nil)
end

return result
