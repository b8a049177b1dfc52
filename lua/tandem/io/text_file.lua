--- Files of text or bytes, packed or not, read in pieces: memory is that of a piece, or of a line
-- where that is longer.
--
-- Owns the piece at hand and where in it the reading is. Tables of Arrow become CSV. Called by
-- readers of tables, logs and protocol buffers.

local core = require "tandem.core"

local text_file = {}

---@class tandem.TextFile
---@field problem string|nil  why it could not be read to its end
---@field buffer string       the piece at hand
---@field at integer          of the first byte in it that is not read
---@field pieces userdata|nil more of them
---@field path string          theirs
local File = {}
File.__index = File

local LINE_MOST <const> = 64 << 20 -- bytes
local ARROW <const> = { "ARROW1\0\0", "\255\255\255\255" } -- its file and its stream

--- Do these first bytes of a file begin one of Arrow's tables?
---@param head string
---@return boolean
function text_file.is_table(head)
  return head:sub(1, 8) == ARROW[1] or head:sub(1, 4) == ARROW[2]
end

-- Who calls says which file it is.
local function nameless(message, name)
  return message:sub(1, #name + 2) == name .. ": " and message:sub(#name + 3) or message
end

--- Opens a file or a text.
---@param source tandem.TextSource
---@return tandem.TextFile|nil
---@return string|nil problem
function text_file.open(source)
  local path = not source.text and source.path or nil
  local pieces, message = core.pieces(path, source.text)
  if not pieces then return nil, nameless(message, path or "memory") end
  return setmetatable({ buffer = "", at = 1, pieces = pieces, path = path or "memory" }, File)
end

--- Puts the next piece behind what is not read yet; false: there is none.
---@return boolean
function File:fill()
  if not self.pieces then return false end
  local bytes, message = self.pieces:next()
  if bytes and bytes ~= "" then
    self.buffer, self.at = self.buffer:sub(self.at) .. bytes, 1
    return true
  end
  self.problem = message and nameless(message, self.path)
  self.pieces:close()
  self.pieces = nil
  return false
end

--- What is at hand without reading on: at the begin, the first bytes of the file.
---@return string
function File:head()
  if self.at > #self.buffer then self:fill() end
  return self.at == 1 and self.buffer or self.buffer:sub(self.at)
end

-- The next line; what is behind `most` bytes is passed over, without it a line of too many ends the
-- reading.
local function next_line(self, most)
  local parts, size = nil, 0
  while true do
    local stop = self.buffer:find("\n", self.at, true)
    local rest = self.buffer:sub(self.at, stop and stop - 1)
    local left = (most or LINE_MOST) - size
    size = size + #rest
    if #rest > left then
      if not most then
        self.problem = ("a line is longer than %d MiB"):format(LINE_MOST >> 20)
        if self.pieces then self.pieces:close() end
        self.buffer, self.at, self.pieces = "", 1, nil
        return nil
      end
      rest = rest:sub(1, math.max(0, left))
    end
    if stop then
      self.at = stop + 1
      if not parts then return rest end
      parts[#parts + 1] = rest
      return table.concat(parts)
    end
    self.at = #self.buffer + 1
    if rest ~= "" then
      parts = parts or {}
      parts[#parts + 1] = rest
    end
    if not self:fill() then return parts and table.concat(parts) or nil end
  end
end

--- The next line without its line feed; nil: at the end, or where a line is longer than 64 MiB,
--- which is then the problem.
---@return string|nil
function File:line() return next_line(self) end

--- The beginning of the next line; nil: at the end.
---@param most integer  so many bytes at most
---@return string|nil
function File:line_start(most) return next_line(self, most) end

--- So many bytes; nil where there are fewer.
---@param count integer
---@return string|nil
function File:bytes(count)
  local left = #self.buffer - self.at + 1
  if left < count then
    local parts = { self.buffer:sub(self.at) }
    while left < count do
      self.at = #self.buffer + 1
      if not self:fill() then return nil end
      parts[#parts + 1], left = self.buffer, left + #self.buffer
    end
    self.buffer, self.at = table.concat(parts), 1
  end
  local from = self.at
  self.at = from + count
  return self.buffer:sub(from, self.at - 1)
end

--- All that is not read yet; nil where that is more than so many bytes.
---@param most integer
---@return string|nil
function File:rest(most)
  local parts, size = {}, 0
  repeat
    local part = self.at == 1 and self.buffer or self.buffer:sub(self.at)
    parts[#parts + 1], size = part, size + #part
    self.at = #self.buffer + 1
    if size > most then return nil end
  until not self:fill()
  return table.concat(parts)
end

return text_file
