--- The protocol on standard input and output: one message a line.
--
-- Owns the order of things: calls that take time wait while other messages are answered, tell their
-- progress where that was asked for, and are cancelled when their message is. Standard output has
-- messages alone. Lines and jobs are src/serve/attend.c's, what a message means is init.lua's.
local json = require "tandem.io.json"
local mcp = require "tandem.mcp"
local safe = require "tandem.text.safe"

local stdio = {}

local TICK_S <const>, IDLE_S <const> = 0.05, 3600
local LISTS <const> = { lists = { problems = true } }

---@class tandem.mcp.Pending
---@field message table
---@field job string
---@field until_s number
---@field told number

local function now_s() return require("tandem.core").utc_ns() / 1e9 end

-- Writes a message; false when nobody reads any more.
local function send(message)
  local line = safe.json(json.encode(message, LISTS))
  return io.stdout:write(line, "\n") and io.stdout:flush() and true or false
end

local function token_of(message)
  local meta = message.params and message.params._meta
  local token = type(meta) == "table" and meta.progressToken
  return (type(token) == "string" or math.type(token) == "integer") and token or nil
end

-- Tells how far a call is: strictly more than before.
local function tell(one, job)
  local token, progress = token_of(one.message), job.progress
  if not token or not progress or progress <= one.told or job.ended then return true end
  one.told = progress
  return send { jsonrpc = "2.0", method = "notifications/progress", params = {
    progressToken = token, progress = progress, total = 1 } }
end

--- Answers messages until input ends.
---@param context tandem.mcp.Context
---@param next_line fun(timeout_s: number): string, string|nil
function stdio.serve(context, next_line)
  local native = require "tandem.serve.native"
  local pending, there = {}, true

  local function give(reply, message)
    if reply.job then
      pending[#pending + 1] = { message = message, job = reply.job, told = 0,
        until_s = now_s() + reply.wait_s }
    elseif reply.message then
      there = send(reply.message) and there
    end
  end

  -- A call that is cancelled is not answered. Who only asked for a job's state stops nothing.
  local function cancel(id)
    for i, one in ipairs(pending) do
      if one.message.id == id then
        table.remove(pending, i)
        if one.message.params.name ~= "job_status" then native.job_cancel(one.job) end
        return
      end
    end
  end

  local function look()
    local now = now_s()
    for i = #pending, 1, -1 do
      local one = pending[i]
      local job = native.job(one.job)
      if not job or job.ended or now >= one.until_s then
        table.remove(pending, i)
        give(mcp.handle(one.message, context, nil, { job = one.job }))
      else
        there = tell(one, job) and there
      end
    end
  end

  while there do
    local kind, text = next_line(#pending > 0 and TICK_S or IDLE_S)
    if kind == "end" and #pending == 0 then return end
    if kind == "end" then os.execute("sleep " .. TICK_S) end
    if kind == "long" then
      there = send(mcp.problem(mcp.codes.INVALID, "the line is too long")) and there
    elseif kind == "line" and text:find "%S" then
      local reply, message = mcp.receive(text, context)
      if type(message) == "table" and message.method == "notifications/cancelled"
        and type(message.params) == "table" then
        cancel(message.params.requestId)
      end
      give(reply, message)
    end
    look()
  end
end

return stdio
