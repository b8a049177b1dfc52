-- A simulated server's metrics held against recorded ones, bin by bin. What a recording holds is
-- counted here from its text, by nothing of ours.
local cjson = require "cjson"
local store_fixture = require "tests.spec.support.store_fixture"
local td = require "tandem"

local DURATION <const>, SCRAPE <const> = 300, 5

local function server(parts)
  parts = parts or {}
  return td.scenario "served" { target = td.gpu "H100 SXM" { count = 1 },
    workload = td.poisson { rps = parts.rps or 8, duration = parts.duration or DURATION },
    attrs = { prompt_tokens = td.lognormal { mean = 700, cv = 1 },
      output_tokens = td.gamma { mean = parts.output or 120, cv = 0.7 } },
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B",
      engine = { server = "vllm" },
      step = td.roofline { factor = parts.factor or 1, request = "8ms" } } } }
end

-- The last value of a series in a text; of a histogram, shares by bound.
local function last_of(text, name)
  local value
  for v in text:gmatch("\n" .. name:gsub("%p", "%%%0") .. "[{ ][^\n]- ([%d.e+-]+) %d+") do
    value = tonumber(v)
  end
  return value
end

local function shares_of(text, name)
  local out = {}
  for line in text:gmatch("\n(" .. name:gsub("%p", "%%%0") .. "_bucket[^\n]*)") do
    local bound, value = line:match 'le="([^"]*)"', line:match "} ([%d.e+-]+)"
    out[tonumber(bound) or math.huge] = tonumber(value)
  end
  local n = out[math.huge]
  for bound, count in pairs(out) do out[bound] = count / n end
  return out
end

