--- The text of recorded requests: files, packed or not, as rows of named values.
-- Owns four readers: CSV (quoted fields, CRLF), JSON Lines, conversations (an array of objects, or
-- one a line, with what was said), dates. Knows no column by name but those that conversations
-- have. Nothing is skipped silently: a problem names its line. Called by tandem.replay.

local core = require "tandem.core"
local infile = require "tandem.io.infile"
local json = require "tandem.io.json"

local text = {}

--- Split CSV text into rows of fields.
---@param content string
---@return string[][]|nil rows
---@return integer[]|string lines line number of each row, or the problem
function text.csv(content)
  local rows, line_numbers = {}, {}
  local at, line, size = 1, 1, #content
  if content:sub(1, 3) == "\239\187\191" then at = 4 end
  while at <= size do
    local row, start = {}, line
    while true do
      if content:byte(at) == 34 then -- a quoted field
        local parts, from = {}, at + 1
        while true do
          local stop = content:find('"', from, true)
          if not stop then return nil, ("line %d: a quoted field is not closed"):format(start) end
          parts[#parts + 1] = content:sub(from, stop - 1)
          if content:byte(stop + 1) ~= 34 then
            at = stop + 1
            break
          end
          parts[#parts + 1] = '"'
          from = stop + 2
        end
        local value = table.concat(parts)
        for _ in value:gmatch("\n") do line = line + 1 end
        row[#row + 1] = value
        if at <= size and not content:find("^[,\r\n]", at) then
          return nil, ("line %d: text after a closing quote"):format(line)
        end
      else
        local stop = content:find("[,\n]", at) or size + 1
        local value = content:sub(at, stop - 1)
        if content:byte(stop) ~= 44 then value = value:gsub("\r$", "") end
        row[#row + 1] = value
        at = stop
      end
      if content:byte(at) == 44 then
        at = at + 1
      else
        break
      end
    end
    if content:byte(at) == 13 then at = at + 1 end
    at = at + 1
    line = line + 1
    if #row > 1 or row[1] ~= "" then
      rows[#rows + 1] = row
      line_numbers[#line_numbers + 1] = start
    end
  end
  return rows, line_numbers
end

-- The top-level values of one JSON object, lists as they are written: a trace line may hold
-- thousands of token ids. Nil when the line is not that simple; json.decode then judges.
local function quick_fields(line)
  if not line:find("^%s*{") or line:find("\\", 1, true) then return nil end
  local out, at = {}, line:find("{", 1, true) + 1
  while true do
    local key, value_at = line:match('^%s*"([^"]*)"%s*:%s*()', at)
    if not key then return nil end
    local c = line:sub(value_at, value_at)
    local stop
    if c == "[" then
      stop = select(2, line:find("^%b[]", value_at))
      out[key] = stop and { written = line:sub(value_at, stop) }
    elseif c == '"' then
      stop = select(2, line:find('^"[^"]*"', value_at))
      out[key] = stop and line:sub(value_at + 1, stop - 1)
    elseif c == "{" then
      return nil
    else
      stop = select(2, line:find("^[^,}%s]+", value_at))
      out[key] = stop and tonumber(line:sub(value_at, stop)) or nil
    end
    if not stop then return nil end
    local separator, after = line:match("^%s*([,}])()", stop + 1)
    if separator == "}" then return line:find("^%s*$", after) and out or nil end
    if not separator then return nil end
    at = after
  end
end

local number = "^%s*(-?%d[%d%.eE+-]*)"

--- The first number of a list in a row; 0 of an empty one.
---@param list table
---@return number
function text.first(list)
  if list.written then return tonumber(list.written:match("^%[" .. number:sub(2))) or 0 end
  return tonumber(list[1]) or 0
end

--- Each item of a list of numbers or words, as text.
---@param list table
---@return fun(): string|nil
function text.items(list)
  if list.written then return list.written:gmatch "[^%[%]%s,]+" end
  local at = 0
  return function()
    at = at + 1
    return list[at] ~= nil and tostring(list[at]) or nil
  end
end

--- Split JSON Lines into rows of fields; a list is for text.first and text.items.
---@param content string
---@param limit integer|nil  rows after which to stop
---@return table[]|nil rows
---@return integer[]|string lines  line number of each row, or the problem
function text.jsonl(content, limit)
  local rows, line_numbers, line = {}, {}, 0
  for raw in (content .. "\n"):gmatch("(.-)\r?\n") do
    line = line + 1
    if raw:find("%S") then
      local fields = quick_fields(raw)
      if not fields then
        local value, wrong = json.decode(raw)
        if type(value) ~= "table" then
          return nil, ("line %d: %s"):format(line, wrong and wrong.message or "is not an object")
        end
        fields = value
      end
      rows[#rows + 1] = fields
      line_numbers[#line_numbers + 1] = line
      if limit and #rows >= limit then break end
    end
  end
  return rows, line_numbers
end

-- ---- conversations

local answers = { gpt = true, assistant = true, chatgpt = true, bing = true, bard = true,
  model = true }

-- Turns of a conversation: tokens asked and answered. What nobody answered is no turn.
local function turns_of(said, bytes_per_token)
  local turns, asked = {}, 0
  local function tokens(bytes) return math.max(1, math.ceil(bytes / bytes_per_token)) end
  for _, message in ipairs(said) do
    local who, words = message.from or message.role, message.value or message.content
    local bytes = type(words) == "string" and #words or 0
    if answers[who] and asked > 0 and bytes > 0 then
      turns[#turns + 1] = { prompt = tokens(asked), output = tokens(bytes) }
      asked = 0
    else
      asked = asked + bytes
    end
  end
  return turns
end

--- Objects of a JSON array as text, one after the other: files of this kind are larger than what
--- would be wise to hold as tables.
---@param content string
---@return fun(): string|nil
function text.objects(content)
  local at = content:find("[", 1, true) + 1
  return function()
    local start = content:find("{", at, true)
    if not start then return nil end
    local depth, i = 0, start
    while true do
      local c
      i, c = content:match('()([{}"])', i)
      if not i then return content:sub(start) end
      if c == '"' then
        repeat
          i = content:find('["\\]', i + 1)
          if not i then return content:sub(start) end
          local escaped = content:byte(i) == 92
          if escaped then i = i + 1 end
        until not escaped
      elseif c == "{" then
        depth = depth + 1
      else
        depth = depth - 1
        if depth == 0 then
          at = i + 1
          return content:sub(start, i)
        end
      end
      i = i + 1
    end
  end
end

local function said_in(object)
  return object.conversations or object.conversation or object.messages
end

--- Whether a row of JSON Lines holds a conversation.
---@param row table
---@return boolean
function text.is_conversation(row) return type(said_in(row)) == "table" end

-- A row for each turn of the conversations that `next_object` gives, as text or table.
local function rows_of_conversations(next_object, bytes_per_token, limit)
  local rows, numbers, session, number_of = {}, {}, 0, 0
  for object in next_object do
    number_of = number_of + 1
    local wrong
    if type(object) == "string" then object, wrong = json.decode(object) end
    local said = type(object) == "table" and said_in(object)
    if type(said) == "table" and said.written then said, wrong = json.decode(said.written) end
    if type(said) ~= "table" then
      return nil, ("conversation %d: %s"):format(number_of,
        wrong and wrong.message or "has no list 'conversations' or 'messages'")
    end
    local turns = turns_of(said, bytes_per_token)
    if #turns > 0 then session = session + 1 end
    for _, turn in ipairs(turns) do
      rows[#rows + 1] = { session = session, prompt_tokens = turn.prompt,
        output_tokens = turn.output }
      numbers[#numbers + 1] = number_of
    end
    if limit and session >= limit then break end
  end
  return rows, numbers
end

--- Rows { session, prompt_tokens, output_tokens } of an array of conversations. Words count as one
--- token for so many bytes.
---@param content string
---@param bytes_per_token number
---@param limit integer|nil  conversations
---@return table[]|nil rows
---@return integer[]|string numbers  of the conversation of each row, or the problem
function text.conversations(content, bytes_per_token, limit)
  return rows_of_conversations(text.objects(content), bytes_per_token, limit)
end

--- The same of rows that were lines.
---@param lines table[]
---@param bytes_per_token number
---@param limit integer|nil
---@return table[]|nil rows
---@return integer[]|string numbers
function text.conversations_of(lines, bytes_per_token, limit)
  local at = 0
  return rows_of_conversations(function()
    at = at + 1
    return lines[at]
  end, bytes_per_token, limit)
end

-- ---- dates

--- A date and time as integer nanoseconds since 1970 (UTC unless an offset is written).
---@param written string "2023-11-16 18:17:03.9799600", "2023-11-16T18:17:03Z", …+01:00
---@return integer|nil
function text.timestamp_ns(written)
  return core.date_ns((written:match "^%s*(.-)%s*$"))
end

-- ---- files

-- gzip, zstd, Arrow's file and its stream, which become CSV
local packed = { "\x1f\x8b", "\x28\xb5\x2f\xfd", "ARROW1\0\0", "\xff\xff\xff\xff" }

--- What bytes of a file mean: themselves, or what was packed into them.
---@param bytes string
---@param file string  for messages
---@return string|nil content
---@return string|nil problem
function text.unpacked(bytes, file)
  for _, magic in ipairs(packed) do
    if bytes:sub(1, #magic) == magic then
      local content, message = core.files.unpack(bytes)
      if not content then return nil, ("%s: %s"):format(file, (message:gsub("^memory: ", ""))) end
      return content
    end
  end
  return bytes
end

--- Where a file's text is: its path where it is a plain file, else its bytes.
---@param file string
---@param directory string|nil  where relative names start
---@return tandem.TextSource|nil
---@return string|nil problem
function text.source(file, directory)
  local paths = { file }
  if directory and directory ~= "" and file:sub(1, 1) ~= "/" then
    table.insert(paths, 1, directory .. "/" .. file)
  end
  for _, path in ipairs(paths) do
    if core.recognize(path) then return { path = path } end
    local bytes = infile.read(path)
    if bytes then return { text = bytes } end
  end
  -- Data of shipped scenarios is found wherever a copy of such a scenario lies.
  local ok, embedded = pcall(require, "tandem.embedded")
  paths[#paths + 1] = "scenarios/" .. file
  for _, path in ipairs(paths) do
    local bytes = ok and type(embedded) == "table" and embedded.read(path)
    if bytes then return { text = bytes } end
  end
  return nil, ("cannot read '%s'"):format(file)
end

--- The text of a source as a whole, unpacked.
---@param source tandem.TextSource
---@param file string  for messages
---@return string|nil content
---@return string|nil problem
function text.content(source, file)
  local bytes, problem = source.text, nil
  if not bytes then bytes, problem = infile.read(source.path) end
  if not bytes then return nil, problem end
  return text.unpacked(bytes, file)
end

return text
