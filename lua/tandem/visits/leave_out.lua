--- Visits without some of their stages: the time of those lies between the others.
--
-- Owns what becomes of such a run, and which stages of a simulation are none: delays, which take no
-- resource and only stand for time that passes. Called by init.lua, fits, scores and overlays.
local leave_out = {}

-- Waits as spans: a visit waits right before it begins.
local function waits_of(of)
  local out = { request = {}, start_ns = {}, end_ns = {} }
  for i, wait in ipairs(of.wait_ns) do
    if wait > 0 then
      local n = #out.request + 1
      out.request[n], out.end_ns[n] = of.request[i], of.start_ns[i]
      out.start_ns[n] = of.start_ns[i] - wait
    end
  end
  return out
end

--- The same requests without the stages of these names.
---@param self tandem.Visits
---@param names table<string, boolean>
---@return tandem.Visits
function leave_out.of(self, names)
  local requests = self:requests()
  local tables = { kind = self.kind, stages = {}, visits = {}, waits = {}, requests = {
    id = requests.id, arrival_ns = requests.arrival_ns, end_ns = requests.end_ns,
    outcome = requests.outcome, sizes = requests.sizes } }
  for _, stage in ipairs(self.stages) do
    if not names[stage.name] then
      local of = self:of(stage.name)
      table.insert(tables.stages, { name = stage.name, lane = stage.lane,
        capacity = stage.capacity })
      tables.visits[stage.name] = { request = of.request, start_ns = of.start_ns,
        end_ns = of.end_ns, bytes = of.bytes }
      tables.waits[stage.name] = waits_of(of)
    end
  end
  local made = require("tandem.visits").of(tables)
  made.run = self.run
  return made
end

--- A simulation held against a measurement: its delays that the measurement knows no stage for are
--- time between stages there too.
---@param simulated tandem.Visits
---@param real tandem.Visits
---@return tandem.Visits
---@return string[] names  of the delays
function leave_out.delays(simulated, real)
  local known, names, listed = {}, {}, {}
  for _, stage in ipairs(real.stages) do known[stage.name] = true end
  for _, stage in ipairs(simulated.stages) do
    if simulated.kind == "simulated" and real.kind == "measured" and stage.lane == "OTHER"
      and not stage.capacity and not known[stage.name] then
      names[stage.name] = true
      listed[#listed + 1] = stage.name
    end
  end
  if #listed == 0 or #listed == #simulated.stages then return simulated, {} end
  return leave_out.of(simulated, names), listed
end

return leave_out
