--- What plans answer where little is known: loads in words, figures without end, wrong questions.
local bounds = require "tandem.plan.bounds"
local cjson = require "cjson"
local highest = require "tandem.plan.load"
local paper = require "tests.spec.support.paper"
local styles = require "tandem.plot.style"
local td = require "tandem"

-- Each L40S has two places of 40 ms: 50 requests a second at most.
local function base()
  return td.scenario "base" {
    workload = td.poisson { rps = 40, requests = 4000 },
    target = td.gpu "L40S" { concurrency = 2 },
    pipeline = { td.fixed "work" { time = td.exponential "40ms", on = "gpu" } },
    slo = { p99 = "300ms" },
  }
end

describe("the highest load in words", function()
  local p99 = { label = "p99", kind = "time", value = 0.2, half = 0.01, limit = 0.25,
    margin = 0.2 }
  local function told(fields)
    local row = { choice = { name = "L40S" }, bill = { gpus = 3 }, rps = 40, figures = { p99 },
      binding = p99, space = {} }
    for key, value in pairs(fields or {}) do row[key] = value end
    return highest.sentences({ question = { demand = { unit = "rate", total = 80 } } }, row, "95 %")
  end

  it("is what it is, with what it has, and what of the next load", function()
    assert.same({ "3 × L40S carries 40 /s with p99 ≤ 250 ms at 95 % confidence (p99 200 ± 10 ms, "
      .. "20 % of room)." }, told())
    assert.matches("^The scenario carries", told({ choice = { name = "" } })[1])
    assert.matches("^The scenario carries", told({ bill = { gpus = 0 } })[1])
    local function of_next(state, binding)
      return told({ next_load = 41, next_state = state,
        next_verdict = binding ~= false and { binding = p99 } or nil })[2]
    end
    local stopped = "Whether it carries 41 /s was not decided: the search was stopped before."
    assert.equal("At 41 /s it would miss p99 ≤ 250 ms: 200 ± 10 ms.", of_next "misses")
    assert.equal("At 41 /s it could not be told: p99 is 200 ± 10 ms, too near to its limit; the "
      .. "safe side was taken.", of_next "undecided")
    -- A first look decided nothing.
    assert.equal(stopped, of_next(nil))
    assert.equal(stopped, of_next(nil, false))
    assert.equal("41 /s is too near to saturation for any run to settle; the safe side was taken.",
      of_next "unsettled")
    for _, state in ipairs { "misses", "undecided", "failed" } do
      assert.is_nil(of_next(state, false))
    end
  end)

  it("is so near to saturation, where theory knows", function()
    local function at(bottleneck, next_load)
      return told({ next_load = next_load, next_state = "failed", number = 2, space = { top = 0.6,
        forecast = function(number) return { bottleneck = number == 2 and bottleneck } end } })
    end
    local theory = "In theory %s saturates at 48 /s, so this is 83.3 %% of it."
    assert.same({ "That is as near to saturation as is tried.", theory:format "gpu" },
      { table.unpack(at "gpu", 2) })
    assert.same({ theory:format "it" }, { table.unpack(at(nil, 41), 2) })
  end)
end)

