--- The notebooks that come with tandem.
--
-- Owns where they lie: above the program in a checkout, or where `make install` puts them; and how
-- one is found by its name ("08-production-trace", "production-trace"). Used by cli/notebook.lua.
local core = require "tandem.core"

local shipped = {}

---@class tandem.ShippedNotebook
---@field path string
---@field name string   "08-production-trace"
---@field short string  "production-trace"

local function directory()
  local program = core.executable()
  local beside = program and program:match "^(.*)/[^/]*$" or "."
  for _, folder in ipairs { "/../notebooks", "/../share/tandem/notebooks" } do
    if core.files.list(beside .. folder) then
      -- Without the way down and up again: people read it.
      return beside:match "^(.*)/[^/]*$" .. folder:sub(4)
    end
  end
end

--- All of them, in order; none where they are not installed.
---@return tandem.ShippedNotebook[]
function shipped.list()
  local list, where = {}, directory()
  local names = where and core.files.list(where) or {}
  table.sort(names)
  for _, file in ipairs(names) do
    local name = file:match "^(%d+%-.*)%.ipynb$"
    if name then
      list[#list + 1] = { path = where .. "/" .. file, name = name,
        short = name:gsub("^%d+%-", "") }
    end
  end
  return list
end

--- The path of the notebook that was asked for: a file, or a shipped one by its name.
---@param wanted string
---@return string path
---@return string|nil hint  "; did you mean …" where there is no such file
function shipped.find(wanted)
  local file = io.open(wanted, "rb")
  if file then
    file:close()
    return wanted
  end
  local bare, names = wanted:gsub("%.ipynb$", ""), {}
  for _, one in ipairs(shipped.list()) do
    if bare == one.name or bare == one.short then
      return one.path
    end
    names[#names + 1] = one.name
    names[#names + 1] = one.short
  end
  local near = require("tandem.text.nearest").word(bare:gsub("^.*/", ""), names)
  return wanted, near and ("; did you mean the shipped notebook '%s'?"):format(near)
    or #names > 0 and not wanted:find "/" and
      "; tandem notebook list shows those that come with tandem" or nil
end

return shipped
