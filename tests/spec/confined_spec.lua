-- What a process that works for strangers may touch: every function of C that takes a path is
-- declared, none opens, lists or changes anything outside the process's folder, in none of its Lua
-- states; neither do scenarios, however they are varied.

local confined = require "tandem.sandbox.confined"
local core = require "tandem.core"
local infile = require "tandem.io.infile"

-- Functions that take no path.
local PATHLESS <const> = { "allowance", "analyses", "blamed", "clock", "confine", "confinement",
  "crew", "crew_share", "database_damage", "date_ns",
  "diff", "digest.gzip", "digest.sha256", "dist_moments", "dist_problem",
  "dist_slices", "distributions", "envelope.open", "envelope.seal", "estimate.difference",
  "estimate.family", "estimate.ks", "estimate.mean", "estimate.quantiles", "estimate.regress",
  "estimate.wasserstein", "executable", "features", "formats", "fraction", "guard.call",
  "guard.ends",
  "guard.interrupted", "guard.resume", "guard.seconds", "guard.wrap", "hide_addresses",
  "interrupt", "interrupt_clear", "interrupted", "isatty", "json_read_exact", "json_write",
  "llm.shard", "llm.step", "lowering", "metric_names", "mix", "model_describe", "overlay.align",
  "overlay.fit", "overlay.given", "overlay.lanes", "overlay.lay", "overlay.starts",
  "pack_columns", "processors", "reading", "rule_set", "serving.options", "serving.problems",
  "serving.replay", "ship_bytes", "ship_call", "stats.batch_means", "stats.interval",
  "stats.moments", "stats.normal_cdf", "stats.normal_quantile", "stats.series",
  "stats.student_quantile", "terminal_width", "unbase64", "utc_ns", "version", "visits",
  "visits_of",
  -- Says whether a file lies below a folder: the rule itself is made of it. What is temporary lies
  -- in the process's folder, whatever is asked for.
  "files.beneath", "files.temporary" }

-- Files of src/bind whose code names something that opens, lists, makes or removes by a path.
local OPENS <const> = { "analysis.c", "capture/capture.c", "capture/file.c", "capture/follow.c",
  "database.c", "digest.c", "files.c", "json_stream.c", "keep.c", "pieces.c", "store.c",
  "timeline.c" }
local WORDS <const> = { "fopen", "open", "openat", "opendir", "stat", "unlink", "rename", "mkdir",
  "realpath", "remove", "truncate", "execve", "posix_spawn", "dlopen", "tdm_input_open",
  "tdm_store_open", "sqlite3_open_v2", "tdm_file_pack", "tdm_file_expand", "tdm_file_peek",
  "tdm_capture_follow_open", "tdm_read_file" }

