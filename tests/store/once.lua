-- What a command does when one call fails: any allocation, write, sync, rename, truncation, open or
-- read of import, run, gc, tag, note, rm, verify, a repair, and any allocation of a sweep, what-ifs
-- and a plan (both ends of an upload: tests/upload/once.lua). Run inside the program by
-- tests/run-all:
-- build/tandem lua tests/store/once.lua BUILD
--
-- once.so fails the N-th call. Afterwards the command has done its work, and the store is as if
-- nothing had failed, or it has ended with one line that says why, and the store is as before. A
-- sample of N, the same in every run of the test.
--
-- With ONCE_ALL=SECONDS every one is tried, for that long: each command runs once, without threads,
-- and at each of its calls forks a copy in which that fails (tries.h). Other calls of all commands
-- come before allocations, and of these one from each stack before the rest. A start that commands
-- share, the same calls from the same stacks, is tried in one of them. ONCE_TURN=i/n is one process
-- of n. What is simulated on threads is started anew for each try: one call for each stack of C
-- calls, then the others, spread evenly, so that a part of them is a fair sample; ONCE_FROM=N goes
-- on behind the N-th try of one before, ONCE_PROGRESS=FILE says how far.

local core = require "tandem.core"
local build = assert(..., "usage: once.lua BUILD")
local ALL <const> = tonumber(os.getenv "ONCE_ALL")
local SAMPLE <const> = math.tointeger(os.getenv "ONCE_SAMPLE") or 40 -- of allocations of a command
local FEW <const> = math.tointeger(os.getenv "ONCE_FEW") or 8 -- of each of its other calls
local KINDS <const> = { "memory", "write", "sync", "name", "cut", "open", "read" }
local program = build .. "/tandem"

