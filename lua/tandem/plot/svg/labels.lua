--- Where words go on a chart so that none covers another.
--
-- Owns two puzzles: labels in a column moved apart as little as possible (`spread`), and boxes
-- placed at the best of several spots beside what is drawn already (`Boxes`).
local labels = {}

--- Moves wanted positions apart to at least `gap`, within low and high, as little as possible.
---@param wanted number[]  any order
---@param gap number
---@param low number
---@param high number
---@return number[] positions  in the order of `wanted`
function labels.spread(wanted, gap, low, high)
  local order = {}
  for index = 1, #wanted do order[index] = index end
  table.sort(order, function(a, b)
    if wanted[a] ~= wanted[b] then return wanted[a] < wanted[b] end
    return a < b
  end)
  -- Neighbours that would touch become one block, which stands where its members want it on
  -- average.
  local blocks = {}
  for _, index in ipairs(order) do
    local block = { sum = wanted[index], count = 1, members = { index } }
    while true do
      block.from = block.sum / block.count - gap * (block.count - 1) / 2
      block.from = math.max(low, math.min(block.from, high - gap * (block.count - 1)))
      local before = blocks[#blocks]
      if not before or before.from + gap * before.count <= block.from then
        break
      end
      table.move(block.members, 1, block.count, before.count + 1, before.members)
      before.sum, before.count = before.sum + block.sum, before.count + block.count
      blocks[#blocks], block = nil, before
    end
    blocks[#blocks + 1] = block
  end
  local positions = {}
  for _, block in ipairs(blocks) do
    for position, index in ipairs(block.members) do
      positions[index] = block.from + gap * (position - 1)
    end
  end
  return positions
end

---@class tandem.Boxes
---@field taken number[][]  { left, top, right, bottom, weight }
local Boxes = {}
Boxes.__index = Boxes

--- A surface on which boxes are placed.
---@param left number
---@param top number
---@param right number
---@param bottom number
---@return tandem.Boxes
function labels.boxes(left, top, right, bottom)
  return setmetatable({ left = left, top = top, right = right, bottom = bottom, taken = {} }, Boxes)
end

--- The surface as it is now, to try on.
---@return tandem.Boxes
function Boxes:copy()
  local made = labels.boxes(self.left, self.top, self.right, self.bottom)
  table.move(self.taken, 1, #self.taken, 1, made.taken)
  return made
end

--- Marks a rectangle as taken; covering a heavy one is worse.
---@param left number
---@param top number
---@param right number
---@param bottom number
---@param weight? number
function Boxes:take(left, top, right, bottom, weight)
  self.taken[#self.taken + 1] = { left, top, right, bottom, weight or 1 }
end

--- Marks a line through points { x, y } as taken.
---@param points number[][]
---@param weight? number
function Boxes:take_line(points, weight)
  for index = 2, #points do
    local a, b = points[index - 1], points[index]
    local count = math.max(1, math.min(200, math.ceil(math.max(math.abs(b[1] - a[1]),
      math.abs(b[2] - a[2])) / 5)))
    for part = 0, count do
      local x = a[1] + (b[1] - a[1]) * part / count
      local y = a[2] + (b[2] - a[2]) * part / count
      self:take(x - 2, y - 2, x + 2, y + 2, weight)
    end
  end
end

local function overlap(a, left, top, right, bottom)
  local width = math.min(a[3], right) - math.max(a[1], left)
  local height = math.min(a[4], bottom) - math.max(a[2], top)
  return width > 0 and height > 0 and width * height or 0
end

--- The best of several spots for a box, which is taken then; earlier spots win ties.
---@param width number
---@param height number
---@param spots number[][]  { left, top } of each
---@return number[]? spot   nil when every spot leaves the surface
---@return number covered   how much it covers, 0 at best
function Boxes:place(width, height, spots)
  local best, least
  for _, spot in ipairs(spots) do
    local left, top = spot[1], spot[2]
    local right, bottom = left + width, top + height
    if left >= self.left and right <= self.right and top >= self.top and bottom <= self.bottom then
      local sum = 0
      for _, taken in ipairs(self.taken) do
        sum = sum + overlap(taken, left, top, right, bottom) * taken[5]
      end
      if not least or sum < least then
        best, least = spot, sum
      end
    end
  end
  return best, least or math.huge
end

return labels
