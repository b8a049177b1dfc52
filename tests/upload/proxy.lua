-- Between a sender and its receiver: passes bytes on, and breaks connections at random bytes, on
-- the way there or back.
--   tandem lua tests/upload/proxy.lua BUILD UPSTREAM_PORT SETTINGS.json
-- Settings: cuts (how many connections break), seed, there_most and back_most (bytes after which,
-- at most), told (a file that gets a line for each cut, and "ended" for none left), heard (a file
-- that gets what senders said, all connections after each other).
-- Prints its port; serves until it is killed.
local cjson = require "cjson"

local build, upstream, text = ...
local socket = assert(package.loadlib(build .. "/socket_of_tests.so", "luaopen_socket_of_tests"))()
local settings = cjson.decode(text)
local cuts = 0
math.randomseed(settings.seed or 1)

local function note(name, ...)
  if not name then return end
  local file = assert(io.open(name, "ab"))
  file:write(...)
  file:close()
end

-- From 1 to `most`: every byte as likely, or every order of magnitude, so that heads are cut as
-- well as bodies.
local function random_bytes(most)
  if math.random() < 0.5 then return math.random(most) end
  return math.floor(math.exp(math.random() * math.log(most + 1)))
end

-- The two ends of each connection by descriptor: { other, line }. A line has what is left of the
-- bytes that may pass in one direction before it breaks.
local ends, count = {}, 0

local function close(line, broken)
  for _, fd in ipairs { line.there, line.back } do
    socket.close(fd, broken and math.random() < 0.5)
    ends[fd] = nil
  end
end

local function open(fd)
  local other = socket.connect(math.tointeger(tonumber(upstream)))
  if not other then return socket.close(fd, false) end -- the receiver is dead just now
  count = count + 1
  local line = { number = count, there = fd, back = other }
  if cuts < (settings.cuts or 0) then
    line.way = math.random() < 0.7 and "there" or "back"
    line.left = random_bytes(settings[line.way .. "_most"])
    line.after = line.left
  end
  ends[fd] = { other = other, line = line, way = "there" }
  ends[other] = { other = fd, line = line, way = "back" }
end

local function pass(fd, one)
  local line = one.line
  local limited = line.way == one.way
  local bytes = socket.receive(fd, limited and math.min(line.left, 65536) or 65536)
  if not bytes or not socket.send(one.other, bytes) then return close(line, false) end
  if one.way == "there" then note(settings.heard, bytes) end
  if not limited then return end
  line.left = line.left - #bytes
  if line.left > 0 then return end
  cuts = cuts + 1
  note(settings.told, ("%d of connection %d, after %d bytes %s\n"):format(cuts, line.number,
    line.after, line.way))
  if cuts == settings.cuts then note(settings.told, "ended\n") end
  close(line, true)
end

local listener, port = assert(socket.listen())
io.stdout:write(port, "\n")
io.stdout:flush()
while true do
  local waiting = { listener }
  for fd in pairs(ends) do waiting[#waiting + 1] = fd end
  table.sort(waiting)
  local ready, fresh = {}, false
  for i, fd in ipairs(socket.ready(waiting, 60000)) do
    ready[i] = { fd = fd, one = ends[fd] }
    fresh = fresh or fd == listener
  end
  for _, it in ipairs(ready) do -- one of them may close another
    if it.one and ends[it.fd] == it.one then pass(it.fd, it.one) end
  end
  local taken = fresh and socket.accept(listener, 0)
  if taken then open(taken) end
end
