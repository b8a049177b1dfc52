-- "95 %" in what a run of a moving load prints by window of time: of the intervals of many runs,
-- does that share hold what thousands of such days are on average? THEORY=show prints the counts.
local td = require "tandem"
local coverage = require "tests.theory.support.coverage"

local shown = os.getenv "THEORY" == "show"

local function station(name, fields)
  local body = { target = td.gpu "L4" { count = 2 }, router = "least_outstanding", warmup = "none",
    pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "90ms" } },
    workload = td.diurnal { mean = 12, peak = 21, peak_at = "200s", period = "400s",
      duration = "400s" } }
  for key, value in pairs(fields) do body[key] = value end
  return td.scenario(name)(body)
end

local SYSTEMS <const> = {
  station("a day", { slo = { p99 = "1s", within = "50s" } }),
  station("a day, some lost", { patience = "150ms",
    slo = { met = 0.9, deadline = "200ms", within = "50s" } }),
  station("a day of tokens", { target = td.gpu "L4" {}, workload = td.diurnal { mean = 3, peak = 5,
      peak_at = "200s", period = "400s", duration = "400s" },
    pipeline = { td.generate "chat" { prompt = td.lognormal { mean = 500, cv = 1 },
      output = td.lognormal { mean = 60, cv = 1 }, engine = { kv_blocks = 1 << 20, max_seqs = 16 },
      step = td.affine { step = 0.02, decode_seqs = 0.001, prefill_tokens = 5e-5 } } },
    slo = { ttft_p99 = "1s", within = "50s" } }),
}
local FIGURES <const> = {
  { "offered", function(item) return item.offered_rps end },
  { "carried", function(item) return item.carried_rps end },
  { "met", function(item) return item.slo_met end },
  { "mean", function(item) return item.latency.mean end },
  { "p50", function(item) return item.latency.p50 end },
  { "p99", function(item) return item.latency.p99 end },
  { "TTFT p99", function(item) return item.llm and item.llm[1].ttft.p99 end },
  { "TPOT mean", function(item) return item.llm and item.llm[1].tpot.mean end },
  { "ITL p99", function(item) return item.llm and item.llm[1].itl.p99 end },
}
local RUNS <const>, DAYS <const>, TRUTH <const> = 40, { 8, 30 }, 3000

local function count(system, groups)
  local truth = assert(system:run { replications = TRUTH, seed = 999,
    windows = "50s" }).windows.items
  for _, days in ipairs(DAYS) do
    for seed = 1, RUNS do
      local items = assert(system:run { replications = days, seed = 7000 + seed,
        windows = "50s" }).windows.items
      assert.equal(#truth, #items)
      for i, item in ipairs(items) do
        for _, figure in ipairs(FIGURES) do
          local found, right = figure[2](item), figure[2](truth[i])
          if found then
            local name = ("%s, %s, %d days"):format(system.name, figure[1], days)
            local group = groups[name] or { name = name, printed = 0, hits = 0, runs = 0 }
            if not groups[name] then groups[#groups + 1], groups[name] = group, group end
            group.runs = group.runs + 1
            if found.half then
              group.printed = group.printed + 1
              -- The truth has an interval of its own.
              local off = math.abs(found.value - right.value)
              local half = math.sqrt(found.half ^ 2 + (right.half or 0) ^ 2)
              group.hits = group.hits + (off <= half + 1e-12 and 1 or 0)
            end
          end
        end
      end
    end
  end
end

describe("intervals by window of time", function()
  it("hold the truth as often as they say", function()
    local groups = {}
    for _, system in ipairs(SYSTEMS) do count(system, groups) end
    local printed, wrong = 0, {}
    for _, group in ipairs(groups) do
      local words = ("%s: %d of %d intervals hold the truth, of %d"):format(group.name, group.hits,
        group.printed, group.runs)
      if shown then print("    " .. words) end
      printed = printed + group.printed
      if coverage.refutes(group, 0.92) or group.printed < 0.5 * group.runs then
        wrong[#wrong + 1] = words
      end
    end
    assert.same({}, wrong)
    assert.is_true(printed > 10000)
  end)
end)
