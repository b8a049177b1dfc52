--- Blocks of recorded prompts, numbered from 0, as runs of consecutive numbers: a prompt goes on
--- where the one before it ended, so that thousands of blocks are a few pairs.
-- Owns lists of runs: { first, count, first, count, … }. Called by readers of recordings and by
-- what arranges their rows; src/bind/model/arrivals.c makes numbers of them again.

local blocks = {}

--- Adds a number to the end of a list of runs.
---@param runs integer[]
---@param number integer
function blocks.push(runs, number)
  local n = #runs
  if n > 0 and runs[n - 1] + runs[n] == number then
    runs[n] = runs[n] + 1
  else
    runs[n + 1], runs[n + 2] = number, 1
  end
end

--- Adds `count` numbers from `first` on.
---@param runs integer[]
---@param first integer
---@param count integer
function blocks.extend(runs, first, count)
  local n = #runs
  if count == 0 then return end
  if n > 0 and runs[n - 1] + runs[n] == first then
    runs[n] = runs[n] + count
  else
    runs[n + 1], runs[n + 2] = first, count
  end
end

--- The first so many numbers of a list of runs, or all where there are fewer; and how many.
---@param runs integer[]
---@param most integer
---@return integer[]
---@return integer
function blocks.first(runs, most)
  local out, taken = {}, 0
  for i = 1, #runs, 2 do
    local count = math.min(runs[i + 1], most - taken)
    blocks.extend(out, runs[i], count)
    taken = taken + count
    if taken == most then break end
  end
  return out, taken
end

--- One more than the greatest number of a list of runs; 0 of an empty one.
---@param runs integer[]
---@return integer
function blocks.bound(runs)
  local most = 0
  for i = 1, #runs, 2 do most = math.max(most, runs[i] + runs[i + 1]) end
  return most
end

--- Each number of a list of runs.
---@param runs integer[]
---@return fun(): integer|nil
function blocks.each(runs)
  local i, k = 1, -1
  return function()
    k = k + 1
    if i < #runs and k == runs[i + 1] then i, k = i + 2, 0 end
    return i < #runs and runs[i] + k or nil
  end
end

--- Numbers from 0 for ids of any size, the same for the same id.
---@return fun(id: any): integer
function blocks.interner()
  local numbers, count = {}, 0
  return function(id)
    local number = numbers[id]
    if not number then
      number, count = count, count + 1
      numbers[id] = number
    end
    return number
  end
end

--- The blocks of rows as a model takes them, no row so far.
---@param tokens integer  of each
---@return tandem.RecordedBlocks
function blocks.rows(tokens) return { tokens = tokens, runs = {}, ends = {}, count = 0 } end

--- One more row.
---@param rows tandem.RecordedBlocks
---@param runs integer[]
---@param shift integer  is added to each number
function blocks.add_row(rows, runs, shift)
  for i = 1, #runs, 2 do
    blocks.extend(rows.runs, runs[i] + shift, runs[i + 1])
    rows.count = rows.count + runs[i + 1]
  end
  rows.ends[#rows.ends + 1] = rows.count
end

return blocks