local function functions_of(group, prefix, out)
  for key, value in pairs(group) do
    if type(value) == "function" then out[#out + 1] = prefix .. key end
    if type(value) == "table" then functions_of(value, prefix .. key .. ".", out) end
  end
  return out
end

local function lines_of(command)
  local pipe, out = assert(io.popen(command)), {}
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

describe("functions of C", function()
  it("are declared by whether they take a path, and how those are kept", function()
    local declared = {}
    for _, list in ipairs { PATHLESS, confined.READING, confined.LOOKING, confined.MAKING,
      confined.WITHHELD, confined.NAMED } do
      for _, name in ipairs(list) do
        assert.is_nil(declared[name], name .. " is declared twice")
        declared[name] = true
      end
    end
    local there = {}
    for _, name in ipairs(functions_of(core, "", {})) do
      there[name] = true
      assert.is_true(declared[name],
        name .. ": does it take a path? Then lua/tandem/sandbox/confined.lua names it")
    end
    for name in pairs(declared) do assert.is_true(there[name], name .. " is not there") end
  end)

  it("open files where it is known that they do", function()
    local known, found = {}, {}
    for _, name in ipairs(OPENS) do known[name] = true end
    for _, path in ipairs(lines_of "find src/bind -name '*.c'") do
      local text = assert(infile.read(path)):gsub("/%*.-%*/", "")
      for _, word in ipairs(WORDS) do
        if text:find("%f[%w_]" .. word .. "%(") then found[path:match "^src/bind/(.*)"] = word end
      end
    end
    for name, word in pairs(found) do
      assert.is_true(known[name],
        ("src/bind/%s calls %s: keep it in confined.lua, then name it here"):format(name, word))
    end
    for name in pairs(known) do assert.is_truthy(found[name], name .. " opens nothing") end
  end)
end)

-- Runs in the confined process: tries every path in every function, in every kind of state.
local ATTACK <const> = [==[
local core = require "tandem.core"
local confined = require "tandem.sandbox.confined"
local own, outside, readable = ...
confined.enter(own, nil, readable) -- as the command line does
local function place(name)
  local group, key = name:match "^(%a+)%.(.+)$"
  return group and core[group][key] or core[name]
end
local function fails(what, f, ...)
  local answer = table.pack(pcall(f, ...))
  if answer[1] and answer[2] then print("OPEN", what, ...) end
end
local paths = { outside .. "/secret.csv", own .. "/../outside/secret.csv", "outside/secret.csv",
  "../outside/secret.csv", own .. "/link.csv", own .. "/up/secret.csv", own .. "/pipe",
  readable .. "/link.csv", readable .. "/pipe", readable .. "/../outside/secret.csv",
  "/proc/self/environ", "/dev/zero", "/dev/stdin", "/proc/self/cwd", own .. "x/secret.csv",
  "file:" .. outside .. "/secret.csv", "" }
for _, path in ipairs(paths) do
  for _, name in ipairs(confined.READING) do fails(name, place(name), path) end
  for _, name in ipairs(confined.WITHHELD) do fails(name, place(name), path, own .. "/to", 1) end
  for _, mode in ipairs { "r", "w", "a", "r+" } do fails("io.open", io.open, path, mode) end
end
for _, path in ipairs { outside .. "/secret.csv", outside, own .. "/../outside", "/", ".", "/etc",
  "/proc/self/environ", own .. "x" } do
  for _, name in ipairs(confined.LOOKING) do fails(name, place(name), path) end
  for _, name in ipairs(confined.MAKING) do fails(name, place(name), path .. "/made", path) end
  fails("os.remove", os.remove, path)
  fails("os.rename", os.rename, path, own .. "/stolen")
  fails("os.rename", os.rename, own .. "/own.csv", path .. "/given")
end
for _, mode in ipairs { "w", "a", "r+" } do
  fails("io.open", io.open, readable .. "/shared.csv", mode)
end
for _, what in ipairs { { io, "popen" }, { io, "lines" }, { os, "execute" }, { package, "loadlib" },
  { _G, "dofile" }, { _G, "loadfile" } } do
  if what[1][what[2]] then print("OPEN", what[2]) end
end
local function read_all(path)
  local file = io.open(path)
  if file then return file:read "a" end
  local pieces = require("tandem.core").pieces(path)
  return pieces and pieces:next() or "refused"
end
local secret = outside .. "/secret.csv"
print(core.ship_call(read_all, secret), core.ship_call(read_all, own .. "/own.csv"))
do
  local crew <close> = core.crew(read_all, 2)
  crew:give(1, secret)
  print((select(2, crew:take())))
end
local td = require "tandem"
local result = td.scenario "hooks" { workload = td.poisson { rps = 1, requests = 20 },
  target = "L4", attrs = { n = td.uniform(0, 1) },
  pipeline = { td.stage "f" { on = "gpu", cost = function(r)
    local x = r.n
    while x < 200 do x = x + 1 end -- too long to be a formula
    return io.open(secret) and 3 or x > 0 and 0.001
  end } } }:run { replications = 2, warmup = "none" }
print(result.stages[1].service.mean.value)
print(read_all(own .. "/own.csv"), read_all(readable .. "/shared.csv"),
  #core.files.list(own) > 0, core.files.size(own .. "/own.csv"))
]==]

describe("a confined process", function()
  local home

  local function write(name, text)
    local file <close> = assert(io.open(home .. "/" .. name, "wb"))
    assert(file:write(text))
  end

  -- What it prints, on both outputs, and its exit code; what hangs is ended.
  local function run(words)
    return table.concat(lines_of(("cd %s/job && TANDEM_CONFINED=%s/job TANDEM_READABLE=%s/readable "
      .. "NO_COLOR=1 timeout 60 %s %s 2>&1 </dev/null; echo $?"):format(home, home, home,
        core.executable(), words)), "\n")
  end

  setup(function()
    home = os.tmpname()
    os.remove(home)
    for _, folder in ipairs { "job", "outside", "readable", "jobx" } do
      assert(core.files.make(home .. "/" .. folder))
    end
    write("outside/secret.csv", "arrival,word\n0,7777\n1,7777\n2,8888\n")
    write("jobx/secret.csv", "arrival,word\n0,7777\n1,7777\n")
    write("job/own.csv", "arrival,word\n0,1\n1,2\n")
    write("readable/shared.csv", "arrival,word\n0,3\n1,4\n")
    assert(os.execute(("cd %s && ln -s ../outside/secret.csv job/link.csv && "
      .. "ln -s ../outside job/up && "
      .. "ln -s ../outside/secret.csv readable/link.csv && mkfifo job/pipe readable/pipe")
      :format(home)))
  end)

  teardown(function() os.execute("rm -r " .. home) end)

  it("opens, lists and changes nothing outside its folder, in no Lua state", function()
    write("job/attack.lua", ATTACK)
    local said = run(("lua %s/job/attack.lua %s/job %s/outside %s/readable"):format(home, home,
      home, home))
    assert.equal("refused\tarrival,word\n0,1\n1,2\n\nrefused\n0.001\n"
      .. "arrival,word\n0,1\n1,2\n\tarrival,word\n0,3\n1,4\n\ttrue\t21\n0", said)
    assert.equal("arrival,word\n0,7777\n1,7777\n2,8888\n",
      infile.read(home .. "/outside/secret.csv"))
    assert.same({ home .. "/outside", home .. "/outside/secret.csv" },
      lines_of(("find %s/outside"):format(home)))
  end)

  it("reads no recording that a variant of a scenario names, whoever computes it", function()
    local names = { "../outside/secret.csv", home .. "/outside/secret.csv", "link.csv",
      "up/secret.csv", "/proc/self/environ", "pipe", "/dev/zero" }
    local text = [[local td = require "tandem"
      return td.scenario "x" { workload = td.replay { file = "own.csv" },
        target = "L4", pipeline = { td.fixed "f" { time = "1ms" } },
        sweep = { over = { ["workload.file"] = { "own.csv"%s } } } }]]
    local list = {}
    for i, name in ipairs(names) do list[i] = (", %q"):format(name) end
    write("job/sweep.lua", text:format(table.concat(list)))
    for _, threads in ipairs { 1, 2 } do
      local said = run(("sweep %s/job/sweep.lua --store %s/job/st-%d.db --threads %d"):format(home,
        home, threads, threads))
      assert.matches("own.csv +1 ms", said)
      assert.matches("\n7 points failed", said)
      assert.is_nil(said:find("7777", 1, true))
    end
  end)
end)
