--- Records of a file by number, made one by one: none is kept.
--
-- Owns where in the file the reading is. What a record is, who opens says. Called by readers of
-- benchmarks and logs.

local records = {}

--- What a file holds, as a list that is only read. In order each record is made once; who asks for
--- one before goes through the file again.
---@param open fun(): (fun(): any)|nil  begins with the file: what gives the next record, nil at its
---                                    end; nil where it cannot be read
---@param count integer|nil  of those that are wanted; nil: all
---@return table
function records.of(open, count)
  local at, next_record, last = 0, nil, nil
  -- Goes on to a record, or to the end where there are fewer.
  local function go(number)
    if number < at or not next_record then at, next_record = 0, open() end
    while next_record and at < number do
      local record = next_record()
      if record == nil then
        next_record, count = nil, at
      else
        at, last = at + 1, record
      end
    end
  end
  return setmetatable({}, {
    __len = function()
      if not count then go(math.maxinteger) end
      return count or 0
    end,
    __index = function(_, number)
      if math.type(number) ~= "integer" or number < 1 then return nil end
      if count and number > count then return nil end
      if number ~= at then go(number) end
      return number == at and last or nil
    end })
end

return records
