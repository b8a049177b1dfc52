-- Simulated servers, unchanged and changed, as a twin's detector of drift sees them window by
-- window.
local drift = require "tandem.twin.drift"
local metrics = require "tandem.metrics"
local names = require "tandem.metrics.names"
local td = require "tandem"

local drifting = { WINDOW = 300, RECORDED = 1200 }

function drifting.server(parts, duration)
  return td.scenario "served" { target = td.gpu "H100 SXM" { count = 1 },
    workload = td.poisson { rps = parts.rps or 8, duration = duration },
    attrs = { prompt_tokens = td.lognormal { mean = parts.prompt or 700, cv = 1 },
      output_tokens = td.gamma { mean = parts.output or 120, cv = 0.7 } },
    pipeline = { td.generate "answer" { model = td.llm "Llama-3.1-8B",
      engine = { server = "vllm" },
      step = td.roofline { factor = parts.factor or 1, request = "8ms" } } } }
end

function drifting.exported(parts, duration, seed, scrape)
  local path = os.tmpname()
  assert(drifting.server(parts, duration):run { replications = 1, seed = seed, warmup = "none",
    metrics = path, scrape = scrape or 15 })
  return path
end

-- Windows of a server as the detector sees them: which figures of each drift, and whether one does
-- slowly, where that is asked for.
function drifting.judged(detector, parts, windows, seed, slowly)
  local path = drifting.exported(parts, (windows + 2) * drifting.WINDOW, seed, drifting.WINDOW)
  local merged = metrics.merged(assert(metrics.read { path }))
  os.remove(path)
  local known, out = names.own(), {}
  for k = 2, windows + 1 do
    local rows, any = detector:judge(drift.seen(merged, known, k, k), drifting.WINDOW)
    local moved = slowly and slowly:add(drift.seen(merged, known, k, k), drifting.WINDOW, k)
    out[#out + 1] = { any = any, slowly = moved ~= nil and moved ~= false }
    for _, row in ipairs(assert(rows)) do out[#out][row.key] = row.drifted end
  end
  return out
end

-- Windows of a server whose steps slow down (or whose parts change) little by little, as the
-- detector of slow drift sees them one after the other: after how many it is called; nil: never.
function drifting.crept(slowly, parts_of, windows, seed)
  local known, k = names.own(), 0
  local step = 10 -- windows of the same parts
  while k < windows do
    local path = drifting.exported(parts_of(k), (step + 2) * drifting.WINDOW, seed + k,
      drifting.WINDOW)
    local merged = metrics.merged(assert(metrics.read { path }))
    os.remove(path)
    for i = 2, step + 1 do
      k = k + 1
      local moved = slowly:add(drift.seen(merged, known, i, i), drifting.WINDOW, k)
      if moved then return k, moved end
    end
  end
end

function drifting.share(list, key)
  local n = 0
  for _, one in ipairs(list) do n = n + (one[key] and 1 or 0) end
  return n / #list
end

return drifting
