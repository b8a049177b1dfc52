--- The critical path and what-if on it; counted in src/analysis/path.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

-- What bounds the path, as people read it.
local WORDS <const> = { cpu_bound = "CPU", gpu_compute_bound = "GPU compute",
  gpu_communication_bound = "GPU communication", gpu_copy_bound = "GPU copies",
  gpu_kernel_launch_overhead = "launches", gpu_kernel_kernel_overhead = "gaps between kernels",
  idle = "idle" }

-- The same in a sentence, where it differs.
local SAID <const> = { cpu_bound = "the CPU", gpu_compute_bound = "computation on GPUs",
  gpu_communication_bound = "communication", gpu_copy_bound = "copies", idle = "idle time" }

---@type tandem.Analysis
return {
  title = "Critical path",
  summary = "what the run's time depends on, from the first record to the last; what if",
  about = "Follows the run backwards from its last record: a call after what its thread did "
    .. "before, work after its launch or after the work before it in its stream, a wait after what "
    .. "it waited for. Every nanosecond of the path counts once, by what it is and by what bounds "
    .. "it. Of files of several ranks it goes on, at a collective, with the rank that came last. "
    .. "The same graph, replayed with changed costs, predicts what a change would gain.",
  options = {
    { name = "faster", value = "NAME=2x", help = "What if records of this name (a part of it, or "
      .. "an extended regular expression) were so many times as fast; several with ';' between." },
    { name = "no_launch_overhead", help = "What if calls that launch kernels took no time and "
      .. "kernels began at once." },
    { name = "overlap_copies", help = "What if copies held nothing up; the run still takes as "
      .. "long as all copies of one direction on one GPU." },
    { name = "steps", value = "N", kind = "integer", rows = true,
      help = "How many steps of the path to list, "
      .. "from the first (default: as many as are shown; 100,000 in CSV, JSON and Lua), "
      .. "0 for all." },
    options.names,
  },
  frames = {
    segments = { title = "Critical path", columns = {
      columns.share("share", "time"), columns.time("total_ns", "total"),
      columns.count("count", "count"), columns.text("bound", "bound by", { words = WORDS }),
      columns.text("kind", "kind", { optional = 2 }),
      columns.text("process", "where", { optional = 1 }),
      columns.count("names", "names", { optional = 3 }), columns.text("name", "name") } },
    bound = { title = "What bounds it", columns = {
      columns.text("bound", "bound by", { words = WORDS }), columns.time("total_ns", "total"),
      columns.share("share", "time") } },
    ranks = { title = "The path by rank", columns = {
      columns.count("rank", "rank"), columns.time("total_ns", "total"),
      columns.share("share", "time"), columns.count("count", "count"),
      columns.text("file", "file", { optional = 2 }) } },
    path = { title = "The path, from its beginning", columns = {
      columns.moment("at_ns", "at"), columns.time("dur_ns", "for"),
      columns.text("bound", "bound by", { words = WORDS }),
      columns.text("kind", "kind", { optional = 2 }),
      columns.text("process", "where", { optional = 3 }),
      columns.text("track", "track", { optional = 1 }), columns.text("name", "name") } },
    what_if = { title = "What if", columns = {
      columns.time("predicted_ns", "predicted"), columns.time("gain_ns", "gain"),
      columns.time("most_ns", "at most"), columns.share("gain_share", "gain"),
      columns.number("speedup", "speedup", 3),
      columns.text("change", "change") } },
  },
  examples = { "tandem critical-path last",
    "tandem critical-path last --csv --table path --steps 0",
    "tandem critical-path last --faster 'gemm=2x' --no-launch-overhead" },
  headline = function(answer)
    -- The last request's path; what is before its arrival is idle, and tells nothing of the run.
    if answer.run.kind == "simulated" then return nil end
    local most
    for _, row in ipairs(#answer.frames > 1 and answer:frame("bound").rows or {}) do
      if not most or row.total_ns > most.total_ns then most = row end
    end
    return most and ("%.1f %% of the critical path is %s."):format(100 * most.share,
      SAID[most.bound] or WORDS[most.bound])
  end,
  plots = function(answer)
    local rows = {}
    for _, row in ipairs(answer:frame("bound").rows) do
      rows[#rows + 1] = { name = WORDS[row.bound], value = row.total_ns / 1e9,
        note = ("%.1f %%"):format(100 * row.share), front = row.bound ~= "idle" }
    end
    if #rows == 0 then return {} end
    return { { title = "What bounds the critical path", chart = require("tandem.plot").bars {
      title = "What bounds the critical path", subtitle = "paler: idle",
      x = { label = "time", unit = "s" }, rows = rows } } }
  end,
}
