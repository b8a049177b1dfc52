--- td.search: methods that look for the best variant, and what a method of your own is made of.
--
-- Owns the words as scripts call them. The conversation is tandem.search, methods are lib/search.
-- Reached as td.search from scripts and the REPL.
local search = require "tandem.search"

local public = { drive = search.drive, space = search.space.new, random = search.random.new,
  best = search.best, apart = search.apart, noise = search.noise, more = search.more }

-- A wrong option is one line, at the caller's.
local function make(name, options)
  local done, made = pcall(require("lib.search." .. name), options)
  if done then return made end
  error(made, 3)
end

---@class tandem.GoldenOptions
---@field over table<string, table>  one dimension: { rps = { 1, 100, integer = true } }
---@field tolerance? number   width of the last bracket, a fraction of the range (default: 0.01)
---@field doublings? integer  how often replications double to decide a comparison (default: 2)

--- The lowest value along one range, in few evaluations, where it falls and then rises: golden
--- section (Kiefer 1953).
---@param options tandem.GoldenOptions
---@return tandem.SearchBody
function public.golden(options)
  local body = make("golden", options)
  return body
end

---@class tandem.NelderMeadOptions
---@field over table<string, table>  several ranges: { rps = { 1, 100 }, gpus = { 1, 8 } }
---@field start? tandem.Point  default: the middle of the space
---@field size? number         of the first simplex, a fraction of each range (default: 0.25)
---@field tolerance? number    of the last simplex, a fraction of each range (default: 0.001)
---@field restarts? integer    default: 2
---@field doublings? integer   how often replications double to decide a comparison (default: 2)
---@field ahead? boolean       ask for all trial points of a step together: fewer rounds, more
---                            evaluations

--- The lowest value over several ranges, from a simplex that moves and shrinks (Nelder and Mead
--- 1965).
---@param options tandem.NelderMeadOptions
---@return tandem.SearchBody
function public.nelder_mead(options)
  local body = make("nelder_mead", options)
  return body
end

---@class tandem.AnnealOptions
---@field over table<string, table>  ranges and choices
---@field seed? integer        of the steps (default: 1)
---@field start? tandem.Point  where the first walker begins
---@field steps? integer       of each walker; by the budget, 100 where there is none
---@field walkers? integer     default: 4
---@field hot? number          the first temperature, in the objective's unit
---@field cold? number         the last one, in the objective's unit: a thousandth of the first
---@field finalists? integer   how many are compared in the end (default: 4)

--- A low value where there are many valleys, or choices without an order: simulated annealing
--- (Kirkpatrick, Gelatt and Vecchi 1983).
---@param options tandem.AnnealOptions
---@return tandem.SearchBody
function public.anneal(options)
  local body = make("anneal", options)
  return body
end

---@class tandem.OcbaOptions
---@field over? table<string, table>  choices and whole numbers; every combination is one
---@field points? tandem.Point[]      or the alternatives themselves
---@field n0? integer          first replications of each (default: 10)
---@field budget? integer      replications of all together (default: 50 for each alternative)
---@field round? integer       how many a round gives out (default: one for each alternative)
---@field confidence? number   end when the best is as surely the best, a fraction (default: 0.95)
---@field indifference? number  differences below it do not matter, in the objective's unit: 0

--- Of several noisy alternatives the best, with replications where they decide: optimal computing
--- budget allocation (Chen, Lin, Yücesan and Chick 2000).
---@param options tandem.OcbaOptions
---@return tandem.SearchBody
function public.ocba(options)
  local body = make("ocba", options)
  return body
end

return public
