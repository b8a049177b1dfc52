--- Measured all-reduces as a table that a step model takes (`all_reduce` of core.llm.step).
-- Owns the format: CSV with columns time_stats.all_reduce.median in milliseconds, num_workers, size
-- in bytes, devices_per_node, one row a rank and size, as Vidur's profiler writes it. Called by
-- scenarios and tests.

local collectives = {}

local function split(line)
  local fields = {}
  for field in (line .. ","):gmatch "([^,]*)," do fields[#fields + 1] = field end
  return fields
end

local columns = { time = "time_stats.all_reduce.median", gpus = "num_workers", bytes = "size",
  per_node = "devices_per_node" }

--- A flat list of GPUs, bytes, seconds: groups within one machine, the least time of all ranks and
--- repetitions, since what is above it is waiting for others.
---@param path string
---@return number[]|nil rows, string|nil message
function collectives.all_reduce(path)
  local file, message = io.open(path, "r")
  if not file then return nil, message end
  local position, names = {}, split((file:read "l" or ""):gsub("\r$", ""))
  for i, name in ipairs(names) do position[name] = i end
  for _, name in pairs(columns) do
    if not position[name] then
      file:close()
      return nil, ("%s: has no column %s"):format(path, name)
    end
  end
  local least = {}
  for line in file:lines() do
    local fields = split(line)
    local function number(column) return tonumber(fields[position[columns[column]]]) end
    local gpus, bytes, time = number "gpus", number "bytes", number "time"
    if gpus and bytes and time and number "per_node" == gpus then
      least[gpus] = least[gpus] or {}
      least[gpus][bytes] = math.min(least[gpus][bytes] or math.huge, time * 1e-3)
    end
  end
  file:close()
  local rows = {}
  for gpus, by_bytes in pairs(least) do
    for bytes, time in pairs(by_bytes) do rows[#rows + 1] = { gpus, bytes, time } end
  end
  if #rows == 0 then return nil, path .. ": has no all-reduce within one machine" end
  table.sort(rows, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
  local flat = {}
  for _, row in ipairs(rows) do table.move(row, 1, 3, #flat + 1, flat) end
  return flat
end

return collectives
