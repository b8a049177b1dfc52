--- Whole fits of visits whose truth is known, word for word: what is estimated, refused, noted and
--- written; tests/data/fits_on_paper.txt has each under the name of its case. Numbers stand there
--- with four or five digits. That intervals hold their truths is fit_spec.lua's.
local fit_visits = require "tests.spec.support.fit_visits"
local infile = require "tandem.io.infile"
local styles = require "tandem.plot.style"
local td = require "tandem"
local visits = require "tandem.visits"

local MIB <const> = 1024 * 1024

-- A server of four stages; options take the place of what is usual.
local function server(options)
  options = options or {}
  return fit_visits.visits { count = options.count or 200, seed = options.seed or 3,
    tail = options.tail or 20e-6, closed = options.closed,
    gap = options.gap or function(g) return g.exponential(0.05) end,
    sizes = options.sizes or function(g)
      return { tokens = math.floor(16 + 500 * g.uniform()) }
    end,
    stages = {
      { name = "pre", lane = "CPU", time = options.pre or function(_, g)
        return 300e-6 * g.lognormal(0.2)
      end },
      { name = "h2d", lane = "H2D", gap = options.before or function(g)
        return g.exponential(50e-6)
      end, bytes = options.bytes or function(r) return r.tokens * 65536 end,
        time = options.h2d or function(r, g)
          return (12e-6 + r.tokens * 65536 / 22e9) * g.lognormal(0.05)
        end },
      { name = "compute", lane = options.lane or "GPU", time = options.compute or function(r, g)
        return (1.2e-3 + 3.4e-6 * r.tokens) * g.lognormal(0.1)
      end },
      { name = "d2h", lane = "D2H", bytes = function() return MIB end,
        time = options.d2h or function(_, g) return 60e-6 * g.lognormal(0.02) end } } }
end

local function scenario(extra)
  local raw = { workload = td.poisson { rps = 10, requests = 200 }, attrs = { tokens = 100 },
    target = td.gpu "H100" { h2d = "30GB/s" }, cpu = { workers = 4 },
    pipeline = { td.fixed "pre" { time = "1ms" },
      td.transfer "h2d" { bytes = "65536 * r.tokens", latency = "5us" },
      td.tokens "compute" {}, td.transfer "d2h" { bytes = "1MiB" } } }
  for key, value in pairs(extra or {}) do raw[key] = value end
  return td.scenario "mine" (raw)
end

local function only(steps, extra)
  local raw = { pipeline = steps }
  for key, value in pairs(extra or {}) do raw[key] = value end
  return scenario(raw)
end

-- Requests that come in fours, of which two are served at a time on two workers.
local function waiting()
  local requests, own = { arrival_ns = {}, end_ns = {} }, { request = {}, start_ns = {},
    end_ns = {} }
  for i = 1, 80 do
    local round, position = (i - 1) // 4, (i - 1) % 4
    requests.arrival_ns[i] = round * 1000000
    own.request[i], own.start_ns[i] = i, round * 1000000 + position // 2 * 100000
    own.end_ns[i] = own.start_ns[i] + 100000
    requests.end_ns[i] = own.end_ns[i]
  end
  return visits.of { stages = { { name = "pre", lane = "CPU" } }, requests = requests,
    visits = { pre = own } }
end

local function two_kinds(_, g) return g.uniform() < 0.5 and 1e-4 or 9e-4 end

