-- What a simulated run's trace says of its requests: rows of "request" with their attributes, and
-- the bytes of transfers. Both engines tell the same.

local td = require "tandem"

local function kept(scenario, options)
  local path = os.tmpname()
  os.remove(path)
  options = options or {}
  options.store = path
  scenario:run(options)
  local store = td.store(path)
  return store, function()
    store:close()
    os.remove(path)
  end
end

local function rows(store, sql)
  local out = {}
  for row in store:query(sql) do out[#out + 1] = row end
  return out
end

local RATE <const> = 1e9 -- bytes/s of the copy engines below: a byte is a nanosecond

local function card(fields)
  fields.h2d, fields.d2h = RATE, RATE
  return td.gpu "card" (fields)
end

local function service(fields)
  return td.scenario "service" {
    workload = td.poisson { rps = 200, requests = 300 },
    attrs    = { tokens = td.uniform { min = 10, max = 200 },
      pages = td.empirical { 1, 2, 3 } },
    target   = card(fields or {}),
    pipeline = {
      td.fixed "parse" { time = "0.3ms" },
      td.transfer "upload" { on = "h2d", bytes = function(r) return 4096 * r.pages end },
      td.stage "infer" { on = "gpu", cost = td.gamma { mean = "3ms", cv = 0.3 } },
      td.transfer "download" { on = "d2h", bytes = td.exponential { mean = 2e5 } },
    },
  }
end

describe("the trace of a simulated run", function()
  it("has a row for each request, with whole attributes as integers", function()
    local store, close = kept(service())
    local list = rows(store, [[SELECT s.name, s.shape, s.start_ns, s.dur_ns, s.args, t.process,
      t.name AS track, r.arrival_ns, r.end_ns FROM span s JOIN track t ON t.run = s.run AND
      t.id = s.track JOIN request r ON r.run = s.run AND r.id = s.request
      WHERE s.category = 'request' ORDER BY s.request]])
    assert.equal(300, #list)
    for i, row in ipairs(list) do
      assert.equal("default", row.name)
      assert.equal("async", row.shape)
      assert.equal("workload", row.process)
      assert.equal("requests", row.track)
      assert.equal(row.arrival_ns, row.start_ns)
      assert.equal(row.end_ns, row.start_ns + row.dur_ns)
      assert.truthy(row.args:find(('"request":%d,'):format(i - 1), 1, true))
      local pages = assert(row.args:match '"pages":([%d.]+)')
      assert.truthy(pages == "1" or pages == "2" or pages == "3")
      local tokens = assert(tonumber(row.args:match '"tokens":([%d.e+]+)'))
      assert.truthy(tokens >= 10 and tokens <= 200)
    end
    close()
  end)

  it("says the bytes that each transfer's time was computed from", function()
    local store, close = kept(service())
    local list = rows(store, [[SELECT s.name, s.bytes, s.dur_ns, q.args FROM span s JOIN span q ON
      q.run = s.run AND q.request = s.request AND q.category = 'request'
      WHERE s.category = 'stage']])
    assert.equal(1200, #list)
    for _, row in ipairs(list) do
      if row.name == "upload" then
        assert.equal(4096 * math.tointeger(row.args:match '"pages":(%d)'), row.bytes)
        assert.equal(row.bytes, row.dur_ns) -- a byte a nanosecond
      elseif row.name == "download" then
        assert.equal(row.bytes, row.dur_ns)
      else
        assert.is_nil(row.bytes)
      end
    end
    close()
  end)

  it("is the same from both engines", function()
    local seen = {}
    for _, engine in ipairs { "event", "lowered" } do
      local store, close = kept(service(), { engine = engine })
      local lines = {}
      for _, row in ipairs(rows(store, [[SELECT category, name, start_ns, dur_ns, bytes, args FROM
        span ORDER BY category, name, start_ns, request]])) do
        lines[#lines + 1] = table.concat({ row.category, row.name, row.start_ns, row.dur_ns,
          tostring(row.bytes), row.args }, " ")
      end
      seen[engine] = table.concat(lines, "\n")
      close()
    end
    assert.equal(seen.event, seen.lowered)
  end)

  it("tells bytes on a shared link, in loops, and leaves out what a Lua function says", function()
    local called = 0
    local scenario = td.scenario "links" {
      workload = td.poisson { rps = 100, requests = 50 },
      attrs = { pages = td.empirical { 1, 2 } },
      resources = { td.link "bus" { bandwidth = RATE, shared = true } },
      target = card {},
      pipeline = {
        td.loop "rounds" { times = 2, steps = {
          td.transfer "in" { on = "h2d", bytes = td.exponential { mean = 1e4 } } } },
        td.transfer "across" { on = "bus", bytes = function(r) return 1000 * r.pages end },
        td.transfer "odd" { on = "d2h", bytes = function(r)
          called = called + 1
          if r.pages > 1 then return 10 end
          return 20
        end },
      },
    }
    local store, close = kept(scenario)
    local list = rows(store, "SELECT name, bytes, dur_ns FROM span WHERE category = 'stage'")
    local seen = {}
    for _, row in ipairs(list) do
      seen[row.name] = (seen[row.name] or 0) + 1
      if row.name == "in" then assert.equal(row.bytes, row.dur_ns) end
      if row.name == "across" then assert.truthy(row.bytes == 1000 or row.bytes == 2000) end
      if row.name == "odd" then assert.is_nil(row.bytes) end
    end
    assert.same({ ["in"] = 100, across = 50, odd = 50 }, seen)
    close()
  end)

  it("tells who is in a batch: all but the first wait until it starts", function()
    local scenario = td.scenario "batches" {
      workload = td.poisson { rps = 400, requests = 200 },
      target = card {},
      pipeline = { td.stage "infer" { on = "gpu", cost = "10ms",
        batch = { max = 4, wait = "5ms" } } },
    }
    local store, close = kept(scenario)
    local list = rows(store, [[SELECT s.start_ns, s.args, s.request, (SELECT count(*) FROM span w
      WHERE w.run = s.run AND w.category = 'wait' AND w.name = s.name AND w.request <> s.request AND
      w.start_ns + w.dur_ns = s.start_ns) AS others FROM span s WHERE s.category = 'stage']])
    local members, full = 0, 0
    for _, row in ipairs(list) do
      local batch = math.tointeger(row.args:match '"batch":(%d+)')
      assert.equal(batch - 1, row.others)
      members = members + batch
      if batch > 1 then full = full + 1 end
    end
    assert.equal(200, members)
    assert.truthy(full > 10)
    close()
  end)

  it("gives each class its own attributes, and a name that means something else another", function()
    local scenario = td.scenario "classes" {
      classes = {
        { name = "chat", workload = td.poisson { rps = 50 }, attrs = { tokens = 12 } },
        { name = "scan", workload = td.poisson { rps = 50 },
          attrs = { kind = td.empirical { 1, 2 } } },
      },
      target = card {},
      pipeline = { td.stage "infer" { on = "gpu", cost = "1ms" } },
      duration = "1s",
    }
    local store, close = kept(scenario)
    for _, row in ipairs(rows(store, "SELECT name, args FROM span WHERE category = 'request'")) do
      if row.name == "chat" then
        assert.truthy(row.args:match '^{"request":%d+,"tokens":12}$')
      else
        assert.truthy(row.args:match '^{"request":%d+,"attribute_kind":[12]}$')
      end
    end
    close()
  end)

  it("does not count requests as work", function()
    local store, close = kept(service())
    local run = store:run "last"
    local expected = {}
    for _, row in ipairs(rows(store, [[SELECT name, sum(dur_ns) AS ns FROM span
      WHERE category = 'stage' GROUP BY name]])) do expected[row.name] = row.ns end
    local infer = run:kernels():rows()
    assert.equal(1, #infer)
    assert.equal(expected.infer, infer[1].total_ns)
    local copies = run:copies():rows()
    assert.equal(2, #copies)
    assert.equal(expected.upload + expected.download, copies[1].total_ns + copies[2].total_ns)
    close()
  end)
end)
