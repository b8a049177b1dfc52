--- The files that an import reads: those named, and all traces that lie in folders that are named.
--
-- A file that is named must be readable; in a folder, what is of no format that is read is left out
-- and told. Hidden files and folders are not looked at, and a folder that links lead to is looked
-- at once. Called by `tandem import` and Store:import.
local core = require "tandem.core"

local traces = {}

local DEEPEST <const> = 16

-- A store may lie beside the traces that it is made of; any other database is no trace either.
local DATABASES <const> = { "StringIds", "META_DATA_EXPORT", "CUPTI_ACTIVITY", "TARGET_INFO",
  "rocpd_" }

local function is_trace(path)
  local head, format, code = core.recognize(path)
  if not head and format:find("it is not a file", 1, true) then return false end
  if not head then return nil, format, code end
  if not format then
    return require("tandem.telemetry").records(path) ~= nil
  end
  if head:sub(1, 15) ~= "SQLite format 3" then return true end
  if head:sub(69, 72) == "TDMS" then return false end
  for _, word in ipairs(DATABASES) do
    if head:find(word, 1, true) then return true end
  end
  return false
end

local function walk(folder, out, left_out, seen, depth)
  local real = core.files.real(folder)
  if real and seen[real] then return true end
  seen[real or folder] = true
  local names, message = core.files.list(folder)
  if not names then return nil, "cannot read " .. message, 4 end
  table.sort(names)
  for _, name in ipairs(names) do
    local path = folder:gsub("/*$", "") .. "/" .. name
    local hidden = name:sub(1, 1) == "."
    if name:sub(-1) == "/" and not hidden and depth < DEEPEST then
      local done, why, code = walk(path, out, left_out, seen, depth + 1)
      if not done then return nil, why, code end
    elseif name:sub(-1) ~= "/" and not hidden then
      local yes, why, code = is_trace(path)
      if yes == nil and code ~= 3 then return nil, why, code end
      table.insert(yes and out or left_out, path)
    end
  end
  return true
end

--- The files of what was named, folders opened.
---@param named string[]
---@return string[]|nil files
---@return string[]|string left_out  of folders: what is in no format that is read
---@return integer|nil code
function traces.of(named)
  local out, left_out = {}, {}
  for _, path in ipairs(named) do
    if path ~= "-" and core.files.list(path) then
      local before = #out
      local done, message, code = walk(path, out, left_out, {}, 1)
      if not done then return nil, message, code end
      if #out == before then
        return nil, ("%s: nothing in this folder is in a format that is read; `tandem help "
          .. "formats` lists them"):format(path), 3
      end
    else
      out[#out + 1] = path
    end
  end
  return out, left_out
end

--- Captures that the program carries, as files for the time of an import: what is not on disk and
--- named as it is shipped ("scenarios/data/two-h100s.sqlite.gz").
---@param named string[]
---@return string[] files
---@return string[] made  to be removed
function traces.shipped(named)
  local out, made = {}, {}
  for i, path in ipairs(named) do
    local file = path:find "^scenarios/data/" and io.open(path, "rb")
    local bytes = not file and path:find "^scenarios/data/"
      and require("tandem.embedded").read(path)
    if file then file:close() end
    out[i] = path
    if bytes then
      out[i] = assert(core.files.temporary())
      made[#made + 1] = out[i]
      local written <close> = assert(io.open(out[i], "wb"))
      assert(written:write(bytes))
    end
  end
  return out, made
end

--- The name of a run that is made of these.
---@param named string[]
---@return string
function traces.name(named)
  local first = named[1] == "-" and "standard input" or named[1]:match "([^/]+)/*$" or named[1]
  if #named == 1 then return first end
  return ("%s and %s more"):format(first, require("tandem.text.format").integer(#named - 1))
end

return traces
