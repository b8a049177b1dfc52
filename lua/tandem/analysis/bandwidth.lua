--- What copies move. The counting is src/analysis/breakdown/bandwidth.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

local MOST_LINES <const> = 8

-- One line a GPU and kind of copy: bytes a second over seconds from the first record.
local function series_of(answer)
  local rows, series, known, many = answer:frame("over_time").rows, {}, {}, false
  for _, row in ipairs(rows) do
    many = many or columns.gpu_name(row) ~= columns.gpu_name(rows[1])
  end
  for _, row in ipairs(rows) do
    local key = ("%s\0%s\0%s"):format(row.rank or "", row.device, row.kind)
    local one = known[key]
    if not one and #series < MOST_LINES then
      one = { name = many and ("%s %s"):format(columns.gpu_name(row), row.kind) or row.kind,
        x = {}, y = {}, step = "after" }
      known[key], series[#series + 1] = one, one
    end
    if one then
      one.x[#one.x + 1], one.y[#one.y + 1] = row.at_ns / 1e9, row.bytes_per_s or 0 / 0
    end
  end
  return series
end

---@type tandem.Analysis
return {
  title = "Bandwidth of copies",
  summary = "what copies and memsets move: bandwidth by kind, and over time",
  about = "Bandwidth of copies and memsets by GPU and kind: throughput, which is their bytes over "
    .. "their time; mean (HTA), median and the others over the starts and ends of copies, what all "
    .. "copies of that kind move at once, which is HolisticTraceAnalysis' memory bandwidth "
    .. "summary: a copy counts as much as any other, however short; and bytes moved over time in "
    .. "equal bins, each copy's bytes spread evenly over it.",
  options = {
    { name = "bins", value = "N", kind = "integer", help = "How many bins (default: 30)." },
    options.work,
  },
  frames = {
    bandwidth = { title = "Bandwidth of copies", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"), columns.text("kind", "kind"),
      columns.count("copies", "copies"), columns.bytes("bytes", "bytes"),
      columns.time("time_ns", "time"), columns.bandwidth("throughput_bytes_per_s", "throughput"),
      columns.bandwidth("mean_bytes_per_s", "mean (HTA)", { optional = 1 }),
      columns.bandwidth("stddev_bytes_per_s", "std dev", { optional = 4 }),
      columns.bandwidth("min_bytes_per_s", "min", { optional = 3 }),
      columns.bandwidth("q25_bytes_per_s", "25 %", { optional = 2 }),
      columns.bandwidth("median_bytes_per_s", "median"),
      columns.bandwidth("q75_bytes_per_s", "75 %", { optional = 2 }),
      columns.bandwidth("max_bytes_per_s", "max", { optional = 3 }),
      columns.count("count", "count", { optional = 5 }) } },
    over_time = { title = "Over time", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"), columns.text("kind", "kind"),
      columns.moment("at_ns", "at"), columns.bytes("bytes", "bytes"),
      columns.bandwidth("bytes_per_s", "bandwidth"),
      columns.count("from_ns", nil, { hidden = true }),
      columns.count("to_ns", nil, { hidden = true }) } },
  },
  answer = function(view, chosen)
    local raw, message, code = view:count("bandwidth", chosen)
    columns.since_start(view, raw, "from_ns", "at_ns")
    return raw, message, code
  end,
  plots = function(answer)
    local series = #answer.frames > 1 and series_of(answer) or {}
    if #series == 0 then return {} end
    return { { title = "Bandwidth of copies", chart = require("tandem.plot").lines {
      title = "Bandwidth of copies", x = { label = "from the first record", unit = "s" },
      y = { label = "bandwidth", unit = "B/s", min = 0 }, series = series } } }
  end,
}
