--- Temporary files that go again, whatever becomes of who made them: an error, Ctrl-C, the end of
-- the program.
--
-- Owns the file and, where it becomes a store, what SQLite lays beside it. Used wherever something
-- has to lie in a file for a while.
local scratch = {}

---@class tandem.Scratch
---@field path string  an empty file, to be written; a name alone where an ending was given
local Scratch = { __name = "tandem.Scratch" }
Scratch.__index = Scratch

local BESIDE <const> = { "", "-wal", "-shm", "-journal" }

--- Removes it; twice is fine.
function Scratch:close()
  for _, ending in ipairs(self.path and BESIDE or {}) do os.remove(self.path .. ending) end
  self.path = nil
end

Scratch.__close = Scratch.close
Scratch.__gc = Scratch.close -- of one whose owner was stopped

--- A new one.
---@param ending? string  what its name ends with
---@return tandem.Scratch
function scratch.new(ending)
  local self = setmetatable({}, Scratch)
  self.path = os.tmpname()
  if ending then
    os.remove(self.path)
    self.path = self.path .. ending
  end
  return self
end

return scratch
