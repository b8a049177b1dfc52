-- Affine step models fitted to one half of a measured run and scored on the other.
--
-- All requests are replayed, since they share steps; the fit sees the latencies of one half only:
-- of every second request, or of those that came first. Costs of a step, of a prompt, of its
-- tokens and pairs, of a sequence and its context are tried one after the other (tandem.llm.fit).
-- The start is the same for all runs. Data as measured.lua's.

local fit = require "tandem.llm.fit"
local llm = require "tandem.llm"
local runs = require "tests.accuracy.runs"

local halves = {}

-- Largest error in percent, either way.
local bars = { ttft = 7, ttft_p99 = 7, tpot = 7, e2e = 7, e2e_p99 = 7 }

-- Seconds for each; and how far a fit may go.
local start = { step = 10e-3, prefill_step = 1e-3, prefill_tokens = 50e-6,
  prefill_attention = 1e-9, decode_seqs = 50e-6, decode_context = 100e-9 }
local names = { "step", "prefill_tokens", "decode_context", "decode_seqs", "prefill_step",
  "prefill_attention" }

local function model_of(constants)
  local piece = { decode_seqs_max = math.huge }
  for name, value in pairs(constants) do piece[name] = value end
  return assert(llm.affine { piece })
end

local function fitted(run, seen)
  local measured, bounds = runs.latencies(run), {}
  for _, name in ipairs(names) do bounds[name] = { start[name] / 1e3, start[name] * 1e3 } end
  return fit.search(start, function(constants)
    local pairs_list = {}
    for i, row in ipairs((runs.replay(run, model_of(constants)))) do
      if seen(i) then
        for name, value in pairs(measured[i]) do
          pairs_list[#pairs_list + 1] = { row[name], value }
        end
      end
    end
    return fit.loss(pairs_list)
  end, { names = names, bounds = bounds, rounds = 30 })
end

local function score(run, what, seen)
  local constants = fitted(run, seen)
  local words = {}
  for _, name in ipairs(names) do words[#words + 1] = ("%s %.3g"):format(name, constants[name]) end
  print(("%s, fitted to %s: %s"):format(run.name, what, table.concat(words, ", ")))
  local function others(i) return not seen(i) end
  return runs.compare(runs.figures(runs.latencies(run), others),
    runs.figures(runs.replay(run, model_of(constants)), others), bars)
end

function halves.run()
  local good = true
  for _, run in ipairs(runs.all() or {}) do
    local middle = #run.measured / 2
    good = score(run, "every second request", function(i) return i % 2 == 0 end) and good
    good = score(run, "the first half", function(i) return i <= middle end) and good
  end
  return good
end

return halves
