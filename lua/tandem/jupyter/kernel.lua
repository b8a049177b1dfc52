--- A Jupyter kernel: what the messages of protocol 5.4 mean to a session.
--
-- Owns requests, replies and the outputs that go with them. Cells are tandem.shell.cells', frames
-- and signatures core.envelope's, sockets the link's: any table with `send`, `receive` and `wait`
-- will do. A message that is none is told on standard error and otherwise ignored. Used by run.lua.
local cells = require "tandem.shell.cells"
local core = require "tandem.core"
local json = require "tandem.io.json"

local kernel = {}

---@class tandem.jupyter.Link
---@field send fun(self, channel: string, frames: string[])
---@field receive fun(self, channel: string): string[]|nil, string|nil  waits for frames
---@field wait fun(self, timeout_ms: integer): string|nil, any  channel, frames; or nil, why

---@class tandem.jupyter.Options
---@field link tandem.jupyter.Link
---@field key string      "" when messages are not signed
---@field session string  this kernel's id in headers
---@field now fun(): string  the time as ISO 8601
---@field say fun(text: string)  a line for whoever runs the kernel
---@field ports? table<string, integer>
---@field env? table
---@field clock? fun(): number  seconds that only go forward

---@class tandem.jupyter.Request
---@field channel string
---@field identities string[]
---@field header string   as it came: the parent of all that is answered
---@field type string
---@field content table

---@class tandem.jupyter.Kernel: tandem.jupyter.Options
---@field cells tandem.shell.Cells
---@field parent? tandem.jupyter.Request  the one that is being answered
---@field count integer  executions so far
---@field history { number: integer, input: string, output?: string }[]
---@field sent integer
---@field ending boolean
local Kernel = {}
Kernel.__index = Kernel

--- What language servers, converters and front ends are told about cells.
kernel.LANGUAGE = { name = "lua", version = _VERSION:match "[%d.]+$", mimetype = "text/x-lua",
  file_extension = ".lua", pygments_lexer = "lua", codemirror_mode = "lua" }

local PROTOCOL <const> = "5.4"
local NO_METADATA <const> = "{}"
local REMEMBERED <const> = 4096 -- signatures, at least: a message that comes twice is a replay

-- ---- messages out ----

function Kernel:frames(request, kind, content, identities)
  self.sent = self.sent + 1
  local header = json.encode { msg_id = ("%s_%d"):format(self.session, self.sent),
    session = self.session, username = "tandem", date = self.now(), msg_type = kind,
    version = PROTOCOL }
  return core.envelope.seal(self.key, identities, header, request and request.header or "{}",
    NO_METADATA, json.encode(content))
end

--- Answers a request where it came from.
function Kernel:reply(request, kind, content)
  content.status = content.status or "ok"
  self.link:send(request.channel, self:frames(request, kind, content, request.identities))
end

--- Tells all front ends.
function Kernel:publish(kind, content)
  self:flush()
  self.link:send("iopub", self:frames(self.parent, kind, content, { kind }))
end

-- ---- what cells print ----

-- Each text leaves at once, until a cell prints so many that they are joined.
local WINDOW_S <const>, MOST_TEXTS <const> = 0.1, 100

--- Sends what was held back.
function Kernel:flush()
  local held = self.held
  if held then
    self.held = nil
    self:publish("stream", { name = held.name, text = table.concat(held) })
  end
end

function Kernel:stream(name, text)
  if self.held and self.held.name ~= name then self:flush() end
  local now = self.clock()
  if now - self.window_began > WINDOW_S then
    self.window_began, self.texts = now, 0
    self:flush()
  end
  self.texts = self.texts + 1
  if self.texts <= MOST_TEXTS then
    self:publish("stream", { name = name, text = text })
  else
    self.held = self.held or { name = name }
    table.insert(self.held, text)
  end
end

-- ---- what cells do ----

local function sink_of(self)
  local sink = {}
  local function data(bundle, id)
    return { data = bundle, metadata = {}, transient = id and { display_id = id } or {} }
  end
  function sink.stream(name, text) self:stream(name, text) end
  function sink.display(bundle, id, update)
    self:publish(update and id and "update_display_data" or "display_data", data(bundle, id))
  end
  function sink.result(bundle)
    self.output = bundle["text/plain"]
    self:publish("execute_result", { data = bundle, metadata = {}, execution_count = self.count })
  end
  function sink.problem(problem)
    self:publish("error", { ename = problem.name, evalue = problem.message,
      traceback = json.list(problem.trace) })
  end
  function sink.clear(wait) self:publish("clear_output", { wait = wait }) end
  function sink.ask(prompt) return self:ask(prompt) end
  return sink
