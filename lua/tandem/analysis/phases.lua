--- Phases of an inference process by its API calls; counted in src/analysis/process/phases.c.
local columns = require "tandem.analysis.columns"
local format = require "tandem.text.format"
local styles = require "tandem.plot.style"

local PROCESSES <const> = 4 -- that are drawn
local ORDER <const> = { "init", "weight_load", "input", "execute", "retrieve", "cleanup" }
local WORDS <const> = { weight_load = "weight load" }
local CELLS <const> = 72 -- as many as src/analysis/process/execution.c counts
local SHADES <const> = { "░", "▒", "▓", "█" }
local NAME <const> = 13

-- How much of each cell of a line a phase covers.
local function cover(steps, phase, from_ns, to_ns)
  local cells, each = {}, (to_ns - from_ns) / CELLS
  for i = 1, CELLS do cells[i] = 0 end
  for _, step in ipairs(steps) do
    if step.phase == phase and each > 0 then
      local first, last = (step.at_ns - from_ns) / each, (step.at_ns + step.dur_ns - from_ns) / each
      for i = math.max(0, math.floor(first)), math.min(CELLS - 1, math.floor(last)) do
        cells[i + 1] = cells[i + 1] + math.max(0, math.min(last, i + 1) - math.max(first, i))
      end
    end
  end
  return cells
end

local function drawn(cells)
  local signs = {}
  for i, share in ipairs(cells) do
    signs[i] = share <= 0 and " " or SHADES[math.max(1, math.min(4, math.ceil(share * 4)))]
  end
  return table.concat(signs)
end

-- A line for each phase of a process, and one for how busy the GPU was.
local function draw(process, steps, activity, style, lines)
  local from_ns, to_ns, has = math.huge, 0, {}
  for _, step in ipairs(steps) do
    from_ns, to_ns = math.min(from_ns, step.at_ns), math.max(to_ns, step.at_ns + step.dur_ns)
    has[step.phase] = true
  end
  lines[#lines + 1] = style:paint(style:text(styles.clean(process)), "bold")
  local function add(name, cells)
    lines[#lines + 1] = style:text(("  %s%s"):format(styles.pad(name, NAME), drawn(cells)))
      :gsub("%s+$", "")
  end
  for _, phase in ipairs(ORDER) do
    if has[phase] then add(WORDS[phase] or phase, cover(steps, phase, from_ns, to_ns)) end
  end
  if #activity > 0 then
    local cells = {}
    for i, one in ipairs(activity) do cells[i] = one.share end
    add("GPU busy", cells)
  end
  local last = format.time((to_ns - from_ns) / 1e9)
  lines[#lines + 1] = style:paint(style:text(("  %s0%s%s"):format((" "):rep(NAME),
    (" "):rep(CELLS - 1 - styles.columns(last)), last)), "dim")
end

