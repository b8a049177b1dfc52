--- Ranks side by side, and how they meet; counted in src/analysis/process/ranks.c.
local columns = require "tandem.analysis.columns"

---@type tandem.Analysis
return {
  title = "Ranks",
  summary = "what each rank did; skew at collectives, and who is last",
  about = "Sets the ranks of a run of several files (or processes) side by side: how long their "
    .. "GPU was busy, computed, communicated. Collectives are matched across ranks by name and "
    .. "order; the last rank to arrive holds the others up. Clocks are those of the import: the "
    .. "notes say how far apart collectives end.",
  frames = {
    ranks = { title = "Ranks", columns = {
      columns.count("rank", "rank"), columns.text("process", "process"),
      columns.text("device", "GPU", { optional = 2 }),
      columns.moment("first_ns", "from", { optional = 3 }), columns.time("span_ns", "span"),
      columns.time("busy_ns", "busy"), columns.time("idle_ns", "idle"),
      columns.time("compute_ns", "compute"), columns.time("comm_ns", "comm"),
      columns.time("exposed_comm_ns", "exposed"), columns.time("wait_ns", "waiting"),
      columns.count("last_count", "was last"), columns.time("held_up_ns", "held up"),
      columns.text("file", "file", { optional = 1, hidden = true }) } },
    collectives = { title = "Collectives", columns = {
      columns.moment("at_ns", "at"), columns.time("skew_ns", "skew"),
      columns.time("wait_ns", "waiting"), columns.time("shortest_ns", "shortest"),
      columns.time("longest_ns", "longest", { optional = 3 }),
      columns.time("end_skew_ns", "ends apart", { optional = 2 }),
      columns.count("ranks", "ranks"), columns.count("ordinal", "#", { optional = 4 }),
      columns.count("last_rank", "last rank"), columns.text("last", "last", { optional = 1 }),
      columns.text("name", "kernel") } },
  },
  plots = function(answer)
    local rows = {}
    for _, row in ipairs(answer:rows()) do
      if row.wait_ns then
        rows[#rows + 1] = { name = row.rank and ("rank %d"):format(row.rank)
          or ("process %d"):format(row.process or 0), value = row.wait_ns / 1e9,
          note = ("last at %d"):format(row.last_count), front = true }
      end
    end
    if #rows == 0 then return {} end
    return { { title = "Waiting for others at collectives",
      chart = require("tandem.plot").bars { title = "Waiting for others at collectives",
        x = { label = "time", unit = "s" }, rows = rows } } }
  end,
}
