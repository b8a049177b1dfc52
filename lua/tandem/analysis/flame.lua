--- Stacks by weight, for flame graphs. The counting is src/analysis/flame's; pictures and files of
--- it are lua/tandem/flame's and page/flame.lua's.
local columns = require "tandem.analysis.columns"
local options = require "tandem.analysis.options"

-- "0.5%" is a share, anything else a time.
local function least_of(text)
  local percent = tostring(text):match "^%s*([%d.]+)%s*%%$"
  if percent and tonumber(percent) then return "least_share", tonumber(percent) / 100 end
  local ns, message = options.nanoseconds(text)
  if not ns then return nil, message end
  return "least_ns", ns
end

local GPU <const> = { kernel = true, memcpy = true, memset = true, graph = true, stage = true }

local function kind()
  return columns.text("category", "kind", { show = function(value)
    return value and require("tandem.flame").kind(value) or ""
  end })
end

---@type tandem.Analysis
return {
  title = "Stacks",
  summary = "flame graph: operators, ranges, Python and API calls by host or GPU time",
  about = "Folds what nests on threads - NVTX ranges, annotations, operators, Python functions, "
    .. "API calls, sampled stacks - into a tree. Its weight is the time on the thread, or the time "
    .. "on the GPU of the work that was launched inside a frame (by correlation, down to the "
    .. "kernel), or the number of samples. A function's own weight is what none of the frames "
    .. "inside it has; its total counts recursion once.",
  own_command = true,
  options = {
    { name = "weight", value = "WHAT", choices = { "host", "gpu", "samples" },
      help = "host: time on threads; gpu: time of the kernels, copies and memsets launched inside; "
        .. "samples: sampled stacks. The first of host, samples, gpu that the run has, unless "
        .. "told." },
    { name = "min", value = "LEAST", help = "Frames of less are gathered into one: a time (1ms) or "
      .. "a share of all (0.1%)." },
    { name = "depth", value = "N", kind = "integer", help = "Frames deeper than that count as "
      .. "those above them." },
    { name = "small", value = "TIME", kind = "time", help = "GPU work whose mean is below is "
      .. "gathered into one frame under its call." },
    { name = "merge", help = "The stacks of all threads as one; ranks and GPUs stay apart." },
    { name = "only", value = "CATEGORIES", help = "Host frames of these categories only, with "
      .. "commas: nvtx,cpu_op,runtime." },
  },
  answer = function(view, chosen)
    local given = {}
    for name, value in pairs(chosen) do given[name] = value end
    if given.min then
      local key, value = least_of(given.min)
      if not key then return nil, ("min: %s"):format(value), 2 end
      given[key], given.min = value, nil
    end
    if given.depth and given.depth < 1 then return nil, "depth begins with 1", 2 end
    given.small_ns, given.small = given.small, nil
    return view:count("flame", given)
  end,
  headline = function(answer)
    local first = answer:rows()[1]
    if not first or not first.self_ns or not first.share or GPU[first.category] then return nil end
    return ("%s has the most host time of its own: %.1f %% of the time on threads."):format(
      require("tandem.page.answer").short(first.name), 100 * first.share)
  end,
  plots = function(answer)
    local graph = require("tandem.flame").of(answer)
    if not graph or graph.frames[1].total == 0 then return {} end
    return { { title = "Stacks", chart = require("tandem.flame.svg").draw(graph,
      { title = "Stacks", width = 960, least_pixels = 1, deepest = 24 }) } }
  end,
  frames = {
    functions = { title = "Functions by their own weight", columns = {
      columns.share("share", "own"), columns.time("self_ns", "own time"),
      columns.time("total_ns", "total"), columns.count("self_samples", "own samples"),
      columns.count("total_samples", "samples"), columns.count("count", "count"),
      kind(), columns.text("name", "function") } },
    stacks = { title = "Stacks", plain = true, columns = {
      columns.count("depth"), columns.share("share"), columns.time("total_ns", "total"),
      columns.time("self_ns", "own time"), columns.count("total_samples", "samples"),
      columns.count("self_samples", "own samples"), columns.count("count"),
      kind(), columns.text("name", "frame") } },
  },
}
