--- Prices that stand in a file: a table of offers of one provider or of several.
--
-- Owns its columns, which of its rows count, and what is wrong with it, by line. Amounts and names
-- are prices.lua's; which files may be read is the caller's: language/prices and cli/load.
local nearest = require "tandem.text.nearest"
local prices = require "tandem.scenario.prices"
local safe = require "tandem.text.safe"

local price_file = {}

-- Columns, and other names of each.
local COLUMNS <const> = { gpu = { "gpu", "machine" }, price = { "price", "usd_per_hour" },
  count = { "count", "gpus", "workers" }, provider = { "provider" }, region = { "region" },
  offer = { "offer" } }
local WORDS <const> = { "provider", "region", "offer" }
local MOST_COUNT <const> = 100000

---@class tandem.Offer  a row
---@field gpu any
---@field price any
---@field count any
---@field provider any
---@field region any
---@field offer any
---@field where string  for messages

-- "On-Demand" and "on demand" are one.
local function plain(text) return (tostring(text):lower():gsub("[^%w]", "")) end

-- By the plain names of columns that are there, ours.
local function columns_of(header)
  local have, out = {}, {}
  for _, name in ipairs(header) do have[plain(name)] = name end
  for key, spellings in pairs(COLUMNS) do
    for _, name in ipairs(spellings) do out[key] = out[key] or have[plain(name)] end
  end
  for _, key in ipairs { "gpu", "price" } do
    if not out[key] then
      return nil, ("has no column '%s'; wanted are gpu, price and, where they help, count, "
        .. "provider, region, offer"):format(key)
    end
  end
  return out
end

local function rows_of_csv(text, file)
  local rows, lines = require("tandem.io.csv_reader").all(text)
  if not rows then return nil, ("%s: %s"):format(file, tostring(lines)) end
  if #rows < 2 then return nil, file .. ": has no rows below its header" end
  local columns, wrong = columns_of(rows[1])
  if not columns then return nil, ("%s: %s"):format(file, wrong) end
  local at, out = {}, {}
  for i, name in ipairs(rows[1]) do at[name] = i end
  for i = 2, #rows do
    local row = { where = ("%s:%d"):format(file, lines[i]) }
    for key, name in pairs(columns) do
      local cell = (rows[i][at[name]] or ""):match "^%s*(.-)%s*$"
      if cell ~= "" then row[key] = cell end
    end
    out[i - 1] = row
  end
  return out
end

