--- OTLP traces as protocol buffers: TracesData, and files of several with a length before each.
-- Makes of each span the table that OTLP's JSON has, for spans.lua, which reads them. Memory is
-- that of a span, of which long fields are read to their first MiB. Called by spans.lua.

local text_file = require "tandem.io.text_file"

local protobuf = {}

-- Damaged files raise; who calls catches it.
local function varint(bytes, at)
  local value, shift = 0, 0
  repeat
    local byte = bytes:byte(at)
    if not byte or shift > 63 then error("cut", 0) end
    value = value | (byte & 127) << shift
    shift, at = shift + 7, at + 1
  until byte < 128
  return value, at
end

local TAG_MOST <const> = 20 -- bytes of a tag and a length, or of a number

-- Each field of a message: its number, its value (an integer, or where its bytes are). `open`: the
-- message goes on behind `to`, and its last field with it.
local function fields(bytes, from, to, open)
  local at = from
  return function()
    if at > to or open and to - at < TAG_MOST then return nil end
    local tag, value, last
    tag, at = varint(bytes, at)
    local wire = tag & 7
    if wire == 0 then
      value, at = varint(bytes, at)
    elseif wire == 1 or wire == 5 then
      local size = wire == 1 and 8 or 4
      if at + size - 1 > to then error("cut", 0) end
      value, at = string.unpack(wire == 1 and "<i8" or "<i4", bytes, at)
    elseif wire == 2 then
      local length
      length, at = varint(bytes, at)
      if length < 0 then error("cut", 0) end
      if open and at + length - 1 > to then length = to - at + 1 end
      if at + length - 1 > to then error("cut", 0) end
      value, last = at, at + length - 1
      at = last + 1
    else
      error("no field", 0)
    end
    return tag >> 3, value, last
  end
end

-- A text; where it goes on, without a character that is not whole.
local function text_of(bytes, from, to, open)
  if not open then return bytes:sub(from, to) end
  return bytes:sub(from, to - 4) .. bytes:sub(math.max(from, to - 3), to):gsub("[\xC0-\xFF].*", "")
end

local function any_value(bytes, from, to, open)
  local out = {}
  for number, value, last in fields(bytes, from, to, open) do
    if number == 1 and last then out.stringValue = text_of(bytes, value, last, open) end
    if number == 2 and not last then out.boolValue = value ~= 0 end
    if number == 3 and not last then out.intValue = value end
    if number == 4 and not last then
      out.doubleValue = string.unpack("<d", string.pack("<i8", value))
    end
  end
  return out
end

-- Values of keys that nobody wants, which hold texts of prompts, are passed over.
local function key_value(bytes, from, to, wants, open)
  local out = {}
  for number, value, last in fields(bytes, from, to, open) do
    if number == 1 and last then out.key = bytes:sub(value, last) end
    if number == 2 and last and (not wants or out.key == nil or wants(out.key)) then
      out.value = any_value(bytes, value, last, open)
    end
  end
  return out
end

local function hex(bytes)
  return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

local function status(bytes, from, to, open)
  local out = {}
  for number, value, last in fields(bytes, from, to, open) do
    if number == 2 and last then out.message = text_of(bytes, value, last, open) end
    if number == 3 then out.code = value end
  end
  if open then out.code = out.code or 2 end -- what only errors have stands before the code
  return out
end

local function event(bytes, from, to, open)
  local out = {}
  for number, value, last in fields(bytes, from, to, open) do
    if number == 1 then out.timeUnixNano = value end
    if number == 2 and last then out.name = bytes:sub(value, last) end
  end
  return out
end

