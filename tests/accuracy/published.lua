-- What other simulators publish of themselves, beside this one on points like theirs.
--
-- Each line has its conditions: who measured, whether constants had seen these runs. Ours are
-- predicted with the configuration, or the GPU, left out. Owns the figures, which are their
-- authors' (or a third party's where it says so), and which of our points are like theirs. Called
-- by left_out.lua.

local published = {}

-- Median absolute errors in percent unless it says otherwise.
local LINES <const> = {
  { who = "BLIS, trained physics", what = "vLLM on H100, A100, L40S; trained on such runs",
    set = "stages", tpot = 6.6, ttft = 16.2, e2e = 6.6 },
  { who = "AISimulate", what = "DeepSeek R1 of InferenceX, kernels of these GPUs measured",
    set = "inferencex", tpot = 18.2, ttft = 56.4 },
  { who = "AISimulate", what = "its own 723 points, all models", tpot = 28.4, ttft = 76.7,
    all = true },
  { who = "KernelSight-LM", what = "a GPU generation not seen (arXiv 2606.28565)", tpot = 12.8,
    ttft = 15.4, all = true, gpu = true },
  { who = "LLMServingSim 2", what = "step tables of the very machine, Qwen3-32B; means",
    tpot = 0.8, ttft = 1.3, e2e = 1.0, case = "measured" },
  { who = "Vidur", what = "operators profiled (arXiv 2405.05465), at most",
    e2e = 9, case = "measured" },
}

local function median(list)
  table.sort(list)
  return list[(#list + 1) // 2]
end

local function off(predicted, measured)
  return 100 * math.abs(predicted / measured - 1)
end

-- Medians of our errors on the points that a line is about.
local function ours(line, rows, answers)
  local tpot, ttft, e2e = {}, {}, {}
  for i, row in ipairs(rows) do
    local p, a = row.point, answers[i]
    if (line.all or p.set == line.set) and p.tpot_s then
      tpot[#tpot + 1] = off(a.tpot_s, p.tpot_s)
      if p.ttft_s and a.ttft_s and (p.load == "open" or p.ttft_is == "median") then
        ttft[#ttft + 1] = off(a.ttft_s, p.ttft_s)
        local more = p.output - 1
        e2e[#e2e + 1] = off(a.ttft_s + more * a.tpot_s, p.ttft_s + more * p.tpot_s)
      end
    end
  end
  return { tpot = median(tpot), ttft = median(ttft), e2e = median(e2e), count = #tpot }
end

local function cell(value) return value and ("%5.1f"):format(value) or "    –" end

--- Prints a line of theirs and one of ours for each condition.
---@param rows table[]
---@param seen table[]  answers with each configuration left out
---@param unseen table[]  … each GPU
function published.print(rows, seen, unseen)
  print "median errors that others publish, %, and ours on points like theirs"
  print(("%-24s %-56s %5s %5s %5s"):format("", "", "TPOT", "TTFT", "E2E"))
  for _, line in ipairs(LINES) do
    print(("%-24s %-56s %s %s %s"):format(line.who, line.what, cell(line.tpot), cell(line.ttft),
      cell(line.e2e)))
    if line.case then
      print(("%-24s see make accuracy CASE=%s"):format("  tandem", line.case))
    else
      local mine = ours(line, rows, line.gpu and unseen or seen)
      print(("%-24s %-56s %s %s %s"):format("  tandem", ("%d points, each %s left out"):format(
        mine.count, line.gpu and "GPU" or "configuration"), cell(mine.tpot), cell(mine.ttft),
        cell(mine.e2e)))
    end
  end
end

return published
