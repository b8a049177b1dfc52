-- Scrapes read: what counters gained, histograms by bucket, servers that began anew, several
-- instances as one. Figures are those of the lines written here.

local metrics = require "tandem.metrics"
local names = require "tandem.metrics.names"

local T0 <const> = 1700000000

-- Instances of lines { name with labels, value, second }, whose times are seconds from T0.
local function read(lines)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  for _, line in ipairs(lines) do
    file:write(("%s %s %d\n"):format(line[1], line[2], (T0 + line[3]) * 1000))
  end
  file:close()
  local instances, message, code = metrics.read { path }
  os.remove(path)
  for _, one in ipairs(instances or {}) do
    for k, time in ipairs(one.times) do one.times[k] = time - T0 end
  end
  return instances, message, code
end

local function scrapes(name, values, more)
  local out = {}
  for k, value in ipairs(values) do
    if value ~= "" then out[#out + 1] = { name, value, 100 + 10 * k } end
  end
  return table.move(more or {}, 1, #(more or {}), #out + 1, out)
end

describe("scrapes", function()
  it("are one series a name and labels, NaN where one is missing", function()
    local one = assert(read(scrapes('a{x="1"}', { 1, 2, 3 },
      scrapes('a{x="2"}', { "", 5, "" }))))[1]
    assert.same({ 110, 120, 130 }, one.times)
    assert.same({ 1, 2, 3 }, one:gauge 'a{x="1"}')
    local other = one:gauge 'a{x="2"}'
    assert.equal(5, other[2])
    assert.is_true(other[1] ~= other[1] and other[3] ~= other[3])
    assert.equal(3, #other)
    assert.equal(7, one:gauge("a")[2]) -- all of its series
    assert.equal(3.5, one:gauge("a", true)[2])
    assert.is_nil(one:gauge "b")
  end)

  it("are of the instance, the model and the engine that labels say", function()
    local all = assert(read { { 'a{instance="h:1",model_name="m",engine="0"}', 1, 100 },
      { 'a{instance="h:1",model_name="m",engine="1"}', 2, 100 },
      { 'a{instance="h:2",model_name="n"}', 3, 90 } })
    local found = {}
    for i, one in ipairs(all) do
      found[i] = ("%s %s %s"):format(one.name, one.model, one.engine)
    end
    assert.same({ "h:2 n nil", "h:1 m 0", "h:1 m 1" }, found)
  end)

  it("are none in a file of other things", function()
    local none, message, code = read {}
    assert.is_nil(none)
    assert.is_string(message)
    assert.equal(3, code)
  end)

  it("count the counters that began anew, each once, and no gauges", function()
    local one = assert(read(scrapes("a_total", { 5, 3, 1, 4 }, scrapes("b_count", { 1, 0, 1, 1 },
      scrapes("c_bucket", { 1, 1, 1, 0 }, scrapes("d", { 9, 1, 1, 0 },
        scrapes("e_total", { 1, 1, 2, 2 })))))))[1]
    assert.equal(3, one.restarts)
  end)

  it("are told in words", function()
    local three = assert(read(scrapes('a{instance="h:1"}', { 1, 2, 3 })))[1]
    assert.equal("h:1: 3 scrapes, 20 s, one every 10 s", three:describe())
    local one = assert(read(scrapes('a{instance="h:1"}', { 1 })))[1]
    assert.equal("h:1: 1 scrape, no time", one:describe())
  end)
end)

describe("a counter", function()
  it("gained what it is more, or all of it where it began anew", function()
    assert.same({ 3, 0, 2, 5 }, metrics.increments { 4, 7, 7, 2, 7 })
    assert.same({}, metrics.increments { 4 })
    local gained = metrics.increments { 1, 0 / 0, 5 }
    assert.is_true(gained[1] ~= gained[1] and gained[2] ~= gained[2])
  end)

  it("is all series of its name, whatever their labels", function()
    local one = assert(read(scrapes('a_total{x="1"}', { 1, 2, 4 }, scrapes('a_total{x="2"}',
      { 10, 30, 30 }, scrapes("a_total2", { 0, 100, 200 }, scrapes("a_totals", { 0, 9, 9 }))))))[1]
    assert.same({ 21, 2 }, one:gained "a_total")
    assert.same({ 100, 100 }, one:gained "a_total2")
    assert.is_nil(one:gained "a_tota")
    assert.is_nil(one:gained "a")
  end)
end)

describe("a histogram", function()
  it("has its counts by bucket, over all labels", function()
    local lines = {}
    -- of each of two: cumulative counts at 10, 100 and without a bound, at three scrapes
    for x, counts in ipairs { { { 1, 2, 4 }, { 3, 5, 9 }, { 3, 6, 12 } },
      { { 0, 0, 7 }, { 1, 2, 8 }, { 2, 4, 9 } } } do
      for b, le in ipairs { "10", "100", "+Inf" } do
        lines = scrapes(('h_bucket{file="%d",le="%s"}'):format(x, le), counts[b], lines)
      end
      lines = scrapes(('h_count{file="%d"}'):format(x), counts[3], lines)
      lines = scrapes(('h_sum{file="%d"}'):format(x), { 0, 50 * x, 80 * x }, lines)
    end
    local h = assert(read(lines))[1]:histogram "h"
    assert.same({ 10, 100, math.huge }, h.bounds)
    assert.same({ { 1, 9 }, { 2, 1 }, { 2, 1 } }, h.counts)
    assert.same({ 5, 11 }, h.count)
    assert.same({ 150, 90 }, h.sum)
  end)

  it("is none without buckets, a sum and a count", function()
    local bucket, count, sum = { 'h_bucket{le="+Inf"}', 1, 9 }, { "h_count", 1, 9 },
      { "h_sum", 1, 9 }
    assert.is_table(assert(read { bucket, count, sum })[1]:histogram "h")
    for _, lines in ipairs { { bucket, count }, { bucket, sum }, { count, sum },
      { { 'h_bucket{role="9"}', 1, 9 }, count, sum } } do
      assert.is_nil(assert(read(lines))[1]:histogram "h")
    end
  end)
end)

describe("servers", function()
  local lines = scrapes('vllm:request_success_total{instance="a",model_name="m/One"}', { 1, 2 },
    scrapes('sglang:num_requests_total{instance="b",model_name="m/Two"}', { 3, 4 }))

  it("of two kinds are no fleet", function()
    local kept, why = names.servers(assert(read(lines)))
    assert.is_nil(kept)
    assert.equal("metrics are of several kinds of servers (SGLang, vLLM): "
      .. "name the files of one kind", why)
  end)

  it("are those of the model that is asked for", function()
    local kept = assert(names.servers(assert(read(scrapes(
      'vllm:request_success_total{instance="a",model_name="m/One"}', { 1, 2 },
      scrapes('vllm:request_success_total{instance="b",model_name="m/Two"}', { 3, 4 })))), "two"))
    assert.equal(1, #kept)
    assert.equal("b", kept[1].name)
  end)
end)

describe("several instances as one", function()
  it("add up what each has at the scrapes of the first", function()
    local lines, want = {}, {}
    local function line(seconds) return 3 * seconds + 7 end
    for k = 1, 9 do lines[#lines + 1] = { 'a_total{instance="x"}', 2 * k, 100 + 10 * k } end
    -- the second grows evenly, and is scraped whenever it is
    for _, at in ipairs { 113, 121, 122, 140, 155, 158, 176, 184 } do
      lines[#lines + 1] = { 'a_total{instance="y"}', line(at), at }
    end
    for k = 1, 9 do
      local at = math.max(113, math.min(184, 100 + 10 * k))
      want[k] = 2 * (k - 1) + line(at) - line(113)
    end
    local merged = metrics.merged(assert(read(lines)))
    assert.same({ 110, 120, 130, 140, 150, 160, 170, 180, 190 }, merged.times)
    for k, value in ipairs(merged:gauge "a_total") do assert.near(want[k], value, 1e-9) end
    assert.equal("x", merged.name)
  end)

  it("bridge gaps, of gauges by the last value and of counters by what they gained", function()
    local merged = metrics.merged(assert(read(scrapes("a_total", { "", 4, "", 9, 2 },
      scrapes("b", { "", 4, "", 9, 2 }, scrapes("c_sum", { 1, 1, 3, 3, 1 },
        scrapes("d", { 1, 2, 3, 4, 5 })))))))
    assert.same({ 0, 0, 0, 5, 7 }, merged:gauge "a_total")
    assert.same({ 0, 4, 4, 9, 2 }, merged:gauge "b")
    assert.same({ 0, 0, 2, 2, 3 }, merged:gauge "c_sum")
    assert.equal(2, merged.restarts)
  end)
end)
