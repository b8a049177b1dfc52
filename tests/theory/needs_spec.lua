-- Where a run does not suffice for an interval it says what would, and "Try next" has the command:
-- does a run of that size have one? THEORY=show prints the counts.
local coverage = require "tests.theory.support.coverage"
local judgement = require "tandem.report.judgement"

local shown = os.getenv "THEORY" == "show"

-- System, requests of a replication, replications.
local CASES <const> = { { "M/M/1 0.5", 500, 8 }, { "M/M/1 0.8", 2000, 8 },
  { "M/M/1 0.8", 20000, 1 }, { "M/M/1 0.95", 30000, 8 }, { "turned away", 1000, 5 },
  { "lognormal 0.7", 20000, 8 },
  { "eight servers", 2000, 8 }, { "MMPP", 10000, 5 }, { "batches", 1500, 8 },
  { "priorities", 3000, 5 } }
local SEEDS <const> = 6

local function system_of(name)
  for _, one in ipairs(coverage.systems) do
    if one.name == name then return one end
  end
end

-- The options of the command that gives a figure what it needs; nil: none is proposed.
local function proposed(result)
  for _, one in ipairs(judgement.advice(result, { file = "x.lua" })) do
    if one.why:find "^as many requests as" then
      local requests = one.command:match "%-%-requests (%d+)"
      local replications = one.command:match "%-%-replications (%d+)"
      return { requests = tonumber(requests), replications = tonumber(replications) }
    end
  end
end

describe("what a run needs", function()
  it("is what it takes: following the advice leads to an interval", function()
    local asked, helped = 0, 0
    for _, case in ipairs(CASES) do
      local scenario, own_asked, own_helped = system_of(case[1]).scenario, 0, 0
      for seed = 1, SEEDS do
        local r = assert(scenario:run { requests = case[2], replications = case[3],
          seed = 60000 + seed, brief = true })
        local options = proposed(r)
        if r.latency.p99.needs then assert.is_table(options, case[1]) end
        if options then
          options.requests = options.requests or case[2]
          options.replications = options.replications or case[3]
          options.seed, options.brief = 60000 + seed, true
          local next_run = assert(scenario:run(options))
          own_asked = own_asked + 1
          if next_run.latency.p99.half then own_helped = own_helped + 1 end
        end
      end
      if shown then
        print(("    %s, %d × %d: %d of %d"):format(case[1], case[3], case[2], own_helped,
          own_asked))
      end
      asked, helped = asked + own_asked, helped + own_helped
    end
    assert.is_true(asked >= 40, asked)
    -- What 80 % help of 60 passes this 3 times in 10, 95 % in 100.
    assert.is_true(helped >= 0.85 * asked, ("%d of %d"):format(helped, asked))
  end)

  it("is told in requests of the run, of whichever class a figure is", function()
    local r = assert(system_of "priorities".scenario:run { requests = 2000, replications = 8,
      brief = true })
    local all, first = r.latency.p99.needs, r.classes[1].latency.p999.needs
    assert.is_true(first.requests > r.requests and all.requests > r.requests)
  end)
end)
