--- Sparklines: a series of values in one line of text.
--
-- Owns the eight heights and how a series is brought to a number of columns. Used by the timeline
-- and by plot.spark.
local spark = {}

local HEIGHTS = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }
local PLAIN_HEIGHTS = { ".", ":", "-", "=", "+", "*", "#", "@" }

--- Brings a series to `columns` values: the mean of what falls into each column (weighted by how
--- much of a value does), so that no peak is lost to sampling and no time is counted twice.
---@param values number[]
---@param columns integer
---@return number[]
function spark.resample(values, columns)
  local count, resampled = #values, {}
  if count == 0 then
    return resampled
  end
  for column = 1, columns do
    local from, to = (column - 1) * count / columns, column * count / columns
    local sum, weight = 0, 0
    for index = math.floor(from) + 1, math.min(count, math.ceil(to)) do
      local value = values[index]
      local part = math.min(to, index) - math.max(from, index - 1)
      if value == value and part > 0 then
        sum, weight = sum + value * part, weight + part
      end
    end
    resampled[column] = weight > 0 and sum / weight or 0
  end
  return resampled
end

--- One line, a character a value: blank at 0, the highest block at `max`.
---@param values number[]
---@param max number
---@param style tandem.Style
---@return string
function spark.line(values, max, style)
  local heights = style.unicode and HEIGHTS or PLAIN_HEIGHTS
  local line = {}
  for index, value in ipairs(values) do
    if not (value > 0 and max > 0) then
      line[index] = " "
    else
      local height = math.ceil(value / max * #heights - 1e-9)
      line[index] = heights[math.max(1, math.min(height, #heights))]
    end
  end
  return table.concat(line)
end

return spark
