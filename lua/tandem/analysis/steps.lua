--- What each step spent its time on. The counting is src/analysis/breakdown/steps.c's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

local PARTS <const> = { { "kernel", "kernel" }, { "memcpy", "copy" },
  { "memset", "memset", { optional = 3 } }, { "comm", "comm" }, { "runtime", "API" },
  { "data_loader", "data" }, { "cpu", "CPU" }, { "other", "other" } }

local function parts()
  local shares, times = {}, {}
  for i, part in ipairs(PARTS) do
    shares[i] = columns.share(part[1] .. "_share", part[2], part[3])
    times[i] = columns.time(part[1] .. "_ns", nil, { hidden = true })
  end
  return columns.join(shares, times)
end

---@type tandem.Analysis
return {
  title = "Steps",
  summary = "what each training or inference step spent its time on",
  about = "For each step and GPU: every nanosecond counts once, for the first of kernel, copy, "
    .. "memset, communication, API call, data loader, CPU operator that ran in it; the rest is "
    .. "other. That is the order of PyTorch's TensorBoard plugin, which moves a step's ends to its "
    .. "GPU work; here a step is what its range says. A step that waits for data shows it.",
  options = {
    { name = "name", value = "PREFIX", help = "Ranges and annotations whose name begins so are the "
      .. "steps (default: ProfilerStep)." },
    options.rules, options.work,
  },
  frames = {
    steps = { title = "Steps", columns = columns.join({ columns.count("rank", "rank"),
      columns.text("device", "GPU", { optional = 1 }), columns.text("step", "step"),
      columns.moment("at_ns", "at", { optional = 2 }), columns.time("total_ns", "total") },
      parts(), { columns.count("from_ns", nil, { hidden = true }) }) },
  },
  answer = function(view, chosen)
    local raw, message, code = view:count("steps", chosen)
    columns.since_start(view, raw, "from_ns", "at_ns")
    return raw, message, code
  end,
}
