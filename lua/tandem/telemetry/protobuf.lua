--- OTLP traces as protocol buffers: TracesData, and files of several with a length before each.
-- Makes the tables that OTLP's JSON has, for spans.lua, which reads them. Called by
-- telemetry/init.lua.

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

local function key_value(bytes, from, to)
  local out = {}
  for number, value, last in fields(bytes, from, to) do
    if number == 1 and last then out.key = bytes:sub(value, last) end
    if number == 2 and last then out.value = any_value(bytes, value, last) end
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

local function span(bytes, from, to)
  local out = { attributes = {}, events = {} }
  for number, value, last in fields(bytes, from, to) do
    if number == 1 and last then out.traceId = hex(bytes:sub(value, last)) end
    if number == 2 and last then out.spanId = hex(bytes:sub(value, last)) end
    if number == 4 and last then out.parentSpanId = hex(bytes:sub(value, last)) end
    if number == 5 and last then out.name = bytes:sub(value, last) end
    if number == 7 then out.startTimeUnixNano = value end
    if number == 8 then out.endTimeUnixNano = value end
    if number == 9 and last then
      out.attributes[#out.attributes + 1] = key_value(bytes, value, last)
    end
    if number == 11 and last then out.events[#out.events + 1] = event(bytes, value, last) end
    if number == 15 and last then out.status = status(bytes, value, last) end
  end
  return out
end

local function resource_spans(bytes, from, to)
  local out = { resource = { attributes = {} }, scopeSpans = {} }
  for number, value, last in fields(bytes, from, to) do
    if number == 1 and last then
      for inner, at, stop in fields(bytes, value, last) do
        if inner == 1 and stop then
          table.insert(out.resource.attributes, key_value(bytes, at, stop))
        end
      end
    elseif number == 2 and last then
      local scope = { spans = {} }
      for inner, at, stop in fields(bytes, value, last) do
        if inner == 2 and stop then scope.spans[#scope.spans + 1] = span(bytes, at, stop) end
      end
      out.scopeSpans[#out.scopeSpans + 1] = scope
    end
  end
  return out
end

local function message(bytes, from, to, out)
  for number, value, last in fields(bytes, from, to) do
    if number ~= 1 or not last then error("no trace", 0) end
    out[#out + 1] = resource_spans(bytes, value, last)
  end
end

-- The collector writes four bytes of length, highest first, before each message.
local function framed(bytes, out)
  local at = 1
  while at + 3 <= #bytes do
    local length = string.unpack(">I4", bytes, at)
    if length == 0 or at + 3 + length > #bytes then error("cut", 0) end
    message(bytes, at + 4, at + 3 + length, out)
    at = at + 4 + length
  end
  if at <= #bytes then error("cut", 0) end
end

local function has_span(all)
  for _, of in ipairs(all) do
    for _, scope in ipairs(of.scopeSpans) do
      for _, one in ipairs(scope.spans) do
        if #(one.traceId or "") == 32 and #(one.spanId or "") == 16 then return true end
      end
    end
  end
  return false
end

--- The object that OTLP's JSON would be; nil: these bytes are no traces.
---@param bytes string
---@return table|nil
function protobuf.read(bytes)
  for _, how in ipairs { function(out) message(bytes, 1, #bytes, out) end,
    function(out) framed(bytes, out) end } do
    local out = {}
    if pcall(how, out) and has_span(out) then return { resourceSpans = out } end
  end
end

return protobuf
