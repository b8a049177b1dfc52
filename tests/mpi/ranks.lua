-- What the ranks of a test do: mpirun -n N build/tandem lua tests/mpi/ranks.lua CASE [ARGS…]
-- Rank 0 gives jobs, checks every answer and prints one line; the others serve.

local core = require "tandem.core"
local mpi = require "tandem.sweep.mpi"

local case, argument = ...
local cases = {}

-- What the answer to a text must be; its work is about as long as the text.
local function transform(text)
  return #text .. ":" .. text:sub(-20):reverse() .. text:sub(1, 1000):upper()
end

-- Texts of 1 byte to about 100 KB, the same every time, most of them short.
local function text_of(number)
  local length = 1 + (number * 7919) % 97
  if number % 50 == 0 then length = length * 1000 end
  return (("%d,"):format(number)):rep(length):sub(1, length)
end

local function check_one(number, text, message)
  assert(number, text)
  assert(text, message)
  assert(text == transform(text_of(number)), "a wrong answer to job " .. number)
end

-- Gives `count` jobs, never more than the ranks have room for, and checks their answers.
local function run_jobs(backend, count, check)
  local given, taken, seen = 0, 0, {}
  while taken < count do
    while given < count and given - taken < backend.capacity do
      given = given + 1
      backend:give(given, text_of(given))
    end
    local number, text, message = backend:take(300)
    check(number, text, message)
    assert(not seen[number], "job " .. number .. " was answered twice")
    seen[number], taken = true, taken + 1
  end
  local none, why = backend:take(0)
  assert(none == nil and why == "empty")
end

local function lead(world, options, body)
  local backend = mpi.backend(world, options)
  body(backend)
  backend:close()
  backend:close()
end

local function slowly(text)
  local until_s = core.clock() + 0.002
  while core.clock() < until_s do end
  return transform(text)
end

function cases.jobs(world)
  if world.rank > 0 then return mpi.serve(world, transform) end
  lead(world, { work = argument == "work" and transform or nil }, function(backend)
    run_jobs(backend, 2000, check_one)
    print "2000 jobs answered"
  end)
end

-- All given at once, most of them dropped.
function cases.early(world)
  if world.rank > 0 then return mpi.serve(world, slowly) end
  lead(world, nil, function(backend)
    for number = 1, 500 do backend:give(number, text_of(number)) end
    for _ = 1, 10 do check_one(backend:take(300)) end
    print "10 of 500 jobs answered"
  end)
end

-- 20 MB there and back, several at a time in both directions.
function cases.long(world)
  local function mirror(text) return text:reverse() end
  if world.rank > 0 then return mpi.serve(world, mirror) end
  local size = (tonumber(argument) or 20) * 1000000
  lead(world, nil, function(backend)
    local texts = {}
    for number = 1, size > 1e9 and 1 or 8 do
      local half = ("%d=%d;"):format(number, number * 31):rep(size // 10)
      texts[number] = half .. half -- rep itself stops at 2 GiB
      backend:give(number, texts[number])
    end
    for _ = 1, #texts do
      local number, text = backend:take(300)
      assert(number and text == texts[number]:reverse(), text)
    end
    print(("%d texts of %d MB came back"):format(#texts, size // 1000000))
  end)
end

function cases.failing(world)
  local function work(text)
    if text:find "^7" then error("seven is not to my liking", 0) end
    if text:find "^8" then error { code = 8 } end
    return transform(text)
  end
  if world.rank > 0 then return mpi.serve(world, work) end
  lead(world, { work = work }, function(backend)
    local failed = 0
    run_jobs(backend, 1000, function(number, text, message)
      if tostring(number):find "^[78]" and text_of(number):find "^[78]" then
        assert(number and not text and message, "a failure is not told")
        assert(message == "seven is not to my liking" or message:find "^table")
        failed = failed + 1
      else
        check_one(number, text, message)
      end
    end)
    print(failed .. " failures told, the rest answered")
  end)
end

-- The last rank kills itself after a while, as the kernel would when memory is short.
function cases.killed(world)
  local begun = 0
  if world.rank > 0 then
    return mpi.serve(world, function(text)
      begun = begun + 1
      if world.rank == world.size - 1 and begun == 20 then
        os.execute "kill -KILL $PPID"
      end
      return slowly(text)
    end)
  end
  lead(world, { work = argument == "work" and slowly or nil }, function(backend)
    run_jobs(backend, 1000, check_one)
    print "1000 jobs answered without the lost rank"
  end)
end

-- Never ends by itself; says which processes it has.
function cases.endless(world)
  io.stderr:write(("rank %d is %s\n"):format(world.rank,
    assert(io.open "/proc/self/stat"):read "n"))
  if world.rank > 0 then return mpi.serve(world, slowly) end
  local backend = mpi.backend(world, { work = slowly })
  while true do run_jobs(backend, 1000, check_one) end
end

-- Idle for a while: seconds of processor time that the other ranks used.
function cases.idle(world)
  if world.rank > 0 then
    local began_s = os.clock()
    mpi.serve(world, function() return ("%.3f"):format(os.clock() - began_s) end)
    return
  end
  lead(world, nil, function(backend)
    backend:give(1, "")
    assert(backend:take(300) == 1)
    local before = os.clock()
    local until_s = core.clock() + 2
    while core.clock() < until_s do
      backend:give(2, "")
      assert(select(2, backend:take(300)))
      assert(world.transport.receive(1) == nil)
    end
    backend:give(3, "")
    local _, spent = backend:take(300)
    print(("rank 0 used %.3f s, another %s s of 2 s"):format(os.clock() - before, spent))
    assert(os.clock() - before < 0.4 and tonumber(spent) < 0.4, "idle ranks burn the processor")
  end)
end

-- How many small jobs a second: tests/mpi/rate.sh prints it.
function cases.rate(world)
  local function work(text) return text end
  if world.rank > 0 then return mpi.serve(world, work) end
  lead(world, nil, function(backend)
    local count, given = 50000, 0
    local began_s = core.clock()
    for taken = 0, count - 1 do
      while given < count and given - taken < backend.capacity do
        given = given + 1
        backend:give(given, "a small job of about a hundred bytes, as JSON would be" .. given)
      end
      assert(backend:take(300))
    end
    print(("%.0f jobs/s"):format(count / (core.clock() - began_s)))
  end)
end

-- Work that takes as long as it takes: does a second rank help?
function cases.scaling(world)
  if world and world.rank > 0 then return mpi.serve(world, slowly) end
  local began_s = core.clock()
  if not world then
    for number = 1, 1000 do slowly(text_of(number)) end
  else
    lead(world, { work = slowly }, function(backend) run_jobs(backend, 1000, check_one) end)
  end
  print(("%.3f s"):format(core.clock() - began_s))
end

function cases.alone(world)
  assert(world == nil)
  print "alone"
end

local world, message, rank = mpi.world()
if message then
  if rank == 0 then io.stderr:write("tandem: ", message, "\n") end
  os.exit(4)
end
if not world and case ~= "alone" and case ~= "scaling" then error "not under mpirun" end
assert(cases[case], "unknown case")(world)
