--- A flame graph as folded stacks: a line a stack, "main;loop;step 120", for other programs.
local folded = {}

local function name_of(text)
  text = text == "" and "(no name)" or text
  return (text:gsub(";", ":"):gsub("[\r\n]", " "))
end

--- The text; own weights, so that they add up to the whole.
---@param graph tandem.FlameGraph
---@return string
function folded.text(graph)
  local lines, path = {}, {}
  for _, frame in ipairs(graph.frames) do
    if frame.depth > 0 then
      path[frame.depth] = name_of(frame.name)
      if frame.self > 0 then
        lines[#lines + 1] = ("%s %d"):format(table.concat(path, ";", 1, frame.depth), frame.self)
      end
    end
  end
  lines[#lines + 1] = ""
  return table.concat(lines, "\n")
end

return folded
