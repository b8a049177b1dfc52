--- An agent beside a test: `tandem mcp` as a process, spoken to through a FIFO, its answers read
--- from a file as they come. And the same messages sent to a server's /mcp.
local json = require "tandem.io.json"
local served = require "tests.spec.support.served"

local agent = {}

agent.MODERN = "2026-07-28"
local META <const> = "io.modelcontextprotocol/"

--- What every message of the stateless era says of itself.
---@param version? string
---@return table
function agent.meta(version)
  return { [META .. "protocolVersion"] = version or agent.MODERN,
    [META .. "clientCapabilities"] = json.decode "{}",
    [META .. "clientInfo"] = { name = "spec", version = "1" } }
end

local Agent = {}
Agent.__index = Agent

--- Starts one in a folder.
---@param at string      a directory for its pipe, its answers and its store
---@param words? string  of its command line
---@return table
function agent.start(at, words)
  local pipe, out = at .. "/in", at .. "/out"
  os.remove(pipe)
  assert(os.execute("mkfifo " .. pipe))
  -- A shell of its own waits for the pipe: the first one's would keep open what we read here.
  local pid = served.shell(("sh -c 'exec %s mcp --store %s/t.db %s <%s' >%s 2>%s/err & echo $!")
    :format(served.program, at, words or "", pipe, out, at)):match "%d+"
  local self = setmetatable({ pid = pid, at = at, ids = 0, out = out, lines = {} }, Agent)
  self.pipe = assert(io.open(pipe, "wb"))
  self.pipe:setvbuf "no"
  self.reader = assert(served.wait(function() return io.open(out, "rb") end))
  return self
end

--- Sends a line as it is.
function Agent:send(text) assert(self.pipe:write(text, "\n")) end

-- The next message, in the order in which they come.
local function next_message(self)
  local line = served.wait(function()
    local text = self.reader:read "L"
    if text then self.part = (self.part or "") .. text end
    if self.part and self.part:sub(-1) == "\n" then
      local whole = self.part
      self.part = nil
      return whole
    end
    self.reader:seek "cur"
  end)
  local message, wrong = json.decode(assert(line, "no answer"))
  assert(not wrong, line)
  return message
end

--- The next message that is no answer to another question.
---@param id any  nil: of an error that has none
---@return table message
---@return table[] notifications  that came before it
function Agent:answer(id)
  local told = {}
  while true do
    for i, one in ipairs(self.lines) do
      if one.id == id and not one.method then
        table.remove(self.lines, i)
        return one, told
      end
    end
    local message = next_message(self)
    table.insert(message.method and told or self.lines, message)
  end
end

function Agent:ask(method, params, meta)
  self.ids = self.ids + 1
  params = params or {}
  if meta ~= false then params._meta = meta or agent.meta() end
  self:send(json.encode { jsonrpc = "2.0", id = self.ids, method = method, params = params })
  return self:answer(self.ids)
end

--- Calls a tool: what it answers with as data, and the whole result.
function Agent:call(name, arguments)
  local message = self:ask("tools/call", { name = name, arguments = arguments })
  assert(message.result, message.error and message.error.message)
  return message.result.structuredContent, message.result
end

--- Ends its input; whether it ended by itself then.
function Agent:stop()
  self.pipe:close()
  self.reader:close()
  return served.wait(function()
    return not os.execute("kill -0 " .. self.pid .. " 2>/dev/null")
  end) or false
end

return agent
