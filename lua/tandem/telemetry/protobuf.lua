--- OTLP traces as protocol buffers: TracesData, and files of several with a length before each.
-- Makes of each span the table that OTLP's JSON has, for spans.lua, which reads them. Memory is
-- that of a span. Called by spans.lua.

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

-- Each field of a message: its number, its value (an integer, or where its bytes are).
local function fields(bytes, from, to)
  local at = from
  return function()
    if at > to then return nil end
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
      if length < 0 or at + length - 1 > to then error("cut", 0) end
      value, last = at, at + length - 1
      at = last + 1
    else
      error("no field", 0)
    end
    return tag >> 3, value, last
  end
end

local function any_value(bytes, from, to)
  local out = {}
  for number, value, last in fields(bytes, from, to) do
    if number == 1 and last then out.stringValue = bytes:sub(value, last) end
    if number == 2 and not last then out.boolValue = value ~= 0 end
    if number == 3 and not last then out.intValue = value end
    if number == 4 and not last then
      out.doubleValue = string.unpack("<d", string.pack("<i8", value))
    end
  end
  return out
end

-- Values of keys that nobody wants, which hold texts of prompts, are passed over.
local function key_value(bytes, from, to, wants)
  local out = {}
  for number, value, last in fields(bytes, from, to) do
    if number == 1 and last then out.key = bytes:sub(value, last) end
    if number == 2 and last and (not wants or out.key == nil or wants(out.key)) then
      out.value = any_value(bytes, value, last)
    end
  end
  return out
end

local function hex(bytes)
  return (bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end

local function status(bytes, from, to)
  local out = {}
  for number, value, last in fields(bytes, from, to) do
    if number == 2 and last then out.message = bytes:sub(value, last) end
    if number == 3 then out.code = value end
  end
  return out
end

local function event(bytes, from, to)
  local out = {}
  for number, value, last in fields(bytes, from, to) do
    if number == 1 then out.timeUnixNano = value end
    if number == 2 and last then out.name = bytes:sub(value, last) end
  end
  return out
end

local function span(bytes, from, to, wants)
  local out = { attributes = {}, events = {} }
  for number, value, last in fields(bytes, from, to) do
    if number == 1 and last then out.traceId = hex(bytes:sub(value, last)) end
    if number == 2 and last then out.spanId = hex(bytes:sub(value, last)) end
    if number == 4 and last then out.parentSpanId = hex(bytes:sub(value, last)) end
    if number == 5 and last then out.name = bytes:sub(value, last) end
    if number == 7 then out.startTimeUnixNano = value end
    if number == 8 then out.endTimeUnixNano = value end
    if number == 9 and last then
      out.attributes[#out.attributes + 1] = key_value(bytes, value, last, wants)
    end
    if number == 11 and last then out.events[#out.events + 1] = event(bytes, value, last) end
    if number == 15 and last then out.status = status(bytes, value, last) end
  end
  return out
end

-- ---- what holds spans, of any size

-- How far a file is read; `at`: bytes of it.
local Cursor = {}
Cursor.__index = Cursor

local MOST <const> = 1 << 26 -- bytes of a span or a resource: none is larger

function Cursor:bytes(count)
  local bytes = count <= MOST and self.file:bytes(count)
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

-- Hands each message among the fields up to `stop` to what takes its number, with where it ends.
local function walk(cursor, stop, takes)
  while cursor.at < stop do
    local tag = cursor:varint()
    local wire, last = tag & 7, nil
    if wire == 2 then
      local length = cursor:varint()
      last = cursor.at + length
      if length < 0 or last > stop then error("cut", 0) end
    elseif wire == 0 then
      cursor:varint()
    elseif wire == 1 or wire == 5 then
      cursor:skip(wire == 1 and 8 or 4)
    else
      error("no field", 0)
    end
    local take = last and takes[tag >> 3]
    if take then take(last) elseif last then cursor:skip(last - cursor.at) end
  end
  if cursor.at > stop then error("cut", 0) end
end

local function resource_of(bytes)
  local attributes = {}
  for number, value, last in fields(bytes, 1, #bytes) do
    if number == 1 and last then attributes[#attributes + 1] = key_value(bytes, value, last) end
  end
  return attributes
end

-- A span that is not read whole is told, where its beginning shows that it is one.
local function refuse_long(cursor, count)
  if count <= MOST then return end
  local at = cursor.at
  if cursor:bytes(2) ~= "\10\16" then error("cut", 0) end
  error({ problem = ("the span at byte %d has %d bytes; one of more than 64 MiB is not read")
    :format(at, count) }, 0)
end

-- What is in a ResourceSpans: the spans, then the attributes of what they are of.
local function resource_spans(cursor, stop, visitor)
  local attributes, found = {}, false
  local in_scope = { [2] = function(last)
    refuse_long(cursor, last - cursor.at)
    local bytes = cursor:bytes(last - cursor.at)
    local one = span(bytes, 1, #bytes, visitor.wants)
    found = found or #(one.traceId or "") == 32 and #(one.spanId or "") == 16
    visitor.span(one)
  end }
  walk(cursor, stop, {
    [1] = function(last)
      for _, one in ipairs(resource_of(cursor:bytes(last - cursor.at))) do
        attributes[#attributes + 1] = one
      end
    end,
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
---@return string|nil problem  these are traces, and cannot be read
function protobuf.read(source, begin)
  for _, how in ipairs { plain, framed } do
    local file, visitor = text_file.open(source), begin()
    if not file then return nil end
    local done, found = pcall(how, setmetatable({ file = file, at = 0 }, Cursor), visitor)
    if done and found and not file.problem then return visitor end
    if not done and type(found) == "table" then return nil, found.problem end
  end
end

return protobuf
