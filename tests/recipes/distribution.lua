-- td.rayleigh: a family of one formula, by its mean.

local DIST <const> = "src/base/dist/"

local function add(copy)
  local inside = DIST .. "inside.h"
  copy:after(inside, "  X(weibull)", " X(rayleigh)")
  copy:after(inside, "  X(WEIBULL, weibull)", " X(RAYLEIGH, rayleigh)")
  copy:after(inside, "    } weibull; /* exponent = 1/shape */\n",
    "    struct {\n      double scale;\n    } rayleigh;\n")
  copy:before(DIST .. "draw.c", "static inline double draw_pareto(", [[
static inline double draw_rayleigh(const tdm_dist *dist, uint64_t bits) {
  return dist->as.rayleigh.scale * sqrt(2 * tdm_exponential(bits));
}

]])
  copy:append(DIST .. "dist.c", [[

static tdm_status make_rayleigh(const tdm_dist_argument *a, tdm_dist **out, tdm_error *error) {
  double mean = a[0].number;
  *out = NULL;
  if (!is_positive(mean)) return refuse(error, "rayleigh: mean", POSITIVE, mean);
  double variance = mean * mean * (4 / 3.14159265358979 - 1);
  tdm_dist *dist = dist_new(KIND_RAYLEIGH, mean, variance, error);
  if (dist == NULL) return TDM_MEMORY;
  dist->as.rayleigh.scale = mean / 1.2533141373155003; /* √(π/2) */
  snprintf(dist->text, sizeof dist->text, "rayleigh, mean %g", mean);
  *out = dist;
  return TDM_OK;
}

const tdm_dist_family tdm_dist_family_rayleigh = {.name = "rayleigh",
                                                  .make = make_rayleigh,
                                                  .doc = "Rayleigh, by its mean",
                                                  .example = "td.rayleigh \"2ms\"",
                                                  .positional = 1,
                                                  .parameters = {{MEAN}}};
]])
end

local function check(sh)
  local td = require "tandem"
  local body = { workload = td.paced { rps = 100 }, requests = 20000,
    pipeline = { td.delay "wait" { time = td.rayleigh "2ms" } } }
  local s = td.scenario "s" (body)
  local result = s:run { replications = 2, warmup = "none" }
  local mean, p50 = result:get "latency.mean", result:get "latency.p50"
  assert(math.abs(mean / 0.002 - 1) < 0.02, mean)
  -- The median of a Rayleigh is mean · √(2 ln 2) ÷ √(π/2).
  assert(math.abs(p50 / (0.002 * math.sqrt(2 * math.log(2) / (math.pi / 2))) - 1) < 0.02, p50)
  assert(tostring(s):find "rayleigh%(mean 2 ms%)", tostring(s))
  body.pipeline = { td.delay "wait" { time = td.rayleigh { mean = 0 } } }
  local _, problems = td.check { name = "s", workload = body.workload, pipeline = body.pipeline }
  assert(tostring(problems):find "more than 0", tostring(problems))
  body.pipeline = { td.delay "wait" { time = td.rayleigh { meen = 1 } } }
  _, problems = td.check { name = "s", workload = body.workload, pipeline = body.pipeline }
  assert(tostring(problems):find "did you mean 'mean'", tostring(problems))
  local moments = require("tandem.explain.moments").of_distribution { dist = "rayleigh", mean = 1 }
  assert(math.abs(moments.var - (4 / math.pi - 1)) < 1e-9, moments.var)
  local form = require("tandem.language").types().rayleigh
  assert(form.keys.mean.required and form.keys.mean.doc == "mean")
  for _, command in ipairs { "build/tandem help td.rayleigh", "build/tandem help distributions",
    "cat build/meta/tandem.lua" } do
    local text = sh(command)
    assert(text:find("Rayleigh, by its mean", 1, true), command .. ": " .. text)
  end
end

return { about = "a distribution", most = 4, add = add, check = check }
