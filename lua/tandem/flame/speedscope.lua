--- A flame graph as a file of speedscope: one sampled profile, a sample a stack.
local json = require "tandem.io.json"

local speedscope = {}

--- The text.
---@param graph tandem.FlameGraph
---@return string
function speedscope.text(graph)
  local frames, number, samples, weights, path, total = {}, {}, {}, {}, {}, 0
  for _, frame in ipairs(graph.frames) do
    if frame.depth > 0 then
      local key = frame.category .. "\0" .. frame.name
      if not number[key] then
        frames[#frames + 1] = { name = frame.name, file = frame.category }
        number[key] = #frames - 1
      end
      path[frame.depth] = number[key]
      if frame.self > 0 then
        samples[#samples + 1] = table.move(path, 1, frame.depth, 1, {})
        weights[#weights + 1] = frame.self
        total = total + frame.self
      end
    end
  end
  return json.encode({
    ["$schema"] = "https://www.speedscope.app/file-format-schema.json",
    exporter = "tandem@" .. require("tandem.core").version(), name = graph.title,
    shared = { frames = frames },
    profiles = { { type = "sampled", name = graph.title, startValue = 0, endValue = total,
      unit = graph.unit == "ns" and "nanoseconds" or "none", samples = samples,
      weights = weights } },
  }, { lists = { frames = true, profiles = true, samples = true, weights = true } }) .. "\n"
end

return speedscope
