-- Affine step models fitted to one half of a measured run and scored on the other, by what `tandem
-- fit` fits with (tandem.llm.calibrate); prompts' prefixes are known here.
--
-- All requests are replayed, since they share steps; the fit sees the latencies of one half only:
-- of those that chance picks, or of those that came first. Data as measured.lua's.

local calibrate = require "tandem.llm.calibrate"
local runs = require "tests.accuracy.runs"

local halves = {}

-- Largest error in percent, either way: of the mean, of the 99th percentile.
local bars = { TTFT = { 7, 7 }, TPOT = { 7 }, E2E = { 7, 7 } }

local settings = { "max_seqs", "max_batched_tokens", "block_tokens", "chunked_prefill",
  "long_prefill_tokens", "reserve_full_input", "plans_ahead" }

local function measured_of(run)
  local engine, requests = { kv_blocks = run.config.blocks }, {}
  for _, name in ipairs(settings) do engine[name] = run.config[name] end
  for i, r in ipairs(run.requests) do
    local m = run.measured[i]
    requests[i] = { at_s = r.at_ns * 1e-9, prompt = r.prompt, output = r.output,
      ttft_s = m.ttft_ms * 1e-3, e2e_s = m.e2e_ms * 1e-3, hashes = r.hashes, position = i }
  end
  return { kind = "requests", clock = "engine", format = run.name, requests = requests,
    engine = engine, notes = {} }
end

local function judged(error, bar)
  local percent = error * 100
  if not bar then return ("%+6.2f %%"):format(percent), true end
  local met = math.abs(percent) <= bar
  return ("%+6.2f %% (bar %d %%: %s)"):format(percent, bar, met and "met" or "MISSED"), met
end

local function score(run, what, options)
  options.measured = measured_of(run)
  local answer = assert(calibrate.run(options))
  local words, good = {}, true
  for _, p in ipairs(answer.parameters) do
    words[#words + 1] = ("%s %.3g \u{b1} %.1g"):format(p.name, p.value, p.error)
  end
  print(("%s, fitted to %s: %s"):format(run.name, what, table.concat(words, ", ")))
  for _, row in ipairs(answer.rows) do
    local bar = bars[row.what]
    local mean, one = judged(row.error, bar[1])
    local p99, other = judged(row.p99_error, bar[2])
    good = good and one and other
    print(("  %-5s measured %10.2f ms   mean %s   p99 %s"):format(row.what, row.observed * 1e3,
      mean, p99))
  end
  return good
end

function halves.run()
  local good = true
  for _, run in ipairs(runs.all() or {}) do
    good = score(run, "half of the requests, by chance", {}) and good
    good = score(run, "the first half", { split = "half" }) and good
  end
  return good
end

return halves
