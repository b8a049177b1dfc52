--- Searches: an optimizer is a coroutine that asks for evaluations and is told them.
--
-- Owns the conversation: it runs the search, has its points evaluated, stops it when the budget is
-- used up, and says what came of it. Knows neither methods (lib/search, read when first named) nor
-- simulations: `evaluate` is any function. Called by plan and sweeps, and by scripts as td.search:
--
--   local search = td.search
--   local found = search.drive(search.golden { over = { rps = { 1, 100 } } }, evaluate,
--     { budget = 50 })
--   print(found.best.point.rps, found.best.value)
--
-- A search of your own is a function of `ask` and `left` that returns its best evaluation:
--
--   local function mine(ask, left)
--     local best
--     for rps = 10, 100, 10 do
--       local told = ask { { rps = rps, batch = 1 }, { rps = rps, batch = 8 } }
--       if not told then break end         -- the budget is used up: return what you have
--       best = search.best(told, best)     -- the lowest value is best
--     end
--     return best
--   end
--
-- ask(points)                                a point known already costs nothing
-- ask(points, { replications = 20 })         each answer rests on 20 replications or more
-- ask(points, { replications = { 5, 0 } })   so many more for each; answers rest on all so far
-- left()                                     evaluations that the budget still allows
-- Points asked for together are evaluated in parallel. A second value returned, a table, is handed
-- through as `details`.
local account = require "tandem.search.account"
local evaluation = require "tandem.search.evaluation"
local nearest = require "tandem.text.nearest"
local options = require "tandem.search.options"

local search = {
  space = require "tandem.search.space",
  random = require "tandem.search.random",
  best = evaluation.best,
  apart = evaluation.apart,
  noise = evaluation.noise,
  more = evaluation.more,
  options = options.read,
}

--- The searches of lib/search, by name.
search.shipped = { "anneal", "golden", "nelder_mead", "ocba" }

local DEFAULT_BUDGET <const> = 1000
-- So many asks in a row that bring nothing new, and the search is going in circles.
local MOST_REPEATS <const> = 1000

-- Marks what comes from ask, so that a search that yields by itself is told.
local ASK <const> = {}

local function ask(points, how)
  local wrong = account.problem(points, how)
  if wrong then error(wrong, 2) end
  local told, why = coroutine.yield(ASK, points, how)
  if why then error(why, 2) end
  return told
end

---@alias tandem.Ask fun(points: tandem.Point[], how: table|nil): tandem.Evaluation[]|nil
---@alias tandem.SearchBody fun(ask: tandem.Ask, left: fun(): number): table|nil, table|nil

---@class tandem.SearchResult
---@field best tandem.Evaluation|nil   nil only beside an error
---@field evaluations integer   points evaluated; more replications of one count again
---@field replications integer  of all points together
---@field asks integer
---@field repeats integer       points answered from memory
---@field history tandem.SearchHistory[]  in the order of asking
---@field stopped "done"|"budget"|"repeats"  why it ended; "repeats": it asked in circles
---@field details table         what the search says besides

local function outcome(kept, stopped, best, details)
  return { best = best or kept.best, evaluations = kept.evaluations,
    replications = kept.replications, asks = kept.asks, repeats = kept.repeats,
    history = kept.history, stopped = stopped, details = details or {} }
end

-- Where in the search an error without a position came from: the innermost line of Lua.
local function line_of(thread)
  for level = 0, 20 do
    local info = debug.getinfo(thread, level, "Sl")
    if not info then return "" end
    if info.currentline > 0 then return ("%s:%d: "):format(info.short_src, info.currentline) end
  end
  return ""
end

local function explain_error(thread, problem, kept, stopped)
  local text = type(problem) == "string" and problem or line_of(thread) .. tostring(problem)
  if stopped == "budget" and text:find("nil", 1, true) then
    text = ("%s (the budget of %d evaluations is used up and ask returned nil: return your best "
      .. "then)"):format(text, kept.budget)
  end
  return text
end

-- What a search returned as best, as an evaluation of the account's.
local function resolve(kept, best)
  if best == nil then return kept.best end
  if type(best) ~= "table" then
    return nil, ("the search returned a %s; return an evaluation that ask told, or its point")
      :format(type(best))
  end
  local point = type(best.point) == "table" and best.point or best
  local wrong = account.problem { point }
  if wrong then
    return nil, "the search returned a table that is neither an evaluation nor a point"
  end
  local known = kept:find(point)
  if known then return known end
  return nil, ("the search returned %s, which it never asked for"):format(search.space.show(point))
