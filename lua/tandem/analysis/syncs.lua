--- Synchronization by kind and by call. The counting is src/analysis/summary/syncs.c's.
local columns = require "tandem.analysis.columns"

---@type tandem.Analysis
return {
  title = "Synchronization",
  summary = "synchronization by kind, and the calls that wait",
  about = "Sums synchronization twice: the records of CUPTI by kind (waits for a stream, an event, "
    .. "a device; a stream's wait for an event costs its host nothing), and the API calls in which "
    .. "the host waited, those named …Synchronize or …Sync (a call inside another that waits is "
    .. "the same wait and counts once). The two tables show the same waits from two "
    .. "sides and must not be added.",
  options = {
    { name = "each", value = "WHAT",
      choices = { "device", "stream", "process", "rank", "thread" },
      help = "Separate rows for each of them; calls have no device and no stream." },
  },
  frames = {
    syncs = { title = "Synchronization by kind", columns = columns.join(columns.summary(),
      columns.split(), { columns.text("name", "kind") }) },
    calls = { title = "Calls that wait", columns = columns.join(columns.summary(),
      columns.split(), { columns.text("name", "call") }) },
  },
}
