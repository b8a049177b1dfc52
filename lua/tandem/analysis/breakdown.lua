--- Where each GPU's time goes. The counting is src/analysis/breakdown/breakdown.c's.
local columns = require "tandem.analysis.columns"
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

local PARTS <const> = { { "compute_ns", "compute" }, { "exposed_comm_ns", "exposed comm" },
  { "exposed_copy_ns", "exposed copies" }, { "idle_ns", "idle" } }

local SAID <const> = { { "compute_share", "computing" }, { "exposed_comm_share", "communicating" },
  { "exposed_copy_share", "copying" }, { "idle_share", "idle" } }

-- "GPU #0: 71.2 % computing, 28.8 % idle": of the GPU that computes least.
local function headline(answer)
  local worst
  for _, gpu in ipairs(answer:rows()) do
    if gpu.compute_share and (not worst or gpu.compute_share < worst.compute_share) then
      worst = gpu
    end
  end
  if not worst then return nil end
  local parts = {}
  for _, one in ipairs(SAID) do
    local share = worst[one[1]]
    if share and share >= 0.0005 then
      parts[#parts + 1] = ("%.1f %% %s"):format(100 * share, one[2])
    end
  end
  return ("%s%s: %s."):format(tostring(worst.device), #answer:rows() > 1
    and ", the GPU that computes least" or "", table.concat(parts, ", "))
end

---@type tandem.Analysis
return {
  headline = headline,
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
  plots = function(answer)
    local rows, several = {}, #answer:rows() > 1
    for _, gpu in ipairs(answer:rows()) do
      for _, part in ipairs(PARTS) do
        if gpu[part[1]] > 0 then
          rows[#rows + 1] = { name = several and ("%s: %s"):format(gpu.device, part[2]) or part[2],
            value = gpu[part[1]] / 1e9, front = part[1] == "compute_ns" }
        end
      end
    end
    if #rows == 0 then return {} end
    return { { title = "Where GPU time goes", chart = require("tandem.plot.svg").bars {
      title = "Where GPU time goes", x = { label = "time", unit = "s" }, rows = rows } } }
  end,
}
