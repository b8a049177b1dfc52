--- The kinds of plots for the manual. What each kind is for, its example and its keys come from the
--- sources (annotations, the table of keys); the pictures are drawn when the section is read.
-- Kinds whose picture says more than words.
local SHOWN <const> = { line = true, stacked = true, histogram = true, heatmap = true,
  gantt = true }

local function indented(text)
  return "  " .. text:gsub("\n", "\n  ")
end

---@param style tandem.Style
---@return string
return function(style)
  local examples = require "tandem.plot.public.examples"
  local keys = require "tandem.plot.public.keys"
  local styles = require "tandem.plot.style"
  local small = styles.new { width = math.min(style.width - 4, 72), unicode = style.unicode }
  local parts = {}
  for _, kind in ipairs(keys.order) do
    local about = examples.of(kind)
    parts[#parts + 1] = ("td.plot.%s"):format(kind)
    parts[#parts + 1] = indented(table.concat(styles.wrap(about.words, small.width), "\n")) .. "\n"
    parts[#parts + 1] = indented(indented(about.code)) .. "\n"
    if SHOWN[kind] then
      parts[#parts + 1] = indented(indented(examples.run(about.code):text(small))) .. "\n"
    end
    local names = {}
    for _, key in ipairs(keys.kinds[kind].keys) do
      if key[3] and not keys.is_common(key) then names[#names + 1] = key[1] end
    end
    parts[#parts + 1] = indented(table.concat(styles.wrap("keys: " .. table.concat(names, " "),
      small.width), "\n  ")) .. "\n"
  end
  local common = {}
  for _, key in ipairs(keys.common) do
    common[#common + 1] = ("  %-10s %s"):format(key[1], key[3])
  end
  parts[#parts + 1] = "Keys that every plot has\n" .. table.concat(common, "\n")
  return table.concat(parts, "\n")
end
