--- Files of JSON that other programs wrote, a record at a time: values that stand one behind the
-- other (JSON Lines), or the items of one list. Memory is that of a record, whatever the size.
--
-- Owns opening such a file, packed or not, and its records by number. Tokens and values are
-- src/bind/json_stream.c's. Called by readers of telemetry and benchmarks, and by tandem.replay.

local core = require "tandem.core"
local records = require "tandem.io.records"

local json_file = {}

---@class tandem.JsonStream
---@field record fun(self): "object"|"list"|"value"|nil, boolean|nil  goes to the next record; is
---                                              it an item of a list?
---@field keys fun(self): fun(): string|nil, string|nil  of the object at hand, and their values'
---                                             kinds; each value is then at hand
---@field items fun(self): fun(): string|nil    of the list at hand, each at hand: their kinds
---@field value fun(self, keep: table<string, true|"sum">|nil): any  the value at hand, decoded
---@field problem fun(self): string|nil, integer|nil, boolean|nil  words, the record, is it cut?
---@field close fun(self)

-- Where text comes from: the path of a file, or what its bytes are.
---@alias tandem.TextSource { path: string|nil, text: string|nil }

--- The values of a file or a text.
---@param source tandem.TextSource
---@param most integer|nil  bytes of a text, where its beginning is enough
---@return tandem.JsonStream|nil
---@return string|nil problem
---@return integer|nil code
function json_file.open(source, most) return core.json_stream(source.path, source.text, most) end

--- What is wrong with what was read so far, in a line; nil: nothing.
---@param stream tandem.JsonStream
---@return string|nil
function json_file.problem(stream)
  local words, number = stream:problem()
  return words and ("object %d of it cannot be read (%s)"):format(number, words)
end

local function add_fields(stream, fields)
  for key in stream:keys() do
    local value = stream:value {}
    if type(value) == "table" then value = true end
    fields[key] = value
  end
end

--- The fields of a file's first record: values, true for lists and objects; nil where it is no
--- object.
---@param source tandem.TextSource
---@param most integer|nil  as above
---@return table<string, any>|nil
function json_file.first(source, most)
  local stream <close> = json_file.open(source, most)
  if not stream or stream:record() ~= "object" then return nil end
  local fields = {}
  add_fields(stream, fields)
  return not stream:problem() and fields or nil
end

-- ---- what a file holds

---@class tandem.JsonSurvey
---@field count integer   records that are objects
---@field is_list boolean the file is one list
---@field fields table<string, any>  of the first record and the last: values, true for tables
---@field cut boolean     its last record ends in the middle, and is not counted

--- Goes once through a file; nil where it holds something that is no JSON.
---@param source tandem.TextSource
---@return tandem.JsonSurvey|nil
function json_file.survey(source)
  local stream <close> = json_file.open(source)
  if not stream then return nil end
  local last = {}
  local out = { count = 0, fields = {}, is_list = false, cut = false }
  for kind, in_list in stream.record, stream do
    out.is_list = in_list
    if kind == "object" then
      local fields = out.count == 0 and out.fields or {}
      add_fields(stream, fields)
      if not stream:problem() then out.count, last = out.count + 1, fields end
    end
  end
  local _, number, cut = stream:problem()
  if number and not (cut and out.count > 0) then return nil end
  for key, value in pairs(last) do out.fields[key] = value end
  out.cut = cut == true
  return out
end

-- ---- records by number

--- The objects of a file by number, as many as a survey counted. Each is decoded when it is asked
--- for, and not kept.
---@param source tandem.TextSource
---@param count integer
---@param keep table<string, true|"sum">|nil  the keys that are wanted of them, at any depth
---@return table
function json_file.records(source, count, keep)
  return records.of(function()
    local stream = json_file.open(source)
    return stream and function()
      for kind in stream.record, stream do
        if kind == "object" then return stream:value(keep) end
      end
    end
  end, count)
end

return json_file
