-- The benchmark: `make bench`, or build/tandem lua tests/bench/run.lua [OPTIONS].
--
--   make bench              everything, in less than three minutes
--   make bench CASE=t5      only cases whose name contains "t5" (names: --list)
--   make bench JSON=1       JSON on standard output instead of tables
--   --rounds N              N samples a case instead of 5
--   --build DIR             where the programs lie (build)
--
-- Every sample is a fresh process: build/bench/engine (engine.c, parts.c) for what is C,
-- lua_cases.lua for what goes through Lua. A round runs every case once, so that a busy moment of
-- the machine hits all alike; a case prints its line after its last sample. One that cannot be run
-- here says what the machine lacks; one that fails says how, and the others go on. Times are wall
-- time; where the machine was noisy (the calibration or the processor share say so), a column gives
-- the same medians by processor time. Bars are for one core of a quiet server of 2023 or later with
-- full-width AVX-512; the calibration, a loop that fills a core and touches no memory, tells how
-- another machine compares.

package.path = "./?.lua;" .. package.path
local core = require "tandem.core"
local plan = require "tests.bench.cases"
local profile = require "tests.bench.profile"

local cases, parts, kinds = plan.cases, plan.parts, plan.kinds

-- ---- options

local function options_of(words)
  local o = { build = "build", rounds = 5, case = "" }
  local i = 1
  while words[i] do
    local word, value = words[i], words[i + 1]
    if word == "--json" or word == "--list" then
      o[word:sub(3)] = true
      i = i + 1
    elseif value and (word == "--case" or word == "--build") then
      o[word:sub(3)] = value
      i = i + 2
    elseif word == "--rounds" and math.tointeger(tonumber(value)) then
      o.rounds = math.max(1, math.tointeger(tonumber(value)) --[[@as integer]])
      i = i + 2
    else
      error(("unknown option %s; there are --case TEXT, --json, --list, --rounds N, --build DIR")
        :format(word), 0)
    end
  end
  return o
end

local options = options_of { ... }

-- ---- running

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

local program = quote(options.build .. "/tandem")
local engine = quote(options.build .. "/bench/engine")

local function read_lines(command)
  local pipe = assert(io.popen(command, "r"))
  local text = pipe:read "a"
  if not pipe:close() then error("this failed: " .. command, 0) end
  return text
end

