-- A receiver for the upload tests: HTTP/1.1 over tests/upload/socket.c, the logic of
-- tandem.serve.uploads, and whatever faults the test asks for.
--   tandem lua tests/upload/server.lua BUILD STORE SETTINGS.json
-- Settings: cuts (how many connections break, at a random byte up to `cut_bytes`, in or out), seed,
-- chunk_bytes, token, answers (statuses for the first requests, each with a Retry-After of 0).
-- Prints its port. GET /log tells what was asked; POST /quit ends it.
local cjson = require "cjson"
local core = require "tandem.core"
local json = require "tandem.report.json"
local uploads = require "tandem.serve.uploads"

local build, store, text = ...
local socket = assert(package.loadlib(build .. "/socket_of_tests.so", "luaopen_socket_of_tests"))()
local settings = cjson.decode(text)
local db = assert(core.database(store, { store = true }))
local receiver = uploads.new(db, store, { chunk_bytes = settings.chunk_bytes })
local cuts, log, quit = settings.cuts or 0, {}, false
local answers = settings.answers or {}
math.randomseed(settings.seed or 1)

-- ---- a connection that may break ----

local Line = {}
Line.__index = Line

local function spend(self, bytes)
  if not self.budget then return bytes end
  local left = math.min(bytes, self.budget)
  self.budget = self.budget - left
  return left
end

function Line:receive(most)
  local bytes = socket.receive(self.fd, math.max(1, math.min(most, self.budget or most)))
  if not bytes then return nil end
  if spend(self, #bytes) < #bytes or self.budget == 0 then self.broken = true end
  return bytes
end

function Line:send(bytes)
  local sent = spend(self, #bytes)
  socket.send(self.fd, bytes:sub(1, sent))
  if self.budget == 0 then self.broken = true end
end

-- ---- requests ----

local function answer(line, status, body, headers)
  local lines = { ("HTTP/1.1 %d X"):format(status) }
  for _, header in ipairs(headers or {}) do lines[#lines + 1] = header end
  local content = body and json.encode(body, { lists = { run_ids = true } }) or ""
  if status ~= 204 then lines[#lines + 1] = "Content-Length: " .. #content end
  lines[#lines + 1] = "\r\n"
  line:send(table.concat(lines, "\r\n") .. (line.method ~= "HEAD" and content or ""))
end

local function refuse(line, code, message, offset)
  answer(line, uploads.STATUS[code], { error = { code = code, message = message } },
    offset and { "Upload-Offset: " .. offset })
end

-- What arrived of a body goes into a file before it is appended, cut or not.
local function patch(line, id, offset, body)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(body)
  file:close()
  local at, message, code, here = receiver:append(id, offset, { path = path, bytes = #body })
  os.remove(path)
  if line.broken then return end
  if not at then return refuse(line, code, message, here) end
  answer(line, 204, nil, { "Upload-Offset: " .. at })
end

local function route(line, path, headers, body)
  local id, rest = path:match "^/v1/uploads/([^/]+)(.*)$"
  if line.method == "POST" and path == "/v1/uploads" then
    local state, message, code = receiver:create(cjson.decode(body))
    if not state then return refuse(line, code, message) end
    local status = state.created and 201 or 200
    state.created = nil
    return answer(line, status, state)
  elseif line.method == "HEAD" and id then
    local offset, message, code = receiver:offset(id)
    if not offset then return refuse(line, code, message) end
    return answer(line, 200, nil, { "Upload-Offset: " .. offset })
  elseif line.method == "PATCH" and id then
    return patch(line, id, tonumber(headers["upload-offset"]) // 1, body)
  elseif line.method == "POST" and rest == "/finish" then
    local ids, message, code = receiver:finish(id)
    if not ids then return refuse(line, code, message) end
    return answer(line, 200, { run_ids = ids })
  elseif path == "/hook" then
    log[#log].body = core.files.unpack(body)
    return answer(line, 202, {})
  end
  answer(line, 404, { error = { code = "not_found", message = "No such page." } })
end

-- One request; false when the line is done.
local function serve(line)
  local head = ""
  while not head:find "\r\n\r\n" do
    local more = not line.broken and line:receive(65536)
    if not more then return false end
    head = head .. more
  end
  local body
  head, body = head:match "^(.-\r\n)\r\n(.*)$"
  local method, path = head:match "^(%S+) (%S+)"
  local headers = {}
  for name, value in head:gmatch "\r\n([%w-]+): ([^\r]*)" do headers[name:lower()] = value end
  local wanted = tonumber(headers["content-length"] or "0")
  while #body < wanted and not line.broken do
    local more = line:receive(wanted - #body)
    if not more then break end
    body = body .. more
  end
  line.method = method
  if path == "/quit" then quit = true end
  if path == "/log" or path == "/quit" then
    answer(line, 200, { log = log, cuts_left = cuts })
    return false
  end
  log[#log + 1] = { method = method, path = path, key = headers["idempotency-key"] }
  if #body < wanted and method ~= "PATCH" then return false end
  if settings.token and headers.authorization ~= "Bearer " .. settings.token then
    refuse(line, "not_found", "Who are you?")
  elseif #answers > 0 then
    answer(line, table.remove(answers, 1), nil, { "Retry-After: 0" })
  else
    route(line, path, headers, body)
  end
  return not line.broken
end

local listener, port = assert(socket.listen())
io.stdout:write(port, "\n")
io.stdout:flush()
while not quit do
  local fd = socket.accept(listener, 20000)
  if not fd then break end
  local line = setmetatable({ fd = fd }, Line)
  if cuts > 0 then line.budget = math.random(1, settings.cut_bytes) end
  while serve(line) do end
  if line.broken then cuts = cuts - 1 end
  socket.close(fd, line.broken and math.random() < 0.5)
end
