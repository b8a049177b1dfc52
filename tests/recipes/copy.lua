-- A copy of the tree that recipes change, and which of its files each of them touched. An anchor
-- that is not there, or there twice, is an error: the recipe no longer fits the tree.

local Copy = {}
Copy.__index = Copy

---@param folder string
function Copy.new(folder) return setmetatable({ folder = folder, touched = {} }, Copy) end

function Copy:read(path)
  local file <close> = assert(io.open(self.folder .. "/" .. path))
  return file:read "a"
end

function Copy:write(path, text)
  self.touched[path] = true
  local file <close> = assert(io.open(self.folder .. "/" .. path, "w"))
  assert(file:write(text))
end

-- Where the anchor begins and ends.
function Copy:find(path, anchor)
  local text = self:read(path)
  local from, to = text:find(anchor, 1, true)
  assert(from, ("%s has no %q"):format(path, anchor))
  assert(not text:find(anchor, to + 1, true), ("%s has %q twice"):format(path, anchor))
  return text, from, to
end

--- Puts a text behind an anchor, or before it.
function Copy:after(path, anchor, more)
  local text, _, to = self:find(path, anchor)
  self:write(path, text:sub(1, to) .. more .. text:sub(to + 1))
end
function Copy:before(path, anchor, more)
  local text, from = self:find(path, anchor)
  self:write(path, text:sub(1, from - 1) .. more .. text:sub(from))
end
function Copy:append(path, more) self:write(path, self:read(path) .. more) end

--- The files of the product that were touched.
---@return string[]
function Copy:files()
  local list = {}
  for path in pairs(self.touched) do
    if not path:find "^tests/" then list[#list + 1] = path end
  end
  table.sort(list)
  return list
end

return Copy
