--- One clock for the files of a run: what is added to each file's times.
--
-- Owns the methods and how well each one agrees. The first file keeps its clock. Offsets stand in
-- the table `source`; spans, edges and counters are read with them. Called by `tandem import`
-- before it commits.
--
--   collectives  the k-th NCCL collective of a name ends at the same time on every rank
--   utc          the files say when their clocks began, in UTC
--   first        the first records of all files are at the same time
--   none         the clocks are taken as they are: one machine; or fewer than two files have times
local align = {}

-- So many collectives make auto trust them, when half of them end within a millisecond of where
-- they should. Where some are missing from a recording, the k-th of one rank is not the k-th of
-- another, and they end anywhere.
local ENOUGH <const> = 10
local CLOSE_NS <const> = 1000000

---@class tandem.Alignment
---@field method "collectives"|"utc"|"first"|"none"
---@field why string|nil     why auto did not take a better one
---@field matched integer|nil collectives that all files have
---@field residual_ns integer|nil  the largest of the sources
---@field sources { id: integer, path: string, offset_ns: integer, residual_ns: integer|nil }[]|nil
---                          those with times, where there are several

local function median(values)
  table.sort(values)
  local n = #values
  if n % 2 == 1 then return values[n // 2 + 1] end
  local low, high = values[n // 2], values[n // 2 + 1]
  return low + (high - low) // 2
end

-- Median distance from the offset: how well the files agree with it.
local function residual(differences, offset)
  local distances = {}
  for i, value in ipairs(differences) do distances[i] = math.abs(value - offset) end
  return median(distances)
end

-- Collectives where they communicate: the kernels of NCCL, or its ranges in recordings without
-- kernels. Times are on the file's own clock.
local SELECT <const> = [[
SELECT s.source, coalesce(s.device, -1) AS device, s.name, s.end_ns - o.offset_ns AS end_ns
FROM span AS s JOIN source AS o ON o.run = s.run AND o.id = s.source
WHERE s.run = ?1 AND s.category = ?2 AND (?2 = 'nccl' OR s.name LIKE '%nccl%')
ORDER BY s.source, device, s.start_ns, s.id]]

-- source → name → ends in order. Of a file with several GPUs the first one speaks.
local function ends_of(db, number, category)
  local rows, message, code = db:all(SELECT, number, category)
  if not rows then return nil, message, code end
  local sources, device = {}, {}
  for _, row in ipairs(rows) do
    device[row.source] = device[row.source] or row.device
    if row.device == device[row.source] then
      local names = sources[row.source] or {}
      sources[row.source] = names
      names[row.name] = names[row.name] or {}
      table.insert(names[row.name], row.end_ns)
    end
  end
  return sources
end

-- What is to be added to each source's times by each collective that all sources have equally
-- often, in the order of `sources`; empty lists where there is none.
local function differences(db, number, sources)
  for _, category in ipairs { "kernel", "gpu_user_annotation", "nccl" } do
    local ends, message, code = ends_of(db, number, category)
    if not ends then return nil, message, code end
    local of_first, out, matched = ends[sources[1].id] or {}, {}, 0
    for i in ipairs(sources) do out[i] = {} end
    for name, times in pairs(of_first) do
      local everywhere = true
      for _, source in ipairs(sources) do
        local theirs = ends[source.id] and ends[source.id][name]
        everywhere = everywhere and theirs ~= nil and #theirs == #times
      end
      if everywhere then
        matched = matched + #times
        for i, source in ipairs(sources) do
          for k, time in ipairs(times) do
            table.insert(out[i], time - ends[source.id][name][k])
          end
        end
      end
    end
    if matched > 0 then return out, matched end
  end
  local none = {}
  for i in ipairs(sources) do none[i] = {} end
  return none, 0
end

local methods = {}

function methods.none(sources)
  local out = {}
  for i in ipairs(sources) do out[i] = 0 end
  return out
end

function methods.utc(sources)
  local out = {}
  for i, source in ipairs(sources) do
    if not source.utc_ns then
      return nil, ("%s does not say when its clock began"):format(source.path)
    end
    out[i] = source.utc_ns - sources[1].utc_ns
  end
  return out
end

function methods.first(sources)
  local out = {}
  for i, source in ipairs(sources) do
    if not source.first_ns then return nil, ("%s has no records"):format(source.path) end
    out[i] = sources[1].first_ns - source.first_ns
  end
  return out
end

function methods.collectives(sources, by_source, matched)
  if matched == 0 then return nil, "no collective that all files have equally often" end
  local out = {}
  for i in ipairs(sources) do out[i] = median(table.move(by_source[i], 1, #by_source[i], 1, {})) end
  return out
end

-- How well the collectives agree with themselves: the largest residual of a source. Nil: there are
-- none.
local function scatter(by_source, matched)
  if matched == 0 then return nil end
  local worst = 0
  for _, list in ipairs(by_source) do
    worst = math.max(worst, residual(list, median(table.move(list, 1, #list, 1, {}))))
  end
  return worst
end

-- The method that auto takes, and why not a better one.
local function choose(sources, matched, apart)
  if matched >= ENOUGH and apart <= CLOSE_NS then return "collectives" end
  local why = matched == 0 and "no collectives in common"
    or matched < ENOUGH and ("only %d collectives in common"):format(matched)
    or ("collectives end %s apart"):format(require("tandem.text.format").time(apart / 1e9))
  local offsets, missing = methods.utc(sources)
  if offsets then return "utc", why end
  return "none", why .. ", and " .. missing
end

local function write(db, number, sources, method)
  for _, source in ipairs(sources) do
    local done, message, code = db:run("UPDATE source SET offset_ns = ?, alignment = ?,"
      .. " residual_ns = ? WHERE run = ? AND id = ?", source.offset_ns, method,
      source.residual_ns, number, source.id)
    if not done then return nil, message, code end
  end
  return true
end

--- Aligns the sources of a run that is being stored, within its transaction: where the run begins
--- and ends on the aligned clock is found when it is committed.
---@param db userdata
---@param number integer
---@param method? "auto"|"collectives"|"utc"|"first"|"none"
---@return tandem.Alignment|nil
---@return string|nil message
---@return integer|nil code
function align.run(db, number, method)
  -- What has no times (counters of kernels) needs no clock.
  local sources, message, code = db:all("SELECT id, path, utc_ns, first_ns FROM source"
    .. " WHERE run = ? AND first_ns IS NOT NULL ORDER BY id", number)
  if not sources then return nil, message, code end
  if #sources < 2 then return { method = "none" } end
  local by_source, matched
  by_source, matched, code = differences(db, number, sources)
  if not by_source then return nil, matched, code end
  local apart, why = scatter(by_source, matched), nil
  if not method or method == "auto" then method, why = choose(sources, matched, apart) end
  local offsets, missing = methods[method](sources, by_source, matched)
  if not offsets then return nil, ("--align %s: %s"):format(method, missing), 3 end
  local worst
  for i, source in ipairs(sources) do
    source.offset_ns = offsets[i]
    if i > 1 and apart and (apart <= CLOSE_NS or method == "collectives") then
      source.residual_ns = residual(by_source[i], offsets[i])
      worst = math.max(worst or 0, source.residual_ns)
    end
  end
  local done
  done, message, code = write(db, number, sources, method)
  if not done then return nil, message, code end
  return { method = method, why = why, matched = matched, residual_ns = worst, sources = sources }
end

return align
