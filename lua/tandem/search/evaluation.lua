--- Evaluations compared: which is best, and whether noise allows a difference to be seen.
--
-- Owns the record that answers a point, and the few questions every method asks of it. The driver
-- makes the records; the searches in lib/search and users' own ask here. Public as
-- td.search.best, .apart, .noise and .more.

local evaluation = {}

---@class tandem.Evaluation
---@field value number    the objective, to be made small; math.huge when the point failed
---@field half number|nil half-width of its confidence interval; nil when there is no noise
---@field sd number|nil   standard deviation of one replication's value
---@field n integer       replications it rests on, all that were ever asked for
---@field point tandem.Point
---@field ok boolean
---@field message string|nil why the point failed

--- The lowest of evaluations, the first of equals; failed ones never. `before`: one to beat.
---@param list tandem.Evaluation[]
---@param before tandem.Evaluation|nil
---@return tandem.Evaluation|nil
function evaluation.best(list, before)
  local best = before
  for _, e in ipairs(list) do
    if e.ok and (not best or e.value < best.value) then best = e end
  end
  return best
end

--- How far two values may lie apart by noise alone.
---@param a tandem.Evaluation
---@param b tandem.Evaluation
---@return number  in the objective's unit
function evaluation.noise(a, b) return math.sqrt((a.half or 0) ^ 2 + (b.half or 0) ^ 2) end

--- Whether two values differ by more than their noise. Without half-widths, always.
---@param a tandem.Evaluation
---@param b tandem.Evaluation
---@return boolean
function evaluation.apart(a, b)
  if not a.half and not b.half then return true end
  if a.value == b.value then return false end -- math.huge twice, too
  return math.abs(a.value - b.value) > evaluation.noise(a, b)
end

--- Asks for as many replications again of each, which narrows half-widths by √2. Gives the list
--- as it was when nothing came of it, and nil when the budget is used up.
---@param ask fun(points: tandem.Point[], how: table|nil): tandem.Evaluation[]|nil
---@param list tandem.Evaluation[]
---@return tandem.Evaluation[]|nil
---@return boolean grown
function evaluation.more(ask, list)
  local points, counts = {}, {}
  for i, e in ipairs(list) do points[i], counts[i] = e.point, e.ok and e.n or 0 end
  local told = ask(points, { replications = counts })
  if not told then return nil, false end
  local grown = false
  for i, e in ipairs(told) do grown = grown or e.n > list[i].n end
  return told, grown
end

return evaluation
