--- The smallest of the numbers low … high that meets the limits, when more is never worse.
--
-- Owns the order in which numbers are tested: from the guess outwards by doubling steps, then
-- halving. Tests themselves are the caller's. What contradicts "more is never worse" is found here,
-- told, and answered by testing one number after the other from below.
local search = {}

---@class tandem.PlanTested
---@field state tandem.PlanState|"failed"

---@class tandem.PlanFound
---@field answer integer|nil   the smallest that surely meets
---@field floor integer        the largest below that which does not (or low - 1)
---@field tested table<integer, any>
---@field order integer[]      as tested
---@field contradiction { smaller: integer, larger: integer }|nil  smaller met and larger missed
---@field finished boolean     false: stopped before the answer was sure

---@class tandem.PlanSearchOptions
---@field low integer
---@field high integer
---@field guess integer
---@field numbers integer[]|nil  only these, in order (default: all)
---@field scan boolean|nil     more may be worse: test all from below
---@field test fun(numbers: integer[]): boolean  false when there are no more answers
---@field state fun(number: integer): string|nil
---@field neighbours boolean|nil  more may be worse: the numbers beside the answer are tested, too
---@field hopeless (fun(): boolean)|nil  asked once, after the first misses: can none meet them?

local function contradiction(tested, state)
  local met
  table.sort(tested)
  for _, number in ipairs(tested) do
    if state(number) == "meets" then met = met or number end
    if met and state(number) == "misses" then return { smaller = met, larger = number } end
  end
end

-- One after the other from below, two at a time.
local function scan(options, found, last)
  local number = options.low
  while number <= last do
    local pair = { number, number < last and number + 1 or nil }
    if not found.test(pair) then
      found.finished = false
      return
    end
    for _, one in ipairs(pair) do
      if options.state(one) == "meets" then
        found.answer, found.floor = one, one - 1
        return
      end
    end
    number = number + #pair
  end
  found.answer, found.floor = nil, last
end

local function bisect(options, found)
  local low                       -- the largest that does not meet
  local high = options.high + 1   -- the smallest that does
  local guess = math.max(options.low, math.min(options.high, options.guess))
  local step, asked = 1, false
  local next_pair = { guess, guess > options.low and guess - 1 or nil }
  while true do
    -- What was decided before an end that came too early counts.
    found.finished = found.test(next_pair)
    for _, number in ipairs(found.order) do
      local meets = options.state(number) == "meets"
      if meets and number < high then high = number end
    end
    low = options.low - 1
    for _, number in ipairs(found.order) do
      if number < high and number > low and options.state(number) then low = number end
    end
    if not found.finished then break end
    if high > options.high and not asked and options.hopeless then
      asked = true
      if options.hopeless() then break end
    end
    if high - low <= 1 then break end
    if high > options.high then
      next_pair = { math.min(low + step, options.high) }
      step = step * 2
    elseif low == options.low - 1 and high - step > options.low then
      next_pair = { high - 1 - step, high - 1 }
      step = step * 2
    else
      local middle = (low + high) // 2
      next_pair = { middle, middle + 1 < high and middle + 1 or nil }
    end
  end
  found.answer, found.floor = high <= options.high and high or nil, low
end

-- Only some numbers: the search is over their indices in the list.
local function among(options)
  local list, guess = {}, 1
  for _, number in ipairs(options.numbers) do
    if number >= options.low and number <= options.high then
      list[#list + 1] = number
      if number <= options.guess then guess = #list end
    end
  end
  local function at(index) return list[index] end
  local function all(indices)
    local out = {}
    for i, index in ipairs(indices) do out[i] = list[index] end
    return out
  end
  local inner = {}
  for key, value in pairs(options) do inner[key] = value end
  inner.numbers, inner.low, inner.high, inner.guess = nil, 1, #list, guess
  inner.test = function(indices) return options.test(all(indices)) end
  inner.state = function(index) return options.state(at(index)) end
  local found = search.smallest(inner)
  found.answer, found.floor = at(found.answer), at(found.floor) or options.low - 1
  found.order = all(found.order)
  local odd = found.contradiction
  if odd then odd.smaller, odd.larger = at(odd.smaller), at(odd.larger) end
  return found
end

--- Finds it.
---@param options tandem.PlanSearchOptions
---@return tandem.PlanFound
function search.smallest(options)
  if options.numbers then return among(options) end
  local found = { tested = {}, order = {}, finished = true }
  function found.test(numbers)
    local new = {}
    for _, number in ipairs(numbers) do
      if not found.tested[number] then
        found.tested[number] = true
        found.order[#found.order + 1], new[#new + 1] = number, number
      end
    end
    return #new == 0 or options.test(new)
  end
  if options.low > options.high then
    found.floor = options.low - 1
  elseif options.scan then
    scan(options, found, options.high)
  else
    bisect(options, found)
    if options.neighbours and found.answer and found.finished then
      local beside = { found.answer < options.high and found.answer + 1 or nil }
      if found.answer - 2 >= options.low then beside[#beside + 1] = found.answer - 2 end
      found.finished = found.test(beside)
    end
    found.contradiction = contradiction(table.move(found.order, 1, #found.order, 1, {}),
      options.state)
    if found.contradiction and found.finished then scan(options, found, found.answer) end
  end
  return found
end

return search
