-- What is told while a plan is worked on: what short runs say, how far it is.
local ahead = require "tandem.plan.ahead"
local question = require "tandem.plan.question"
local space_of = require "tandem.plan.space"
local td = require "tandem"

local function asked(options, changes)
  local body = { workload = td.poisson { rps = 100, requests = 4000 }, target = td.gpu "L40S" {},
    pipeline = { td.stage "s" { on = "gpu", cost = td.exponential "50ms" } },
    slo = { mean = "80ms" } }
  for key, value in pairs(changes or {}) do body[key] = value end
  options.scenario = td.scenario "ahead" (body)
  local q = question.of("gpus", options)
  return q, space_of.counts(q, q.kinds[1], q.loads[1], q.max)
end

describe("what is told ahead of a plan", function()
  -- Shares of a Poisson stream are queues of their own: 1 / (1/0.05 - 100/n) is at most 80 ms from
  -- n = 14 on. Short runs of empty queues are too fast, so that fewer may seem to do.
  it("is a first idea, by runs that are short", function()
    local q, space = asked({}, { router = "random" })
    local rough = ahead.rough(q, space, 20000)
    assert(rough.number >= 13 and rough.number <= 15, rough.number)
    assert.equal(rough.number - 1, rough.missed)
    assert(rough.figure.value <= 0.08 and rough.missing.value > 0.08)
    assert.matches("^by runs of 20,000 requests, too short to be sure, %d+ × L40S may do %(mean ",
      ahead.rough_words(q, q.kinds[1], rough))
  end)

  it("is why all may be too few", function()
    local q, space = asked({ max = 8 }, { slo = { mean = "55ms" } })
    local rough = ahead.rough(q, space, 4000)
    assert.is_nil(rough.number)
    assert.equal(8, rough.missed)
    assert.matches("8 × L40S would miss it %(mean ", ahead.rough_words(q, q.kinds[1], rough))
    rough.missing = { label = "p99", value = math.huge, kind = "time" }
    assert.matches("8 × L40S would miss it %(p99 without end%)",
      ahead.rough_words(q, q.kinds[1], rough))
    -- No look is begun when the time is up.
    assert.is_nil(ahead.rough_words(q, q.kinds[1], ahead.rough(q, space, 4000, -1)))
  end)

  it("is what is decided, as it goes", function()
    local q, space = asked {}
    local row = { choice = q.kinds[1], space = space }
    assert.equal("nothing is decided yet", ahead.so_far(q, { row }))
    space.trials = { [6] = { state = "misses" }, [5] = { state = "misses" }, [7] = {} }
    assert.equal("6 × L40S would miss it", ahead.so_far(q, { row }))
    space.trials[9], space.trials[8] = { state = "meets" }, { state = "meets" }
    assert.equal("8 × L40S will do, 6 × L40S would miss it", ahead.so_far(q, { row }))
    assert.equal("1 of 2 rows are decided", ahead.so_far(q, { row, { state = "meets" } }))
  end)

  it("stands in an answer that was stopped before anything was known", function()
    local q, space = asked {}
    local answer = td.plan.gpus { scenario = q.scenario, budget = { simulations = 1 } }
    answer.rows[1].outcome.order = {}
    answer.rows[1].rough = ahead.rough(q, space, 4000)
    local words = table.concat(require("tandem.plan.report").sentences(answer), "\n")
    assert.matches("100 /s: stopped before there was an answer; by runs of 4,000 requests", words)
    assert.falsy(words:find("one look", 1, true))
    answer.rows[1].rough.look_s = 500
    words = table.concat(require("tandem.plan.report").sentences(answer), "\n"):gsub("%s+", " ")
    assert.matches("one look at a candidate takes about 500 s here and a search has some 8 of "
      .. "them: --time-limit 2h would do.", words, 1, true)
  end)
end)