end

--- Asks the front end whose cell runs for a line.
function Kernel:ask(prompt)
  local request = self.parent
  if not request or request.content.allow_stdin ~= true then
    return nil, "nobody can be asked here: this front end does not allow input"
  end
  self:flush()
  self.link:send("stdin", self:frames(request, "input_request",
    { prompt = prompt, password = false }, request.identities))
  while true do
    local frames, why = self.link:receive "stdin"
    if not frames then return nil, why or "no answer" end
    local answer = self:open("stdin", frames)
    if answer and answer.type == "input_reply" and type(answer.content.value) == "string" then
      return answer.content.value
    end
  end
end

-- ---- messages in ----

local function object(text)
  local value, problem = json.decode(text, nil, nil, true)
  if problem then return nil, ("no JSON: %s"):format(problem.message) end
  if type(value) ~= "table" or json.is_list(value) or value == json.null then
    return nil, "not an object"
  end
  return value
end

--- Is this signature new? Forgets the oldest by halves.
function Kernel:is_new(signature)
  if signature == "" then return true end
  if self.seen[signature] or self.seen_before[signature] then return false end
  if self.seen_count >= REMEMBERED then
    self.seen, self.seen_before, self.seen_count = {}, self.seen, 0
  end
  self.seen[signature], self.seen_count = true, self.seen_count + 1
  return true
end

--- A request of its frames; nil, having told why, when they are none.
---@param channel string
---@param frames string[]
---@return tandem.jupyter.Request|nil
function Kernel:open(channel, frames)
  local function ignore(why)
    self.say(("ignored a message on %s: %s"):format(channel, why))
  end
  local envelope, why = core.envelope.open(self.key, frames)
  if not envelope then return ignore(why) end
  local header, wrong = object(envelope.header)
  if not header then return ignore("its header is " .. wrong) end
  if type(header.msg_type) ~= "string" or type(header.msg_id) ~= "string" then
    return ignore "its header lacks msg_type or msg_id"
  end
  local content, unclear = object(envelope.content)
  if not content then
    return ignore(("the content of %s is %s"):format(header.msg_type, unclear))
  end
  if not self:is_new(envelope.signature) then
    return ignore(("%s came twice"):format(header.msg_type))
  end
  return { channel = channel, identities = envelope.identities, header = envelope.header,
    type = header.msg_type, content = content }
end

-- ---- requests ----

-- A request that lacks what it must have is answered with an error.
local function text_field(content, name)
  if type(content[name]) ~= "string" then
    error({ wants = ("%s, a text"):format(name) }, 0)
  end
  return content[name]
end

local function whole_field(content, name, default)
  local value = content[name]
  if value == nil or value == json.null then return default end
  if math.type(value) ~= "integer" then
    error({ wants = ("%s, a whole number"):format(name) }, 0)
  end
  return value
end

