--- Rule files of users: Lua that returns packs of td.rules, and JSON of the form
--- {"ENGINE": {"MODEL": {"regex": "category", …}, …}, …} in the order of the file.
--
-- Owns the reading of one file and of a folder. Lua runs in the sandbox of scenarios. A rule of
-- JSON has its expression for an id: that is what its readers look for in a table.
local infile = require "tandem.io.infile"
local nearest = require "tandem.text.nearest"
local pack = require "tandem.categories.pack"

local read = {}

local INVALID <const> = 3

local function problem(path, line, message)
  return ("%s%s: %s"):format(path, line and ":" .. line or "", message)
end

local function rules_of_model(path, engine, model, rules, order)
  local list = {}
  for _, expression in ipairs(order[rules]) do
    local category = rules[expression]
    if type(category) ~= "string" then
      return nil, problem(path, nil, ("%s, %s: the category of '%s' is not a text"):format(engine,
        model, expression))
    end
    list[#list + 1] = { id = expression, match = expression, category = category,
      models = { model } }
  end
  return list
end

local function packs_of_json(path, text)
  local value, wrong, order = require("tandem.io.json").decode(text, nil, true)
  if wrong then return nil, problem(path, wrong.line, wrong.message) end
  if type(value) ~= "table" or not order[value] then
    return nil, problem(path, 1, "wants an object {\"ENGINE\": {\"MODEL\": {…}}}")
  end
  local packs = {}
  for _, engine in ipairs(order[value]) do
    local models, rules = value[engine], {}
    if type(models) ~= "table" or not order[models] then
      return nil, problem(path, nil, ("%s wants an object of models"):format(engine))
    end
    for _, model in ipairs(order[models]) do
      if type(models[model]) ~= "table" or not order[models[model]] then
        return nil, problem(path, nil, ("%s, %s wants an object of expressions and categories")
          :format(engine, model))
      end
      local list, message = rules_of_model(path, engine, model, models[model], order)
      if not list then return nil, message end
      table.move(list, 1, #list, #rules + 1, rules)
    end
    packs[#packs + 1] = pack.of(engine, rules)
  end
  return packs
end

local function packs_of_lua(path, text)
  local value, problems = require("tandem.sandbox").evaluate(text, "@" .. path)
  if value == nil and problems then return nil, tostring(problems[1]) end
  local packs = pack.is(value) and { value } or value
  for i, one in ipairs(type(packs) == "table" and packs or {}) do
    if not pack.is(one) then
      return nil, problem(path, nil, ("item %d is not a td.rules"):format(i))
    end
  end
  if type(packs) ~= "table" or #packs == 0 then
    return nil, problem(path, nil, "does not return td.rules \"name\" { … }, or a list of them")
  end
  return packs
end

--- The packs of a file, each with `file` set.
---@param path string
---@return tandem.RulePack[]|nil
---@return string|nil message
---@return integer|nil code
function read.file(path)
  local text, why, code = infile.read(path)
  if not text then return nil, why, code end
  local reader = (path:find "%.json$" or text:find "^[\239\187\191%s]*{") and packs_of_json
    or packs_of_lua
  local packs, message = reader(path, text)
  if not packs then return nil, message, INVALID end
  for _, one in ipairs(packs) do one.file = path end
  return packs
end

--- The rule files of a folder, by name; none when there is no such folder.
---@param folder string
---@return string[]
function read.files(folder)
  local names = require("tandem.core").files.list(folder) or {}
  local files = {}
  for _, name in ipairs(names) do
    if name:find "%.lua$" or name:find "%.json$" then files[#files + 1] = folder .. "/" .. name end
  end
  table.sort(files)
  return files
end

--- The folder that is looked through when an engine is named: $TANDEM_RULES, else rules here.
---@return string
function read.folder()
  local folder = os.getenv "TANDEM_RULES"
  return folder and folder ~= "" and folder or "rules"
end

--- The names of packs, each once, as a sentence for complaints.
---@param packs tandem.RulePack[]
---@return string[]
function read.names(packs)
  local seen = {}
  for _, one in ipairs(packs) do seen[one.name] = true end
  return nearest.sorted_keys(seen)
end

return read
