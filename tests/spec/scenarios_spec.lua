-- The shipped scenarios: each asks a question, runs, and answers as its expect block says.

local core = require "tandem.core"
local embedded = require "tandem.embedded"
local expect = require "tandem.result.expect"
local load = require "tandem.cli.load"
local locate = require "tandem.scenario.locate"
local sandbox = require "tandem.sandbox"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = assert(file:read "a")
  file:close()
  return text
end

---A scenario from its file, or a failed test that says what is wrong with it.
local function loaded(path)
  local scenario, problems = sandbox.load_scenario(path)
  assert.is_truthy(scenario, path .. ": " .. tostring(problems))
  return scenario
end

---The comment that a file begins with, without its dashes.
local function opening_comment(text)
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do
    local comment = line:match "^%-%-%s?(.*)$"
    if not comment then break end
    lines[#lines + 1] = comment
  end
  return lines
end

---Words of a command line as the shell splits them, up to a remark in brackets.
local function words_of(line)
  local words, word = {}, nil
  local at = 1
  while at <= #line do
    local c = line:sub(at, at)
    if c == "(" and not word then break end
    local quoted = (c == "'" or c == '"') and line:match("^" .. c .. "([^" .. c .. "]*)" .. c, at)
    if quoted then
      word = (word or "") .. quoted
      at = at + #quoted + 1
    elseif c == " " then
      words[#words + 1], word = word, nil
    else
      word = (word or "") .. c
    end
    at = at + 1
  end
  words[#words + 1] = word
  return words
end

local scripts, data_files = {}, {}
for _, path in ipairs(embedded.list "scenarios/") do
  if path:find "^scenarios/[^/]+%.lua$" then
    scripts[#scripts + 1] = { path = path, short = path:match "^scenarios/%d%d%-(.*)%.lua$" }
  elseif path:find "^scenarios/data/" then
    data_files[#data_files + 1] = path
  end
end

---One of them by its short name.
local function scenario(short)
  for _, one in ipairs(scripts) do
    if one.short == short then return loaded(one.path) end
  end
  error("no scenario is called " .. short)
end

describe("the shipped scenarios", function()
  it("are at least fourteen, numbered without a gap from the demo", function()
    assert.is_true(#scripts >= 14)
    assert.equal("scenarios/01-demo.lua", scripts[1].path)
    for i, one in ipairs(scripts) do
      assert.equal(("%02d"):format(i), one.path:match "^scenarios/(%d%d)%-")
    end
  end)

  it("say where each recorded file comes from and its licence", function()
    local notes = read "scenarios/data/README.md"
    assert.is_true(#data_files > 0)
    for _, path in ipairs(data_files) do
      local _, stop = notes:find("\n| " .. path:match "[^/]+$" .. " | ", 1, true)
      assert.is_truthy(stop, path .. " has no line in scenarios/data/README.md")
      local source, licence = notes:match("^([^|\n]+) | ([^|\n]+) |", stop + 1)
      assert.is_truthy(source and licence:find "^%u[%w-]+", path .. " has no source and licence")
    end
  end)
end)

for _, one in ipairs(scripts) do
  describe(one.path, function()
    local it_is, first
    setup(function()
      it_is = loaded(one.path)
      first = assert(it_is:run { seed = 1 })
    end)

    it("asks a question, says what to look at and what to try", function()
      local lines = opening_comment(read(one.path))
      local comment = table.concat(lines, "\n")
      assert.matches("^%u[^.\n]*%?\n\n?", comment)
      assert.matches("\nLook at: ", comment, 1, true)
      assert.matches("\nTry: tandem run " .. one.short .. " ", comment, 1, true)
      assert.equal(one.short, it_is.name)
      assert.is_true(#it_is.title > 0)
      assert.matches("%?$", it_is.question)
    end)

    it("can be changed in each of the ways to try", function()
      local tried = 0
      for _, line in ipairs(opening_comment(read(one.path))) do
        local _, stop = line:find("tandem run " .. one.short .. " --set ", 1, true)
        local rest = stop and line:sub(stop + 1)
        if rest then
          local changes = assert(load.overrides(words_of(rest)))
          local variant, problems = it_is:try_with(changes)
          assert.is_truthy(variant, line .. ": " .. tostring(problems))
          assert.not_equal(it_is:hash(), variant:hash(), line)
          tried = tried + 1
        end
      end
      assert.is_true(tried > 0)
    end)

    it("is found by its short name, as it is on disk", function()
      local located = assert(locate.find(one.short))
      assert.equal(read(one.path), located.text)
      local shipped = assert(sandbox.load_scenario(located.path, { text = located.text }))
      assert.equal(it_is:hash(), shipped:hash())
    end)

    it("is explained", function()
      local text = tostring(it_is:explain())
      assert.matches(it_is.name, text, 1, true)
      assert.matches("What to expect", text, 1, true)
    end)

    it("answers as it expects", function()
      assert.is_true(#it_is.expect >= 2)
      assert.is_true(first.checks.ok)
      local wrong = {}
      for _, demand in ipairs((expect.verify(first, it_is.expect))) do
        if not demand.ok then wrong[#wrong + 1] = expect.line(demand) end
      end
      assert.equal("", table.concat(wrong, "\n"))
    end)

    it("would notice another answer", function()
      for i, demand in ipairs(it_is.expect) do
        local value = first:get(demand.path)
        local broken = { path = demand.path }
        if type(value) == "number" then
          broken.min = value + math.max(1e-9, 0.1 * math.abs(value))
        else
          broken.equals = "another"
        end
        local altered = table.move(it_is.expect, 1, #it_is.expect, 1, {})
        altered[i] = broken
        local list, ok = expect.verify(first, altered)
        assert.is_false(ok, demand.path)
        assert.is_false(list[i].ok, demand.path)
      end
    end)

    it("gives the same bytes on one thread and two, by either engine", function()
      local json = assert(it_is:run { seed = 9, replications = 2, threads = 1 }):to_json()
      assert.equal(json, assert(it_is:run { seed = 9, replications = 2, threads = 2 }):to_json())
      if not core.lowering(it_is:model()) then
        json = assert(it_is:run { seed = 9, replications = 2, windows = false }):to_json()
        assert.equal(json, assert(it_is:run { seed = 9, replications = 2, engine = "event" })
          :to_json())
        assert.equal(json, assert(it_is:run { seed = 9, replications = 2, engine = "lowered" })
          :to_json())
      end
    end)
  end)
end

-- What the comments claim about the variants that they suggest.
describe("the variants to try", function()
  local function figure(short, changes, path)
    local variant = scenario(short)
    if changes then variant = variant:with(changes) end
    return assert(variant:run { seed = 2 }):get(path)
  end

  ---The figure with the changes is at most (`factor` of) the figure without them, or with others.
  local function lower(short, path, changes, factor, others)
    local with, without = figure(short, changes, path), figure(short, others, path)
    assert.is_true(with <= factor * without,
      ("%s: %s is %g, not below %g of %g"):format(short, path, with, factor, without))
  end

  it("relieve what the scenario says is short", function()
    lower("copy-bound", "latency.p99", { ["pipeline.h2d.bytes"] = "32MiB" }, 0.5)
    lower("copy-bound", "latency.p99", { gpu = "H100 SXM" }, 0.5)
    lower("breaking-point", "latency.p99", { ["target.concurrency"] = 2 }, 0.1)
    lower("breaking-point", "latency.p99", { ["target.queue"] = 50 }, 0.5)
    lower("shared-pcie", "stages.h2d.service.mean", { ["resources[1].bandwidth"] = "100GB/s" }, 0.5)
    lower("memory", "latency.mean", { ["target.memory"] = "64GB" }, 0.8)
    lower("a-day", "latency.p99", { ["target.concurrency"] = 2 }, 0.3)
    lower("a-day", "latency.p99", { ["workload.peak"] = 1.2 }, 0.5)
    lower("real-trace", "latency.p95", { ["target.concurrency"] = 32 }, 0.5)
    assert.is_true(figure("failures", { ["target.L40S.count"] = 4 }, "slo"))
    assert.is_true(figure("failures", { ["target.L40S.mttr"] = "5s" }, "slo"))
  end)

  it("leave alone what is not short", function()
    assert.equal(figure("memory", nil, "latency.mean"),
      figure("memory", { ["target.concurrency"] = 128 }, "latency.mean"))
    lower("copy-bound", "latency.p99", nil, 1.1, { ["pipeline.infer.cost"] = "0.7ms" })
  end)

  it("show what a policy does", function()
    local chat, waits = "classes.chat.latency.p99", { ["target.discipline"] = "priority" }
    lower("priorities", chat, nil, 0.5, waits)
    lower("priorities", chat, waits, 0.5, { ["target.discipline"] = "fifo" })
    for _, router in ipairs { "power_of_two", "weighted" } do
      lower("mixed-fleet", "latency.p99", nil, 0.8, { ["target.router"] = router })
    end
    assert.is_true(figure("mixed-fleet", { ["target.router"] = "round_robin" }, "overload"))
    lower("own-policy", "latency.p95", nil, 0.95, { router = "least_outstanding" })
    lower("own-policy", "latency.p95", nil, 0.5, { router = "round_robin" })
    lower("retry-storm", "slo_met", nil, 0.8, { ["retry.max"] = 0 })
    lower("retry-storm", "slo_met", nil, 0.8, { ["target.queue"] = 30 })
  end)

  it("show what load, batches and bursts do", function()
    local steady = { ["classes.steady.workload.rps"] = 65 }
    assert.is_true(figure("bursts", steady, "classes.steady.latency.p99")
      < figure("bursts", steady, "classes.bursty.latency.p99"))
    assert.is_true(figure("batching", { ["pipeline.infer.batch.max"] = 4 }, "overload"))
    lower("batching", "latency.p50", { rps = 100 }, 0.5,
      { rps = 100, ["pipeline.infer.batch.wait"] = "20ms" })
    lower("own-cost", "latency.mean", { rps = 400 }, 1.3)
    lower("own-cost", "latency.mean", nil, 0.3, { gpu = "L40S" })
    lower("closed-loop", "throughput_rps", { users = 240 }, 1.1)
    lower("closed-loop", "latency.mean", { users = 60 }, 0.5)
  end)
end)

describe("scenarios/seed-demo.json", function()
  local seed

  setup(function() seed = loaded "scenarios/seed-demo.json" end)

  it("holds the values of the format's own example", function()
    local value = require("tandem.io.json").decode(read "scenarios/seed-demo.json")
    assert.same({
      name = "demo",
      workload = { name = "wl", rps = 2, duration_s = 10, batch_size = 1, jitter_pct = 5 },
      target = { name = "L40", tflops = 180, mem_gbps = 3000, ms_per_token = 0.2, h2d_gbps = 32,
        d2h_gbps = 32, concurrency = 4 },
      pipeline = {
        { name = "preprocess", kind = "fixed_ms", value = 2 },
        { name = "h2d", kind = "bytes", value = 8388608 },
        { name = "compute", kind = "tokens", value = 128 },
        { name = "d2h", kind = "bytes", value = 2097152 },
        { name = "postprocess", kind = "fixed_ms", value = 1 },
      },
    }, value)
  end)

  it("runs, and a request takes the sum of its five times", function()
    local result = assert(seed:run { seed = 1, replications = 50 })
    local alone = 0.002 + 8388608 / 32e9 + 128 * 0.2e-3 + 2097152 / 32e9 + 0.001
    assert.near(alone, result:get "latency.mean", 0.01 * alone)
    assert.near(2, result:get "offered_rps", 0.3)
    assert.is_false(result:get "overload")
  end)

  it("gives the same bytes on one thread and two", function()
    assert.equal(seed:run { threads = 1 }:to_json(), seed:run { threads = 2 }:to_json())
  end)
end)
