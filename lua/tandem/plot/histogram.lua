--- Histograms and distribution functions as text.
--
-- Owns both pictures of a distribution given as bins: bars per bin, and the share below each edge.
local bar = require "tandem.plot.bar"
local format = require "tandem.format"
local ticks = require "tandem.plot.ticks"

local histogram = {}

---@class tandem.Histogram
---@field edges number[]   one more than counts, ascending
---@field counts number[]
---@field kind? tandem.QuantityKind  of the edges; "time" unless told
---@field unit? string                … or as the axes of charts have it

local MOST_ROWS <const> = 16

--- Joins neighbouring bins until at most `most` are left, so that the picture fits a screen.
---@param bins tandem.Histogram
---@param most integer
---@return number[] edges
---@return number[] counts
local function coarsen(bins, most)
  local edges, counts = bins.edges, bins.counts
  local first, last = 1, #counts
  while first < last and counts[first] == 0 do
    first = first + 1
  end
  while last > first and counts[last] == 0 do
    last = last - 1
  end
  local step = math.max(1, math.ceil((last - first + 1) / most))
  local new_edges, new_counts = { edges[first] }, {}
  for index = first, last, step do
    local sum = 0
    for inner = index, math.min(index + step - 1, last) do
      sum = sum + counts[inner]
    end
    new_counts[#new_counts + 1] = sum
    new_edges[#new_edges + 1] = edges[math.min(index + step, last + 1)]
  end
  return new_edges, new_counts
end

-- An edge in words.
local function word_of(bins)
  if bins.unit then
    local spec = { unit = bins.unit }
    return function(edge) return ticks.value(edge, spec) end
  end
  local kind = bins.kind or "time"
  return function(edge) return format.quantity(edge, kind) end
end

local function total(counts)
  local sum = 0
  for _, count in ipairs(counts) do
    sum = sum + count
  end
  return sum
end

--- One bar per bin, with its share.
---@param bins tandem.Histogram
---@param place tandem.Style
---@return string[] lines
function histogram.lines(bins, place)
  local word = word_of(bins)
  local edges, counts = coarsen(bins, MOST_ROWS)
  local sum = total(counts)
  if sum <= 0 then
    return { "(empty)" }
  end
  local labels, notes = {}, {}
  for index, count in ipairs(counts) do
    labels[index] = word(edges[index]) .. " – " .. word(edges[index + 1])
    notes[index] = format.percent(count / sum)
  end
  return bar.chart({ labels = labels, values = counts, notes = notes }, place)
end

--- The share at or below each edge, as bars that grow to 100 %.
---@param bins tandem.Histogram
---@param place tandem.Style
---@return string[] lines
function histogram.cumulative(bins, place)
  local word = word_of(bins)
  local edges, counts = coarsen(bins, MOST_ROWS)
  local sum, below = total(counts), 0
  if sum <= 0 then
    return { "(empty)" }
  end
  local labels, values, notes = {}, {}, {}
  for index, count in ipairs(counts) do
    below = below + count
    labels[index] = "≤ " .. word(edges[index + 1])
    values[index] = below / sum
    notes[index] = format.percent(below / sum)
  end
  return bar.chart({ labels = labels, values = values, notes = notes, max = 1 }, place)
end

--- Bins of plain samples, equal in width, for what has no histogram yet.
---@param samples number[]
---@param count? integer  bins, 16 unless told
---@param kind? tandem.QuantityKind
---@return tandem.Histogram
function histogram.of(samples, count, kind)
  count = count or MOST_ROWS
  local low, high = math.huge, -math.huge
  for _, value in ipairs(samples) do
    if value == value then
      low, high = math.min(low, value), math.max(high, value)
    end
  end
  if low > high then
    return { edges = { 0, 1 }, counts = { 0 }, kind = kind or "count" }
  elseif low == high then
    return { edges = { low, high }, counts = { #samples }, kind = kind or "count" }
  end
  local edges, counts = {}, {}
  for index = 0, count do
    edges[index + 1] = low + (high - low) * index / count
  end
  for index = 1, count do
    counts[index] = 0
  end
  for _, value in ipairs(samples) do
    if value == value then
      local bin = math.min(count, math.floor((value - low) / (high - low) * count) + 1)
      counts[bin] = counts[bin] + 1
    end
  end
  return { edges = edges, counts = counts, kind = kind or "count" }
end

return histogram
