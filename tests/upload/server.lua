-- An endpoint that answers as no receiver should, for the upload tests: HTTP/1.1 over
-- tests/upload/socket.c, the logic of tandem.serve.uploads, and the faults that the test asks for.
--   tandem lua tests/upload/server.lua BUILD STORE FILE.json
-- The file has the settings: answers (for the first requests: statuses, each with a Retry-After of
-- 0, or { status, headers, body }), finishing and pieces (the same for the first that end an upload
-- and that bring a piece). /hook takes any JSON. Prints its port; GET /log tells what was asked.
-- Serves until it is killed.
local cjson = require "cjson"
local core = require "tandem.core"
local json = require "tandem.io.json"
local uploads = require "tandem.serve.uploads"
local unpacked = require "tests.spec.support.unpacked"

local build, store, told = ...
local socket = assert(package.loadlib(build .. "/socket_of_tests.so", "luaopen_socket_of_tests"))()
local settings = cjson.decode(assert(io.open(told, "rb")):read "a")
local db = assert(core.database(store, { store = true }))
local receiver = uploads.new(db, store)
local log = {}
local answers, finishing = settings.answers or {}, settings.finishing or {}
local pieces = settings.pieces or {}

local function answer(line, status, body, headers)
  local lines = { ("HTTP/1.1 %d X"):format(status) }
  for _, header in ipairs(headers or {}) do lines[#lines + 1] = header end
  local content = body or ""
  if type(body) == "table" then content = json.encode(body, { lists = { run_ids = true } }) end
  if status ~= 204 then lines[#lines + 1] = "Content-Length: " .. #content end
  lines[#lines + 1] = "\r\n"
  socket.send(line.fd, table.concat(lines, "\r\n") .. (line.method ~= "HEAD" and content or ""))
end

local function refuse(line, code, message, offset)
  answer(line, uploads.STATUS[code], { error = { code = code, message = message } },
    offset and { "Upload-Offset: " .. offset })
end

local function patch(line, id, offset, body)
  local path = os.tmpname()
  local file = assert(io.open(path, "wb"))
  file:write(body)
  file:close()
  local at, message, code, here = receiver:append(id, offset, { path = path, bytes = #body })
  os.remove(path)
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
    log[#log].body = unpacked(body)
    return answer(line, 202, {})
  end
  answer(line, 404, { error = { code = "not_found", message = "No such page." } })
end

-- One request; false when the line is done.
local function serve(line)
  local head = ""
  while not head:find "\r\n\r\n" do
    local more = socket.receive(line.fd, 65536)
    if not more then return false end
    head = head .. more
  end
  local body
  head, body = head:match "^(.-\r\n)\r\n(.*)$"
  local method, path = head:match "^(%S+) (%S+)"
  local headers = {}
  for name, value in head:gmatch "\r\n([%w-]+): ([^\r]*)" do headers[name:lower()] = value end
  local wanted = tonumber(headers["content-length"] or "0")
  while #body < wanted do
    local more = socket.receive(line.fd, wanted - #body)
    if not more then return false end
    body = body .. more
  end
  line.method = method
  if path == "/log" then
    answer(line, 200, { log = log })
    return false
  end
  log[#log + 1] = { method = method, path = path, key = headers["idempotency-key"],
    authorization = headers.authorization, bytes = #body }
  local list = #answers > 0 and answers or path:find "/finish$" and finishing
    or method == "PATCH" and pieces or answers
  local wanted_answer = table.remove(list, 1)
  if type(wanted_answer) == "table" then
    answer(line, wanted_answer[1], wanted_answer[3], wanted_answer[2])
  elseif wanted_answer then
    answer(line, wanted_answer, nil, { "Retry-After: 0" })
  else
    route(line, path, headers, body)
  end
  return true
end

local listener, port = assert(socket.listen())
io.stdout:write(port, "\n")
io.stdout:flush()
while true do
  local fd = socket.accept(listener, 60000)
  if fd then
    local line = { fd = fd }
    while serve(line) do end
    socket.close(fd, false)
  end
end
