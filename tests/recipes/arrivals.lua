-- td.twins: evenly spaced pairs of requests, by a kind of the engine's own.

local function add(copy)
  local header, source = "src/model/arrivals.h", "src/model/arrivals.c"
  copy:after(header, "  TDM_ARRIVE_LIST,     /* given times (and attributes) */\n",
    "  TDM_ARRIVE_TWINS,    /* evenly spaced pairs */\n")
  copy:after(header, "  double rps;      /* CONSTANT */\n",
    "  double every_s, apart_s; /* TWINS */\n")
  copy:before(source, "/* ---- all of them */", [[
static bool twins_next(tdm_arrival_cursor *c) {
  const tdm_arrivals *a = c->arrivals;
  c->time_ns = time_of(a, (double)(c->n / 2) * a->every_s + (double)(c->n % 2) * a->apart_s);
  return true;
}

static double twins_rate(const tdm_arrivals *a) { return 2 / a->every_s; }

]])
  copy:before(source, "    [TDM_ARRIVE_FUNCTION] =", [[
    [TDM_ARRIVE_TWINS] = {"twins",
                          {FIELD("every", POSITIVE, every_s), FIELD("apart", SECONDS, apart_s)},
                          .next = twins_next,
                          .rate = twins_rate},
]])
  copy:before("lua/tandem/language/arrivals.lua", "-- ---- users who wait", [[
define { type = "twins", doc = "evenly spaced pairs",
  keys = { rps = rps { required = true, positive = true },
    apart = time("from one of a pair to the other", { default = 0 }) },
  shown = { "rps", "apart" }, load = { "rps" }, stationary = true,
  example = 'td.twins { rps = 20, apart = "2ms", duration = "10s" }',
  finish = function(ctx, c)
    if c.apart > 2 / c.rps then ctx:problem("apart", "is longer than from pair to pair") end
  end,
  lower = function(a) return { kind = "twins", every = 2 / a.rps, apart = a.apart + 0.0 } end,
  kind = "twins",
  expects = function(a) return { rps = 2 / a.every, cv2 = 1, words = "evenly spaced pairs" } end }

]])
end

local function check(sh)
  local td = require "tandem"
  local function body(workload)
    return { name = "s", workload = workload, requests = 1000, cpu = { workers = 1 },
      pipeline = { td.fixed "serve" { time = "5ms", on = "cpu" } } }
  end
  local s = assert(td.check(body(td.twins { rps = 20, apart = "2ms" })))
  assert(tostring(s):find("twins: 20 rps, apart 2 ms", 1, true), tostring(s))
  assert(tostring(s:explain()):find("evenly spaced pairs, 20 /s", 1, true), tostring(s:explain()))
  -- The first takes 5 ms, the second waits 3 ms before that.
  local result = s:run { warmup = "none", replications = 1 }
  assert(math.abs(result:get "latency.mean" - 0.0065) < 1e-9, result:get "latency.mean")
  assert(math.abs(result:get "offered_rps" / 20 - 1) < 0.01, result:get "offered_rps")
  local demand = require("tandem.plan.demand").of(s)
  assert(demand.stationary and demand.fields[1].path == "workload.rps", demand.fields[1].path)
  local _, problems = td.check(body(td.twins { rps = 20, apart = "1s" }))
  assert(tostring(problems):find "apart: is longer than", tostring(problems))
  _, problems = td.check(body(td.twins { rps = 20, appart = "1ms" }))
  assert(tostring(problems):find "did you mean 'apart'", tostring(problems))
  local form = require("tandem.language").types().twins
  assert(form.group == "arrivals" and form.keys.rps.required and form.keys.apart.default == 0)
  for _, command in ipairs { "build/tandem help td.twins", "build/tandem list arrivals",
    "build/tandem help all-arrival-processes", "cat build/meta/tandem.lua" } do
    local text = sh(command)
    assert(text:find("evenly spaced pairs", 1, true), command .. ": " .. text)
  end
end

return { about = "an arrival process", most = 4, add = add, check = check }
