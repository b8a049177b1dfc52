--- Where each GPU's time goes. The counting is src/analysis/breakdown/breakdown.c's.
local columns = require "tandem.analysis.columns"
local format = require "tandem.text.format"
local options = require "tandem.analysis.options"

local hidden <const> = { hidden = true }

local function parts()
  return { columns.time("total_ns", "total"), columns.share("compute_share", "compute"),
    columns.share("exposed_comm_share", "exposed comm"),
    columns.share("exposed_copy_share", "exposed copies"), columns.share("idle_share", "idle"),
    columns.share("busy_share", "busy", hidden),
    columns.time("compute_ns", "compute", { optional = 1 }),
    columns.time("comm_ns", "comm", { optional = 2 }),
    columns.time("hidden_comm_ns", "hidden comm", { optional = 3 }),
    columns.time("copy_ns", "copies", { optional = 2 }),
    columns.time("hidden_copy_ns", "hidden copies", { optional = 3 }),
    columns.time("idle_ns", "idle", { optional = 1 }),
    columns.time("exposed_comm_ns", nil, hidden), columns.time("exposed_copy_ns", nil, hidden),
    columns.time("busy_ns", nil, hidden) }
end

local PARTS <const> = { { "compute_ns", "compute", "computing" },
  { "exposed_comm_ns", "exposed comm", "communicating while nothing computes" },
  { "exposed_copy_ns", "exposed copies", "copying while nothing computes" },
  { "idle_ns", "idle", "idle" } }

-- The time of all GPUs by what they did, the largest part first.
local function headline(answer)
  local total, words, sums = 0, {}, {}
  for i, part in ipairs(PARTS) do sums[i] = { ns = 0, name = part[3] } end
  for _, gpu in ipairs(answer:rows()) do
    total = total + gpu.total_ns
    for i, part in ipairs(PARTS) do sums[i].ns = sums[i].ns + gpu[part[1]] end
  end
  if total == 0 then return nil end
  table.sort(sums, function(a, b)
    if a.ns ~= b.ns then return a.ns > b.ns end
    return a.name < b.name
  end)
  for _, sum in ipairs(sums) do
    if sum.ns > 0 then words[#words + 1] = ("%.1f %% %s"):format(100 * sum.ns / total, sum.name) end
  end
  local gpus = #answer:rows()
  return ("GPU time, from first work to last (%s): %s."):format(gpus > 1
    and ("%d GPUs, %s in all"):format(gpus, format.time(total / 1e9))
    or format.time(total / 1e9), table.concat(words, ", "))
end

-- GPUs of a chart; tables have all.
local MOST_GPUS <const> = 64

---@type tandem.Analysis
return {
  title = "Where GPU time goes",
  summary = "GPU time: computing, communicating, copying, idle",
  about = "How long each GPU computed, communicated, copied and did nothing, from its first work "
    .. "to its last. Compute, exposed communication (while nothing computes), exposed copies "
    .. "(while nothing computes or communicates) and idle add up to the total, as TraceLens' "
    .. "gpu_timeline has them; hidden time is the rest of communication and copies. The second "
    .. "table is HolisticTraceAnalysis' temporal breakdown, where memsets do not compute. GPUs "
    .. "are never merged; ranks with several have sums of theirs.",
  options = { options.rules, options.work },
  frames = {
    breakdown = { title = "Where GPU time goes", columns = columns.join(
      { columns.count("rank", "rank"), columns.text("device", "GPU") }, parts()) },
    temporal = { title = "Idle, compute, other", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.time("total_ns", "total"), columns.time("idle_ns", "idle"),
      columns.share("idle_share", "idle"), columns.time("compute_ns", "compute"),
      columns.share("compute_share", "compute"), columns.time("non_compute_ns", "other"),
      columns.share("non_compute_share", "other") } },
    ranks = { title = "Ranks, GPUs added up", columns = columns.join(
      { columns.count("rank", "rank"), columns.count("devices", "GPUs") }, parts()) },
  },
  headline = headline,
  plots = function(answer)
    local gpus = answer:rows()
    local rows, several = {}, #gpus > 1
    for i, gpu in ipairs(gpus) do
      if i > MOST_GPUS then break end
      for _, part in ipairs(PARTS) do
        if gpu[part[1]] > 0 then
          rows[#rows + 1] = { name = several and ("%s: %s"):format(columns.gpu_name(gpu), part[2])
            or part[2],
            value = gpu[part[1]] / 1e9, front = part[1] == "compute_ns" }
        end
      end
    end
    if #rows == 0 then return {} end
    return { { title = "Where GPU time goes", chart = require("tandem.plot").bars {
      title = "Where GPU time goes", subtitle = "darker: computing" .. (#gpus > MOST_GPUS
        and ("; the first %d of %d GPUs"):format(MOST_GPUS, #gpus) or ""),
      x = { label = "time", unit = "s" }, rows = rows } } }
  end,
}
