--- How busy GPUs were over time. The counting is src/analysis/breakdown/utilization.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

-- GPUs of a busy node are told apart; more than these would hide one another.
local MOST_LINES <const> = 8

-- One line a GPU: its busy share over seconds from the first record.
local function series_of(answer)
  local series, known = {}, {}
  for _, row in ipairs(answer:rows()) do
    local key = ("%s\0%s"):format(row.rank or "", row.device)
    local one = known[key]
    if not one and #series < MOST_LINES then
      one = { name = columns.gpu_name(row), x = {}, y = {}, step = "after" }
      known[key], series[#series + 1] = one, one
    end
    if one then
      one.x[#one.x + 1], one.y[#one.y + 1] = row.at_ns / 1e9, row.busy_share or 0 / 0
      one.last = row
    end
  end
  for _, one in ipairs(series) do -- the last step has its whole width
    one.x[#one.x + 1] = (one.last.at_ns + one.last.to_ns - one.last.from_ns) / 1e9
    one.y[#one.y + 1], one.last = one.y[#one.y], nil
  end
  if #series == 1 then series[1].name = nil end
  return series
end

---@type tandem.Analysis
return {
  title = "GPU utilization",
  summary = "how busy GPUs were over time, in equal bins",
  about = "Cuts the time from the first GPU work to the last of all GPUs into equal bins and "
    .. "says for each GPU which share of each bin it was busy, computed, communicated and "
    .. "copied. A nanosecond counts once, however many pieces of work cover it.",
  options = {
    { name = "bins", value = "N", kind = "integer", help = "How many bins (default: 30)." },
    options.rules, options.work,
  },
  frames = {
    utilization = { title = "GPU utilization", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.moment("at_ns", "at"), columns.share("busy_share", "busy"),
      columns.share("compute_share", "compute"), columns.share("comm_share", "comm"),
      columns.share("copy_share", "copies"), columns.count("from_ns", nil, { hidden = true }),
      columns.count("to_ns", nil, { hidden = true }) } },
  },
  answer = function(view, chosen)
    local raw, message, code = view:count("utilization", chosen)
    columns.since_start(view, raw, "from_ns", "at_ns")
    return raw, message, code
  end,
  plots = function(answer)
    local series = #answer.frames > 0 and series_of(answer) or {}
    if #series == 0 then return {} end
    return { { title = "GPU utilization", chart = require("tandem.plot").lines {
      title = "GPU utilization", x = { label = "from the first record", unit = "s" },
      y = { label = "busy", unit = "%", min = 0, max = 1 }, series = series } } }
  end,
}
