--- Looks into values without disturbing them.
--
-- Owns the rule for what the shell may touch while a person only types: raw fields, tables behind
-- __index, and __index functions of tandem's own. Code of the user's is never run. Used by
-- complete and help.
local annotations = require "tandem.shell.annotations"
local node = require "tandem.language.node"

local reach = {}

local function is_ours(f)
  return debug.getinfo(f, "S").source:find("lua/tandem/", 1, true) ~= nil
end

--- What stands behind a value: its metatable's __index.
local function behind(value)
  local meta = debug.getmetatable(value)
  return type(meta) == "table" and rawget(meta, "__index") or nil
end

--- A field of a value, or nil.
---@param value any
---@param key any
---@return any
function reach.get(value, key)
  for _ = 1, 10 do
    if type(value) == "table" then
      local own = rawget(value, key)
      if own ~= nil then
        return own
      end
    end
    local index = behind(value)
    if type(index) == "function" then
      if not is_ours(index) then
        return nil
      end
      local ok, found = pcall(index, value, key)
      return ok and found or nil
    elseif index == nil then
      return nil
    end
    value = index
  end
end

--- The text keys of a value, its own and inherited ones, sorted.
---@param value any
---@return string[]
function reach.keys(value)
  local seen, keys = {}, {}
  local function add(key)
    if type(key) == "string" and not seen[key] then
      seen[key] = true
      keys[#keys + 1] = key
    end
  end
  for _ = 1, 10 do
    if type(value) == "table" then
      for key in next, value do
        add(key)
      end
      local spec = node.group(value) and node.types[rawget(value, "type")]
      for key in next, spec and spec.keys or {} do
        if reach.get(value, key) ~= nil then
          add(key)
        end
      end
    end
    local index = behind(value)
    if type(index) == "function" then
      -- What such an object answers to, its class says.
      for _, name in ipairs(annotations.members(debug.getmetatable(value).__name)) do
        if reach.get(value, name) ~= nil then
          add(name)
        end
      end
    end
    value = index
    if type(value) ~= "table" then
      break
    end
  end
  table.sort(keys)
  return keys
end

--- Follows names: reach.path(env, { "td", "gpu" }).
---@param value any
---@param names string[]
---@return any
function reach.path(value, names)
  for _, name in ipairs(names) do
    value = reach.get(value, name)
    if value == nil then
      return nil
    end
  end
  return value
end

return reach
