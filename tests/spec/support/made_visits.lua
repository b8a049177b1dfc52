--- Stand-in
local made = {}
local Visits = {}
Visits.__index = Visits
function Visits:requests() return self.request_arrays end
function Visits:of(name) return self.by_stage[name] end
function made.of(body)
  local self = setmetatable({ kind = body.kind, stages = body.stages,
    request_arrays = body.requests,
    by_stage = body.visits, run = body.run, count = #body.requests.arrival_ns }, Visits)
  self.first_ns = body.requests.arrival_ns[1]
  return self
end
-- Of a stored simulated run
function made.of_run(run)
  local requests = { id = {}, arrival_ns = {}, end_ns = {}, outcome = {}, tail_ns = {}, sizes = {} }
  local at = {}
  for row in run:requests() do
    local n = #requests.id + 1
    at[row.id] = n
    requests.id[n], requests.arrival_ns[n], requests.end_ns[n] = row.id, row.arrival_ns, row.end_ns
    requests.outcome[n], requests.tail_ns[n] = row.outcome, 0
  end
  local tracks = {}
  for row in run:tracks() do tracks[row.id] = row end
  local by_stage, stages, waits = {}, {}, {}
  for row in run:spans { category = "wait" } do waits[row.name .. row.request] = row.dur_ns end
  for row in run.store:query { "SELECT * FROM span WHERE run = ? AND category = 'stage'"
    .. " ORDER BY request, start_ns", run.number } do
    local of = by_stage[row.name]
    if not of then
      of = { request = {}, start_ns = {}, end_ns = {}, busy_ns = {}, own_ns = {}, wait_ns = {},
        rest_ns = {}, pieces = {} }
      by_stage[row.name] = of
      stages[#stages + 1] = { name = row.name, lane = row.lane, concurrency = 1,
        capacity = tracks[row.track].capacity }
    end
    local n = #of.request + 1
    of.request[n], of.start_ns[n], of.end_ns[n] = at[row.request], row.start_ns, row.end_ns
    of.busy_ns[n], of.own_ns[n] = row.dur_ns, row.dur_ns
    of.wait_ns[n], of.rest_ns[n], of.pieces[n] = waits[row.name .. row.request] or 0, 0, 1
  end
  return made.of { kind = "simulated", stages = stages, requests = requests, visits = by_stage,
    run = run }
end
return made
