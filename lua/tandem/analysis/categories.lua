--- GPU work by category. The counting is src/analysis/rules/categories.c's, the rules are chosen in
--- lua/tandem/categories.
local columns = require "tandem.analysis.columns"
local format = require "tandem.text.format"

local function amounts()
  return { columns.share("share", "of GPU"), columns.share("wall_share", "of wall"),
    columns.time("elapsed_ns", "elapsed"), columns.time("total_ns", "total"),
    columns.count("count", "count") }
end

local function tensor_core(value) return value and "yes" or "no" end

-- GPUs or ranks of a chart; tables have all.
local MOST_PARTS <const> = 64

---@type tandem.Analysis
return {
  title = "Categories",
  own_command = true,
  summary = "kernels by category (gemm, attention, communication …), by rules",
  about = "Sorts the kernels, copies and memsets of a run into categories by rules on their names: "
    .. "those of an engine (vllm, sglang, tensorrt_llm, jax, torch, amd, cuda_libraries), all of "
    .. "them unless one is named, or your own. Elapsed counts each nanosecond of a GPU once, for "
    .. "the work that began first; total sums durations. CPU(non-GPU) is the time of the wall "
    .. "clock in which the GPU had nothing to do. GPUs are never merged.",
  options = {
    { name = "rules", value = "FILE", help = "Rules of your own: Lua that returns td.rules, or "
      .. "JSON, {\"ENGINE\": {\"MODEL\": {\"regex\": \"category\"}}}." },
    { name = "engine", value = "NAME", help = "Whose rules: a shipped pack, or one of --rules or "
      .. "of the folder $TANDEM_RULES (rules, unless set)." },
    { name = "model", value = "NAME", help = "The model, for engines that tell them apart." },
    { name = "elapsed", value = "TIME", kind = "time", help = "Wall clock of the run without "
      .. "profiling, such as 306s (default: the recorded time)." },
    { name = "each", value = "WHAT", choices = { "device", "rank", "all" },
      help = "Separate rows for each GPU (the default), each rank, or all GPU time together." },
  },
  frames = {
    categories = { title = "Categories", columns = columns.join(columns.split(), amounts(), {
      columns.count("names", "kernels", { optional = 2 }),
      columns.text("category", "category") }) },
    kernels = { title = "Kernels", columns = columns.join(columns.split(), amounts(), {
      columns.text("category", "category"), columns.text("rule", "rule"),
      columns.text("phase", "phase", { optional = 3 }),
      columns.text("library", "library", { optional = 2 }),
      columns.text("dtype", "dtype", { optional = 3 }),
      { name = "tensor_core", title = "tensor core", align = "left", optional = 3,
        show = function(value) return value == nil and "" or tensor_core(value) end },
      columns.text("name", "kernel") }) },
    time = { title = "Time", columns = columns.join(columns.split(), {
      columns.count("devices", "GPUs"), columns.time("wall_ns", "wall"),
      columns.time("gpu_ns", "GPU"), columns.time("non_gpu_ns", "non-GPU"),
      columns.time("total_ns", "total", { optional = 2 }),
      columns.time("unmatched_ns", "unmatched", { optional = 2 }),
      columns.share("unmatched_share", "unmatched") }) },
  },
  answer = function(view, chosen)
    local rules, message, code = require("tandem.categories.choose").rules(chosen)
    if not rules then return nil, message, code end
    local raw
    raw, message, code = view:count("categories", { rules = rules.set, elapsed = chosen.elapsed,
      each = chosen.each })
    if not raw then return nil, message, code end
    raw.basis[#raw.basis + 1] = ("rules: %s of %s"):format(format.plural(#rules.list, "rule"),
      table.concat(rules.packs, ", "))
    return raw
  end,
  plots = function(answer)
    local profile = require "tandem.categories.profile"
    local times, bars = answer:frame("time").rows, {}
    local names, rows = profile.part_names(times), profile.rows_by_part(answer, "categories")
    for i, time in ipairs(times) do
      if i > MOST_PARTS then break end
      local parts = {}
      for k, row in ipairs(rows[time.part] or {}) do
        parts[k] = { name = row.category, value = row.elapsed_ns / 1e9,
          rest = row.category == "CPU(non-GPU)" }
      end
      bars[i] = { name = names[i] or "all GPUs", parts = parts }
    end
    if #bars == 0 then return {} end
    return { { title = "Elapsed time by category", chart = require("tandem.plot").stacked {
      title = "Elapsed time by category", bars = bars, x = { unit = "s" },
      subtitle = #times > MOST_PARTS and ("the first %d of %d"):format(MOST_PARTS, #times)
        or nil } } }
  end,
  examples = { "tandem categories last", "tandem categories run1.nsys-rep,vllm,llama,306 "
    .. "run2.nsys-rep,vllm,llama,302 --out-dir results",
    "tandem categories last --rules mine.json --engine DEF --model ABC" },
}
