-- What the interposer of `tandem capture` adds to a call of the driver: a program that calls one
-- that does nothing, without the interposer and with it. All that it records must be in the file.
-- Called by lua_cases.lua.

local served = require "tests.spec.support.served"

local HEADER_BYTES <const>, CHUNK_BYTES <const> = 4096, 1 << 18
local HEADER <const> = "<c8I4I4i8i8I8I8I8I4I4"
local API <const>, GPU <const> = 1, 2

-- A capture file as it begins.
local function make(path, wanted, recording)
  local file = assert(io.open(path, "wb"))
  local header = HEADER:pack("TANDEMC1", 2, wanted, 0, 0, 0, 0, 0, recording and 1 or 0, 0)
  file:write(header .. ("\0"):rep(HEADER_BYTES - #header))
  file:close()
end

-- How many slots of the file are filled, and how many records were lost.
local function filled(path)
  local file = assert(io.open(path, "rb"))
  local chunks, lost = select(7, HEADER:unpack(file:read(HEADER_BYTES)))
  local slots = 0
  for i = 0, chunks - 1 do
    file:seek("set", HEADER_BYTES + i * CHUNK_BYTES)
    slots = slots + select(3, ("<I4I4I4"):unpack(file:read(12)))
  end
  file:close()
  return slots, lost
end

local function timed(settings, words)
  local traced = served.directory .. "/test/capture"
  local line = served.shell(("LD_LIBRARY_PATH=%s %s %s/speed %s"):format(traced, settings, traced,
    words))
  local amount, seconds, cpu = line:match "amount=(%d+) seconds=(%S+) cpu=(%S+)"
  return tonumber(amount), tonumber(seconds), tonumber(cpu)
end

---@param what "call"|"launch"
---@param threads integer
---@param wanted integer
---@param records integer a call
---@param recording boolean
local function added(what, threads, wanted, records, recording)
  return function()
    local path = os.tmpname()
    local words = ("%s %d %d"):format(what, 500000, threads)
    local amount, seconds, cpu = timed("", words)
    make(path, wanted, recording)
    local _, seconds_with, cpu_with = timed(("LD_PRELOAD=%s/capture.so TANDEM_CAPTURE_FILE=%s")
      :format(served.directory, path), words)
    local slots, lost = filled(path)
    os.remove(path)
    assert(lost == 0, "records were lost")
    assert(slots >= amount * threads * (recording and records or 0), "records are missing")
    -- Differences of two runs: where the machine is busy, the one of wall times may be anything.
    local added_cpu = math.max(cpu_with - cpu, 1e-9)
    print(("amount=%d seconds=%.9f cpu=%.9f"):format(amount,
      math.max(seconds_with - seconds, added_cpu), added_cpu))
  end
end

return {
  call = added("call", 1, API, 1, true),
  launch = added("launch", 1, API, 2, true),
  threads = added("launch", 2, API, 2, true),
  events = added("launch", 1, API | GPU, 3, true),
  paused = added("launch", 1, API, 0, false),
}
