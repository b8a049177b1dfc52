--- A map as the Lua file that a person would have written.
--
-- Owns the spelling: the order of keys, quotes, where comments stand. Comments say what a line
-- covers; what they say is the caller's. Called by maps themselves and by `tandem map --out`.
local nearest = require "tandem.text.nearest"

local write = {}

---@class tandem.MapTold  comments
---@field head? string[]                 lines above the file
---@field request? string
---@field sizes? table<string, string>   by name
---@field stages? table<string, string>  by name

local WIDTH <const> = 100
-- What a rule says first, then what narrows it.
local ORDER <const> = { "range", "sequence", "starts", "phases", "by", "kernel", "comm", "copy",
  "memset", "graph", "call", "op", "sync", "phase", "arg", "count", "bytes", "domain", "category",
  "on", "each", "attribute", "lane" }

local function quoted(text)
  text = text:gsub('[\\"]', "\\%0"):gsub("%c", function(c) return ("\\%03d"):format(c:byte()) end)
  return '"' .. text .. '"'
end

-- A name as a key: words of Lua stand in brackets.
local function key_text(name) return load("local " .. name) and name or ('["%s"]'):format(name) end

local rule

local function value_text(value)
  if type(value) == "string" then return quoted(value) end
  if type(value) == "function" then return "function(span) … end" end
  if type(value) ~= "table" then return tostring(value) end
  if #value > 0 then
    local words = {}
    for i, one in ipairs(value) do words[i] = quoted(one) end
    return "{ " .. table.concat(words, ", ") .. " }"
  end
  return rule(value)
end

-- { "h2d", copy = "HtoD" }
function rule(of)
  local parts = {}
  if of[1] then parts[1] = quoted(of[1]) end
  for _, key in ipairs(ORDER) do
    if of[key] ~= nil then parts[#parts + 1] = ("%s = %s"):format(key, value_text(of[key])) end
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

-- Characters; bytes where a name is no UTF-8.
local function length(text) return utf8.len(text) or #text end

-- Words of a comment in lines of at most so many characters.
local function wrapped(text, indent)
  local lines, line = {}, nil
  for word in text:gmatch "%S+" do
    if line and length(line) + 1 + length(word) > WIDTH - #indent - 3 then
      lines[#lines + 1], line = indent .. "-- " .. line, word
    else
      line = line and line .. " " .. word or word
    end
  end
  if line then lines[#lines + 1] = indent .. "-- " .. line end
  return lines
end

-- A line with what it covers: behind it, or above where both are too long.
local function put(out, indent, text, comment)
  comment = comment and comment:gsub("%c", " ")
  local line = indent .. text
  if not comment then
    out[#out + 1] = line
  elseif length(line) + 4 + length(comment) <= WIDTH then
    out[#out + 1] = line .. "  -- " .. comment
  else
    local made = wrapped(comment, indent)
    table.move(made, 1, #made, #out + 1, out)
    out[#out + 1] = line
  end
end

local function body(spec, told)
  local out = { "td.map {" }
  put(out, "  ", ("request = %s,"):format(rule(spec.request)), told.request)
  local names = nearest.sorted_keys(spec.sizes or {})
  if #names > 0 then
    out[#out + 1] = "  sizes = {"
    for _, name in ipairs(names) do
      put(out, "    ", ("%s = %s,"):format(key_text(name), value_text(spec.sizes[name])),
        told.sizes and told.sizes[name])
    end
    out[#out + 1] = "  },"
  end
  if spec.stages then
    out[#out + 1] = "  stages = {"
    for _, stage in ipairs(spec.stages) do
      put(out, "    ", rule(stage) .. ",", told.stages and told.stages[stage[1]])
    end
    out[#out + 1] = "  },"
  end
  out[#out + 1] = "}"
  return out
end

--- The map as text; a function in it is named only.
---@param spec tandem.MapSpec
---@param told? tandem.MapTold
---@return string
function write.text(spec, told) return table.concat(body(spec, told or {}), "\n") end

--- The map as a file that loads again. Raises for one that holds a function: its text is the file
--- it came from.
---@param spec tandem.MapSpec
---@param told? tandem.MapTold
---@return string
function write.file(spec, told)
  if spec.request.by then
    error("a map with a function is written by hand: copy the file it came from", 3)
  end
  told = told or {}
  local out = {}
  for _, line in ipairs(told.head or {}) do
    local made = wrapped((line:gsub("%c", " ")), "")
    table.move(made, 1, #made, #out + 1, out)
  end
  out[#out + 1] = "local td = require \"tandem\""
  out[#out + 1] = ""
  local lines = body(spec, told)
  lines[1] = "return " .. lines[1]
  table.move(lines, 1, #lines, #out + 1, out)
  return table.concat(out, "\n") .. "\n"
end

return write
