--- The largest rows of a summary as bars: the chart of pages and of answer:plot.
--
-- Owns how many there are and what they are called. Used by the descriptions of summaries.
local largest = {}

local ROWS <const> = 12
local SPLITS <const> = { "device", "stream", "process", "thread" }

-- What a row is about: its name, after what it was split by.
local function name_of(row, key)
  local parts = {}
  if row.rank then parts[1] = ("rank %d"):format(row.rank) end
  for _, split in ipairs(SPLITS) do parts[#parts + 1] = row[split] and tostring(row[split]) end
  parts[#parts + 1] = row[key] or "none"
  return table.concat(parts, ": ")
end

--- The plots of a description: the first rows of its first table by a time in it.
---@param title string
---@param value? string  default: "total_ns"; rows are in order of it
---@param key? string    the column of their names (default: "name")
---@return fun(answer: tandem.Answer): tandem.AnalysisPlot[]
function largest.plots(title, value, key)
  value, key = value or "total_ns", key or "name"
  return function(answer)
    local rows = {}
    for i, row in ipairs(answer:rows()) do
      if i > ROWS or not row[value] then break end
      rows[i] = { name = name_of(row, key), value = row[value] / 1e9 }
    end
    if #rows == 0 then return {} end
    return { { title = title, chart = require("tandem.plot").bars { title = title,
      x = { label = "time", unit = "s" }, rows = rows } } }
  end
end

return largest