-- The first processes, the rows of each.
local function by_process(rows)
  local order, of = {}, {}
  for _, row in ipairs(rows) do
    if not of[row.process] then
      of[row.process] = {}
      order[#order + 1] = row.process
    end
    table.insert(of[row.process], row)
  end
  return order, of
end

local function heading(answer, style)
  local lines = {}
  if style.width < 2 + NAME + CELLS then return lines end
  local order, steps = by_process(answer:frame("timeline").rows)
  local _, activity = by_process(answer:frame("gpu_activity").rows)
  for i = 1, math.min(PROCESSES, #order) do
    if i > 1 then lines[#lines + 1] = "" end
    draw(order[i], steps[order[i]], activity[order[i]] or {}, style, lines)
  end
  if #order > PROCESSES then
    lines[#lines + 1] = style:text(("  and %s more; --process chooses one"):format(
      format.plural(#order - PROCESSES, "process", "processes")))
  end
  return lines
end

---@type tandem.Analysis
return {
  title = "Phases",
  summary = "an inference process: init, weights, input, execution, retrieval, cleanup; idle times",
  about = "Follows the CUDA (HIP) calls of each process through the phases of inference, with the "
    .. "bytes that each one copies and allocates; in what bursts kernels are launched, and how "
    .. "busy the GPU is; where the process has neither a call nor GPU work; how often the host "
    .. "stops until the GPU is done, and the operating system takes it off the CPU. Works on "
    .. "traces of calls alone (eBPF) and on captures with GPU work.",
  options = {
    { name = "idle", value = "TIME", kind = "time", help = "The shortest idle period to tell "
      .. "(default: 1ms)." },
  },
  frames = {
    phases = { title = "Phases", columns = {
      columns.text("process", "process"), columns.text("phase", "phase", { words = WORDS }),
      columns.time("total_ns", "total"), columns.share("share", "time"),
      columns.count("times", "times", { optional = 3 }),
      columns.count("calls", "calls", { optional = 5 }),
      columns.time("call_ns", "in calls", { optional = 4 }),
      columns.bytes("to_gpu_bytes", "to GPU"),
      columns.bandwidth("to_gpu_bytes_per_s", "at"), columns.bytes("from_gpu_bytes", "from GPU"),
      columns.bytes("copied_bytes", "other copies", { optional = 2 }),
      columns.bytes("allocated_bytes", "allocated"),
      columns.count("launches", "launches", { optional = 1 }) } },
    execution = { title = "Execution", columns = {
      columns.text("process", "process"), columns.count("launches", "launches"),
      columns.count("bursts", "bursts"), columns.count("launches_per_burst", "each"),
      columns.time("between_ns", "apart"), columns.time("burst_every_ns", "a burst every"),
      columns.time("gpu_ns", "GPU time", { optional = 1 }), columns.share("gpu_share", "GPU busy"),
      columns.count("gpu_gaps", "gaps"), columns.time("longest_gap_ns", "longest"),
      columns.moment("longest_gap_at_ns", "at", { optional = 2 }) } },
    gpu_activity = { title = "GPU busy", plain = true, columns = {
      columns.text("process", "process"), columns.moment("at_ns", "at"),
      columns.time("dur_ns", "for"), columns.share("share", "busy") } },
    switches = { title = "Switches", columns = {
      columns.text("process", "process"), columns.count("host_gpu_switches", "host to GPU"),
      columns.time("wait_ns", "waiting"), columns.share("wait_share", "of the time"),
      columns.count("os_switches", "off the CPU"), columns.time("off_cpu_ns", "for") } },
    idle = { title = "Idle periods", columns = {
      columns.moment("at_ns", "at"), columns.time("dur_ns", "for"),
      columns.text("process", "process"), columns.text("after", "after", { words = WORDS }),
      columns.text("before", "before", { words = WORDS }) } },
    timeline = { title = "One after another", columns = {
      columns.moment("at_ns", "at"), columns.time("dur_ns", "for"),
      columns.text("process", "process"), columns.text("phase", "phase", { words = WORDS }),
      columns.count("calls", "calls"), columns.bytes("to_gpu_bytes", "to GPU"),
      columns.bytes("from_gpu_bytes", "from GPU"), columns.count("launches", "launches") } },
  },
  heading = heading,
  plots = function(answer)
    local rows, first, several = {}, answer:rows()[1], false
    for _, row in ipairs(answer:rows()) do several = several or row.process ~= first.process end
    for _, row in ipairs(answer:rows()) do
      local name = WORDS[row.phase] or row.phase
      rows[#rows + 1] = { name = several and ("%s: %s"):format(row.process, name) or name,
        value = row.total_ns / 1e9, note = ("%.1f %%"):format(100 * row.share),
        front = row.phase == "execute" }
    end
    if #rows == 0 then return {} end
    return { { title = "Phases", chart = require("tandem.plot").bars { title = "Phases",
      subtitle = "darker: executing", x = { label = "time", unit = "s" }, rows = rows } } }
  end,
}
