-- The model of power caps against what is published of LLMs on GPUs with `nvidia-smi -pl`.
--
-- Each row has the watts that a card drew without a cap (as measured; its rating where nobody
-- says), and the share of that speed that was left at each cap. Of compute-bound work only such as
-- language models do is there: prompts, diffusion, transformers. Each card or author in turn is
-- left out: the law's two factors and their spread come from the others (means of logarithms, a row
-- counting as one, points that lose less than 2 % being noise), and what was measured of it is held
-- against the 90 % interval, give or take that noise. Left out are rows of which nobody says what
-- the card drew without a cap and that surely want more than it is rated for (gpu-burn: 27 % fewer
-- from 300 to 250 W of an RTX 3090, nodehome.ai). Prints the constants as lua/tandem/llm/power.lua
-- has them beside those of all rows. Own to this file: the measurements. The law is asked of core.

local core = require "tandem.core"
local power = require "tandem.llm.power"

local accuracy = {}

-- who: left out together. seen: watts without a cap. kept: { cap in W, share of the speed }, …
local ROWS <const> = {
  -- github.com/Light-Heart-Labs/MMBT-Messy-Model-Bench-Tests, hardware-tests/vllm-power-sweep-
  -- 2026-04-29: RTX PRO 6000 Workstation, vLLM, AWQ; Qwen3.6-27B and Qwen3-Coder-Next, 32
  -- sequences and one; caps as means of the watts that were read.
  { who = "MMBT", card = "RTX PRO 6000", what = "27B, batch 32", rated = 600, seen = 573, kept = {
    { 447.7, 1382.1 / 1387 }, { 398.5, 1320.2 / 1387 }, { 348.3, 1201.5 / 1387 },
    { 298.7, 1033.5 / 1387 } } },
  { who = "MMBT", card = "RTX PRO 6000", what = "27B, batch 1", rated = 600, seen = 516, kept = {
    { 447.8, 72.0 / 72.1 }, { 398.1, 71.3 / 72.1 }, { 348.4, 68.6 / 72.1 },
    { 298.7, 62.6 / 72.1 } } },
  { who = "MMBT", card = "RTX PRO 6000", what = "MoE, batch 32", rated = 600, seen = 547, kept = {
    { 497.2, 2458.3 / 2463 }, { 447.7, 2430.8 / 2463 }, { 398, 2370.8 / 2463 },
    { 348.4, 2227.9 / 2463 }, { 298.7, 2011.2 / 2463 } } },
  { who = "MMBT", card = "RTX PRO 6000", what = "MoE, batch 1", rated = 600, seen = 488, kept = {
    { 447.3, 163.1 / 163.2 }, { 397.7, 161.8 / 163.2 }, { 348.3, 159 / 163.2 },
    { 298.6, 148.4 / 163.2 } } },
  -- ecency.com/@themarkymark: two cards serve GLM-4.5-Air; 500 W is a guess.
  { who = "themarkymark", card = "RTX PRO 6000", what = "MoE, many users", rated = 600, seen = 500,
    kept = { { 360, 1883.27 / 1900.02 }, { 300, 1813.35 / 1900.02 }, { 250, 1596.71 / 1900.02 } } },
  -- llmgarage.ai/power-limit-tokens-per-second-benchmark: six cards, MiniMax M2.5, llama.cpp.
  { who = "llmgarage", card = "RTX 3090", what = "decode", rated = 350, kept = {
    { 300, 72.1 / 72.6 }, { 250, 70.7 / 72.6 }, { 200, 68.3 / 72.6 }, { 150, 62.6 / 72.6 },
    { 100, 12.1 / 72.6 } } },
  { who = "llmgarage", card = "RTX 3090", what = "prompts", rated = 350, computes = true, kept = {
    { 300, 9326 / 9893 }, { 250, 8436 / 9893 }, { 200, 5941 / 9893 }, { 150, 2549 / 9893 },
    { 100, 1390 / 9893 } } },
  -- jankyai.droidgram.com/power-limiting-rtx-3090-gpu-to-increase-power-efficiency
  { who = "jankyai", card = "RTX 3090", what = "decode", rated = 350, kept = { { 300, 101 / 103 },
    { 250, 97 / 103 }, { 225, 91 / 103 }, { 200, 83 / 103 }, { 187, 76 / 103 }, { 175, 64 / 103 },
    { 150, 42 / 103 }, { 125, 20 / 103 } } },
  -- thegeniusfactory.net, of Thorsten Meyer's guide
  { who = "Meyer", card = "RTX 4090", what = "decode", rated = 450, seen = 390,
    kept = { { 300, 0.934 }, { 260, 0.915 } } },
  -- inventivehq.com/blog/gpu-power-limit-tokens-per-watt: Qwen2.5-Coder-7B, llama.cpp
  { who = "inventivehq", card = "RTX 5060 Ti", what = "decode", rated = 180, seen = 172.7,
    kept = { { 159.3, 1 }, { 147.2, 80.4 / 81.2 } } },
  -- arXiv 2310.03003: LLaMA 65B
  { who = "Samsi", card = "A100 PCIe", what = "serving", rated = 250,
    kept = { { 175, 1 / 1.067 } } },
  -- github.com/bradrlaw/ai-server, pull request 32: SDXL
  { who = "bradrlaw", card = "V100", what = "diffusion", rated = 250, computes = true,
    kept = { { 200, 9.37 / 10.09 }, { 175, 9.37 / 10.63 } } },
  -- blog.qwertyforce.dev/posts/optimal_power_limit: training of a ViT
  { who = "qwertyforce", card = "RTX 3090", what = "ViT, tf32", rated = 480, computes = true,
    kept = { { 320, 0.95 }, { 280, 0.9 }, { 230, 0.8 } } },
  { who = "qwertyforce", card = "RTX 3090", what = "ViT, fp32", rated = 480, computes = true,
    kept = { { 380, 0.95 }, { 330, 0.9 }, { 280, 0.8 } } },
}