describe("an answer as data", function()
  it("leaves out figures without end", function()
    local backend = paper.backend(function(job)
      return { ["classes.default.slo.p99"] = 0.125, utilization = 0.5, bottleneck = "gpu", lost = 0,
        overload = (job.set.gpus or 1) < 6, requests = 1000, throughput_rps = 160 }
    end)
    local data = cjson.decode(td.plan.gpus({ scenario = base(), backend = backend,
      sensitivity = false, load = "160rps" }):to_json())
    local told = {}
    for i, one in ipairs(data.rows[1].tested) do told[i] = { one.count, one.state, one.value } end
    table.sort(told, function(a, b) return a[1] < b[1] end)
    assert.same({ { 5, "misses" }, { 6, "meets", 0.125 } }, { told[#told - 1], told[#told] })
    assert.is_nil(data.rows[1].one_fewer.value)
  end)

  it("has the load at which it gives way, and what it misses there", function()
    local found = td.plan.gpus { scenario = base(), sensitivity = false,
      backend = (paper.backend(function()
        return { ["classes.default.slo.p99"] = 0.125, utilization = 0.5, bottleneck = "gpu",
          lost = 0, overload = false, requests = 1000, throughput_rps = 40 }
      end)) }
    local function knee(one)
      found.rows[1].knee = one
      return cjson.decode(found:to_json()).rows[1].knee
    end
    assert.is_nil(knee(nil))
    assert.same({ load = 50 }, knee { load = 50 })
    assert.same({ load = 50, beyond = 52, binding = "p99", value = 0.5 }, knee { load = 50,
      beyond = 52, binding = { label = "p99", kind = "time", limit = 0.3, value = 0.5 } })
    assert.same({ load = 50, beyond = 52, binding = "p99", overload = "its queue grows" },
      knee { load = 50, beyond = 52, overload = "its queue grows",
        binding = { label = "p99", kind = "time", limit = 0.3, value = math.huge } })
  end)
end)

describe("an answer as CSV", function()
  it("has two columns for each limit", function()
    local backend = paper.backend(function()
      return { ["classes.default.slo.p99"] = 0.25, ["classes.default.slo.mean"] = 0.125, lost = 0,
        ["classes.default.slo.p90"] = 0.1875, utilization = 0.5, bottleneck = "gpu",
        overload = false, requests = 1000, throughput_rps = 40 }
    end)
    local head, row = td.plan.gpus({ scenario = base(), backend = backend, sensitivity = false,
      slo = { p99 = "1s", mean = "1s", p90 = "1s" } }):to_csv():match "([^\n]*)\n([^\n]*)\n"
    local function fields(line)
      local out = {}
      for field in (line .. ","):gmatch "([^,]*)," do out[#out + 1] = field end
      return out
    end
    local names, values, seen = fields(head), fields(row), {}
    assert.equal(#names, #values)
    for i, name in ipairs(names) do seen[name] = values[i] end
    assert.same({ "0.125", "0.1875", "0.25" }, { seen.mean, seen.p90, seen.p99 })
    for _, name in ipairs { "mean ±", "p90 ±", "p99 ±" } do
      assert.equal(0, tonumber(seen[name]))
    end
  end)
end)

describe("an answer in words", function()
  it("tells the cost of GPUs, where there are any", function()
    local function backend()
      return (paper.backend(function(job)
        local count = job.set["workload.users"] or 10
        return { utilization = 0.04 * count, bottleneck = "cpu", overload = false, lost = 0,
          requests = 4000, throughput_rps = count, ["classes.default.slo.mean"] = 0.01 * count,
          ["classes.default.slo.p99"] = 0.1 }
      end))
    end
    local users = td.scenario "closed" {
      workload = td.closed { users = 10, think = td.exponential "1s", requests = 4000 },
      cpu = { workers = 1 }, pipeline = { td.fixed "work" { time = td.exponential "50ms" } },
      slo = { mean = "200ms" },
    }
    local style = styles.new { width = 100, unicode = true }
    local words = td.plan.load({ scenario = users, backend = backend() }):report(style)
    assert.is_nil(words:find("costs", 1, true) or words:find("price", 1, true))
    assert.matches("users", words)
    assert.matches("It costs", td.plan.gpus({ scenario = base(), backend = backend() })
      :report(style))
  end)

  it("warns of what nobody measured, beside all else, in every kind of plan", function()
    local scenario = assert(td.load "scenarios/23-llm-one-h100.lua")
    for _, find in ipairs { "gpus", "load" } do
      local answer = td.plan[find] { scenario = scenario, kinds = { "L4" }, sensitivity = false,
        backend = (paper.backend(function() return { message = "nothing ran" } end)) }
      local said = "\n" .. table.concat(answer.cautions, "\n") .. "\n"
      local sentences = require("tandem.plan.doubt").cautions(answer.question)
      assert.equal(1, #sentences)
      table.move(require("tandem.plan.kinds").cautions(answer.question), 1, 9, 2, sentences)
      for _, one in ipairs(sentences) do
        assert.matches("\n" .. one .. "\n", said, 1, true)
      end
      assert.equal(#sentences, #answer.cautions)
    end
  end)

  -- A GPU serves 40 a second; the crew is gone after so many answers.
  local function stopped(loads, most)
    local backend = paper.backend(function(job)
      local load = job.set["workload.rps"] or 40
      return { utilization = 0.4, bottleneck = "gpu", overload = false, lost = 0, requests = 4000,
        throughput_rps = load, ["classes.default.slo.p99"] =
          (job.set["target.count"] or 1) >= load / 40 and 0.1 or 0.5 }
    end)
    local taken, take = 0, backend.take
    function backend.take(...)
      taken = taken + 1
      if taken > most then return nil, "interrupted" end
      return take(...)
    end
    return td.plan.gpus { scenario = base(), load = loads, backend = backend, sensitivity = false }
  end

  it("tells how many rows are not decided, and why it stopped", function()
    local function said(answer)
      local text = tostring(answer):gsub("%s+", " ")
      return { text:match "%. (%d[^.]- not decided%.)"
        or text:match "(There is no answer: [^.]+%.)",
        text:match "(%u[^.:]+): what is above is what was decided by then%." }
    end
    assert.same({ "1 of 2 rows was not decided.", "Interrupted" },
      said(stopped({ "40rps", "400rps" }, 6)))
    local two = stopped({ "40rps", "400rps", "410rps" }, 8)
    assert.same({ "2 of 3 rows were not decided.", "Interrupted" }, said(two))
    two.work.stopped = "time"
    assert.same({ "2 of 3 rows were not decided.", "The time was up" }, said(two))
    assert.same({ "There is no answer: the search was stopped before one was found.",
      "Interrupted" }, said(stopped({ "40rps", "400rps" }, 2)))
    assert.same({}, said(stopped({ "40rps", "400rps" }, math.huge)))
  end)
end)

describe("what is raised by a plan", function()
  local function raised(options)
    options.scenario = base()
    local ok, problem = pcall(td.plan.gpus, options)
    assert.is_false(ok)
    return problem
  end

  it("is a line on a wrong objective", function()
    assert.matches("td.plan.gpus: slo: unknown metric 'p99x'; did you mean 'p99'?",
      raised { slo = { p99x = "1s" } }, 1, true)
    assert.matches("td.plan.gpus: slo: unknown metric '1'; one of deadline, ",
      raised { slo = { "1s" } }, 1, true)
  end)

  it("is a line on a load that is none", function()
    for _, load in ipairs { 0, -1 } do
      assert.matches(("td.plan.gpus: load: is %d; a plan needs requests, such as load = \"40rps\"")
        :format(load), raised { load = load }, 1, true)
    end
  end)

  it("is as it was, where it is of others", function()
    local trouble = { odd = true }
    local backend = paper.backend(function() error(trouble) end)
    assert.equal(trouble, raised { backend = backend })
  end)
end)

describe("the theory of a plan", function()
  it("knows that requests leave early where a function turns them away", function()
    local function lossy(extra)
      local raw = { workload = td.poisson { rps = 40, requests = 4000 },
        pipeline = { td.fixed "work" { time = "1ms" } } }
      for key, value in pairs(extra) do raw[key] = value end
      return bounds.of(td.scenario "hooked" (raw)).lossy
    end
    assert.is_false(lossy {})
    assert.is_false(lossy { on = { complete = function() end } })
    assert.is_true(lossy { admit = function() return true end })
  end)

  it("counts all that arrive by the load, too", function()
    -- A quarter of 100 a second for each of four: each queue sees every fourth request.
    local one = { gpus = 1, router = "random", offered = { steps = {}, classes = {
      { name = "a", arrival = { rps = 50 }, unloaded_s = 0.01 } }, stations = { { name = "gpu",
        gpu = 1, rate = 50, servers = 1, arrival_cv2 = 1, poisson = true, utilization = 0.5,
        service = { mean = 0.01, var = 1e-4 } } } } }
    local found = bounds.forecast(one, 4, 2)
    assert.near(0.25, found.utilization, 1e-12)
    assert.near(4 * found.relaxation, found.settling, 1e-9)
  end)
end)
