--- The words that may stand inside quotes at the cursor.
--
-- Owns which position takes which words: names of the catalogue, choices of a key, shipped
-- scenarios, runs of a store, parts of a result. Reads values as reach does, without running
-- anybody's code; a store only where its runs are asked for. File names are complete's.
local context = require "tandem.shell.context"
local reach = require "tandem.shell.reach"

local choices = {}

local MOST_RUNS <const> = 100 -- the newest ones

local function names_of(list)
  local names = {}
  for index, entry in ipairs(list) do
    names[index] = entry.name
  end
  return names
end

-- What a function of td takes as its text, by the function's name.
local TAKEN <const> = {
  gpu = function() return names_of(require("tandem.catalogue").gpus()) end,
  link = function() return names_of(require("tandem.catalogue").links()) end,
  llm = function() return names_of(require "lib.models") end,
  load = function()
    local names = {}
    for index, one in ipairs(require("tandem.scenario.locate").shipped()) do
      names[index] = one.short
    end
    return names
  end,
}

local function class_of(value)
  local meta = debug.getmetatable(value)
  return type(meta) == "table" and rawget(meta, "__name") or nil
end

-- ---- runs of a store

-- Opened for reading: who only types makes no file.
local function default_store()
  return (require("tandem.store").open(nil, { readonly = true }))
end

-- "last", and the ids of the newest runs of a store that is open, or of the usual one.
local function runs_of(receiver)
  local is_open = class_of(receiver) == "tandem.Store" and receiver.db ~= nil
  local store = is_open and receiver or default_store()
  if not store then
    return {}
  end
  local ids = { "last" }
  local ok = pcall(function()
    for row in store:query { "SELECT id FROM run ORDER BY number DESC LIMIT ?", MOST_RUNS } do
      ids[#ids + 1] = row.id
    end
  end)
  if not is_open then
    store:close()
  end
  return ok and ids or {}
end

-- ---- parts of a result

-- What may follow in a path such as "stages.infer.wa"; each with all that is in front of it.
local function paths_of(result, written)
  local front = written:match "^(.*%.)" or ""
  local value = result
  if front ~= "" then
    value = result:find(front:sub(1, -2))
  end
  local found = {}
  if type(value) ~= "table" then
    return found
  end
  for _, name in ipairs(#value > 0 and names_of(value) or reach.keys(value)) do
    local inner = #value == 0 and rawget(value, name)
    if #value > 0 or inner and type(inner) ~= "function" then
      found[#found + 1] = front .. name
    end
  end
  if front == "" then
    found[#found + 1] = "bottleneck"
  end
  return found
end

-- What a method takes as its text, by the method's name. A store may stand as a call, td.store():
-- what it names is then the usual one; parts of a result need the result.
local OF_STORE <const> = { run = true, tag = true, untag = true, note = true, remove = true,
  scrub = true }
local OF_RESULT <const> = {
  get = paths_of, find = paths_of,
  table = function() return require("tandem.report.columns").names end,
  plot = function() return require("tandem.report.plots").names end,
}

local function of_method(env, tokens, index, method, written)
  local names = context.receiver_names(tokens, index)
  local receiver = names and reach.path(env, names)
  local class = class_of(receiver)
  if class == "tandem.Result" and OF_RESULT[method] then
    return OF_RESULT[method](receiver, written)
  elseif OF_STORE[method] and (class == "tandem.Store" or names == nil) then
    return runs_of(receiver)
  end
end

-- ---- keys of constructors

--- The choices for a value: what an enum allows, or the catalogue's names.
local function of_kind(kind)
  if type(kind) ~= "table" then
    return {}
  elseif kind.kind == "enum" or kind.kind == "router" then
    return kind.of
  elseif kind.kind == "list" then
    return of_kind(kind.of)
  elseif kind.kind == "place" then
    return { "cpu", "gpu", "h2d", "d2h" }
  end
  return {}
end

local function of_key(before)
  local last, name = before[#before], before[#before - 1]
  local stack = context.open_brackets(before)
  local level = #stack
  if last and (last.text == "{" or last.text == ",") and level > 0 then
    -- kinds = { "H100", "…
    local opened = stack[level]
    last, name = before[opened - 1], before[opened - 2]
    level = level - 1
  end
  if last and last.text == "=" and name then
    if name.text == "kinds" or name.text == "gpu" or name.text == "gpus" then
      return TAKEN.gpu()
    end
    local spec = context.spec_at(before, stack, level)
    return of_kind(spec and spec.keys[name.text])
  end
  return {}
end

--- The words that the position in a text allows, in any order; none where anything may stand.
---@param env table                     what names mean
---@param tokens tandem.shell.Token[]  the last one is the text
---@return string[] words
---@return "files"|"open"|nil more     names of files may stand there, too; or a word may go on
function choices.at(env, tokens)
  local before = table.move(tokens, 1, #tokens - 1, 1, {})
  local called, receiver, mark = context.callee(before, #before + 1)
  local index = #before
  while index > 0 and before[index].text ~= called do
    index = index - 1
  end
  if mark == ":" then
    return of_method(env, before, index - 1, called, tokens[#tokens].text) or {},
      (called == "get" or called == "find") and "open" or nil
  elseif called and TAKEN[called] and (receiver == nil or receiver == "td") then
    return TAKEN[called](), called == "load" and "files" or nil
  end
  return of_key(before)
end

return choices