end

local function read_options(given)
  given = given or {}
  local known = { "budget" }
  if type(given) ~= "table" then
    return nil, "search.drive: options are a table: { budget = 50 }"
  end
  for _, key in ipairs(nearest.sorted_keys(given)) do
    if key ~= "budget" then
      return nil, ("search.drive: unknown option '%s'; %s"):format(tostring(key),
        nearest.hint(tostring(key), known))
    end
  end
  local budget = given.budget == nil and DEFAULT_BUDGET or given.budget
  if not (math.tointeger(budget) and budget >= 1) then
    return nil, ("search.drive: budget wants a whole number of evaluations from 1, not %s"):format(
      tostring(budget))
  end
  return math.tointeger(budget)
end

--- Runs a search. `evaluate(points, how)` gives one evaluation a point, { value = …, half = …,
--- n = …, sd = … } or { ok = false, message = … }, resting on how.before[i] and how.replications[i]
--- new replications, the first of which has the number how.first[i]; nil and a reason end the
--- search. What goes wrong in the search comes back as nil, one line and what there was until then.
---@param body tandem.SearchBody
---@param evaluate tandem.Evaluate
---@param given { budget: integer|nil }|nil
---@return tandem.SearchResult|nil
---@return string|nil message
---@return tandem.SearchResult|nil so_far
function search.drive(body, evaluate, given)
  if type(body) ~= "function" then
    error(("search.drive wants a search first, such as search.golden{ … }, not a %s"):format(
      type(body)), 2)
  elseif type(evaluate) ~= "function" then
    error(("search.drive wants a function that evaluates points second, not a %s"):format(
      type(evaluate)), 2)
  end
  local budget, wrong = read_options(given)
  if not budget then error(wrong, 2) end

  local kept = account.new(evaluate, budget)
  local stopped, circling = "done", 0
  local function fail(message) return nil, message, outcome(kept, stopped) end

  local thread = coroutine.create(body)
  local function left() return stopped == "done" and kept:left() or 0 end
  local good, first, second, how = coroutine.resume(thread, ask, left)
  while good and coroutine.status(thread) == "suspended" do
    if first ~= ASK then
      return fail(line_of(thread) .. "the search yielded by itself; call ask(points) instead")
    end
    local told, why, fresh
    if stopped == "done" then
      told, why, fresh = kept:tell(second, how)
      if why and why ~= "budget" then return fail(tostring(why)) end
      circling = fresh and 0 or circling + 1
      if not told then
        stopped, circling = "budget", 0
      elseif circling >= MOST_REPEATS then
        stopped, told, circling = "repeats", nil, 0
      end
      why = nil
    else
      circling = circling + 1
      if circling >= MOST_REPEATS then
        why = "the search goes on asking although ask returned nil: return your best then"
      end
    end
    good, first, second, how = coroutine.resume(thread, told, why)
  end
  if not good then return fail(explain_error(thread, first, kept, stopped)) end
  if #kept.history == 0 then return fail "the search ended without asking for a point" end

  local best, strange = resolve(kept, first)
  if strange then return fail(strange) end
  if best and not best.ok then best = kept.best end
  best = evaluation.best(kept.cut, best)
  if not best or not best.ok then
    return fail(("none of %d points could be evaluated: %s"):format(#kept.history,
      kept.failure or "failed"))
  end
  return outcome(kept, stopped, best, type(second) == "table" and second or nil)
end

return setmetatable(search, {
  __index = function(_, name)
    if type(name) ~= "string" or name:find "^__" then return nil end
    for _, shipped in ipairs(search.shipped) do
      if name == shipped then
        local made = require("lib.search." .. name)
        rawset(search, name, made)
        return made
      end
    end
    local names = {}
    for _, key in ipairs(nearest.sorted_keys(search)) do names[#names + 1] = key end
    table.move(search.shipped, 1, #search.shipped, #names + 1, names)
    error(("search has no '%s'; %s"):format(name, nearest.hint(name, names)), 2)
  end,
})