--- Cursors count code points; we count bytes.
local function bytes_before(text, points)
  if not utf8.len(text) then return math.min(points, #text) end
  points = math.max(0, math.min(points, utf8.len(text)))
  return utf8.offset(text, points + 1) - 1
end

local function points_before(text, bytes)
  return utf8.len(text:sub(1, bytes)) or bytes
end

local requests = {}

function requests.kernel_info_request()
  local version = core.version()
  return { protocol_version = PROTOCOL, implementation = "tandem",
    implementation_version = version, language_info = kernel.LANGUAGE,
    banner = ("tandem %s, Lua %s: td is loaded, ?td.gpu helps on a name"):format(version,
      kernel.LANGUAGE.version), help_links = json.list() }
end

--- Evaluates the expressions that a front end wants to know after its cell.
local function expressions(self, wanted)
  local answers = {}
  for name, code in next, type(wanted) == "table" and wanted or {} do
    local bundle, problem = self.cells:value(tostring(code))
    answers[name] = bundle and { status = "ok", data = bundle, metadata = {} }
      or { status = "error", ename = problem.name, evalue = problem.message,
        traceback = json.list(problem.trace) }
  end
  return answers
end

function requests.execute_request(self, content)
  local code, silent = text_field(content, "code"), content.silent == true
  local kept = not silent and content.store_history ~= false
  if kept then self.count = self.count + 1 end
  if not silent then
    self:publish("execute_input", { code = code, execution_count = self.count })
  end
  self.output = nil
  local problem, quit = self.cells:run(code, kept and self.count or self.count + 1,
    { forget = not kept, silent = silent })
  if kept then
    self.history[#self.history + 1] = { number = self.count, input = code, output = self.output }
  end
  if problem then
    self.aborting = content.stop_on_error ~= false
    return { status = "error", execution_count = self.count, ename = problem.name,
      evalue = problem.message, traceback = json.list(problem.trace) }
  end
  return { execution_count = self.count, user_expressions = expressions(self,
    content.user_expressions), payload = json.list(quit and
      { { source = "ask_exit", keepkernel = false } } or {}) }
end

function requests.complete_request(self, content)
  local code = text_field(content, "code")
  local cursor = bytes_before(code, whole_field(content, "cursor_pos", #code))
  local found = require("tandem.shell.complete").at(self.cells.session, code, cursor)
  return { matches = json.list(found.matches), cursor_start = points_before(code, found.from - 1),
    cursor_end = points_before(code, found.to), metadata = {} }
end

--- The name that the cursor is in or right behind: "td.gpu" in "x = td.g|pu {".
local function name_at(code, cursor)
  local from = cursor
  while from > 0 and code:find("^[%w_.:]", from) do from = from - 1 end
  local name = code:match("^[%w_.:]*", from + 1):gsub("^[.:]+", "")
  -- The part that the cursor has not reached stays out: in base.run, on base, base is meant.
  local reached = cursor - from
  local stop = name:find("[.:]", reached + 1)
  return (name:sub(1, stop and stop - 1 or #name):gsub("[.:]+$", ""))
end

--- The name whose call or table the cursor is in, when it stands on no name itself.
local function name_before(code, cursor)
  local depth = 0
  for at = cursor, 1, -1 do
    local letter = code:sub(at, at)
    if letter:find "[)}%]]" then
      depth = depth + 1
    elseif letter:find "[({]" then
      if depth == 0 then
        local head = code:sub(1, at - 1):gsub("%s*(['\"])[^'\"]*%1%s*$", ""):gsub("%s+$", "")
        local name = head:match "[%w_.:]+$"
        if name then return name end
      end
      depth = math.max(depth - 1, 0)
    end
  end
end

function requests.inspect_request(self, content)
  local code = text_field(content, "code")
  local cursor = bytes_before(code, whole_field(content, "cursor_pos", #code))
  local name = name_at(code, cursor)
  if name == "" then name = name_before(code, cursor) or "" end
  local text, found = "", false
  if name ~= "" then
    local searched
    text, found, searched = require("tandem.shell.help").text(self.cells.session, name,
      self.cells.style)
    found = found and not searched -- a name of the user's own is no word of the manual
  end
  return { found = found, data = found and { ["text/plain"] = text } or {}, metadata = {} }
end

function requests.is_complete_request(self, content)
  local code = text_field(content, "code")
  if code:find "^%s*[:?]" or code:find "^%s*[%a_][%w_.:]*%s*%?%s*$" or not code:find "%S" then
    return { status = "complete" }
  end
  local chunk, why = self.cells.session:compile(code)
  if why == "incomplete" then
    local indent = code:match "([ \t]*)[^\n]*$"
    local opens = code:find "do%s*$" or code:find "then%s*$" or code:find "[{(]%s*$"
      or code:find "function[^\n]*%)%s*$"
    return { status = "incomplete", indent = indent .. (opens and "  " or "") }
  end
  return { status = chunk and "complete" or "invalid" }
end

--- The globs of history searches: * and ?.
local function glob_pattern(glob)
  local pattern = glob:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0"):gsub("%*", ".*"):gsub("%?", ".")
  return "^" .. pattern .. "$"
end

local function chosen_history(self, content)
  local kind, chosen = text_field(content, "hist_access_type"), {}
  local most = whole_field(content, "n", #self.history)
  if kind == "range" then
    local start, stop = whole_field(content, "start", 1), whole_field(content, "stop")
    for _, entry in ipairs(self.history) do
      if entry.number >= start and (not stop or entry.number < stop) then
        chosen[#chosen + 1] = entry
      end
    end
    return chosen
  elseif kind ~= "tail" and kind ~= "search" then
    error({ wants = "hist_access_type range, tail or search" }, 0)
  end
  local pattern = kind == "search" and glob_pattern(text_field(content, "pattern"))
  local seen = {}
  for index = #self.history, 1, -1 do
    local entry = self.history[index]
    local wanted = (not pattern or entry.input:find(pattern))
      and not (content.unique == true and seen[entry.input])
    if wanted and #chosen < most then
      seen[entry.input] = true
      table.insert(chosen, 1, entry)
    end
  end
  return chosen
end

function requests.history_request(self, content)
  local list = json.list()
  for index, entry in ipairs(chosen_history(self, content)) do
    local input = entry.input
    list[index] = json.list { 1, entry.number,
      content.output == true and json.list { input, entry.output or json.null } or input }
  end
  return { history = list }
end

function requests.comm_info_request() return { comms = {} } end

function requests.connect_request(self)
  local reply = {}
  for name, port in next, self.ports or {} do reply[name .. "_port"] = port end
  return reply
end

-- The cell that ran was stopped when this came (src/jupyter/link.c).
function requests.interrupt_request() return {} end

function requests.shutdown_request(self, content)
  self.ending = true
  local reply = { restart = content.restart == true }
  self:publish("shutdown_reply", { status = "ok", restart = reply.restart })
  return reply
end

-- Messages that have no reply. No kind of comm is known here, so that each is closed at once.
local notices = {}
function notices.comm_open(self, content)
  self:publish("comm_close", { comm_id = text_field(content, "comm_id"), data = {} })
end
function notices.comm_msg() end
function notices.comm_close() end

--- Answers one message.
---@param channel string  "shell" or "control"
---@param frames string[]
---@param after_error? boolean  a cell that was sent behind one that failed is not run
function Kernel:take(channel, frames, after_error)
  local request = self:open(channel, frames)
  if not request then return end
  local handler = requests[request.type] or notices[request.type]
  if not handler then
    self.say(("ignored a message on %s: %s is not known here"):format(channel, request.type))
    return
  end
  self.parent = request
  self:publish("status", { execution_state = "busy" })
  local reply_type = requests[request.type] and request.type:gsub("_request$", "_reply")
  local aborted = request.type == "execute_request" and after_error
  local ok, reply = true, { status = "aborted" }
  if not aborted then
    ok, reply = xpcall(handler, function(problem)
      if type(problem) == "table" and problem.wants then return problem end
      return { bug = debug.traceback(tostring(problem), 2) }
    end, self, request.content)
  end
  if not ok then
    if reply.bug then self.say("bug: " .. reply.bug) end
    reply = { status = "error", ename = reply.bug and "Bug" or "BadRequest", evalue = reply.bug
      or ("%s wants %s"):format(request.type, reply.wants), traceback = json.list() }
  end
  self:flush()
  local waiting = self.aborting and self:waiting() or {}
  self.aborting = false
  if reply_type then self:reply(request, reply_type, reply) end
  self:publish("status", { execution_state = "idle" })
  self.parent = nil
  for _, message in ipairs(waiting) do self:take(message.channel, message.frames, true) end
end

--- What was sent before anybody could know that a cell failed.
function Kernel:waiting()
  local messages = {}
  while true do
    local channel, frames = self.link:wait(0)
    if not channel then return messages end
    messages[#messages + 1] = { channel = channel, frames = frames }
  end
end

--- Answers until a shutdown is asked for, or `goes_on` says no after a second without messages.
---@param goes_on? fun(): boolean
function Kernel:serve(goes_on)
  self:publish("status", { execution_state = "starting" })
  while not self.ending do
    local channel, frames = self.link:wait(1000)
    if channel then
      self:take(channel, frames)
    elseif goes_on and not goes_on() then
      return
    end
  end
end

--- A kernel over a link.
---@param options tandem.jupyter.Options
---@return tandem.jupyter.Kernel
function kernel.new(options)
  local self = setmetatable({ count = 0, history = {}, sent = 0, ending = false, seen = {},
    seen_before = {}, seen_count = 0, window_began = 0, texts = 0,
    clock = core.guard.seconds }, Kernel)
  for key, value in next, options do self[key] = value end
  self.cells = cells.new(sink_of(self), options.env)
  return self
end

return kernel
