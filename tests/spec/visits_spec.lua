--- Visits from plain tables: small cases by hand, random ones against a count of every nanosecond.
local visits = require "tandem.visits"

-- One stage's pieces: { request, from, to } each.
local function pieces(list)
  local made = { request = {}, start_ns = {}, end_ns = {} }
  for i, one in ipairs(list) do
    made.request[i], made.start_ns[i], made.end_ns[i] = one[1], one[2], one[3]
    if one[4] then
      made.bytes = made.bytes or {}
      made.bytes[i] = one[4]
    end
  end
  return made
end

local function made(requests, stages, more)
  local given = { stages = {}, visits = {}, requests = { arrival_ns = {}, end_ns = {} } }
  for i, one in ipairs(requests) do
    given.requests.arrival_ns[i], given.requests.end_ns[i] = one[1], one[2]
  end
  for i, stage in ipairs(stages) do
    given.stages[i] = { name = stage[1], lane = stage[2] }
    given.visits[stage[1]] = pieces(stage[3])
  end
  for key, value in pairs(more or {}) do given[key] = value end
  return visits.of(given)
end

-- own, wait, rest of each visit of a stage as one text
local function parts(of, name)
  local c, list = of:of(name), {}
  for i in ipairs(c.request) do
    list[i] = ("%d: %d+%d+%d"):format(c.request[i], c.own_ns[i], c.wait_ns[i], c.rest_ns[i])
  end
  return table.concat(list, ", ")
end

local function assert_adds_up(of)
  local requests, sum = of:requests(), {}
  for i = 1, of.count do sum[i] = requests.tail_ns[i] end
  for _, stage in ipairs(of.stages) do
    local c = of:of(stage.name)
    for i, request in ipairs(c.request) do
      assert.is_true(c.own_ns[i] >= 0 and c.wait_ns[i] >= 0 and c.rest_ns[i] >= 0)
      assert.is_true(c.own_ns[i] <= c.busy_ns[i] and c.busy_ns[i] <= c.end_ns[i] - c.start_ns[i])
      sum[request] = sum[request] + c.own_ns[i] + c.wait_ns[i] + c.rest_ns[i]
    end
  end
  for i = 1, of.count do
    assert.equal(requests.end_ns[i] - requests.arrival_ns[i], sum[i])
  end
end

