--- Values that are figures, drawn: histograms, series over time, long lists of numbers.
--
-- Owns how they are told apart from other tables, by their shape alone, and what is drawn of each;
-- the drawing is plot/. Used by show, for what an input returned (not for what stands inside it).
local format = require "tandem.text.format"

local figures = {}

local LEAST <const> = 8 -- points, below which a series is told better by its numbers

-- Are these all numbers, NaN for a gap?
local function are_numbers(list)
  if type(list) ~= "table" or getmetatable(list) ~= nil then
    return false
  end
  local count = 0
  for key, value in next, list do
    if math.type(key) ~= "integer" or type(value) ~= "number" then
      return false
    end
    count = count + 1
  end
  return count == #list
end

local function least_and_most(values)
  local least, most = math.huge, -math.huge
  for _, value in ipairs(values) do
    least, most = math.min(least, value), math.max(most, value)
  end
  return least, most
end

-- Latencies between edges, as results keep them. Raw: a stranger's __index may raise.
local function is_histogram(value)
  local edges, counts = rawget(value, "edges_s"), rawget(value, "counts")
  return are_numbers(edges) and are_numbers(counts) and #counts > 0 and #edges == #counts + 1
end

local function histogram(value, style)
  return tostring(require("tandem.plot").histogram({ edges = value.edges_s, counts = value.counts,
    kind = "time" }, style))
end

-- A value of a column in words, by the column's name.
local function in_words(name, value)
  if name:find "latency" or name:find "_s$" then
    return format.time(value)
  elseif name:find "utilization$" then
    return format.percent(value)
  end
  return format.quantity(value, "count")
end

-- One lane for each list that is as long as the times: what is in the table, then what is in a list
-- of named ones, such as stations.
local function lanes_of(value, count, prefix, lanes)
  for _, key in ipairs(require("tandem.text.nearest").sorted_keys(value)) do
    local inner = value[key]
    if type(key) == "string" and key ~= "t" and are_numbers(inner) and #inner == count then
      local least, most = least_and_most(inner)
      if least >= 0 and most < math.huge then
        lanes[#lanes + 1] = { label = prefix .. key, values = inner, max = most,
          note = ("%s to %s"):format(in_words(key, least), in_words(key, most)) }
      end
    end
  end
  for _, key in ipairs(require("tandem.text.nearest").sorted_keys(value)) do
    for _, inner in ipairs(type(value[key]) == "table" and value[key] or {}) do
      if type(inner) == "table" and type(inner.name) == "string" then
        lanes_of(inner, count, prefix .. inner.name .. " ", lanes)
      end
    end
  end
  return lanes
end

local function series(value, style)
  local count = #value.t
  local lanes = lanes_of(value, count, "", {})
  if #lanes == 0 then
    return nil
  end
  local step = (value.t[count] - value.t[1]) / (count - 1)
  return table.concat(require("tandem.plot.chart.lanes").lines(lanes, value.t[1],
    value.t[count] + step, style), "\n")
end

--- A table as a picture in text; nil when it is none of these.
---@param value table
---@param style tandem.Style
---@return string|nil
function figures.text(value, style)
  if is_histogram(value) then
    return histogram(value, style)
  elseif are_numbers(rawget(value, "t")) and #value.t >= LEAST then
    return series(value, style)
  end
end

--- A list of numbers as a line of blocks as wide as the style; nil where heights would not tell.
---@param list number[]
---@param style tandem.Style
---@return string|nil
function figures.spark(list, style)
  local least, most = least_and_most(list)
  if not (least >= 0 and most > 0 and most < math.huge) then
    return nil
  end
  local spark = require "tandem.plot.spark"
  return spark.line(spark.resample(list, math.min(#list, style.width - 4)), most, style)
end

return figures
