-- Makes a large PyTorch profiler trace out of a small real one, gzip'd:
--
--   build/tandem lua tests/bench/kineto_export.lua OUT.json.gz [--bytes N] [--plain]
--
-- The events of tests/data/kineto's AlexNet capture are repeated, each time later and with
-- correlation and flow ids of their own, until the text has N bytes (62,000,000). --plain leaves it
-- uncompressed.

local BASE <const> = "tests/data/kineto/"
  .. "critical_path__alexnet__benchmark_result_2869224_1695835535_trace.json.gz"

local out, bytes, plain = nil, 62000000, false
local words, at = { ... }, 1
while words[at] do
  if words[at] == "--bytes" then
    bytes, at = math.tointeger(words[at + 1]), at + 1
  elseif words[at] == "--plain" then
    plain = true
  else
    out = words[at]
  end
  at = at + 1
end
assert(out and bytes, "usage: kineto_export.lua OUT.json.gz [--bytes N] [--plain]")

local pipe = assert(io.popen("gzip -dc " .. BASE))
local text = pipe:read "a"
pipe:close()
local head, events, tail = text:match '^(.-"traceEvents": %[%s*)(.*%})(%s*%].*)$'
assert(events, BASE .. " is not laid out as expected")

local first, last = math.huge, -math.huge
for ts in events:gmatch '"ts": (%d+)' do
  first, last = math.min(first, tonumber(ts)), math.max(last, tonumber(ts))
end
local period = math.tointeger(last - first + 1000)

local function quote(name) return "'" .. name:gsub("'", "'\\''") .. "'" end
local file = assert(plain and io.open(out, "w") or io.popen("gzip -6 > " .. quote(out), "w"))
file:write(head)
local written, round = #head, 0
while written < bytes do
  local shift, ids = round * period, round * 10000000
  local copy = events:gsub('"ts": (%d+)', function(ts)
    return ('"ts": %d'):format(math.tointeger(ts) + shift)
  end):gsub('("correlation"): (%d+)', function(key, id)
    return ("%s: %d"):format(key, math.tointeger(id) + ids)
  end):gsub('("id"): (%d+)', function(key, id)
    return ("%s: %d"):format(key, math.tointeger(id) + ids)
  end)
  if round > 0 then file:write ",\n" end
  file:write(copy)
  written, round = written + #copy, round + 1
end
file:write(tail)
assert(file:close())
