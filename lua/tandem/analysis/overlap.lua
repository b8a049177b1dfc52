--- What ran at once on each GPU. The counting is src/analysis/breakdown/overlap.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

---@type tandem.Analysis
return {
  title = "Overlap",
  summary = "how much communication and copying hides behind compute",
  about = "The share of communication's time, and of copies', during which the same GPU also "
    .. "computed, and how long each combination of computation, communication and memory work "
    .. "(copies and memsets) ran: HolisticTraceAnalysis' overlap and kernel breakdown.",
  options = { options.rules, options.work },
  frames = {
    overlap = { title = "Hidden by computation", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.time("comm_ns", "communication"), columns.time("comm_with_compute_ns", "hidden"),
      columns.share("comm_overlap_share", "hidden"), columns.time("copy_ns", "copies"),
      columns.time("copy_with_compute_ns", "hidden"),
      columns.share("copy_overlap_share", "hidden") } },
    kinds = { title = "What ran at once", columns = {
      columns.count("rank", "rank"), columns.text("device", "GPU"),
      columns.time("time_ns", "time"), columns.share("share", "share"),
      columns.text("kinds", "kinds") } },
  },
}