describe("a visit", function()
  it("has each instant once: GPU before H2D before D2H before CPU", function()
    local of = made({ { 0, 50 } }, {
      { "prep", "CPU", { { 1, 5, 12 } } }, { "h2d", "H2D", { { 1, 10, 14, 100 } } },
      { "d2h", "D2H", { { 1, 38, 45 } } }, { "gpu", "GPU", { { 1, 20, 30 }, { 1, 33, 40 } } } })
    assert.equal("1: 5+0+5", parts(of, "prep"))     -- 5…10, after 5 of nothing
    assert.equal("1: 4+0+0", parts(of, "h2d"))      -- 10…14
    assert.equal("1: 17+0+9", parts(of, "gpu"))     -- 6 before it, 3 inside it
    assert.equal("1: 5+0+0", parts(of, "d2h"))      -- 40…45
    assert.same({ 5 }, of:requests().tail_ns)
    assert.same({ 2 }, of:of "gpu".pieces)
    assert.same({ 7 }, of:of "prep".busy_ns)
    assert.same({ 100 }, of:of "h2d".bytes)
    assert.is_nil(of:of "gpu".bytes)
    local order = {}
    for i, stage in ipairs(of.stages) do order[i] = stage.name end
    assert.same({ "prep", "h2d", "gpu", "d2h" }, order)
    assert_adds_up(of)
  end)

  it("of two stages of one lane gives the time to the one that stands earlier", function()
    local of = made({ { 0, 10 } }, { { "a", "CPU", { { 1, 2, 8 } } },
      { "b", "CPU", { { 1, 0, 10 } } } })
    assert.equal("1: 6+0+0", parts(of, "a"))
    assert.equal("1: 4+0+0", parts(of, "b"))
  end)

  it("waited while its resource was full of others", function()
    local of = made({ { 0, 30 }, { 5, 50 }, { 6, 80 } }, {
      { "gpu", "GPU", { { 1, 0, 30 }, { 2, 30, 50 }, { 3, 60, 80 } } } })
    assert.equal(1, of.stages[1].concurrency)
    assert.equal("1: 30+0+0, 2: 20+25+0, 3: 20+44+10", parts(of, "gpu"))
    assert_adds_up(of)
  end)

  it("does not wait while one place of two is free", function()
    local of = made({ { 0, 20 }, { 0, 20 }, { 0, 40 } }, {
      { "gpu", "GPU", { { 1, 0, 20 }, { 2, 5, 20 }, { 3, 30, 40 } } } })
    assert.equal(2, of.stages[1].concurrency)
    assert.equal("1: 20+0+0, 2: 15+0+5, 3: 10+15+15", parts(of, "gpu"))
  end)

  it("does not wait for what its own request holds", function()
    local of = made({ { 0, 40 }, { 0, 12 } }, {
      { "a", "GPU", { { 1, 0, 10 }, { 1, 30, 32 } } }, { "b", "GPU", { { 1, 20, 30 } } },
      { "c", "GPU", { { 2, 5, 12 } } } })
    assert.equal("1: 10+0+10", parts(of, "b"))
  end)

  it("has a resource for each place", function()
    local of = visits.of { stages = { { name = "gpu", lane = "GPU" } },
      requests = { arrival_ns = { 0, 0 }, end_ns = { 20, 40 } },
      visits = { gpu = { request = { 1, 2 }, start_ns = { 0, 30 }, end_ns = { 20, 40 },
        resource = { 0, 1 } } } }
    assert.equal("1: 20+0+0, 2: 10+0+30", parts(of, "gpu"))
  end)

  it("takes waits that are told", function()
    local of = made({ { 0, 30 }, { 5, 50 } }, { { "gpu", "GPU", { { 1, 0, 30 }, { 2, 30, 50 } } } },
      { kind = "simulated", waits = { gpu = pieces { { 2, 7, 30 } } } })
    assert.equal("simulated", of.kind)
    assert.equal("1: 30+0+0, 2: 20+23+2", parts(of, "gpu"))
  end)

  it("makes its request longer, and is ordered by its arrival", function()
    local of = made({ { 100, 110 }, { 0, 10 } },
      { { "x", "OTHER", { { 1, 95, 120 }, { 2, 3, 7 } } } })
    local requests = of:requests()
    assert.same({ 0, 95 }, requests.arrival_ns)
    assert.same({ 10, 120 }, requests.end_ns)
    assert.same({ 2, 1 }, requests.id)
    assert.same({ 1, 2 }, of:of "x".request)
    assert.same({ 3, 0 }, requests.tail_ns)
  end)

  it("that takes no time is one", function()
    local of = made({ { 0, 10 } }, { { "x", "CPU", { { 1, 4, 4 } } } })
    assert.equal("1: 0+0+4", parts(of, "x"))
    assert.same({ 6 }, of:requests().tail_ns)
  end)
end)

