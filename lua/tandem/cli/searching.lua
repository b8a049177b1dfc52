--- How far a search is, on standard error: one line in a terminal, rubbed out at the end; elsewhere
--- a line now and then; whoever watches gets a share. In a terminal the line is there at once: the
--- first look may take long. A search does not know its end, so the line says how many simulations
--- ran, how many are known to be ahead and what is known so far. Called by commands that search.
local core = require "tandem.core"
local format = require "tandem.text.format"

local EVERY <const> = 10 -- seconds between two lines in a log

---@alias tandem.SearchTell fun(done: integer, waiting: integer, share: number,
---  so_far: (fun(): string)|nil)

--- What a search tells, or nil where nobody would see it, and what ends it.
---@param label string
---@param console tandem.Console
---@param hidden boolean|nil  --no-progress
---@return tandem.SearchTell|nil
---@return fun() finish
---@return fun(text: string) say  a line of its own, above the line
return function(label, console, hidden)
  local function nothing() end
  if hidden then return nil, nothing, nothing end
  if console.is_watched() then
    local tell = console:progress(label)
    return tell and function(_, _, share) tell(share) end, nothing, nothing
  end
  local terminal, shown, began, told = console.error_style.terminal, false, core.clock(), 0
  local function tell(done, waiting, _, so_far)
    local seconds = core.clock() - began
    if not terminal and seconds - told < EVERY then return end
    local line = ("%s: %s done, %d under way, %.0f s%s"):format(label,
      format.plural(done, "simulation"), waiting, seconds, so_far and "; " .. so_far() or "")
    told, shown = seconds, terminal
    if not terminal then return console:note(line) end
    console.write_error("\r" .. line .. "\27[K")
  end
  local function finish()
    if shown then console.write_error("\r\27[K") end
    shown = false
  end
  if terminal then tell(0, 0, 0) end
  return tell, finish, function(text)
    finish()
    console:note(text)
    if terminal then tell(0, 0, 0) end
  end
end
