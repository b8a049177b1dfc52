--- CUDA graphs and the cost of their launches; counted in src/analysis/process/graphs.c.
local columns = require "tandem.analysis.columns"

---@type tandem.Analysis
return {
  title = "CUDA graphs",
  summary = "launches, nodes and GPU time of CUDA (HIP) graphs; what launching costs",
  about = "Gathers the launches of each graph, recorded node by node (kernels that bear the "
    .. "correlation of a call named *GraphLaunch) or as a whole (rows of category graph), and "
    .. "compares the time that launching takes on the host, for each kernel, with kernels that are "
    .. "launched singly.",
  frames = {
    graphs = { title = "Graphs", columns = {
      columns.text("mode", "recorded by"), columns.count("graph_id", "graph"),
      columns.count("launches", "launches"), columns.count("nodes", "nodes"),
      columns.time("gpu_ns", "GPU time"), columns.time("span_ns", "span", { optional = 2 }),
      columns.time("mean_span_ns", "mean span"), columns.time("call_ns", "launching"),
      columns.time("mean_call_ns", "mean launch", { optional = 3 }),
      columns.count("rank", "rank", { optional = 4 }), columns.text("device", "GPU"),
      columns.text("first_node", "first node", { optional = 1 }) } },
    cost = { title = "Cost of launching", columns = {
      columns.text("how", "launched"), columns.count("calls", "calls"),
      columns.count("works", "kernels"), columns.time("call_ns", "in calls"),
      columns.time("call_per_work_ns", "for each kernel"), columns.time("gpu_ns", "GPU time") } },
    setup = { title = "Making graphs", columns = {
      columns.count("count", "count"), columns.time("total_ns", "total"),
      columns.text("name", "call") } },
  },
  plots = function(answer)
    local rows = {}
    for _, row in ipairs(#answer.frames > 1 and answer:frame("cost").rows or {}) do
      if row.call_per_work_ns then
        rows[#rows + 1] = { name = row.how, value = row.call_per_work_ns / 1e9, front = true }
      end
    end
    if #rows == 0 then return {} end
    return { { title = "Launching, for each kernel", chart = require("tandem.plot").bars {
      title = "Launching, for each kernel", x = { label = "time", unit = "s" }, rows = rows } } }
  end,
}