local function add_field(out, wants, number, bytes, value, last, open)
  if number == 7 then out.startTimeUnixNano = value end
  if number == 8 then out.endTimeUnixNano = value end
  if not last then return end
  if number == 1 then out.traceId = hex(bytes:sub(value, last)) end
  if number == 2 then out.spanId = hex(bytes:sub(value, last)) end
  if number == 4 then out.parentSpanId = hex(bytes:sub(value, last)) end
  if number == 5 then out.name = text_of(bytes, value, last, open) end
  if number == 9 then
    out.attributes[#out.attributes + 1] = key_value(bytes, value, last, wants, open)
  end
  if number == 11 then out.events[#out.events + 1] = event(bytes, value, last, open) end
  if number == 15 then out.status = status(bytes, value, last, open) end
end

local function span(bytes, wants)
  local out = { attributes = {}, events = {} }
  for number, value, last in fields(bytes, 1, #bytes) do
    add_field(out, wants, number, bytes, value, last)
  end
  return out
end

-- ---- what holds spans, of any size

-- How far a file is read; `at`: bytes of it.
local Cursor = {}
Cursor.__index = Cursor

local LONG <const> = (1 << 20) + (1 << 12) -- bytes of a field; names are cut a little below

function Cursor:bytes(count)
  local bytes = self.file:bytes(count)
  if not bytes then error("cut", 0) end
  self.at = self.at + count
  return bytes
end

function Cursor:skip(count)
  while count > 0 do
    local part = math.min(count, 1 << 16)
    self:bytes(part)
    count = count - part
  end
end

function Cursor:varint()
  local value, shift = 0, 0
  while shift <= 63 do
    local byte = self:bytes(1):byte()
    value = value | (byte & 127) << shift
    if byte < 128 then return value end
    shift = shift + 7
  end
  error("cut", 0)
end

-- Each field up to `stop`: its number, its integer or the end of its bytes, and whether it has any.
-- Those must be read or passed before the next.
local function each_field(cursor, stop)
  return function()
    if cursor.at > stop then error("cut", 0) end
    if cursor.at == stop then return nil end
    local tag = cursor:varint()
    local wire = tag & 7
    if wire == 2 then
      local length = cursor:varint()
      if length < 0 or cursor.at + length > stop then error("cut", 0) end
      return tag >> 3, cursor.at + length, true
    end
    if wire == 0 then return tag >> 3, cursor:varint() end
    if wire ~= 1 and wire ~= 5 then error("no field", 0) end
    local size = wire == 1 and 8 or 4
    return tag >> 3, (string.unpack(size == 8 and "<i8" or "<i4", cursor:bytes(size)))
  end
end

-- Hands each message among the fields up to `stop` to what takes its number, with where it ends.
local function walk(cursor, stop, takes)
  for number, last, is_message in each_field(cursor, stop) do
    local take = is_message and takes[number]
    if take then take(last) elseif is_message then cursor:skip(last - cursor.at) end
  end
end

-- As much of a field as is read; is that not all?
local function beginning(cursor, last)
  local count = last - cursor.at
  local bytes = cursor:bytes(math.min(count, LONG))
  cursor:skip(last - cursor.at)
  return bytes, count > LONG
end

-- A span that is not held whole. Its beginning must show that it is one.
local function long_span(cursor, stop, wants)
  local out = { attributes = {}, events = {} }
  for number, value, has_bytes in each_field(cursor, stop) do
    if has_bytes then
      local bytes, open = beginning(cursor, value)
      add_field(out, wants, number, bytes, 1, #bytes, open)
    else
      add_field(out, wants, number, "", value)
    end
    if #(out.traceId or "") ~= 32 then error("cut", 0) end
  end
  return out
end

-- What is in a ResourceSpans: the spans, then the attributes of what they are of.
local function resource_spans(cursor, stop, visitor)
  local attributes, found = {}, false
  local in_resource = { [1] = function(last)
    local bytes, open = beginning(cursor, last)
    attributes[#attributes + 1] = key_value(bytes, 1, #bytes, nil, open)
  end }
  local in_scope = { [2] = function(last)
    local count = last - cursor.at
    local one = count > LONG and long_span(cursor, last, visitor.wants)
      or span(cursor:bytes(count), visitor.wants)
    found = found or #(one.traceId or "") == 32 and #(one.spanId or "") == 16
    visitor.span(one)
  end }
  walk(cursor, stop, { [1] = function(last) walk(cursor, last, in_resource) end,
    [2] = function(last) walk(cursor, last, in_scope) end })
  visitor.resource(attributes)
  return found
end

local function is_at_end(cursor)
  return cursor.file.at > #cursor.file.buffer and not cursor.file:fill()
end

local FIELD <const> = 1 << 3 | 2 -- TracesData has no other

-- To `stop`, or to the end of the file.
local function message(cursor, stop, visitor)
  local found = false
  while cursor.at < stop and not (stop == math.huge and is_at_end(cursor)) do
    if cursor:varint() ~= FIELD then error("no trace", 0) end
    local length = cursor:varint()
    local last = cursor.at + length
    if length < 0 or last > stop then error("cut", 0) end
    found = resource_spans(cursor, last, visitor) or found
  end
  return found
end

-- The collector writes four bytes of length, highest first, before each message.
local function framed(cursor, visitor)
  local found = false
  while not is_at_end(cursor) do
    local length = string.unpack(">I4", cursor:bytes(4))
    if length == 0 then error("cut", 0) end
    found = message(cursor, cursor.at + length, visitor) or found
  end
  return found
end

local function plain(cursor, visitor) return message(cursor, math.huge, visitor) end

---@class tandem.SpanVisitor
---@field span fun(span: table)            as OTLP's JSON has it
---@field wants (fun(key: string): boolean)|nil  of the spans' attributes; nil: all
---@field resource fun(attributes: table)  of the spans since the last

--- Reads a file to its end, a span at a time; nil: these bytes are no traces.
---@param source tandem.TextSource
---@param begin fun(): tandem.SpanVisitor  one for each way in which the file may be written
---@return tandem.SpanVisitor|nil  who saw the spans
function protobuf.read(source, begin)
  for _, how in ipairs { plain, framed } do
    local file, visitor = text_file.open(source), begin()
    if not file then return nil end
    local done, found = pcall(how, setmetatable({ file = file, at = 0 }, Cursor), visitor)
    if done and found and not file.problem then return visitor end
  end
end

return protobuf