local Z <const> = 1.6449
local NOISE <const> = 0.02 -- of a time, beside which a loss says nothing of the law
-- Steps of a second that wait for memory, or have all the arithmetic that kernels reach.
local function affine(seconds) return { kind = "affine", pieces = { { step = seconds } } } end

-- How much longer steps take, by core.
local function longer(row, cap_w, factors, off)
  local seen = row.seen or row.rated
  local model = assert(core.llm.step { kind = "capped", step = affine(1),
    memory_step = affine(0), arithmetic_step = affine(row.computes and power.capped.full or 0),
    power = { idle = power.constants.idle, active = seen / row.rated, cap = cap_w / row.rated },
    cap = { memory = factors.memory * math.exp(off), full = power.capped.full,
      arithmetic = factors.arithmetic * math.exp(off) } })
  return model:step_s { decode_seqs = 1, decode_context = 1, decode_context_max = 1, sampled = 1 }
end

local ONE <const> = { memory = 1, arithmetic = 1 }

-- Logarithms of the law's factor, of points that lose more than noise.
local function factors_of(row)
  local out = {}
  for _, point in ipairs(row.kept) do
    local lost = 1 / point[2] - 1
    if lost > NOISE then
      out[#out + 1] = math.log(lost / (longer(row, point[1], ONE, 0) - 1))
    end
  end
  return out
end

local function mean(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x end
  return sum / #list
end

-- Means of both kinds of rows, and the spread of points around them, each row counting as one.
local function estimate(without)
  local rows = { memory = {}, arithmetic = {} }
  for _, row in ipairs(ROWS) do
    local own = row.who ~= without and factors_of(row) or {}
    local kind = rows[row.computes and "arithmetic" or "memory"]
    if #own > 0 then kind[#kind + 1] = own end
  end
  local out, squares = {}, {}
  for kind, list in pairs(rows) do
    local means = {}
    for i, own in ipairs(list) do means[i] = mean(own) end
    local middle = mean(means)
    out[kind] = math.exp(middle)
    for _, own in ipairs(list) do
      local sum = 0
      for _, x in ipairs(own) do sum = sum + (x - middle) ^ 2 end
      squares[#squares + 1] = sum / #own
    end
  end
  table.sort(squares) -- the same sum whatever the order of kinds
  out.spread = math.sqrt(mean(squares) * #squares / (#squares - 2))
  return out
end

-- Prints a row's points against an estimate that has not seen them; how many are held.
local function told(row, c)
  local held, texts = 0, {}
  for i, point in ipairs(row.kept) do
    local low = longer(row, point[1], c, -Z * c.spread)
    local high = longer(row, point[1], c, Z * c.spread)
    local took = 1 / point[2]
    local within = took >= low - NOISE and took <= high + NOISE
    held = held + (within and 1 or 0)
    texts[i] = ("%.0f W %.2f (%.2f: %.2f – %.2f)%s"):format(point[1], took,
      longer(row, point[1], c, 0), low, high, within and "" or " !")
  end
  print(("  %-13s %-16s %s"):format(row.card, row.what, table.concat(texts, ", ")))
  return held
end

--- Prints how many times under caps lie within intervals that have not seen their card.
---@return boolean good
function accuracy.run()
  print "  times over those without a cap, measured (predicted: 90 %), each author left out:"
  local held, count = 0, 0
  for _, row in ipairs(ROWS) do
    held, count = held + told(row, estimate(row.who)), count + #row.kept
  end
  print(("  held: %d of %d (%.0f %%)"):format(held, count, 100 * held / count))
  local c = estimate(nil)
  print(("  by all: memory %.2f, arithmetic %.2f, spread of the logarithm %.2f; as shipped %.2f, "
    .. "%.2f, %.2f"):format(c.memory, c.arithmetic, c.spread, power.capped.memory,
    power.capped.arithmetic, power.capped.spread))
  return held >= 0.85 * count
end

return accuracy
