--- Temporary files that go again, whatever becomes of who made them: an error, Ctrl-C, the end of
-- the program.
--
-- Owns the file and, where it becomes a store, what SQLite lays beside it. Used wherever something
-- has to lie in a file for a while.
local core = require "tandem.core"

local scratch = {}

---@class tandem.Scratch
---@field path string  an empty file, to be written; a name alone where an ending was given
---@field private folder? string  ours alone, where the name lies
local Scratch = { __name = "tandem.Scratch" }
Scratch.__index = Scratch

local BESIDE <const> = { "", "-wal", "-shm", "-journal" }

--- Removes it; twice is fine.
function Scratch:close()
  local discard = core.files.discard
  for _, ending in ipairs(self.path and BESIDE or {}) do discard(self.path .. ending) end
  if self.folder then discard(self.folder) end
  self.path, self.folder = nil, nil
end

Scratch.__close = Scratch.close
Scratch.__gc = Scratch.close -- of one whose owner was stopped

--- A new one, in $TMPDIR; nobody else can read it.
---@param ending? string  what its name ends with
---@return tandem.Scratch
function scratch.new(ending)
  local self = setmetatable({}, Scratch)
  local made, message = core.files.temporary(ending ~= nil)
  if not made then error(message, 0) end
  self.folder = ending and made or nil
  self.path = ending and made .. "/tandem" .. ending or made
  return self
end

return scratch
