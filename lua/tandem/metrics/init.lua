--- A server's metrics as they were scraped: `/metrics` texts, answers of a Prometheus, exports.
--
-- metrics.read { "metrics/" } → instances, each with its scrapes on one clock; of each what came in
-- between two of them. Files are read as `tandem import` reads them, into a store that goes when
-- they have been. A counter that is less than before began anew: its increment is what it says.
-- Owns series and increments; what names mean is names.lua's. Called by twin and score.

local format = require "tandem.text.format"

local metrics = {}

local INVALID <const> = require("tandem.cli.codes").INVALID

---@class tandem.metrics.Instance
---@field name string            instance and engine, as the labels say
---@field model string           label model_name
---@field times number[]         seconds since 1970, rising
---@field series table<string, number[]>  by name and labels: a value a scrape, NaN where none is
---@field restarts integer       counters that began anew
local Instance = {}
Instance.__index = Instance

local NAN <const> = 0 / 0

-- Rows of process, track, counter, time and value of a kept run.
local function rows_of(run)
  local rows = {}
  for row in run.store:query { "SELECT t.process, t.name AS track, c.name, c.time_ns, c.value"
      .. " FROM counter c JOIN track t ON t.run = c.run AND t.id = c.track"
      .. " WHERE c.run = ? ORDER BY c.time_ns", run.number } do
    rows[#rows + 1] = row
  end
  return rows
end

-- What a store has of the files, which goes when they have been read.
local function rows_of_files(files)
  local file <close> = require("tandem.io.scratch").new ".db"
  local store <close>, message, code = require("tandem.store").open(file.path)
  if not store then return nil, message, code end
  local run
  run, message, code = store:import(files)
  local rows = run and rows_of(run)
  if not rows then return nil, message, code end
  return rows
end

local function instance_of(instances, row)
  local key = row.process .. "\0" .. row.track
  local found = instances[key]
  if not found then
    found = setmetatable({ name = row.process, model = row.track:gsub(" engine [^ ]*$", ""),
      engine = row.track:match " engine ([^ ]*)$", times = {}, series = {}, restarts = 0 },
      Instance)
    instances[key] = found
    instances[#instances + 1] = found
  end
  return found
end

local function put(instance, row)
  local times, n = instance.times, #instance.times
  if times[n] ~= row.time_ns then
    n = n + 1
    times[n] = row.time_ns
  end
  local series = instance.series[row.name]
  if not series then
    series = {}
    instance.series[row.name] = series
  end
  for k = #series + 1, n - 1 do series[k] = NAN end
  series[n] = row.value
end

local GROWING <const> = { "_total$", "_count$", "_bucket$", "_sum$" }

-- Is it a counter? By the ending, since gauges have these words inside (max_total_num_tokens).
local function grows(key)
  local name = key:match "^[^{]*"
  for _, ending in ipairs(GROWING) do
    if name:find(ending) then return true end
  end
  return false
end

local function finish(instance)
  for i, time in ipairs(instance.times) do instance.times[i] = time / 1e9 end
  for name, series in pairs(instance.series) do
    for k = #series + 1, #instance.times do series[k] = NAN end
    if grows(name) then
      for k = 2, #series do
        if series[k] < series[k - 1] then
          instance.restarts = instance.restarts + 1
          break
        end
      end
    end
  end
end

local function instances_of(rows)
  local instances = {}
  for _, row in ipairs(rows) do put(instance_of(instances, row), row) end
  for _, instance in ipairs(instances) do finish(instance) end
  return table.move(instances, 1, #instances, 1, {})
end

--- Reads files and folders. Instances come in the order of their first scrapes.
---@param files string[]
---@return tandem.metrics.Instance[]|nil
---@return string|nil message
---@return integer|nil code
function metrics.read(files)
  local rows, message, code = rows_of_files(files)
  if not rows then return nil, message, code end
  if #rows == 0 then
    return nil, ("%s: no samples of metrics in it"):format(files[1]), INVALID
  end
  return instances_of(rows)
end

--- … of a run that was imported. None where it has no counters.
---@param run tandem.Run
---@return tandem.metrics.Instance[]
function metrics.of_run(run) return instances_of(rows_of(run)) end

-- ---- an instance

--- What a counter gained between scrape k and the next, k = 1 …; NaN where one of them is missing.
---@param series number[]
---@return number[]
function metrics.increments(series)
  local out = {}
  for k = 2, #series do
    local before, now = series[k - 1], series[k]
    out[k - 1] = now < before and now or now - before
  end
  return out
end

-- Is a series one to add up? SGLang writes the total beside its parts by priority, and what all
-- ranks of a replica do once for each of them.
local function is_whole(key)
  return not (key:find 'priority="[^"]' or key:find '[{,][tp]p_rank="[1-9]')
end

--- Increments of all series of a counter, whatever their other labels; nil: there is none.
---@param name string  without labels
---@return number[]|nil
function Instance:gained(name)
  local out
  for key, series in pairs(self.series) do
    if key == name or key:sub(1, #name + 1) == name .. "{" and is_whole(key) then
      local gained = metrics.increments(series)
      if not out then
        out = gained
      else
        for k, value in ipairs(gained) do out[k] = out[k] + value end
      end
    end
  end
  return out
end

--- A gauge at each scrape, all its series added up; nil: there is none.
---@param name string
---@param mean boolean|nil  of them instead
---@return number[]|nil
function Instance:gauge(name, mean)
  local out, n
  for key, series in pairs(self.series) do
    if key == name or key:sub(1, #name + 1) == name .. "{" and is_whole(key) then
      n = (n or 0) + 1
      out = out or {}
      for k, value in ipairs(series) do out[k] = (out[k] or 0) + value end
    end
  end
  for k, value in ipairs(mean and out or {}) do out[k] = value / n end
  return out
end

--- The upper bound of a histogram's bucket; nil: the series is none.
---@param key string
---@return number|nil
function metrics.bound_of(key)
  local le = key:match '_bucket{.*[{,]le="([^"]*)"' or key:match '_bucket{le="([^"]*)"'
  return le == "+Inf" and math.huge or tonumber(le)
end

---@class tandem.metrics.Histogram
---@field bounds number[]     upper, rising; the last one is infinite
---@field counts number[][]   by bucket, by time between two scrapes: not cumulative over buckets
---@field count number[]      by time between two scrapes
---@field sum number[]

--- A histogram's increments; nil: there is none.
---@param name string
---@return tandem.metrics.Histogram|nil
function Instance:histogram(name)
  local by_bound, bounds = {}, {}
  for key, series in pairs(self.series) do
    local bound = key:sub(1, #name + 8) == name .. "_bucket{" and is_whole(key)
      and metrics.bound_of(key)
    if bound then
      local gained = metrics.increments(series)
      local sum = by_bound[bound]
      if not sum then
        by_bound[bound], bounds[#bounds + 1] = gained, bound
      else
        for k, value in ipairs(gained) do sum[k] = sum[k] + value end
      end
    end
  end
  local count, sum = self:gained(name .. "_count"), self:gained(name .. "_sum")
  if #bounds == 0 or not (count and sum) then return nil end
  table.sort(bounds)
  local counts = {}
  for b, bound in ipairs(bounds) do
    counts[b] = {}
    for k, value in ipairs(by_bound[bound]) do
      counts[b][k] = value - (b > 1 and by_bound[bounds[b - 1]][k] or 0)
    end
  end
  return { bounds = bounds, counts = counts, count = count, sum = sum }
end

-- ---- several instances as one

-- A counter without restarts, its gaps bridged; a gauge with its gaps bridged.
local function mended(series, gauge)
  local out, last, sum = {}, nil, 0
  for k, value in ipairs(series) do
    if value == value then
      if last then sum = sum + (value < last and value or value - last) end
      last = value
    end
    out[k] = gauge and (last or 0) or sum
  end
  return out
end

local function at(times, series, when)
  if when <= times[1] then return series[1] end
  local n = #times
  if when >= times[n] then return series[n] end
  local low, high = 1, n
  while high - low > 1 do
    local middle = (low + high) // 2
    if times[middle] <= when then low = middle else high = middle end
  end
  return series[low] + (series[high] - series[low]) * (when - times[low])
    / (times[high] - times[low])
end

-- Sums of instances at given times: what a series says between two of its scrapes lies on a line.
local function summed(instances, times)
  local first = instances[1]
  local out = setmetatable({ name = first.name, model = first.model, times = times, series = {},
    restarts = 0 }, Instance)
  for _, instance in ipairs(instances) do
    out.restarts = out.restarts + instance.restarts
    for name, series in pairs(instance.series) do
      local whole = mended(series, not grows(name))
      local sum = out.series[name] or {}
      for k, when in ipairs(times) do
        local value = instance.times == times and whole[k] or at(instance.times, whole, when)
        sum[k] = (sum[k] or 0) + value
      end
      out.series[name] = sum
    end
  end
  return out
end

--- All instances as one: sums at the scrapes of the first. Others are scraped at other moments, so
--- that what they say is taken between two of theirs. Counters begin with 0 and never anew.
---@param instances tandem.metrics.Instance[]
---@return tandem.metrics.Instance
function metrics.merged(instances) return summed(instances, instances[1].times) end

--- An instance as other scrapes would have seen it.
---@param instance tandem.metrics.Instance
---@param times number[]
---@return tandem.metrics.Instance
function metrics.seen_at(instance, times) return summed({ instance }, times) end

--- Scrapes that came one after the other, each as instances, as instances over all of them.
---@param scrapes tandem.metrics.Instance[][]
---@return tandem.metrics.Instance[]
function metrics.joined(scrapes)
  local instances = {}
  for _, scrape in ipairs(scrapes) do
    for _, one in ipairs(scrape) do
      local track = one.engine and one.model .. " engine " .. one.engine or one.model
      for k, time in ipairs(one.times) do
        local into = instance_of(instances, { process = one.name, track = track })
        for name, series in pairs(one.series) do
          put(into, { name = name, time_ns = time * 1e9, value = series[k] })
        end
      end
    end
  end
  for _, instance in ipairs(instances) do finish(instance) end
  return table.move(instances, 1, #instances, 1, {})
end

--- In words, for a report.
---@return string
function Instance:describe()
  local times = self.times
  local length = times[#times] - times[1]
  return ("%s: %s, %s"):format(self.name, format.plural(#times, "scrape"), #times < 2 and "no time"
    or ("%s, one every %s"):format(format.time(length), format.time(length / (#times - 1))))
end


return metrics
