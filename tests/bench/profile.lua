-- Where a whole run spends its time: program counters that build/bench/engine took at fixed
-- intervals, grouped by the source file and function they lie in (inlined ones included; addr2line
-- tells). What a station notes about itself counts as recording only where a function of its own
-- does it. Called by run.lua.

---By the file, then by the function, that a sample lies in; the first match counts.
local event_phases = {
  { "event set", "event_set", "event_ladder" },
  { "random draws", "base/exponential", "base/rng", "base/dist", "exponential_cost" },
  { "recording", "events/record", "engine/tally", "base/histogram", "note_start",
    "plain_note" },
  { "queues and servers", "events/station", "events/plain", "events/state.h" },
  { "routes", "events/route" },
  { "clock, arrivals", "events/engine", "model/arrivals" },
}
local phases = {
  ["t5-event"] = event_phases,
  ["mm1-event"] = event_phases,
  ["t5-lowered"] = {
    { "random draws", "base/exponential", "base/rng", "base/dist", "chain_services" },
    { "recording", "engine/tally", "base/histogram", "count", "leave", "passage", "note" },
    { "arrivals", "source", "model/arrivals" },
    { "recursion over servers", "engine/lowered" },
  },
}

local names = { "t5-event", "mm1-event", "t5-lowered" }

local function phase_of(rules, origin)
  for _, rule in ipairs(rules) do
    for i = 2, #rule do
      if origin:find(rule[i], 1, true) then return rule[1] end
    end
  end
  return "other"
end

local function ranked(counts)
  local list = {}
  for name, count in pairs(counts) do list[#list + 1] = { name = name, count = count } end
  table.sort(list, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return a.name < b.name
  end)
  return list
end

---Samples of a whole run by phase and by function; nil where addr2line is missing.
---@param name "t5-event"|"mm1-event"|"t5-lowered"
---@param engine string the benchmark program, quoted for the shell
---@return { name: string, samples: integer, phases: table[], functions: table[] }|nil
local function profile(name, engine)
  if not os.execute("command -v addr2line >/dev/null 2>&1") then return nil end
  local command = ("%s profile-%s | sed 's/^pc=//' | addr2line -a -f -i -e %s"):format(engine, name,
    engine)
  local by_phase, by_function, total = {}, {}, 0
  local frames
  local function finish()
    if not frames then return end
    local origin = "? ?"
    for i = 1, #frames, 2 do -- the innermost function that is ours, not an intrinsic's
      local path = (frames[i + 1] or ""):match "src/([^:]+):"
      if path then
        origin = frames[i] .. " " .. path
        break
      end
    end
    local phase = phase_of(phases[name], origin)
    by_phase[phase] = (by_phase[phase] or 0) + 1
    by_function[origin] = (by_function[origin] or 0) + 1
    total = total + 1
  end
  local pipe = assert(io.popen(command, "r"))
  for line in pipe:lines() do
    if line:find "^0x%x+$" then
      finish()
      frames = {}
    else
      frames[#frames + 1] = line
    end
  end
  finish()
  if not pipe:close() or total == 0 then error("this failed: " .. command, 0) end
  return { name = name, samples = total, phases = ranked(by_phase),
    functions = ranked(by_function) }
end

return { names = names, take = profile }