---The samples a command prints: one table of numbers a line; `absent=WHAT` says what it lacks.
local function measure(command)
  local list = {}
  for line in read_lines(command):gmatch "[^\n]+" do
    local fields = { absent = line:match "^absent=(.+)$" }
    for key, value in line:gmatch "(%w+)=(%S+)" do fields[key] = fields[key] or tonumber(value) end
    list[#list + 1] = fields
  end
  if #list == 0 then error("this printed nothing: " .. command, 0) end
  return list
end

local trivial = options.build .. "/bench/trivial.lua"

local function write_trivial()
  local file = assert(io.open(trivial, "w"))
  file:write 'local td = require "tandem"\nreturn td.scenario "trivial" { workload = td.poisson '
  file:write '{ rps = 2, duration = "10s" }, pipeline = { td.fixed "work" { time = "2ms" } } }\n'
  file:close()
end

-- The path of a trace to import; made when it is not there.
local function made_file(name)
  local path = ("%s/bench/%s"):format(options.build, name)
  local there = io.open(path)
  if there then
    there:close()
    return path
  end
  local fresh = path .. ".new"
  read_lines(("%s lua %s"):format(program, plan.files[name]:format(quote(fresh))))
  assert(os.rename(fresh, path))
  return path
end

local function command_of(case)
  if case.run:find "^peer" then
    return ("tests/bench/peers/run %s %s"):format(case.run, quote(options.build))
  end
  if case.run:find "^prompt" then
    return ("%s %s %s repl"):format(engine, case.run, program)
  end
  if case.kind == "ms" and not case.lua then
    return ("%s startup %s run %s %s"):format(engine, program, quote(trivial), case.arguments)
  end
  if case.kind == "write" then
    return ("%s lua tests/bench/lua_cases.lua %s %s"):format(program, case.run,
      quote(options.build .. "/bench/trace.json"))
  end
  if case.run == "sweep-mpi" then
    return ("%s lua tests/bench/lua_cases.lua %s %s"):format(program, case.run,
      quote(options.build .. "/bench/t5.json"))
  end
  if case.lua then
    return ("%s lua tests/bench/lua_cases.lua %s %s"):format(program, case.run,
      case.file and quote(made_file(case.file)) or "")
  end
  if case.file then
    return ("%s %s %s %s"):format(engine, case.run, quote(made_file(case.file)),
      case.arguments or "")
  end
  return engine .. " " .. case.run
end

---@param case bench.Case
---@param value number
---@param by_cpu number
---@param share number
local function keep(case, value, by_cpu, share)
  case.samples[#case.samples + 1] = { value = value, by_cpu = by_cpu, share = share }
end

---One sample of a case (start-up: four).
---@param case bench.Case
local function sample(case)
  local lines = measure(command_of(case))
  local kind = kinds[case.kind]
  case.samples, case.extra = case.samples or {}, case.extra or {}
  local first, second = lines[1], lines[2]
  if first.absent then
    case.absent = first.absent
    return
  end
  for _, line in ipairs(lines) do
    if kind.value and line.seconds then
      keep(case, kind.value(line, "seconds"), kind.value(line, "cpu"), line.cpu / line.seconds)
    end
    for key, value in pairs(line) do case.extra[key] = value end
  end
  if case.kind == "speedup" then
    -- By processor time: what the ratio would be, had both threads had a core to themselves.
    keep(case, first.seconds / second.seconds, 2 * first.cpu / second.cpu,
      math.min(first.cpu / first.seconds, second.cpu / second.seconds / 2))
  elseif case.kind == "ratio" then
    keep(case, second.seconds / first.seconds, second.cpu / first.cpu,
      math.min(first.cpu / first.seconds, second.cpu / second.seconds))
  elseif case.kind == "memory" then
    keep(case, second.bytes / 1e6, second.bytes / 1e6, first.cpu / first.seconds)
  elseif case.kind == "bytes" then
    keep(case, second.bytes, second.bytes, first.cpu / first.seconds)
  end
end

---@param values number[]
---@return number
local function median(values)
  local sorted = table.move(values, 1, #values, 1, {})
  table.sort(sorted)
  local n = #sorted
  if n % 2 == 1 then return sorted[n // 2 + 1] end
  return (sorted[n // 2] + sorted[n // 2 + 1]) / 2
end

local function column(samples, key)
  local out = {}
  for i, s in ipairs(samples) do out[i] = s[key] end
  return out
end

local calibration, calibration_cpu = {}, {} -- ns a step, by wall and by processor time

local function calibrate()
  local s = measure(engine .. " calibrate")[1]
  calibration[#calibration + 1] = s.seconds / s.amount * 1e9
  calibration_cpu[#calibration_cpu + 1] = s.cpu / s.amount * 1e9
end

local function progress(text)
  if core.isatty(2) then io.stderr:write("\r\27[K", text) end
end

---@param list bench.Case[]
---@param done fun(case: bench.Case)  after its last sample
local function run_rounds(list, done)
  calibrate()
  for round = 1, options.rounds do
    for _, case in ipairs(list) do
      if (round == 1 or not case.once) and not case.absent and not case.failed then
        progress(("round %d of %d: %s"):format(round, options.rounds, case.key))
        local ok, message = pcall(sample, case)
        if not ok then case.failed = tostring(message) end
        if round == options.rounds or case.once or case.absent or case.failed then
          progress ""
          done(case)
        end
      end
    end
    calibrate()
  end
  progress ""
end

-- ---- the machine

local function file_field(path, pattern)
  local file = io.open(path)
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text:match(pattern)
end

local function machine()
  local features = core.features()
  return {
    { "cpu", file_field("/proc/cpuinfo", "model name%s*:%s*([^\n]+)")
      or read_lines("uname -m"):match "%S+" },
    { "cores", tonumber(read_lines("nproc"):match "%d+") },
    { "simd", features.simd },
    { "compiler", features.compiler },
    { "kernel", file_field("/proc/sys/kernel/osrelease", "%S+") or "unknown" },
    { "load", tonumber(file_field("/proc/loadavg", "%S+")) },
  }
end

-- ---- showing

local function number(value)
  local size = math.abs(value)
  if size >= 100 then return ("%.0f"):format(value) end
  if size >= 10 then return ("%.1f"):format(value) end
  return ("%.2f"):format(value)
end

local function padded(text, width, right)
  local space = (" "):rep(width - utf8.len(text))
  return right and space .. text or text .. space
end

-- The table of cases is printed line by line, as they are done: the widths of its columns.
local HEADER <const> = { "case", "unit", "bar", "median", "min…max", "by CPU time", "× bar", "" }
local widths = { 0, 10, 9, 8, 15, 11, 6, 0 }

local function print_row(row)
  local out = {}
  for i, text in ipairs(row) do
    out[i] = padded(text, math.max(widths[i], utf8.len(text) --[[@as integer]]), i > 1)
  end
  print("  " .. table.concat(out, "  "):gsub("%s+$", ""))
  io.stdout:flush()
end

---@param case bench.Case
local function figures(case)
  local values = column(case.samples, "value")
  local middle = median(values)
  local f = { median = middle, min = math.min(table.unpack(values)),
    max = math.max(table.unpack(values)), by_cpu = median(column(case.samples, "by_cpu")) }
  if case.bar then
    local less = kinds[case.kind].less
    f.ratio = less and case.bar / middle or middle / case.bar
    f.met = f.ratio >= 1
    f.met_by_cpu = (less and case.bar / f.by_cpu or f.by_cpu / case.bar) >= 1
  end
  return f
end

---How undisturbed the machine was.
local function noise(list)
  local shares = {}
  for _, case in ipairs(list) do
    for _, s in ipairs(case.samples or {}) do shares[#shares + 1] = s.share end
  end
  local n = { first = calibration[1], last = calibration[#calibration],
    fastest = math.min(table.unpack(calibration)), slowest = math.max(table.unpack(calibration)),
    fastest_cpu = math.min(table.unpack(calibration_cpu)),
    slowest_cpu = math.max(table.unpack(calibration_cpu)) }
  if #shares > 0 then n.share, n.worst_share = median(shares), math.min(table.unpack(shares)) end
  n.noisy = n.slowest > 1.05 * n.fastest or (n.share or 1) < 0.97
  return n
end

---A bar that only other work on the machine kept out of reach is not missed.
local function verdict(f, noisy)
  if f.met then return "met" end
  return noisy and f.met_by_cpu and "unclear: noise" or "missed"
end

---@param case bench.Case
---@param noisy boolean
local function show_case(case, noisy)
  local kind = kinds[case.kind]
  local bar = case.bar and ((kind.less and "≤ " or "≥ ") .. number(case.bar)) or "–"
  if case.absent or case.failed then
    print_row { case.title, kind.unit, bar, "–",
      case.failed and "failed: " .. case.failed or "not here, without " .. case.absent }
    return
  end
  local f = figures(case)
  print_row { case.title, kind.unit, bar, number(f.median),
    #case.samples > 1 and number(f.min) .. "…" .. number(f.max) or "",
    noisy and f.by_cpu ~= f.median and number(f.by_cpu) or "",
    f.ratio and ("%.2f"):format(f.ratio) or "", f.ratio and verdict(f, noisy) or "" }
end

local function whole_ns(list, key)
  for _, case in ipairs(list) do
    if case.key == key and case.samples and not case.failed then
      return 1e3 / figures(case).by_cpu
    end
  end
end

local function show_where(list, profiles)
  for _, of in ipairs { "t5-event", "t5-lowered" } do
    local whole = whole_ns(list, of)
    local words = {}
    for _, part in ipairs(list) do
      if part.of == of and part.samples and not part.failed then
        local ns = figures(part).by_cpu -- as the wall time, but for noise
        words[#words + 1] = ("%s %s ns%s"):format(part.title, number(ns),
          whole and (" (%.0f %%)"):format(100 * ns / whole) or "")
      end
    end
    if #words > 0 then
      print(("  %s%s: %s"):format(of, whole and (" %s ns a request"):format(number(whole)) or "",
        table.concat(words, ", ")))
    end
  end
  for _, p in ipairs(profiles) do
    local words, top = {}, {}
    for _, e in ipairs(p.phases) do
      words[#words + 1] = ("%s %.0f %%"):format(e.name, 100 * e.count / p.samples)
    end
    for i = 1, math.min(6, #p.functions) do
      local e = p.functions[i]
      top[i] = ("%s %.0f %%"):format(e.name:match "^%S+", 100 * e.count / p.samples)
    end
    print(("  %s, %d samples: %s"):format(p.name, p.samples, table.concat(words, ", ")))
    print("    most in " .. table.concat(top, ", "))
  end
end

-- ---- JSON: written by hand, because the order of keys is to be the same every time

local function json(value)
  if type(value) == "table" then
    local out = {}
    if value.object then
      for i, pair in ipairs(value.object) do out[i] = json(pair[1]) .. ":" .. json(pair[2]) end
      return "{" .. table.concat(out, ",") .. "}"
    end
    for i, v in ipairs(value) do out[i] = json(v) end
    return "[" .. table.concat(out, ",") .. "]"
  end
  if value == nil then return "null" end
  if math.type(value) == "float" then return ("%.9g"):format(value) end
  return (require "cjson".encode(value):gsub("\\/", "/"))
end

local function json_case(case)
  local f = (case.absent or case.failed) and {} or figures(case)
  return { object = { { "case", case.key }, { "title", case.title },
    { "unit", kinds[case.kind].unit }, { "bar", case.bar }, { "median", f.median },
    { "min", f.min }, { "max", f.max }, { "by_cpu_time", f.by_cpu }, { "ratio", f.ratio },
    { "met", f.met }, { "lacks", case.absent }, { "failed", case.failed },
    { "samples", case.samples and column(case.samples, "value") or {} } } }
end

local function json_profile(p)
  local out = {}
  for _, e in ipairs(p.phases) do out[#out + 1] = { e.name, e.count / p.samples } end
  return { object = { { "whole", p.name }, { "samples", p.samples },
    { "shares", { object = out } } } }
end

-- ---- main

local exact_mean = 18.840006

-- What lines through several sizes say: of 16, 64 and 128 ranks by million events, of tracks and
-- stages by 100,000.
local function show_lines(case)
  local f = case.extra
  if case.failed or not (f and (f.percpu or f.perview or f.percheck)) then return end
  local function seconds(key)
    return ("%.2f + %.3f s (R² %.4f)"):format(f["fit" .. key], f["per" .. key], f["r2" .. key])
  end
  if f.percheck then
    print(("%s, CPU time by 100,000: check %s, run %s, keep %s, report %s; peak %.0f + %.0f MB")
      :format(case.key, seconds "check", seconds "run", seconds "keep", seconds "report",
        f.fitpeak / 1e6, f.perpeak / 1e6))
    return
  end
  if f.perview then
    print(("%s, CPU time by 100,000: import %s, kernels %s, idle %s, categories %s, critical path "
      .. "%s, advice %s, view %s"):format(case.key, seconds "import", seconds "kernels",
      seconds "idle", seconds "categories", seconds "criticalpath", seconds "advice",
      seconds "view"))
    return
  end
  print(("%s, CPU time a million events: import %s, ranks %s, breakdown %s, critical path %s; peak "
    .. "of the import %.0f + %.2f MB, of all %.0f + %.2f MB"):format(case.key, seconds "cpu",
    seconds "ranks", seconds "breakdown", seconds "path", f.fitpeak / 1e6, f.perpeak / 1e6,
    f.fitpathpeak / 1e6, f.perpathpeak / 1e6))
end

local function main()
  local chosen, everything = {}, {}
  table.move(cases, 1, #cases, 1, everything)
  table.move(parts, 1, #parts, #everything + 1, everything)
  for _, case in ipairs(everything) do
    if options.list then print(case.key) end
    if case.key:find(options.case, 1, true) then chosen[#chosen + 1] = case end
  end
  local with_theory = ("theory"):find(options.case, 1, true) ~= nil
  local with_profiles = ("where-profile"):find(options.case, 1, true) ~= nil
  if options.list then
    print "where-profile\ntheory"
    return
  end
  if #chosen == 0 and not with_theory and not with_profiles then
    error(("no case contains %q; --list names them"):format(options.case), 0)
  end
  local host = machine()
  if not options.json then
    local words = {}
    for i, pair in ipairs(host) do words[i] = pair[1] .. " " .. tostring(pair[2]) end
    print("machine: " .. table.concat(words, ", "))
  end
  write_trivial()
  local began = core.clock()
  local rows = 0
  for _, case in ipairs(chosen) do
    if not case.of then
      rows, widths[1] = rows + 1, math.max(widths[1], utf8.len(case.title) --[[@as integer]])
    end
  end
  if rows > 0 and not options.json then
    print(("\nmedians of %d (start-up: of %d; memory, JSON: one run)\n"):format(options.rounds,
      4 * options.rounds))
    print_row(HEADER)
  end
  run_rounds(chosen, function(case)
    if not case.of and not options.json then show_case(case, noise(chosen).noisy) end
  end)
  local theory = with_theory
    and measure(program .. " lua tests/bench/lua_cases.lua theory")[1] or nil
  local profiles = {}
  for _, name in ipairs(with_profiles and profile.names or {}) do
    profiles[#profiles + 1] = profile.take(name, engine)
  end
  calibrate()
  local n = noise(chosen)
  if options.json then
    local list, shares = {}, {}
    for i, case in ipairs(chosen) do list[i] = json_case(case) end
    for i, p in ipairs(profiles) do shares[i] = json_profile(p) end
    print(json { object = { { "machine", { object = host } }, { "rounds", options.rounds },
      { "cases", list }, { "profiles", shares },
      { "t5_mean", theory and { object = { { "simulated", theory.mean },
        { "half_width", theory.half }, { "exact", exact_mean } } } or nil },
      { "noise", { object = { { "noisy", n.noisy }, { "calibration_ns", calibration },
        { "calibration_cpu_ns", calibration_cpu },
        { "processor_share", n.share }, { "worst_processor_share", n.worst_share } } } } } })
    return
  end
  if #profiles > 0 or rows < #chosen then print "\nwhere the time goes\n" end
  show_where(chosen, profiles)
  if with_profiles and #profiles == 0 then
    print "  (no profile: addr2line, of the package binutils, is missing)"
  end
  if theory then
    print(("\nT5 mean time in system: %.4f ± %.4f s (95 %%, 16 × 4 M requests); exact %.6f")
      :format(theory.mean, theory.half, exact_mean))
  end
  for _, case in ipairs(chosen) do
    if case.kind == "rate" and not case.failed and case.extra and case.extra.spans then
      print(("%s: %.2f spans a request, %.0f M spans/s"):format(case.key, case.extra.spans,
        case.extra.spans * figures(case).median))
    end
    show_lines(case)
  end
  print(("calibration: %.3f ns a step at the start, %.3f at the end, %.3f…%.3f in between, "
    .. "%.3f…%.3f by CPU time%s")
    :format(n.first, n.last, n.fastest, n.slowest, n.fastest_cpu, n.slowest_cpu, n.share
      and ("; processor share of wall time %.0f %% (worst %.0f %%)"):format(100 * n.share,
        100 * n.worst_share) or ""))
  print((n.noisy and "the machine was NOISY: other work ran beside the benchmark"
    or "the machine was quiet") .. (", %.0f s in all"):format(core.clock() - began))
end

local ok, message = pcall(main)
if not ok then io.stderr:write("bench: " .. tostring(message) .. "\n") end
for _, case in ipairs(cases) do ok = ok and not case.failed end
for _, case in ipairs(parts) do ok = ok and not case.failed end
if not ok then os.exit(1) end