describe("random visits", function()
  local RANK <const> = { GPU = 1, COMM = 2, H2D = 3, D2H = 4, CPU = 5, OTHER = 6 }
  local LANES <const> = { "GPU", "COMM", "H2D", "D2H", "CPU", "OTHER" }

  -- Whose each nanosecond is, counted one by one.
  local function counted(requests, stages)
    local spans, holds, own = {}, {}, {}
    for s, stage in ipairs(stages) do
      spans[s], own[s] = {}, {}
      for _, one in ipairs(stage[3]) do
        local span = spans[s][one[1]] or { math.huge, -1 }
        spans[s][one[1]] = { math.min(span[1], one[2]), math.max(span[2], one[3]) }
      end
    end
    local function resource(s)
      local lane = stages[s][2]
      return (lane == "CPU" or lane == "OTHER") and "host" or lane
    end
    local most = {}
    for t = 0, 120 do
      holds[t] = {}
      for s in ipairs(stages) do
        local name = resource(s)
        holds[t][name] = holds[t][name] or { count = 0 }
        for r in ipairs(requests) do
          local span = spans[s][r]
          if span and span[1] <= t and t < span[2] and not holds[t][name][r] then
            holds[t][name][r] = true
            holds[t][name].count = holds[t][name].count + 1
          end
        end
        most[name] = math.max(most[name] or 1, holds[t][name].count)
      end
    end
    local function better(a, b)
      local x, y = RANK[stages[a][2]], RANK[stages[b][2]]
      return x < y or x == y and a < b
    end
    for r, request in ipairs(requests) do
      local gap = {}
      for t = request[1], request[2] do
        local active, starts
        for s, stage in ipairs(stages) do
          for _, one in ipairs(stage[3]) do
            if one[1] == r then
              if one[2] == t and (not starts or better(s, starts)) then starts = s end
              local runs = one[2] <= t and t < one[3]
              if runs and (not active or better(s, active)) then active = s end
            end
          end
        end
        if starts then
          local one = own[starts][r] or { 0, 0, 0 }
          own[starts][r] = one
          for _, g in ipairs(gap) do
            local held = holds[g][resource(starts)]
            local waits = spans[starts][r][1] == t and held.count == most[resource(starts)]
              and not held[r]
            one[waits and 2 or 3] = one[waits and 2 or 3] + 1
          end
          gap = {}
        end
        if active then
          own[active][r] = own[active][r] or { 0, 0, 0 }
          own[active][r][1] = own[active][r][1] + 1
        elseif t < request[2] then
          gap[#gap + 1] = t
        end
      end
    end
    return own
  end

  it("are as counted by the nanosecond, and add up", function()
    math.randomseed(20261122)
    for _ = 1, 300 do
      local requests, stages = {}, {}
      for r = 1, math.random(1, 5) do
        local arrival = math.random(0, 40)
        requests[r] = { arrival, math.random(80, 110) }
      end
      for s = 1, math.random(1, 5) do
        stages[s] = { "s" .. s, LANES[math.random(#LANES)], {} }
        for r, request in ipairs(requests) do
          for _ = 1, math.random(0, 3) do
            local from = math.random(request[1], 75)
            stages[s][3][#stages[s][3] + 1] = { r, from, from + math.random(1, 20) }
          end
        end
      end
      for r, request in ipairs(requests) do
        for _, stage in ipairs(stages) do
          for _, one in ipairs(stage[3]) do
            if one[1] == r then request[2] = math.max(request[2], one[3]) end
          end
        end
      end
      local of, wanted = made(requests, stages), counted(requests, stages)
      assert_adds_up(of)
      local given = of:requests().id
      for s, stage in ipairs(stages) do
        local c = of:of(stage[1])
        for i, request in ipairs(c.request) do
          assert.same(wanted[s][given[request]] or { 0, 0, 0 },
            { c.own_ns[i], c.wait_ns[i], c.rest_ns[i] })
        end
      end
    end
  end)
end)

describe("a slice", function()
  it("has some of the requests, numbered anew, with the waits that all made", function()
    local of = made({ { 0, 30 }, { 5, 50 }, { 6, 80 } }, {
      { "gpu", "GPU", { { 1, 0, 30 }, { 2, 30, 50 }, { 3, 60, 80 } } } })
    local half = of:slice(function(i) return i ~= 1 end)
    assert.equal(2, half.count)
    assert.equal(5, half.first_ns)
    assert.equal("1: 20+25+0, 2: 20+44+10", parts(half, "gpu"))
    assert.same({ 2, 3 }, half:requests().id)
    assert.equal(2, half.stages[1].count)
    assert.equal(1, half:slice(function(i) return i == 2 end).count)
    assert_adds_up(half)
    assert.equal("1: 20+25+0, 2: 20+44+10", parts(half, "gpu"))
  end)

  it("may be empty", function()
    local of = made({ { 0, 30 } }, { { "gpu", "GPU", { { 1, 0, 30 } } } })
    local none = of:slice(function() return false end)
    assert.equal(0, none.count)
    assert.is_nil(none.first_ns)
    assert.equal(0, #none:coverage():rows() - 1)
  end)
end)

describe("tables that do not fit", function()
  it("are refused in one line", function()
    local ok, message = pcall(made, { { 0, 1 } }, { { "x", "CPU", { { 1, 0, 1 } } } },
      { visits = { y = pieces {} } })
    assert.is_false(ok)
    assert.matches("there is no stage 'y'", message)
    ok, message = pcall(made, { { 0, 1 } }, { { "x", "CPU", { { 1, 5, 1 } } } })
    assert.is_false(ok)
    assert.matches("x, piece 1", message)
    assert.is_false(pcall(made, { { 0, 1 } }, { { "x", "CPU", { { 7, 0, 1 } } } }))
    assert.has_error(function()
      made({ { 0, 1 } }, { { "compute", "CPU", {} } }):of "compote"
    end, "there is no stage 'compote'; did you mean 'compute'?")
  end)
end)