local function rows_of_json(text, file)
  local ok, list = pcall(require("tandem.io.json").decode, text)
  list = ok and type(list) == "table" and (list.prices or list)
  if not list or #list == 0 then
    return nil, file .. ": wants a list of records, [{\"gpu\": \"L4\", \"price\": 0.8}]"
  end
  local header, seen, out = {}, {}, {}
  for i, row in ipairs(list) do
    if type(row) ~= "table" then return nil, ("%s: entry %d is no record"):format(file, i) end
    for key in pairs(row) do
      if not seen[key] then header[#header + 1], seen[key] = tostring(key), true end
    end
  end
  local columns, wrong = columns_of(header)
  if not columns then return nil, ("%s: %s"):format(file, wrong) end
  for i, row in ipairs(list) do
    out[i] = { where = ("%s: entry %d"):format(file, i) }
    for key, name in pairs(columns) do out[i][key] = row[name] end
  end
  return out
end

-- A word that no row has.
local function unknown_word(rows, words, file)
  local known, plains = {}, {}
  for _, row in ipairs(rows) do
    for _, key in ipairs(WORDS) do
      if row[key] ~= nil then known[tostring(row[key])], plains[plain(row[key])] = true, true end
    end
  end
  for _, word in ipairs(words) do
    if not plains[plain(word)] then
      return ("%s: no row is of '%s'; %s"):format(file, word, next(known)
        and nearest.hint(word, nearest.sorted_keys(known))
        or "it has no columns provider, region or offer")
    end
  end
end

-- Does a row fit all the words? Where none of them is a kind of offer, what is on demand does.
local function fits(row, words, kinds)
  local named = false
  for _, word in ipairs(words) do
    local hit = false
    for _, key in ipairs(WORDS) do
      hit = hit or row[key] ~= nil and plain(row[key]) == plain(word)
    end
    if not hit then return false end
    named = named or kinds[plain(word)]
  end
  return named or row.offer == nil or plain(row.offer) == "ondemand"
end

-- Of offers of as many, the cheapest.
local function keep(list, one)
  for i, other in ipairs(list) do
    if other.per == one.per then
      if one.usd_per_hour < other.usd_per_hour then list[i] = one end
      return
    end
  end
  list[#list + 1] = one
end

local function price_of(row, file)
  if row.gpu == nil then return nil, "names no gpu" end
  if row.price == nil then return nil, ("%s has no price"):format(row.gpu) end
  local usd, wrong = prices.hourly(row.price)
  if not usd then return nil, ("price of %s: %s"):format(row.gpu, wrong) end
  local count = row.count == nil and 1 or tonumber(row.count)
  if not count or count ~= math.floor(count) or count < 1 or count > MOST_COUNT then
    return nil, ("count of %s is %s; wanted how many are sold together"):format(row.gpu,
      tostring(row.count))
  end
  local said = {}
  for _, key in ipairs(WORDS) do said[#said + 1] = row[key] ~= nil and tostring(row[key]) or nil end
  return { usd_per_hour = usd, per = math.tointeger(count), listed = true,
    source = #said > 0 and ("%s: %s"):format(file, table.concat(said, ", ")) or file }
end

local function none_fits(rows, words, file)
  local known = {}
  for _, row in ipairs(rows) do
    if row.offer ~= nil then known[tostring(row.offer)] = true end
  end
  local offers = nearest.sorted_keys(known)
  return ("%s: no row is of %s%s"):format(file, #words > 0 and table.concat(words, " and ")
    or "an offer on demand", #offers > 0 and "; its offers are " .. table.concat(offers, ", ")
    or "")
end

local function read(text, file, words)
  local json = file:lower():find "%.json$" or text:find "^%s*[%[{]"
  local rows, wrong = (json and rows_of_json or rows_of_csv)(text, file)
  if not rows then return nil, wrong end
  wrong = unknown_word(rows, words, file)
  if wrong then return nil, wrong end
  local kinds, out = {}, {}
  for _, row in ipairs(rows) do
    if row.offer ~= nil then kinds[plain(row.offer)] = true end
  end
  for _, row in ipairs(rows) do
    local one, why = price_of(row, file)
    if not one then return nil, ("%s: %s"):format(row.where, why) end
    if fits(row, words, kinds) then
      local name = prices.canonical(tostring(row.gpu))
      out[name] = out[name] or {}
      keep(out[name], one)
    end
  end
  if next(out) == nil then return nil, none_fits(rows, words, file) end
  return out
end

--- The prices of a file's text: CSV with a header, or JSON that is a list of records. All of its
--- rows are looked at, those that fit the words are taken, and of each GPU the cheapest.
---@param text string
---@param file string     its name, for messages and sources
---@param words string[]  a provider, a region, a kind of offer; "on demand" where none is that
---@return table<string, tandem.Price[]>|nil by canonical name
---@return string|nil problem
function price_file.read(text, file, words)
  local out, problem = read(text, file, words)
  return out, problem and safe.line(problem) -- which cites cells, of several lines perhaps
end

--- "aws, us-east-1, spot" as words.
---@param text string|nil
---@return string[]
function price_file.words(text)
  local out = {}
  for word in (text or ""):gmatch "[^,]+" do
    word = word:match "^%s*(.-)%s*$"
    if word ~= "" then out[#out + 1] = word end
  end
  return out
end

return price_file
