--- Heat maps of very many cells, brought to what a picture or a screen has room for.
--
-- Owns how neighbours become one cell: the mean of those that have a value.
local heatmap = require "tandem.plot.chart.heatmap"

local pool = {}

-- The names of pooled columns or rows: that of the first in each.
local function thinned(axis, count, every)
  if not (axis and axis.values) then
    axis = setmetatable({ values = {} }, { __index = axis })
    for index = 1, count do axis.values[index] = index end
  end
  local values = {}
  for index = 1, count, every do values[#values + 1] = axis.values[index] end
  return setmetatable({ values = values }, { __index = axis })
end

--- The same chart with at most so many rows and columns.
---@param chart tandem.HeatChart
---@param most_rows integer
---@param most_columns integer
---@return tandem.HeatChart
---@return string? note
function pool.chart(chart, most_rows, most_columns)
  local rows, columns = heatmap.shape(chart)
  local down = math.max(1, math.ceil(rows / math.max(1, most_rows)))
  local across = math.max(1, math.ceil(columns / math.max(1, most_columns)))
  if down == 1 and across == 1 then return chart end
  local values = {}
  for row = 1, rows, down do
    local line = {}
    for column = 1, columns, across do
      local sum, count = 0, 0
      for r = row, math.min(row + down - 1, rows) do
        for k = column, math.min(column + across - 1, columns) do
          local value = heatmap.cell(chart, r, k)
          if value then sum, count = sum + value, count + 1 end
        end
      end
      line[(column - 1) // across + 1] = count > 0 and sum / count or 0 / 0
    end
    values[#values + 1] = line
  end
  return setmetatable({ values = values, x = thinned(chart.x, columns, across),
    y = thinned(chart.y, rows, down) }, { __index = chart }),
    ("each cell is the mean of %d × %d of %d × %d (rows × columns)"):format(down, across, rows,
      columns)
end

return pool
