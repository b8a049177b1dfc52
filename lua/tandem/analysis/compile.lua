--- torch.compile. The counting is src/analysis/compile's.
local columns = require "tandem.analysis.columns"
local styles = require "tandem.plot.style"

local function with_rank(list)
  table.insert(list, 1, columns.count("rank", "rank"))
  return list
end

-- Reasons may be several lines, paths may be long: CSV and JSON have them whole.
local function prose(name, title)
  return columns.text(name, title, { wrap = true, show = function(value)
    return value and styles.clean((value:gsub("%s+", " "))) or ""
  end })
end

-- "/a/b.py:3 f" as "f b.py:3": the function matters most.
local function frame_column(name, title)
  return columns.text(name, title, { wrap = true, show = function(value)
    if not value then return "" end
    local file, called = value:gsub("^.*/", ""):match "^(%S+:%d+) (.+)$"
    return styles.clean(file and called .. " " .. file or (value:gsub("^.*/", "")))
  end })
end

---@type tandem.Analysis
return {
  title = "torch.compile",
  summary = "torch.compile: graph breaks, recompilations, compile time, caches, fusion",
  about = "Reads what PyTorch logs of torch.compile (set TORCH_TRACE to a directory and import the "
    .. "log): graph breaks with their reason, the line that caused them and PyTorch's hint; "
    .. "recompilations with the guards that failed; failures; compile time by frame and by phase; "
    .. "what caches had; and how many operators the generated code runs in how many calls. Of a "
    .. "trace of a compiled model it tells which share of the kernels' time Inductor's own take.",
  frames = {
    summary = { title = "torch.compile", columns = with_rank {
      columns.count("compilations", "compilations"), columns.count("recompiles", "recompiles"),
      columns.count("graph_breaks", "graph breaks"),
      columns.count("restarts", "restarts", { optional = 2 }),
      columns.count("failures", "failures"), columns.time("compile_ns", "compile time"),
      columns.count("cache_hits", "cache hits"), columns.count("cache_misses", "misses"),
      columns.count("cache_bypasses", "bypasses"),
      columns.count("operators", "operators", { optional = 1 }),
      columns.count("calls", "calls", { optional = 1 }),
      columns.number("fusion_ratio", "fusion ratio", 2) } },
    breaks = { title = "Graph breaks", columns = with_rank {
      columns.count("count", "count"), prose("reason", "reason"),
      frame_column("frame", "where"), columns.text("compile_id", "id", { optional = 1 }),
      prose("hint", "hint") } },
    recompiles = { title = "Recompilations", columns = with_rank {
      columns.text("compile_id", "id"), frame_column("frame", "frame"),
      columns.time("compile_ns", "compile time"), columns.text("guard_of", "guard of"),
      prose("guard", "guard that failed") } },
    failures = { title = "Failures", columns = with_rank {
      columns.text("compile_id", "id"), columns.text("type", "type"),
      prose("reason", "reason"), frame_column("frame", "frame"), frame_column("at", "at") } },
    compilations = { title = "Compilations", columns = with_rank {
      columns.text("compile_id", "id"), columns.share("share", "time"),
      columns.time("compile_ns", "compile time"), columns.time("backend_ns", "backend"),
      columns.time("inductor_ns", "Inductor"),
      columns.time("code_gen_ns", "code gen", { optional = 1 }),
      columns.time("before_restart_ns", "before restart", { optional = 3 }),
      columns.count("attempts", "attempts", { optional = 3 }),
      columns.count("graph_breaks", "breaks", { optional = 2 }),
      columns.count("guards", "guards", { optional = 2 }),
      columns.count("operators", "operators", { optional = 2 }),
      columns.text("graph_cache", "cache"), frame_column("frame", "frame") } },
    fusion = { title = "Fusion", columns = with_rank {
      columns.text("compile_id", "id"), columns.count("dynamo_operators", "Dynamo"),
      columns.count("aot_operators", "AOT"), columns.count("inductor_operators", "Inductor"),
      columns.count("calls", "calls"), columns.count("triton", "Triton"),
      columns.count("cpp", "C++", { optional = 1 }),
      columns.count("extern", "library"), columns.count("fallback", "PyTorch"),
      columns.number("fusion_ratio", "ratio", 2), frame_column("frame", "frame") } },
    caches = { title = "Caches", columns = with_rank {
      columns.text("cache", "cache"), columns.text("outcome", "outcome"),
      columns.count("count", "count"), columns.time("saved_ns", "time saved"),
      prose("reason", "reason") } },
    phases = { title = "Phases", columns = with_rank {
      columns.share("share", "self"), columns.time("self_ns", "self time"),
      columns.time("total_ns", "total"), columns.count("count", "count"),
      columns.text("phase", "phase") } },
    kernels = { title = "Generated kernels", columns = with_rank {
      columns.text("device", "device"), columns.share("share", "of kernel time"),
      columns.time("generated_ns", "generated"), columns.count("generated", "launches"),
      columns.count("names", "kernels"), columns.time("total_ns", "all kernels"),
      columns.count("count", "launches") } },
    regions = { title = "Compiled regions on the host", columns = with_rank {
      columns.time("total_ns", "total"), columns.count("count", "count"),
      columns.text("region", "region") } },
  },
  plots = function(answer)
    if answer:abstains() or answer.frames[1].name ~= "summary" then return {} end
    local rows = {}
    for i, row in ipairs(answer:frame("phases"):first(12).rows) do
      rows[i] = { name = row.phase, value = row.self_ns / 1e9 }
    end
    return { { title = "Compile time by phase", chart = require("tandem.plot").bars {
      title = "Compile time by phase", x = { label = "self time", unit = "s" }, rows = rows } } }
  end,
  examples = { "tandem compile last", "tandem compile last --table breaks --csv" },
}
