-- Files of JSON lines, packed or not. Called by the readers beside it.

local cjson = require "cjson"

local lines = {}

local function present(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end
lines.present = present

--- Each line as a table, null as nil; nil when there is no such file.
---@param path string
---@return table[]|nil
function lines.read(path)
  if not present(path) then return nil end
  local pipe, list = assert(io.popen(("gzip -dcf '%s'"):format(path))), {}
  for line in pipe:lines() do
    local row = cjson.decode(line)
    for key, value in pairs(row) do
      if value == cjson.null then row[key] = nil end
      if math.tointeger(value) then row[key] = math.tointeger(value) end
    end
    list[#list + 1] = row
  end
  assert(pipe:close(), path)
  return list
end

return lines