local CASES <const> = {
  { "from nothing", function() return { real = server() } end, "source" },
  { "one after the other", function()
    return { real = server { closed = true, gap = function(g)
      return 1e-4 * g.lognormal(0.4)
    end } }
  end, "source" },
  { "one after the other, at once", function()
    return { real = server { closed = true, gap = function() return 0 end } }
  end },
  { "evenly", function()
    return { real = server { gap = function() return 0.02 end } }
  end, "source" },
  { "as gamma", function()
    return { real = server { count = 300, gap = function(g)
      return g.exponential(0.02) + g.exponential(0.02) + g.exponential(0.02)
    end } }
  end, "source" },
  { "a few", function() return { real = server { count = 12 } } end, "source" },
  { "a few more", function() return { real = server { count = 21 } } end },
  { "in bursts, as they came", function()
    return { real = server { gap = function(g)
      return g.uniform() < 0.1 and 1.0 or 0.01 * g.lognormal(0.1)
    end } }
  end },
  { "with sizes that go together", function()
    return { real = server { count = 400, sizes = function(g)
      local tokens = 16 + 500 * g.uniform()
      return { tokens = tokens, words = tokens + 300 * g.uniform() }
    end, compute = function(r, g)
      return (1e-4 + 3e-6 * r.tokens + 5e-6 * r.words) * g.lognormal(0.02)
    end } }
  end },
  { "with sizes that cannot be told apart", function()
    return { real = server { sizes = function(g)
      local tokens = math.floor(16 + 500 * g.uniform())
      return { tokens = tokens, words = 3 * tokens, noise = g.uniform(), same = 7 }
    end } }
  end },
  { "with more sizes than are looked at", function()
    return { real = server { sizes = function(g)
      local out = { tokens = math.floor(16 + 500 * g.uniform()) }
      for i = 1, 6 do out["s" .. i] = g.uniform() + i * 1e-3 * out.tokens end
      return out
    end } }
  end },
  { "a stage that some visit, of two kinds", function()
    return { real = server { count = 400, pre = function(_, g)
      return g.uniform() < 0.7 and two_kinds(nil, g) or nil
    end } }
  end, "source" },
  { "a heavy tail", function()
    return { real = server { count = 400, seed = 5,
      pre = function(_, g) return 1e-5 * g.uniform() ^ -0.8 end } }
  end },
  { "a drift, judged on the last part", function()
    return { split = "half", real = server { count = 400,
      pre = function(_, g, i) return (1 + i / 200) * 3e-4 * g.lognormal(0.05) end } }
  end },
  { "a change between the halves", function()
    return { split = "half", real = server { count = 400,
      pre = function(_, g, i) return (i > 200 and 2 or 1) * 3e-4 * g.lognormal(0.05) end } }
  end },
  { "copies of one size, a stage on no lane, constant times", function()
    return { real = server { lane = "OTHER", bytes = function() return MIB end,
      h2d = function() return 1e-4 end, compute = function() return 2e-3 end,
      before = function() return 0 end, tail = 0 } }
  end, "source" },
  { "nothing held out", function() return { hold = 0, real = server() } end },
  { "of a scenario", function()
    return { real = server { count = 300 }, scenario = scenario() }
  end, "source" },
  { "of a scenario without some of the stages", function()
    return { real = server(), scenario = only { td.fixed "pre" { time = "1ms" },
      td.stage "compute" { cost = "0.001 + 9e-5 * r.tokens" }, td.fixed "post" { time = "1ms" } } }
  end },
  { "of formulas of one's own", function()
    return { real = server(), scenario = only({ td.fixed "pre" { time = "2e-6 * r.tokens" },
      td.stage "compute" { cost = function(r) return 2e-6 * r.tokens ^ 2 end },
      td.stage "d2h" { cost = "r.tokens / 1e6 + r.images * 2e-6" } },
      { attrs = { tokens = 100, images = 3 } }) }
  end },
  { "of a mean whose visits know better", function()
    return { real = server(), scenario = only { td.stage "compute" { cost = "2ms" } } }
  end },
  { "of copies with an assumed latency", function()
    return { real = server(), scenario = only { td.transfer "d2h" { bytes = "1MiB",
      latency = "20us" }, td.transfer "h2d" { bytes = "2MiB" } } }
  end },
  { "of copies whose time does not grow", function()
    return { real = server { h2d = function(_, g) return 4e-4 * g.lognormal(0.05) end },
      scenario = only { td.transfer "h2d" { bytes = "1MiB" } } }
  end },
  { "of copies without latency", function()
    return { real = server { h2d = function(r, g)
      return (r.tokens * 65536 / 22e9 - 1e-6) * g.lognormal(0.01)
    end }, scenario = only { td.transfer "h2d" { bytes = "1MiB" } } }
  end },
  { "of a roofline", function()
    return { real = server { compute = function(r, g)
      return (30e-6 + r.tokens * 2e9 / (400e12 * 0.45)) * g.lognormal(0.05)
    end }, scenario = only({ td.compute "compute" { flops = "2e9 * r.tokens", efficiency = 0.9 } },
      { target = td.gpu "mine" { flops = "400 TFLOP/s", bandwidth = "2TB/s" } }) }
  end },
  { "of a roofline that is too low", function()
    return { real = server(), scenario = only({ td.compute "compute" {
      flops = "2e10 * r.tokens", bytes = "1e6 * r.tokens", efficiency = 0.9,
      overhead = "1us" } }, { target = td.gpu "mine" { flops = "400 TFLOP/s",
      bandwidth = "2TB/s" } }) }
  end },
  { "of a roofline of one size", function()
    return { real = server { compute = function(_, g) return 1e-3 * g.lognormal(0.05) end },
      scenario = only({ td.compute "compute" { bytes = "1e9", overhead = "100us" } },
      { target = td.gpu "mine" { bandwidth = "2TB/s", flops = "400 TFLOP/s" } }) }
  end },
  { "of tokens that the capture lacks", function()
    return { real = server(), scenario = only({ td.tokens "compute" { tokens = "r.images" } },
      { attrs = { tokens = td.uniform(1, 9), images = 3 } }) }
  end },
  { "of a capacity that was the limit", function()
    return { hold = 0, real = waiting(), scenario = only { td.fixed "pre" { time = "1ms" } } }
  end, "source" },
}

local STYLE <const> = styles.new { width = 100, unicode = true }

local function words_of(case)
  local made, message = td.fit(case[2]())
  if not made then return "none: " .. message end
  local text = made:report(STYLE)
  local source = case[3] and made:source()
  return text .. (source and "\n\n" .. source:gsub("\n$", "") or "")
end

describe("a fit on paper", function()
  local texts, name = {}, nil
  for line in assert(infile.read "tests/data/fits_on_paper.txt"):gmatch "([^\n]*)\n" do
    local begun = line:match "^== (.+)"
    if begun then name, texts[begun] = begun, {} else table.insert(texts[name], line) end
  end
  for _, case in ipairs(CASES) do
    it(case[1], function() assert.equal(table.concat(texts[case[1]], "\n"), words_of(case)) end)
  end
end)

return { cases = CASES, words_of = words_of }
