--- The files that an agent's arguments may name: those of the server's folder, listed.
--
-- Owns what is listed: regular files and folders in it, by the name that arguments take. What leads
-- out of the folder and what begins with a dot is not there. Called by init.lua.
local core = require "tandem.core"
local json = require "tandem.io.json"
local result = require "tandem.mcp.result"

local files = {}

local ROWS <const> = 64

-- Where a folder inside the folder is; nil: nowhere, or outside.
local function place_of(folder, under)
  local home = core.files.real(folder)
  local at = home and core.files.real(under == "" and folder or folder .. "/" .. under)
  if at and (at == home or at:sub(1, #home + 1) == home .. "/") and core.files.list(at) then
    return at
  end
end

--- Answers the tool `files`.
---@param under string|nil   a folder of it
---@param own table          page_rows, page_offset
---@param context tandem.mcp.Context
---@return table
function files.answer(under, own, context)
  local folder = context.folder
  if not folder then
    return result.refused "this server has no folder of files (--files DIR)"
  end
  if under ~= nil and type(under) ~= "string" then return result.refused "under wants a text" end
  under = (under or ""):gsub("^%./+", ""):gsub("/+$", ""):gsub("^%.$", "")
  local at = not under:find "\0" and place_of(folder, under)
  if not at then
    return result.refused(("there is no folder '%s' in the folder of this server"):format(under),
      "absent")
  end
  local names = core.files.list(at)
  table.sort(names)
  local found = {}
  for _, name in ipairs(names) do
    name = name:gsub("/+$", "") -- folders are listed with it
    local relative = under == "" and name or under .. "/" .. name
    if name:sub(1, 1) == "." or not utf8.len(name) then
      goto continue
    elseif core.files.beneath(folder, relative) then
      found[#found + 1] = { name = relative, bytes = core.files.size(folder .. "/" .. relative) }
    elseif place_of(folder, relative) then
      found[#found + 1] = { name = relative .. "/", folder = true }
    end
    ::continue::
  end
  local from, rows = own.page_offset or 0, own.page_rows or ROWS
  local shown = table.move(found, from + 1, math.min(#found, from + rows), 1, json.list {})
  local more = from + rows < #found
  return result.of({ result = { files = shown }, code = 0, page = more
    and { total = #found, next_offset = from + rows } or nil }, false)
end

return files
