--- Memory that is short, as errors tell it.
-- Owns which messages say so, and a pcall that does not take it for what it guards against: where
-- a figure is left out because it cannot be had, one that memory was short for would be left out
-- without a word, and the answer be another. Called by whoever goes on after an error.
local shortage = {}

--- Does this error say that memory is short?
---@param raised any
---@return boolean
function shortage.is(raised)
  local text = raised ~= nil and tostring(raised) or ""
  return (text:find "not enough memory$" or text:find "out of memory") ~= nil
end

local function settle(ok, ...)
  if not ok and shortage.is((...)) then error("not enough memory", 0) end
  return ok, ...
end

--- pcall, but memory that is short is raised on, as "not enough memory".
---@param f function
---@param ... any
---@return boolean ok
---@return any … what f returns, or what it raised
function shortage.attempt(f, ...)
  return settle(pcall(f, ...))
end

return shortage
