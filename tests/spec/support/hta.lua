--- What HolisticTraceAnalysis printed on a trace (tests/data/expected/kineto/hta_*.txt).
local fixture = require "tests.spec.support.analysis_fixture"

local hta = {}

---@class tests.Hta
---@field temporal number[]                   idle, compute, other, total in µs, then shares in %
---@field overlap number|nil                  in %
---@field kinds { kinds: string, us: number, percent: number }[]
---@field idle { stream: integer, cause: string, us: number }[]
---@field queue table<integer, string[]>      by stream: count, mean, std, min, quartiles, max
---@field bandwidth table<string, string[]>   by kind, in GB/s; texts, as they were printed

local function words(text)
  local found = {}
  for word in text:gmatch "%S+" do found[#found + 1] = word end
  return found
end

-- Lines of the tables, by the line that ends each: "temporal_breakdown 0.01 s".
local function sections(lines)
  local made, current = {}, {}
  for _, line in ipairs(lines) do
    local name = line:match "^(%l[%l_]+) %d+%.%d+ s$"
    if name then
      made[name], current = current, {}
    else
      current[#current + 1] = line
    end
  end
  return made
end

local function described(lines, pattern)
  local made = {}
  for _, line in ipairs(lines) do
    local key, figures = line:match(pattern)
    if key and #words(figures) == 8 then made[key:gsub("%s+$", "")] = words(figures) end
  end
  return made
end

--- The tables of a file.
---@param file string  "kineto/hta_nccl_parser_config__nccl_data.txt"
---@return tests.Hta
function hta.read(file)
  local part = sections(fixture.expected_lines(file))
  local made = { temporal = {}, kinds = {}, idle = {}, queue = {} }
  local figures = words(part.temporal_breakdown[#part.temporal_breakdown])
  for i = 3, #figures do made.temporal[i - 2] = tonumber(figures[i]) end
  local overlap = words(part.comm_comp_overlap[#part.comm_comp_overlap])
  made.overlap = overlap[3] ~= "NaN" and tonumber(overlap[3]) or nil
  for _, line in ipairs(part.kernel_breakdown) do
    local kinds, us, percent = line:match "^%d+%s+(%u[%a ]-)%s+(%d+)%s+([%d.]+)$"
    if kinds then
      made.kinds[#made.kinds + 1] = { kinds = kinds:lower(), us = tonumber(us),
        percent = tonumber(percent) }
    end
  end
  for _, line in ipairs(part.idle_breakdown) do
    local stream, cause, us = line:match "^%d+%s+%d+%s+(%d+)%s+([%l_]+)%s+([%d.]+)"
    if stream then
      made.idle[#made.idle + 1] = { stream = math.tointeger(tonumber(stream)), cause = cause,
        us = tonumber(us) }
    end
  end
  -- The first stream's line carries the rank.
  local by_stream = described(part.queue_len, "^%d*%s+(%d+)%s+(%d.*)$")
  for stream, list in pairs(by_stream) do made.queue[math.tointeger(tonumber(stream))] = list end
  made.bandwidth = described(part.mem_bw, "^%d*%s+(Mem%a+ ?%a-)%s+(%d.*)$")
  return made
end

--- A number as text with as many digits as another text has.
---@param value number
---@param like string
---@return string
function hta.printed(value, like)
  if like:find("e", 1, true) then
    return ("%%.%de"):format(#like:match "^%d+%.?(%d*)"):format(value)
  end
  return ("%%.%df"):format(#(like:match "%.(%d*)$" or "")):format(value)
end

--- A Kineto trace with its times as HTA has them: doubles of microseconds, starts rounded up and
--- ends rounded down to whole ones.
---@param path string  gzipped
---@return string
function hta.whole_microseconds(path)
  local pipe = assert(io.popen("gzip -dc " .. path))
  local text = pipe:read "a"
  assert(pipe:close())
  return (text:gsub('"ts": ([%d.]+), "dur": ([%d.]+)', function(ts, dur)
    local start, stop = tonumber(ts), tonumber(ts) + tonumber(dur)
    local first = math.ceil(start)
    return ('"ts": %d, "dur": %d'):format(first, math.max(math.floor(stop) - first, 0))
  end))
end

return hta
