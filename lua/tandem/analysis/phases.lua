--- Phases of an inference process by its API calls; counted in src/analysis/process/phases.c.
local columns = require "tandem.analysis.columns"

---@type tandem.Analysis
return {
  title = "Phases",
  summary = "an inference process: init, weights, input, execution, retrieval, cleanup; idle times",
  about = "Follows the CUDA (HIP) calls of each process through the phases of inference, with the "
    .. "bytes that each one copies and allocates; where the process has neither a call nor GPU "
    .. "work; how often the host stops until the GPU is done, and how often the operating system "
    .. "takes it off the CPU. Works on traces of calls alone (eBPF) and on captures with GPU work.",
  options = {
    { name = "idle", value = "TIME", kind = "time", help = "The shortest idle period to tell; 1ms "
      .. "unless told." },
  },
  frames = {
    phases = { title = "Phases", columns = {
      columns.text("process", "process"), columns.text("phase", "phase"),
      columns.time("total_ns", "total"), columns.share("share", "time"),
      columns.count("times", "times"), columns.count("calls", "calls"),
      columns.time("call_ns", "in calls"), columns.bytes("to_gpu_bytes", "to GPU"),
      columns.bytes("from_gpu_bytes", "from GPU"),
      columns.bytes("copied_bytes", "other copies", { optional = 2 }),
      columns.bytes("allocated_bytes", "allocated"),
      columns.count("launches", "launches", { optional = 1 }) } },
    switches = { title = "Switches", columns = {
      columns.text("process", "process"), columns.count("host_gpu_switches", "host to GPU"),
      columns.time("wait_ns", "waiting"), columns.share("wait_share", "of the time"),
      columns.count("os_switches", "off the CPU"), columns.time("off_cpu_ns", "for") } },
    idle = { title = "Idle periods", columns = {
      columns.moment("at_ns", "at"), columns.time("dur_ns", "for"),
      columns.text("process", "process"), columns.text("after", "after"),
      columns.text("before", "before") } },
    timeline = { title = "One after another", columns = {
      columns.moment("at_ns", "at"), columns.time("dur_ns", "for"),
      columns.text("process", "process"), columns.text("phase", "phase"),
      columns.count("calls", "calls"), columns.bytes("to_gpu_bytes", "to GPU"),
      columns.bytes("from_gpu_bytes", "from GPU"), columns.count("launches", "launches") } },
  },
  plots = function(answer)
    local rows, first, several = {}, answer:rows()[1], false
    for _, row in ipairs(answer:rows()) do several = several or row.process ~= first.process end
    for _, row in ipairs(answer:rows()) do
      local name = row.phase:gsub("_", " ")
      rows[#rows + 1] = { name = several and ("%s: %s"):format(row.process, name) or name,
        value = row.total_ns / 1e9, note = ("%.1f %%"):format(100 * row.share),
        front = row.phase == "execute" }
    end
    if #rows == 0 then return {} end
    return { { title = "Phases", chart = require("tandem.plot").bars { title = "Phases",
      x = { label = "time", unit = "s" }, rows = rows } } }
  end,
}
