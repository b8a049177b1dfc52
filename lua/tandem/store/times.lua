--- Where the times of a run come from, when they were not recorded.
--
-- Execution traces tell what ran and after what, not when. Their readers say so in a fact of the
-- source, "capture.times": "none", or "placed by dependencies" where durations are known. Owns the
-- sentences. Called by `tandem import`, `tandem show` and by all analyses.
local times = {}

local FACT <const> = "capture.times"

---@class tandem.Times
---@field none boolean  there are none at all
---@field note string   one line for imports and under answers

---@type table<string, string>
local NOTES <const> = {
  none = "times: none; the file tells what ran, of which shape and after what, not when",
  ["placed by dependencies"] = "times: placed, not recorded: each node begins when those whose "
    .. "data it needs have ended and its thread or stream is free",
}

--- nil when they were recorded, in one file at least that is not placed.
---@param run tandem.Run
---@return tandem.Times|nil
function times.of(run)
  local said = {}
  for fact in run:facts() do
    if fact.key == FACT then said[fact.source] = fact.value end
  end
  if next(said) == nil then return nil end
  local none, placed = true, false
  for _, source in ipairs(run:sources():all()) do
    none = none and (source.rows == 0 or said[source.id] == "none")
    placed = placed or (said[source.id] ~= nil and said[source.id] ~= "none")
  end
  if none then return { none = true, note = NOTES.none } end
  return placed and { none = false, note = NOTES["placed by dependencies"] } or nil
end

--- What an analysis says instead of an answer.
times.CANNOT = "the run has no times: its file tells what ran, of which shape and after what, not "
  .. "when (tandem sql can count and group it)"

--- For what compares times of runs: whose are missing, in one line; nil when all have some.
---@param runs any[]
---@return string|nil
function times.lacking(runs)
  for _, run in ipairs(runs) do
    if type(run) == "table" and run.kind == "measured" and run.facts then
      local said = times.of(run)
      if said and said.none then
        return ("cannot answer: %s: %s"):format(run.name, times.CANNOT)
      end
    end
  end
end

return times
