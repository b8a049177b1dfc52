--- The text of recorded requests: files, packed or not, as rows of named values.
-- Owns where files lie, and two readers: JSON Lines, conversations (a list of objects, or one a
-- line, with what was said); and dates. Knows no column by name but those that conversations have.
-- Nothing is skipped silently: a problem names its line. Called by tandem.replay.

local core = require "tandem.core"
local infile = require "tandem.io.infile"
local json = require "tandem.io.json"
local json_file = require "tandem.io.json_file"
local text_file = require "tandem.io.text_file"

local text = {}

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

--- The rows of JSON Lines, fields by name; a list is for text.first and text.items.
---@param file tandem.TextFile
---@return fun(): table|nil, integer|string|nil  each row and its line; nil: the end, or a problem
function text.jsonl(file)
  local place = 0
  return function()
    local line
    repeat
      line, place = file:line(), place + 1
    until not line or line:find "%S"
    if not line then return nil, file.problem end
    local fields = quick_fields(line)
    if fields then return fields, place end
    local value, wrong = json.decode(line)
    if type(value) == "table" then return value, place end
    return nil, ("line %d: %s"):format(place, wrong and wrong.message or "is not an object")
  end
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

local SAID <const> = { "conversations", "conversation", "messages" }
local CONVERSATION <const> = { conversations = true, conversation = true, messages = true,
  from = true, role = true, value = true, content = true }

local function said_in(object)
  for _, key in ipairs(SAID) do
    if type(object[key]) == "table" then return object[key] end
  end
end

--- Whether a row of JSON Lines holds a conversation.
---@param row table
---@return boolean
function text.is_conversation(row) return said_in(row) ~= nil end

-- What the next conversation says, and its number; nil: the end, or the problem.
local function next_said(stream, place)
  local kind = stream:record()
  local object = kind == "object" and stream:value(CONVERSATION)
  local words, at = stream:problem()
  if words then return nil, ("conversation %d: it cannot be read (%s)"):format(at, words) end
  if not kind then return nil end
  local said = object and said_in(object)
  if said then return said end
  return nil, ("conversation %d: has no list 'conversations' or 'messages'"):format(place)
end

--- Rows { session, prompt_tokens, output_tokens } of conversations. Words count as one token for so
--- many bytes.
---@param source tandem.TextSource
---@param bytes_per_token number
---@param limit integer|nil  conversations
---@return fun(): table|nil, integer|string|nil  each row and its conversation; nil: the end, or a
---                                              problem
function text.conversations(source, bytes_per_token, limit)
  local stream, unreadable = json_file.open(source)
  local session, place, turns, at = 0, 0, {}, 0
  return function()
    if not stream then return nil, unreadable end
    while at == #turns do
      if limit and session >= limit then return nil end
      local said, problem = next_said(stream, place + 1)
      if not said then return nil, problem end
      place, turns, at = place + 1, turns_of(said, bytes_per_token), 0
      if #turns > 0 then session = session + 1 end
    end
    at = at + 1
    return { session = session, prompt_tokens = turns[at].prompt,
      output_tokens = turns[at].output }, place
  end
end

-- ---- dates

--- A date and time as integer nanoseconds since 1970 (UTC unless an offset is written).
---@param written string "2023-11-16 18:17:03.9799600", "2023-11-16T18:17:03Z", …+01:00
---@return integer|nil
function text.timestamp_ns(written)
  return core.date_ns((written:match "^%s*(.-)%s*$"))
end

-- ---- files

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

--- Opens a source.
---@param source tandem.TextSource
---@param file string  for messages
---@return tandem.TextFile|nil
---@return string|nil problem
function text.open(source, file)
  local opened, problem = text_file.open(source)
  if not opened then return nil, ("%s: %s"):format(file, problem) end
  return opened
end

return text
