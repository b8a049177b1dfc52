--- Operators by name. The counting is src/analysis/summary/ops.c's.
local columns = require "tandem.analysis.columns"

---@type tandem.Analysis
return {
  title = "Operators",
  summary = "PyTorch operators by name: host time, GPU time, kernels",
  about = "Sums the operators of a torch profile by name, those that keep GPUs busy longest first: "
    .. "GPU time of what was launched in the operator itself (gpu self) and in those inside it "
    .. "(gpu total); host time without (self) and with (host) the operators inside. Totals count "
    .. "recursion once: an operator inside another of its name on the same thread adds to count "
    .. "and self, not to gpu total and host; mean is host by the outermost calls of the name. The "
    .. "second table has the kernels by the operator that launched them. Kernels of a CUDA graph "
    .. "are those of the operators that were captured, where the capture is in the run: import "
    .. "both files where vLLM or SGLang wrote two.",
  options = {
    { name = "each", value = "WHAT",
      choices = { "device", "stream", "process", "rank", "thread" },
      help = "Separate rows for each of them: of operators by process, rank, thread; of kernels by "
        .. "device, stream, process, rank." },
  },
  frames = {
    ops = { title = "Operators", columns = columns.join({
      columns.share("share", "GPU time"), columns.time("gpu_self_ns", "GPU self"),
      columns.time("gpu_total_ns", "GPU total"), columns.time("self_ns", "self"),
      columns.time("total_ns", "host"), columns.time("mean_ns", "mean", { optional = 2 }),
      columns.count("count", "count"),
      columns.count("outermost", "outermost", { hidden = true }),
      columns.count("launching", "launching", { optional = 2 }),
      columns.count("gpu_ops", "GPU ops", { optional = 2 }) }, columns.split(), {
      columns.text("name", "operator") }) },
    kernels = { title = "Kernels by operator", columns = columns.join(columns.summary(),
      columns.split(), { columns.text("op", "operator"), columns.text("kernel", "kernel") }) },
  },
  plots = require("tandem.analysis.largest").plots("Operators by GPU time", "gpu_self_ns"),
}