describe("a score of a server's metrics", function()
  local stores, store, texts

  local function recorded(name, parts, seed)
    local path = stores:path(name .. ".prom")
    assert(server(parts):run { replications = 1, seed = seed, warmup = "none", metrics = path,
      scrape = SCRAPE })
    local file <close> = assert(io.open(path))
    texts[name] = file:read "a"
    return assert(store:import { path })
  end

  setup(function()
    stores, texts = store_fixture.new(), {}
    store = assert(td.store(stores:path "a.db"))
  end)
  teardown(function()
    store:close()
    stores:remove()
  end)

  local function by_name(rows)
    local out = {}
    for _, row in ipairs(rows) do out[row.name] = row end
    return out
  end

  it("has what both texts hold, counted apart", function()
    local a, b = recorded("a", {}, 1), recorded("b", { output = 200 }, 2)
    local made = assert(td.score(a, b))
    local verdict = by_name(made:frame "verdict".rows)
    for name, family in pairs { ttft = "vllm:time_to_first_token_seconds",
      e2e = "vllm:e2e_request_latency_seconds", output = "vllm:request_generation_tokens" } do
      local scale = name == "output" and 1 or 1e9
      for side, text in pairs { real = texts.a, simulated = texts.b } do
        local mean = last_of(text, family .. "_sum") / last_of(text, family .. "_count") * scale
        -- The texts go on until all have left; a hundredth of the requests ends after the last bin.
        assert(math.abs(verdict[name][side] / mean - 1) < 0.04, name .. " " .. side)
      end
      local one, other, apart = shares_of(texts.a, family), shares_of(texts.b, family), 0
      for bound, share in pairs(one) do apart = math.max(apart, math.abs(share - other[bound])) end
      local row = by_name(made:frame "metrics".rows)[name]
      assert(math.abs(row.apart - apart) < 0.02, name .. ": shares")
    end
    local rate = last_of(texts.a, "vllm:e2e_request_latency_seconds_count") / DURATION
    assert(math.abs(verdict.arrivals.real / rate - 1) < 0.03, verdict.arrivals.real .. " " .. rate)
    assert.equal("off", verdict.output.verdict)
    assert(verdict.output.low > 0.05 and verdict.output.high < 1.2)
    assert.equal("off", made.verdict)
    assert.is_nil(by_name(made:frame "metrics".rows).ttft.inside) -- one simulation has no range
  end)

  -- In range: 19 simulations and the recording are alike, so that it is the least or the most of
  -- twenty in a tenth of all bins.
  it("has nine bins of ten in range when the scenario is right, and fewer when not", function()
    local inside, bins = 0, 0
    for seed = 21, 22 do
      local made = assert(td.score(recorded("right" .. seed, {}, seed), server {}))
      for _, row in ipairs(made:frame "metrics".rows) do
        if row.name == "arrivals" or row.name == "prompt" then
          inside, bins = inside + row.inside * row.bins, bins + row.bins
        end
      end
      local verdict = by_name(made:frame "verdict".rows)
      for name, row in pairs(verdict) do
        assert(row.verdict ~= "off" or name == "waiting", name)
        assert(not row.low or row.low <= 0 and row.high >= 0, name)
      end
    end
    assert(math.abs(inside / bins - 0.9) < 0.06, inside / bins)
    local slow = assert(td.score(recorded("slow", { factor = 0.6 }, 30), server {}))
    local rows = by_name(slow:frame "metrics".rows)
    assert(rows.tpot.inside < 0.3 and rows.arrivals.inside > 0.8)
    assert.equal("off", by_name(slow:frame "verdict".rows).tpot.verdict)
  end)

  it("is 0 of a run against itself, and of its scenario with its seed", function()
    local run = recorded("same", {}, 1)
    local again = recorded("again", {}, 1)
    for _, row in ipairs(assert(td.score(run, again)):frame "verdict".rows) do
      assert(row.kind == "overall" or row.difference == 0, row.name)
    end
    local made = assert(td.score(run, server {}, { replications = 1 }))
    for _, row in ipairs(made:frame "verdict".rows) do
      assert(row.kind == "overall" or math.abs(row.difference) < 1e-9, row.name)
    end
    local kept = assert(store:run(stores:keep("a.db", { scenario = server {}, seed = 9,
      replications = 1 })))
    for _, row in ipairs(assert(td.score(run, kept, { replications = 1 })):frame "verdict".rows) do
      assert(row.kind == "overall" or math.abs(row.difference) < 1e-9, row.name)
    end
  end)

  it("has gates, CSV, JSON and a page with charts", function()
    local made = assert(td.score(recorded("gates", {}, 3), server { factor = 0.7 },
      { gate = { "tpot.mean<5%", "prompt.ks<0.2", "ttft.mean<1s" }, replications = 5 }))
    local gates = made:frame "gates".rows
    assert.equal("fails", gates[1].verdict)
    assert.equal("holds", gates[2].verdict)
    assert.equal("holds", gates[3].verdict)
    local json = cjson.decode(made:to_json())
    assert.equal("over_time", json.tables[#json.tables].name)
    assert.equal(16 * (DURATION / SCRAPE), #json.tables[#json.tables].rows)
    assert.matches("^name,kind,", (made:to_csv "metrics"))
    local page = made:to_html()
    assert.matches("what the simulations range over", page, 1, true)
    assert.matches("<svg", page, 1, true)
  end)

  it("says what is missing", function()
    local run = recorded("short", { duration = 20 }, 1)
    local _, message, code = td.score(run, server {})
    assert.equal(3, code)
    assert.matches("in common; comparing wants 8", message, 1, true)
    local plain = td.scenario "plain" { workload = td.poisson { rps = 1, duration = 1 },
      pipeline = { td.delay "think" { time = 1 } } }
    _, message, code = td.score(recorded("long", {}, 1), plain)
    assert.equal(2, code)
    assert.matches("no td.generate", message, 1, true)
  end)

  -- A recording's first scrapes, by the times that end its lines.
  local function beginning(text, count)
    local lines, times, seen = {}, {}, {}
    for line in text:gmatch "[^\n]+" do
      local time = line:sub(1, 1) ~= "#" and tonumber(line:match " ([%d.]+)$")
      if time and not seen[time] then seen[time], times[#times + 1] = true, time end
    end
    table.sort(times)
    for line in text:gmatch "[^\n]+" do
      local time = line:sub(1, 1) ~= "#" and tonumber(line:match " ([%d.]+)$")
      if not time or time <= times[count] then lines[#lines + 1] = line end
    end
    local path = stores:path(("first-%d.prom"):format(count))
    local file <close> = assert(io.open(path, "w"))
    file:write(table.concat(lines, "\n"), "\n")
    return path
  end

  it("wants three scrapes, and says how many there are", function()
    recorded("whole", {}, 4)
    for count, wanted in ipairs { "three scrapes at least, and there is one",
      "three scrapes at least, and there are two", "in common; comparing wants 8" } do
      local run = assert(store:import { beginning(texts.whole, count) })
      local made, message, code = td.score(run, server {}, { replications = 1 })
      assert.is_nil(made)
      assert.equal(3, code)
      assert.matches(wanted, message, 1, true)
    end
  end)
end)