local function sh(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read "a"
  local _, how, code = pipe:close()
  return text, how, code
end

local function must(command)
  local text, how, code = sh("{ " .. command .. "; } 2>&1")
  if how ~= "exit" or code ~= 0 then error(command .. "\n" .. text, 0) end
  return text
end

local folder = must("mktemp -d"):match "%S+"

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

local failures, checks, told = 0, 0, {}
local function check(condition, what, detail)
  checks = checks + 1
  if condition then return true end
  failures = failures + 1
  io.write("FAIL ", what, detail and ": " .. tostring(detail) or "", "\n")
  return false
end

-- All that SQL shows of a store, without what two runs of one command differ in.
local QUERIES <const> = {
  "SELECT kind, name, scenario_hash, seed, state, spans, first_ns, last_ns, summary_json,"
    .. " note FROM run ORDER BY number",
  "SELECT r.name, s.category, count(*), sum(s.dur_ns), sum(s.start_ns), count(DISTINCT s.name),"
    .. " sum(length(s.args)) FROM span s JOIN run r ON r.number = s.run GROUP BY s.run, 2",
  "SELECT kind, count(*), sum(from_ns), sum(to_ns) FROM edge GROUP BY run, 1",
  "SELECT name, count(*), sum(value) FROM counter GROUP BY run, 1",
  "SELECT count(*), sum(arrival_ns), sum(end_ns) FROM request GROUP BY run",
  "SELECT key, value FROM fact", "SELECT * FROM metric",
  "SELECT tag FROM run_tag", "SELECT kind, count FROM problem",
  "SELECT process, name, kind FROM track", "SELECT detail FROM source",
}

local function image_of(path)
  local db <close> = assert(core.database(path, { store = true, readonly = true }))
  local out = { assert(db:one "PRAGMA integrity_check").integrity_check,
    #assert(db:all "PRAGMA foreign_key_check") }
  for _, sql in ipairs(QUERIES) do
    local columns = #assert(db:columns(sql))
    for row in assert(db:lists(sql)) do
      for i = 1, columns do out[#out + 1] = tostring(row[i]) end
    end
  end
  return table.concat(out, "\n")
end

-- One that is damaged, which the command shall mend, is that and no more.
local function image(path)
  local ok, text = pcall(image_of, path)
  if ok then return text end
  if tostring(text):find "page %d+ is damaged" then return "damaged" end
  error(text, 0)
end

-- What the command left; the same bytes are not asked again.
local function image_now(case)
  local path = folder .. "/t.db"
  local log = io.open(path .. "-wal")
  if log then log:close() elseif read(path) == case.bytes then return case.before end
  return image(path)
end

local function write(path, bytes)
  local file <close> = assert(io.open(path, "wb"))
  assert(file:write(bytes))
end

-- The store as the command finds it, with the log that a killed writer left where the case has one.
local function lay_out(case, path)
  for _, ending in ipairs { "-wal", "-shm", "-journal" } do os.remove(path .. ending) end
  write(path, case.bytes)
  for ending, bytes in pairs(case.log or {}) do write(path .. ending, bytes) end
end

-- One run of the command with the N-th call of a kind failing, or none.
local function faulty(case, kind, at, lasts, ways)
  lay_out(case, folder .. "/t.db")
  local _, how, code = sh(("exec timeout 300 %s env LD_PRELOAD=%s/once.so ONCE_OF=%s ONCE_AT=%d "
    .. "%s ONCE_TELLS=%s/told %s >%s/out 2>%s/err"):format(ways and "setarch -R" or "", build, kind,
    at, lasts and "ONCE_LASTS=1" or ways and "ONCE_WAYS=" .. ways or "", folder, case.command,
    folder, folder))
  local made, failed = ("<i8i8"):unpack(read(folder .. "/told"))
  return { how = how, code = code, made = made, failed = failed, said = read(folder .. "/err"),
    printed = read(folder .. "/out") }
end

-- How many lines say why: without what was done, and without what a failure left unprinted.
local function complaints(said)
  local count, unprinted = 0, 0
  for line in said:gmatch "[^\n]+" do
    if line:find "^tandem" or line:find "^Out of memory" then count = count + 1 end
    if line:find "^tandem: standard output: " then unprinted = 1 end
  end
  return count > 1 and count - unprinted or count
end

-- Of a run that was found: how it ended, what it said and printed, and what is in the store `now`.
local function judge(case, kind, what, found, ok, now)
  if not check(ok, what .. ": the store is refused", now) then return end
  if not check(found.how == "exit", what .. ": " .. found.how, found.code) then return end
  local said = found.said:gsub("^kept as [^\n]*\n", "")
  check(not said:find("traceback", 1, true), what .. ": a traceback", said)
  if found.code == 0 then
    check(now == case.whole, what .. ": nothing is said, and the store is another",
      found.said .. found.printed)
    check(found.printed == case.printed, what .. ": nothing is said, and the text is another",
      found.printed)
  else
    -- SQLite itself takes a read that fails for damage of what it reads, and says of some damaged
    -- files that memory is out: of files that are read both are told as one.
    -- A sweep goes on without the point that failed.
    check(found.code == 4 or found.code == 3 and (kind == "read" and said:find "damaged"
      or kind == "memory" and (said:find "or memory is short"
        or case.name:find "^sweep" and said:find "memory")),
      what .. (": exit %d"):format(found.code), said)
    check(complaints(said) == 1, what .. ": not one line", said)
    check(case.damaged or found.code == 3 or not said:find "damage" or said:find "memory",
      what .. ": told as damage", said)
    check(now == case.before or now == case.whole, what .. ": the store is neither old nor new")
    local words = said:gsub(folder, ""):gsub("%d+", "N")
    told[words] = (told[words] or 0) + 1
  end
end

local function try_one(case, kind, at, lasts)
  local found = faulty(case, kind, at, lasts)
  if found.failed == 0 then return end -- a timer made one call less
  judge(case, kind, ("%s: %s %d%s"):format(case.name, kind, at, lasts and " and on" or ""), found,
    pcall(image_now, case))
end

-- Which of `count` calls fail: one in each of equal parts, somewhere in it.
local random = 20261128
local function points(count, most)
  local out = {}
  if count <= most then
    for i = 1, count do out[i] = i end
    return out
  end
  for i = 0, most - 1 do
    random = (random * 1103515245 + 12345) & 0x7fffffff
    local first, last = count * i // most, count * (i + 1) // most
    out[#out + 1] = first + 1 + random % (last - first)
  end
  return out
end

-- Every call of a kind, for the long run: its bits turned around are its place among all.
local tries, new, anywhere = {}, 0, {}
local function later(case, kind, count)
  local path, seen = folder .. "/ways", {}
  faulty(case, kind, 0, false, path)
  local file <close> = assert(io.open(path, "rb"))
  for at = 1, count do
    local place, left = 0, at
    for _ = 1, 31 do place, left = place << 1 | left & 1, left >> 1 end
    local way = ("<i8"):unpack(file:read(8))
    if not anywhere[way] then place = place - (1 << 31) end
    if not seen[way] then place, new = place - (1 << 31), new + 1 end
    seen[way], anywhere[way] = true, true
    tries[#tries + 1] = { case = case, kind = kind, at = at, place = place }
  end
end

-- ---- every call of a command, in copies of one run ----

local TURN <const>, TURNS <const> = (os.getenv "ONCE_TURN" or "1/1"):match "^(%d+)/(%d+)$"
local until_s = os.time() + (ALL or 0)
local runs, starts = {}, {}

local function without_threads(case, kind, environment)
  must(("rm -rf %s/each %s/each.keep %s/each.seen; cd %s; mkdir each each.keep each.seen"):format(
    folder, folder, folder, folder))
  lay_out(case, folder .. "/each/t.db")
  local _, how, code = sh(("exec setarch -R env LD_PRELOAD=%s/once.so TMPDIR=%s/each ONCE_OF=%s "
    .. "ONCE_AT=0 ONCE_TELLS=%s/told %s %s >%s/each/out 2>%s/each/err"):format(build, folder, kind,
    folder, environment, case.command:gsub(folder .. "/", folder .. "/each/"), folder, folder))
  check(how == "exit" and code == 0, case.name .. ": without threads", read(folder .. "/each/err"))
  return (("<i8"):unpack(read(folder .. "/told")))
end

-- How many calls two runs begin with from the same stacks.
local function same_start(a, b)
  local low, high = 0, math.min(#a, #b) // 8
  while low < high do
    local middle = (low + high + 1) // 2
    if a:sub(1, middle * 8) == b:sub(1, middle * 8) then low = middle else high = middle - 1 end
  end
  return low
end

-- To be tried; of its allocations those that no other command began with: first the first one of
-- each stack, then all.
local function plan_run(case, kind)
  local run = { case = case, kind = kind, after = 0, turn = 1, count = 0 }
  if kind == "memory" then
    local made = without_threads(case, kind, ("ONCE_FROZEN=1 ONCE_WAYS=%s/ways"):format(folder))
    local file <close> = assert(io.open(folder .. "/ways", "rb"))
    local ways = file:read(made * 8)
    for _, other in ipairs(starts) do run.after = math.max(run.after, same_start(ways, other)) end
    starts[#starts + 1] = ways
    run.count, run.turn = made - run.after, 3
    runs[#runs + 1] = setmetatable({ firsts = true, turn = 2 }, { __index = run })
  end
  runs[#runs + 1] = run
end

local function entries(log)
  local at = 1
  return function()
    if at > #log then return nil end
    if log:sub(at, at + 7) == "stopped:" then error(log:sub(at), 0) end
    local e = {}
    e.at, e.together, e.status, e.store, e.out, e.rest, e.said, at =
      ("<i8i8i8i8i8i8s8"):unpack(log, at)
    return e
  end
end

local function try_run(run)
  local case, kind = run.case, run.kind
  local made = without_threads(case, kind, ("ONCE_EACH=%s/log ONCE_FOLDER=%s/each ONCE_AFTER=%d "
    .. "ONCE_UNTIL=%d ONCE_KNOWN=%s/known %s"):format(folder, folder, run.after, until_s, folder,
    run.firsts and "ONCE_FIRSTS=1" or ""))
  local function seen(hash, ending)
    return ("%s/each.seen/%016x%s"):format(folder, hash, ending)
  end
  local images, good, tried, copies = {}, nil, 0, 0
  local bad = failures
  for e in entries(read(folder .. "/log")) do
    local image_here = images[e.store]
    if not image_here then
      image_here = table.pack(pcall(image, seen(e.store, ".db")))
      images[e.store] = image_here
    end
    local what = ("%s: %s %d"):format(case.name, kind, e.at)
    local signal = e.status & 0x7f
    local found = { how = signal == 0 and "exit" or "signal",
      code = signal == 0 and e.status >> 8 & 0xff or signal, said = e.said,
      printed = read(seen(e.out, ".out")) }
    if e.at == 0 then
      good = e
      case.whole, case.printed = image_here[2], found.printed
    else
      tried, copies = tried + e.together, copies + 1
      judge(case, kind, what, found, image_here[1], image_here[2])
      check(e.rest == good.rest or found.code ~= 0 and e.rest == 0,
        what .. ": a file that it writes is neither whole nor away", e.said)
    end
  end
  if good then
    check(image(folder .. "/each/t.db") == case.whole, case.name .. ": all is put back")
  end
  io.write(("%s: %s: %d calls, %d of them after another's start; %d%s failed in %d copies, %d bad, "
    .. "%d s left\n"):format(case.name, kind, made, made - run.after, tried,
    run.firsts and ", one of each new stack," or "", copies, failures - bad,
    until_s - os.time()))
  if run.firsts then return 0, 0 end
  return made - run.after, tried
end

local function try_runs()
  table.sort(runs, function(a, b)
    if a.turn ~= b.turn then return a.turn < b.turn end
    if a.count ~= b.count then return a.count < b.count end
    if a.case.number ~= b.case.number then return a.case.number < b.case.number end
    return a.kind < b.kind
  end)
  local all, tried = 0, 0
  for i, run in ipairs(runs) do
    if i % TURNS == TURN % TURNS then
      local count, done = try_run(run)
      all, tried = all + count, tried + done
    end
  end
  io.write(("%d of %d calls were made to fail, one by one\n"):format(tried, all))
end

local cases = 0
local function try(case)
  cases = cases + 1
  case.number = cases
  case.bytes = read(folder .. "/base.db")
  lay_out(case, folder .. "/t.db")
  case.before = image(folder .. "/t.db")
  local counts = {}
  for _, kind in ipairs(case.kinds or KINDS) do
    local plain = faulty(case, kind, 0)
    if plain.code ~= 0 then error(case.name .. ": " .. plain.said, 0) end
    case.printed, case.whole = plain.printed, image(folder .. "/t.db")
    counts[#counts + 1] = ("%s %d"):format(kind, plain.made)
    if ALL and not case.threads then
      plan_run(case, kind)
    elseif ALL then
      later(case, kind, plain.made)
    else
      local sample = points(plain.made,
        kind == "memory" and math.floor((case.dense or 1) * SAMPLE) or case.few or FEW)
      for at = plain.made - (case.near or 0), plain.made, 16 do
        if kind == "memory" and case.near then sample[#sample + 1] = at end
      end
      for i, at in ipairs(sample) do try_one(case, kind, at, i % 4 == 0) end
    end
  end
  io.write(("%s: %s\n"):format(case.name, table.concat(counts, ", ")))
end

local function try_all()
  local progress, from = os.getenv "ONCE_PROGRESS", math.tointeger(os.getenv "ONCE_FROM") or 0
  table.sort(tries, function(a, b)
    if a.place ~= b.place then return a.place < b.place end
    if a.at ~= b.at then return a.at < b.at end
    if a.case ~= b.case then return a.case.name < b.case.name end
    return a.kind < b.kind
  end)
  local done = from
  for i = from + 1, #tries do
    if os.time() >= until_s then break end
    if i % TURNS == TURN % TURNS then
      try_one(tries[i].case, tries[i].kind, tries[i].at)
    end
    done = i
    if progress and i % 100 == 0 then
      local file <close> = assert(io.open(progress, "w"))
      file:write(("%d of %d calls (%d ways), %d bad checks\n"):format(done, #tries, new, failures))
    end
  end
  io.write(("%d of %d calls, first one of each of %d ways, were made to fail\n"):format(done,
    #tries, new))
end

io.stdout:setvbuf "line"
must(("%s run demo --duration 2s --spans all --store %s/base.db"):format(program, folder))
must(("%s run demo --duration 1s --seed 3 --store %s/base.db"):format(program, folder))
must(("%s run demo --duration 1s --seed 4 --store %s/base.db"):format(program, folder))
must(("%s rm last --store %s/base.db"):format(program, folder))
for _, words in ipairs {
  "import tests/data/nsys/mock.sqlite.gz --no-progress --tag nightly",
  "import tests/data/perfetto/sdk.pftrace --no-progress",
  "run demo --duration 2s --spans all",
  "gc",
  "rm last",
  "tag last kept",
  "verify",
  "kernels last --json",
  "breakdown last",
  "view last -o %s/out.html",
  "export last -o %s/out.json",
  "note last 'a note'",
} do
  -- Short of memory while figures are put together, a run printed others than it has.
  try { name = words:match "^[^%%]*", dense = words:find "^run" and 4, command =
    ("%s %s --store %s/t.db"):format(program, words:format(folder), folder) }
end
-- What is simulated on threads with Lua states of their own. Answers are kept nowhere.
for _, words in ipairs {
  "sweep demo --over rps=10,20 --duration 1s --replications 2 --json --no-store",
  "whatif demo --inputs rps --duration 1s --replications 2 --json",
  "plan demo --duration 1s --json",
} do
  try { name = words, dense = 0.4, threads = true, kinds = { "memory" },
    command = ("%s %s --threads 2"):format(program, words) }
end
-- The log of a killed writer.
local log = {}
do
  local path, bytes = folder .. "/base.db", read(folder .. "/base.db")
  local db <close> = assert(core.database(path, { store = true }))
  assert(db:run "UPDATE run SET note = 'in the log'")
  for _, ending in ipairs { "-wal", "-shm" } do log[ending] = read(path .. ending) end
  db:close()
  write(path, bytes)
end
try { name = "verify, with a log", log = log, dense = 0.5, few = 100,
  command = ("%s verify %s/t.db"):format(program, folder) }
-- A repair: the run whose rows are damaged goes, the others stay, or the store is as it was.
do
  local db <close> = assert(core.database(folder .. "/base.db", { store = true, readonly = true }))
  local row = assert(db:one "SELECT substr(data, -60) AS tail FROM chunk_data ORDER BY id DESC")
  db:close()
  local bytes = read(folder .. "/base.db")
  local at = assert(bytes:find(row.tail, 1, true))
  write(folder .. "/base.db", bytes:sub(1, at + 9) .. "damage" .. bytes:sub(at + 16))
  -- Pages are read again, one by one; and near its end the store's own tables are carried over.
  try { name = "repair", damaged = true, few = 24, near = 500,
    command = ("%s verify %s/t.db --repair"):format(program, folder) }
  try { name = "repair, with a log", damaged = true, log = log, dense = 0.5,
    command = ("%s verify %s/t.db --repair"):format(program, folder) }
end
-- The start, which all commands share: memory ends for good before anything is set up.
if ALL then
  try_runs()
  try_all()
end
for at = 1, ALL and 6000 or 700, 7 do
  local _, how, code = sh(("LD_PRELOAD=%s/once.so ONCE_OF=memory ONCE_AT=%d ONCE_LASTS=1 "
    .. "ONCE_TELLS=%s/told %s version >%s/out 2>%s/err"):format(build, at, folder, program, folder,
    folder))
  local said = read(folder .. "/err")
  local well = code == 0 or code == 4 and said:find "^tandem: not enough memory[^\n]*\n$"
  check(how == "exit" and well,
    ("the start: memory %d and on: %s %s"):format(at, how, code), said)
end
if os.getenv "ONCE_SAYS" then
  for words, count in pairs(told) do io.write(("%5d %s"):format(count, words)) end
end
must("rm -r " .. folder)
print(("%d passed, %d failed"):format(checks - failures, failures))
os.exit(failures == 0)
