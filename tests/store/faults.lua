-- What a store is after the world failed: kill -9 and a full disk at any byte of an import and of
-- a run. Run inside the program by tests/run-all: build/tandem lua tests/store/faults.lua BUILD
--
-- fault.so fails the N-th byte that is written to the store; N goes through the whole of a command.
-- Afterwards the file must be sound, hold what it held before, and the new run wholly or not at
-- all; and the same command must then work.

local core = require "tandem.core"
local build = assert(..., "usage: faults.lua BUILD")
local POINTS <const> = math.tointeger(os.getenv "FAULT_POINTS") or 12 -- of each kind and command
local folder = os.tmpname() .. ".d"
local program = ("%s/tandem"):format(build)

local function run(command)
  local pipe = assert(io.popen(("{ %s; } 2>&1"):format(command)))
  local text = pipe:read "a"
  local _, how, code = pipe:close()
  return text, how, code
end

local function must(command)
  local text, how, code = run(command)
  if how ~= "exit" or code ~= 0 then
    error(("%s\n%s (%s %d)"):format(command, text, how, code), 0)
  end
  return text
end

-- The state of a store: problems it has, how many runs, and spans of the last one.
local function look(path)
  local db <close> = assert(core.database(path, { store = true }))
  local sound = assert(db:one "PRAGMA integrity_check").integrity_check
  local foreign = #assert(db:all "PRAGMA foreign_key_check")
  local runs = assert(db:one "SELECT count(*) AS n FROM run WHERE state = 'complete'").n
  local all = assert(db:one "SELECT count(*) AS n FROM run").n
  local orphans = assert(db:one [[SELECT count(*) AS n FROM chunk WHERE run NOT IN
    (SELECT number FROM run)]]).n
  local spans = assert(db:one "SELECT count(*) AS n FROM span WHERE run = run('last')").n
  local data = assert(db:one "SELECT sum(length(args)) AS n FROM span WHERE run = run('last')").n
  local tags = assert(db:one "SELECT count(*) AS n FROM run_tag WHERE run = run('last')").n
  local aligned = assert(db:one [[SELECT count(*) AS n FROM source
    WHERE run = run('last') AND alignment <> 'none']]).n
  return { sound = sound, foreign = foreign, runs = runs, all = all, orphans = orphans,
    spans = spans, data = data, tags = tags, aligned = aligned }
end

local failures, checks = 0, 0
local function check(condition, what)
  checks = checks + 1
  if condition then return end
  failures = failures + 1
  io.write("  ", what, "\n")
end

-- One command under one kind of fault, at N bytes. Returns whether the fault came.
local function try(command, kind, after, before, whole)
  local store = folder .. "/t.db"
  must(("rm -f %s* && cp %s/base.db %s"):format(store, folder, store))
  local text, how, code = run(("LD_PRELOAD=%s/fault.so FAULT_KIND=%s FAULT_AFTER=%d %s"):format(
    build, kind, after, command:format(store)))
  local what = ("%s after %d bytes of %s"):format(kind, after, command:match "tandem (%a+)")
  local state = look(store)
  check(state.sound == "ok", what .. ": " .. tostring(state.sound))
  check(state.orphans == 0 and state.foreign == 0, what .. ": rows without a run")
  check(state.runs == state.all, what .. ": half a run is there")
  local done = state.runs == before.runs + 1
  check(done or state.runs == before.runs, what .. ": " .. state.runs .. " runs")
  if done then
    check(state.spans == whole.spans and state.data == whole.data, what .. ": spans are missing")
    check(state.tags == whole.tags and state.aligned == whole.aligned,
      what .. ": tags or clocks are missing")
  else
    check(state.spans == before.spans, what .. ": what was there is gone")
  end
  local came = how ~= "exit" or code ~= 0
  if came and kind == "full" then
    check(how == "exit" and code == 4, ("%s: %s %d"):format(what, how, code))
    local lines = select(2, text:gsub("\n", ""))
    check(lines == 1 and text:find "full", what .. " says: " .. text)
  end
  if came then
    must(command:format(store))
    check(look(store).runs >= before.runs + 1, what .. ": the next attempt stored nothing")
  end
  return came
end

local function every_byte(command)
  local store = folder .. "/t.db"
  local before = look(folder .. "/base.db")
  must(("rm -f %s* && cp %s/base.db %s"):format(store, folder, store))
  must(command:format(store))
  local whole = look(store)
  check(whole.runs == before.runs + 1, "the command stores a run")
  for _, kind in ipairs { "kill", "full" } do
    -- How many bytes the command writes: the fault no longer comes beyond.
    local low, high = 0, 1 << 12
    while try(command, kind, high, before, whole) do low, high = high, high * 2 end
    while high - low > 512 do
      local middle = (low + high) // 2
      if try(command, kind, middle, before, whole) then low = middle else high = middle end
    end
    local random = 12345
    for i = 0, POINTS - 1 do
      random = (random * 1103515245 + 12345) & 0x7fffffff
      try(command, kind, high * i // POINTS + random % (high // POINTS), before, whole)
    end
  end
end

must("mkdir " .. folder)
must(("%s run demo --store %s/base.db > /dev/null"):format(program, folder))
every_byte(program .. " import tests/data/nsys/h100_cut.sqlite.gz --no-progress --store %s"
  .. " > /dev/null")
for rank = 0, 1 do -- their clocks are aligned, and the run has a tag
  local file = assert(io.open(("%s/rank%d.jsonl"):format(folder, rank), "w"))
  file:write('{"record":"header","format":"tandem-jsonl","version":1}\n',
    '{"record":"source","source":0,"path":"rank.json","format":"kineto","detail":""}\n',
    '{"record":"track","track":0,"process":"GPU #0","name":"stream 7","kind":"stream",',
    '"lane":"GPU"}\n{"record":"layout","layout":0,"category":"kernel","shape":"span","args":[]}\n')
  for k = 1, 2000 do
    file:write(('{"record":"span","layout":0,"track":0,"name":"k%d","start_ns":%d,'
      .. '"dur_ns":5}\n'):format(k % 100, k * k * 1000 + rank))
  end
  file:close()
end
every_byte(("%s import %s/rank0.jsonl %s/rank1.jsonl --align first --tag nightly"):format(program,
  folder, folder) .. " --no-progress --store %s > /dev/null")
every_byte(program .. " run demo --store %s > /dev/null")
must("rm -r " .. folder)
print(("%d passed, %d failed"):format(checks - failures, failures))
os.exit(failures == 0)
