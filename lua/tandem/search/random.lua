--- Random numbers for searches: the same from the same seed, on every machine.
--
-- Owns a small generator on integers (core.mix; SplitMix64: Steele, Lea and Flood 2014, "Fast
-- splittable pseudorandom number generators"). It uses no math.random and no functions of libm,
-- so that a search takes the same way everywhere. Not for simulations, whose draws have names
-- (base/rng.h).
-- Public as td.search.random.

local core = require "tandem.core"

---@class tandem.Random
---@field seed integer
---@field drawn integer  how many numbers were
local Random = {}
Random.__index = Random

local random = {}

--- A generator; equal seeds give equal numbers.
---@param seed integer
---@return tandem.Random
function random.new(seed)
  return setmetatable({ seed = math.tointeger(seed) or error("a seed is a whole number", 2),
    drawn = 0 }, Random)
end

--- 64 random bits.
---@return integer
function Random:bits()
  self.drawn = self.drawn + 1
  return core.mix(self.seed, self.drawn)
end

--- A number at least 0 and below 1.
---@return number  a fraction
function Random:uniform() return (self:bits() >> 11) * 2.0 ^ -53 end

--- A whole number from 1 to `n`.
---@param n integer
---@return integer
function Random:integer(n) return 1 + math.floor(self:uniform() * n) end

--- A number of mean 0 and variance 1, near enough to normal for a search's steps: twelve uniform
--- numbers added, which needs no logarithm.
---@return number  how many standard deviations off
function Random:normal()
  local sum = -6.0
  for _ = 1, 12 do sum = sum + self:uniform() end
  return sum
end

return random
