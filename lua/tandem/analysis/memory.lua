--- Memory over time. The counting is src/analysis/memory's.
local columns = require "tandem.analysis.columns"

local function device_columns()
  return { columns.count("rank", "rank"), columns.text("device", "device") }
end

local function held(title)
  return { title = title, columns = columns.join(device_columns(), {
    columns.text("category", "category"), columns.bytes("bytes", "bytes"),
    columns.share("share", "share"), columns.count("count", "blocks", { optional = 1 }),
    columns.bytes("each_bytes", "each", { optional = 1 }), columns.moment("since_ns", "since"),
    columns.text("name", "allocated by"),
    columns.text("stack", "stack", { hidden = true }) }) }
end

-- The rows of a device and rank, in order, as charts of stacked categories.
local function charts(answer)
  local found, by_key = {}, {}
  for _, row in ipairs(answer:frame("timeline").rows) do
    local key = ("%s\0%s"):format(row.rank or "", row.device)
    local one = by_key[key]
    if not one then
      one = { device = row.device, rank = row.rank, at = {}, series = {}, by_name = {} }
      found[#found + 1], by_key[key] = one, one
    end
    local series = one.by_name[row.category]
    if not series then
      series = { name = row.category, y = {} }
      one.series[#one.series + 1], one.by_name[row.category] = series, series
    end
    series.y[#series.y + 1] = row.bytes
    if #one.series == 1 then one.at[#one.at + 1] = row.at_ns / 1e9 end
  end
  return found
end

---@type tandem.Analysis
return {
  title = "Memory",
  summary = "memory over time: the peak and what was alive then, what was never freed",
  about = "Adds up the allocations of a run on each device: the highest that was held, what was "
    .. "alive then, what was allocated in the run and never freed (a leak, if it should have "
    .. "been), how much of what the caching allocator reserved lay unused, and what was held over "
    .. "time by category. It reads PyTorch's profiler (profile_memory), memory timelines and "
    .. "snapshots (of an out-of-memory error, an OOM, too), Nsight Systems' memory usage, "
    .. "and traced calls of the CUDA API that say sizes and addresses. Owners are the operators, "
    .. "stacks, variables or calls that allocated. Devices and ranks stay apart. With --range or "
    .. "--nvtx, 'before' is what is held when that time begins and 'at the end' when it ends.",
  options = {
    { name = "bins", value = "N", kind = "integer",
      help = "Parts of the timeline (default: 120); each shows its highest moment." },
    { name = "top", value = "N", kind = "integer",
      help = "How many rows of what was alive and of what was never freed for each device "
        .. "(default: 50), 0 for all." },
  },
  frames = {
    peaks = { title = "Peaks", columns = columns.join(device_columns(), {
      columns.bytes("peak_bytes", "peak"), columns.moment("at_ns", "at"),
      columns.bytes("before_bytes", "before"), columns.bytes("end_bytes", "at the end"),
      columns.bytes("reserved_bytes", "reserved"),
      columns.bytes("allocated_bytes", "allocated in all", { optional = 2 }),
      columns.count("allocations", "allocations"), columns.count("frees", "frees"),
      columns.bytes("never_freed_bytes", "never freed"),
      columns.count("never_freed", "blocks", { optional = 1 }),
      columns.count("out_of_memory", "out of memory") }) },
    alive = held "Alive at the peak",
    leaks = held "Never freed",
    fragmentation = { title = "Reserved by the allocator",
      columns = columns.join(device_columns(), {
      columns.text("moment", "moment"), columns.bytes("allocated_bytes", "allocated"),
      columns.bytes("reserved_bytes", "reserved"), columns.bytes("unused_bytes", "unused"),
      columns.share("unused_share", "unused share"), columns.bytes("active_bytes", "active"),
      columns.bytes("requested_bytes", "requested", { optional = 1 }),
      columns.bytes("stranded_bytes", "stranded"),
      columns.bytes("largest_free_block_bytes", "largest free block"),
      columns.count("segments", "segments", { optional = 1 }),
      columns.count("blocks", "blocks", { optional = 2 }) }) },
    timeline = { title = "Over time", plain = true, columns = columns.join(device_columns(), {
      columns.text("category", "category"), columns.moment("at_ns", "from"),
      columns.bytes("bytes", "bytes") }) },
  },
  plots = function(answer)
    local made = {}
    if answer:abstains() then return made end
    local plot = require "tandem.plot"
    for _, one in ipairs(charts(answer)) do
      local title = "Memory over time: " .. one.device
        .. (one.rank and (", rank %d"):format(one.rank) or "")
      made[#made + 1] = { title = title, chart = plot.area { title = title,
        x = { label = "time since the first record", unit = "s" },
        y = { label = "held", unit = "B" }, at = one.at, series = one.series } }
    end
    return made
  end,
  examples = { "tandem memory last", "tandem memory last --table alive --csv --top 0",
    "tandem memory last --device 0 --out memory.svg" },
}
