-- The loop of tests/bench/gpu (close.lua): recordings of a pipeline whose costs are known, made
-- here in the form that pipeline.py writes, must give those costs back and predict other rates.
local PROGRAM <const> = os.getenv "PROGRAM" or "build/tandem"
local STAGES <const> = { -- milliseconds alone, a unit, a member; members at most
  { "preprocess", 1, 1, 0, 1 }, { "h2d", 0.5, 0.5, 0, 8 }, { "compute", 4, 2, 1, 8 },
  { "d2h", 0.5, 0.25, 0, 8 }, { "postprocess", 2, 0.5, 0, 1 },
}

local folder

before_each(function()
  folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
end)
after_each(function() os.execute("rm -rf " .. folder) end)

-- A generator of its own, so that the recordings are the same everywhere.
local function luck(seed)
  local state = seed * 2654435761 % (1 << 31)
  return function()
    state = (state * 1103515245 + 12345) % (1 << 31)
    return (state + 0.5) / (1 << 31)
  end
end

-- When requests are through a stage that takes whoever waits, in order.
local function serve(stage, requests, draw, factor)
  local name, alone, unit, member, most = table.unpack(stage)
  local free, i = 0, 1
  while i <= #requests do
    local start, batch, units = math.max(free, requests[i].ready), {}, 0
    while requests[i] and requests[i].ready <= start and #batch < most do
      batch[#batch + 1], units = requests[i], units + requests[i].units
      i = i + 1
    end
    local noise = 0.9 + 0.2 * draw()
    free = start + factor * noise * (alone + unit * units + member * #batch) * 1e-3
    for _, r in ipairs(batch) do
      r[name], r.ready = { start, free }, free
    end
  end
end

local function record(share, rate, count, factor)
  local draw, requests, at = luck(math.floor(share * 100)), {}, 1
  for n = 1, count do
    at = at - math.log(draw()) / rate
    requests[n] = { arrival = at, ready = at, units = ({ 1, 2, 4 })[1 + math.floor(3 * draw())] }
  end
  for _, stage in ipairs(STAGES) do serve(stage, requests, draw, factor or 1) end
  local out = assert(io.popen(("gzip > %s/pipeline-%.2f.jsonl.gz"):format(folder, share), "w"))
  out:write('{"record":"header","format":"tandem-jsonl","version":1}\n',
    '{"record":"source","source":0,"path":"x","format":"pipeline.py"}\n',
    '{"record":"layout","layout":0,"category":"nvtx","shape":"span",'
      .. '"args":[["request","int"],["units","int"]]}\n')
  for n, r in ipairs(requests) do
    local function span(name, from, to)
      out:write(('{"record":"span","layout":0,"start_ns":%d,"dur_ns":%d,"track":%d,"name":"%s",'
        .. '"args":{"request":%d,"units":%d}}\n'):format(math.floor(from * 1e9),
        math.floor(to * 1e9) - math.floor(from * 1e9), n, name, n, r.units))
    end
    out:write(('{"record":"track","track":%d,"process":"p","name":"%d","kind":"thread",'
      .. '"pid":1,"tid":%d}\n'):format(n, n, n))
    span("request", r.arrival, r.ready)
    for _, stage in ipairs(STAGES) do span(stage[1], table.unpack(r[stage[1]])) end
  end
  out:close()
end

local function close()
  local pipe = assert(io.popen(("%s lua tests/bench/gpu/close.lua %s fit=0.75 store=%s/a.db 2>&1")
    :format(PROGRAM, folder, folder)))
  local text = pipe:read "a"
  local _, _, code = pipe:close()
  return text, code
end

it("finds the costs of a pipeline and predicts its other rates", function()
  for i, share in ipairs { 0.30, 0.60, 0.75, 0.90 } do record(share, 180 * share, 1500 + i) end
  local text, code = close()
  assert.equal(0, code, text)
  assert.matches("all bars are met", text, 1, true)
  local alone, unit, member = text:match "compute%s+([%d.]+) ms %+%s+([%d.]+) ms.-%+%s+([%d.]+) ms"
  assert.near(4, tonumber(alone), 0.4)
  assert.near(2, tonumber(unit), 0.1)
  assert.near(1, tonumber(member), 0.2)
end)

it("misses its bars where a rate was slower than the costs say", function()
  record(0.50, 90, 1000)
  record(0.75, 135, 1000)
  record(0.90, 100, 1000, 1.2)
  local text, code = close()
  assert.equal(1, code)
  assert.matches("MISSED", text, 1, true)
  assert.matches("a bar is missed", text, 1, true)
end)

it("says what is not there", function()
  local text, code = close()
  assert.matches("no pipeline-RATE.jsonl.gz and no serving-RATE.jsonl in", text, 1, true)
  assert.equal(5, code)
end)
