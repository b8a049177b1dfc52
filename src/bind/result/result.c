/* Builds the result table: estimates over replications, verdicts, time series.
 * Every number is a pure function of the measures; no clock, no thread count. Called by bind/run.
 */
#include "bind/result/result.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/result/inside.h"

#define LITTLE_TOLERANCE 1e-9
#define MANY_RUNS        100 /* so many whole runs are what is asked about, not a steady state; */
#define SOME_RUNS        1   /* … of a load that moves, any: it has no steady state */

typedef tdm_result_writer writer;
typedef tdm_result_reading reading;

static double window_s(const tdm_measure *m) {
  return (double)(m->window_ns - m->from_ns) / 1e9;
}

static double rate(uint64_t events, const tdm_measure *m) {
  double seconds = window_s(m);
  return seconds > 0 ? (double)events / seconds : NAN;
}

/* ---- setting fields of the table on top */

void tdm_result_number(lua_State *L, const char *key, double value) {
  if (isnan(value)) return; /* absent rather than NaN: nothing was seen */
  lua_pushnumber(L, value);
  lua_setfield(L, -2, key);
}

void tdm_result_integer(lua_State *L, const char *key, uint64_t value) {
  lua_pushinteger(L, (lua_Integer)value);
  lua_setfield(L, -2, key);
}

void tdm_result_text(lua_State *L, const char *key, const char *value) {
  lua_pushstring(L, value);
  lua_setfield(L, -2, key);
}

/* ---- readings */

#define ALL_CLASSES SIZE_MAX
static const tdm_class_measure *class_of(const tdm_measure *m, size_t c) {
  bool all = c == ALL_CLASSES && m->class_count > 1; /* of one they are the same */
  return all ? &m->all : &m->classes[c == ALL_CLASSES ? 0 : c];
}

enum { LATENCY_MEAN, LATENCY_SD, LATENCY_MIN, LATENCY_MAX, LATENCY_QUANTILE };

static double read_latency(const tdm_measure *m, size_t c, size_t which) {
  const tdm_class_measure *class = class_of(m, c);
  switch (which) {
  case LATENCY_MEAN: return class->mean_s;
  case LATENCY_SD: return class->sd_s;
  case LATENCY_MIN: return class->min_s;
  case LATENCY_MAX: return class->max_s;
  default: return class->quantiles_s[which - LATENCY_QUANTILE];
  }
}

static const tdm_class_measure *times_of(const tdm_measure *m, size_t c, size_t which) {
  (void)which;
  return class_of(m, c);
}

static double read_offered(const tdm_measure *m, size_t c, size_t which) {
  (void)which;
  return rate(class_of(m, c)->arrived, m);
}
static double read_carried(const tdm_measure *m, size_t c, size_t which) {
  (void)which;
  return rate(class_of(m, c)->completed, m);
}
static double read_goodput(const tdm_measure *m, size_t c, size_t which) {
  (void)which;
  return rate(class_of(m, c)->within_slo, m);
}
static double read_met(const tdm_measure *m, size_t c, size_t which) {
  (void)which;
  const tdm_class_measure *class = class_of(m, c);
  return class->arrived > 0 ? (double)class->within_slo / (double)class->arrived : NAN;
}
static double read_throughput(const tdm_measure *m, size_t index, size_t which) {
  (void)index, (void)which;
  return m->finished_per_s;
}
static double read_gpus(const tdm_measure *m, size_t index, size_t which) {
  (void)index;
  return which == 0 ? m->gpus_mean : (double)m->gpus_peak;
}
/* Relative, of the mean latency, and so of how many are inside. */
static double read_mean_error(const tdm_measure *m, size_t index, size_t which) {
  (void)index, (void)which;
  return m->all.mean_s > 0 ? m->all.sections.tail.error_s / m->all.mean_s : 0;
}
static double read_in_system(const tdm_measure *m, size_t index, size_t which) {
  (void)index, (void)which;
  return m->in_system;
}
static double read_window(const tdm_measure *m, size_t index, size_t which) {
  (void)index, (void)which;
  return window_s(m);
}
static double read_warmup(const tdm_measure *m, size_t index, size_t which) {
  (void)index, (void)which;
  return (double)m->from_ns / 1e9;
}

/* ---- parts */

static void set_latency(const writer *w, size_t class_index) {
  static const size_t which[TDM_RESULT_TIMES] = {
      LATENCY_MEAN,
      LATENCY_QUANTILE + TDM_Q50,
      LATENCY_QUANTILE + TDM_Q90,
      LATENCY_QUANTILE + TDM_Q95,
      LATENCY_QUANTILE + TDM_Q99,
      LATENCY_QUANTILE + TDM_Q999,
  };
  lua_State *L = w->L;
  lua_createtable(L, 0, 9);
  tdm_result_set_times(w, times_of, read_latency, class_index, which);
  double least = NAN, most = NAN;
  for (size_t r = 0; r < w->count; r++) {
    least = fmin(least, read_latency(&w->measures[r], class_index, LATENCY_MIN));
    most = fmax(most, read_latency(&w->measures[r], class_index, LATENCY_MAX));
  }
  tdm_result_number(L, "min", least);
  tdm_result_number(L, "max", most);
  tdm_result_number(L, "sd", tdm_result_mean(w, read_latency, class_index, LATENCY_SD));
  lua_setfield(L, -2, "latency");
}

/* What goodput of a class is counted against; NaN: it is not one limit of its latency. */
static double deadline_s(const writer *w, size_t c) {
  bool one = c != ALL_CLASSES || w->model->class_count == 1;
  int64_t ns = one ? w->model->classes[c == ALL_CLASSES ? 0 : c].slo_ns : INT64_MAX;
  return ns == INT64_MAX ? NAN : (double)ns / 1e9;
}

/* Of replications; of few, and where it is skewed, of their sections. */
static tdm_estimate counted(const writer *w, reading read, size_t c, tdm_part of, tdm_part by) {
  tdm_estimate e = tdm_result_estimate(w, read, c, 0);
  const tdm_pool *pool = tdm_result_pool(w, times_of, c, 0);
  if (pool == NULL) return e;
  if (w->count == 1 || (of == TDM_PART_WITHIN && by == TDM_PART_ARRIVED))
    e.half = tdm_pool_ratio(pool, of, by, w->confidence).half;
  double few = by == TDM_PART_ARRIVED ? tdm_pool_few(pool, w->confidence) : NAN;
  if (!isnan(few)) e.half = fmax(few, isnan(e.half) ? 0 : e.half);
  if (by == TDM_PART_SECONDS && !isnan(e.value)) e.half += w->drain * e.value;
  if (of == TDM_PART_WITHIN) tdm_pool_support(pool, deadline_s(w, c), w->confidence, &e);
  if (of == TDM_PART_WITHIN && w->count == 1 && w->evidence.needs > 0 && e.half > 0) {
    e.half = NAN; /* how often such runs fill up, parts of one do not tell */
    e.needs = fmax(e.needs, w->evidence.needs);
    e.needs_length = w->evidence.needs_length;
  }
  return e;
}

static tdm_estimate met_of(const writer *w, size_t c) {
  return counted(w, read_met, c, TDM_PART_WITHIN, TDM_PART_ARRIVED);
}

static tdm_estimate goodput_of(const writer *w, size_t c) {
  return counted(w, read_goodput, c, TDM_PART_WITHIN, TDM_PART_SECONDS);
}

static void set_rates(const writer *w, size_t c) {
  lua_State *L = w->L;
  tdm_result_push(w, counted(w, read_offered, c, TDM_PART_ARRIVED, TDM_PART_SECONDS));
  lua_setfield(L, -2, "offered_rps");
  tdm_result_push(w, counted(w, read_carried, c, TDM_PART_COMPLETED, TDM_PART_SECONDS));
  lua_setfield(L, -2, "carried_rps");
  tdm_result_push(w, goodput_of(w, c));
  lua_setfield(L, -2, "goodput_rps");
  tdm_result_push(w, met_of(w, c));
  lua_setfield(L, -2, "slo_met");
}

/* The estimate an objective speaks of. False: the metric is not one of latency or goodput. */
static bool objective(const writer *w, size_t c, const char *metric, size_t *percentile,
                      tdm_result_objective *out) {
  if (strcmp(metric, "mean") == 0)
    out->value = tdm_result_time_mean(w, times_of, c, 0);
  else if (strcmp(metric, "max") == 0)
    out->value = tdm_result_estimate(w, read_latency, c, LATENCY_MAX);
  else if (strcmp(metric, "goodput") == 0)
    out->value = goodput_of(w, c);
  else if (strcmp(metric, "met") == 0)
    out->value = met_of(w, c);
  else if (tdm_result_llm_objective(w, c, metric, *percentile, out)) {
    const char *of = strchr(metric, '_');
    *percentile += of != NULL && of[1] == 'p';
  } else if (metric[0] == 'p' && *percentile < w->model->classes[c].slo_count)
    tdm_result_percentile(w, times_of, c, 0, w->model->classes[c].slo_levels[(*percentile)++], out);
  else
    return false;
  return true;
}

/* Did requests come and go, and not one of them was served? */
static bool all_lost(const writer *w, size_t c) {
  bool lost = false;
  for (size_t r = 0; r < w->count; r++) {
    const tdm_class_measure *class = class_of(&w->measures[r], c);
    if (class->completed > 0) return false;
    lost |= class->dropped + class->abandoned + class->timed_out > 0;
  }
  return lost;
}

/* true or false where the interval is clear of the limit, nil where it is not. Without an interval
 * the share of times beyond the limit may still say. */
static void set_verdict(lua_State *L, const tdm_result_objective *o, bool at_least) {
  tdm_estimate e = o->value;
  bool withheld = isnan(e.half) && e.needs > 0;
  double half = isnan(e.half) ? 0 : e.half;
  double low = at_least ? o->limit - (e.value - half) : e.value + half - o->limit;
  double high = at_least ? o->limit - (e.value + half) : e.value - half - o->limit;
  if (isnan(e.value) || (withheld && o->side == 0)) return;
  if (!withheld && low > 0 && high <= 0) return;
  lua_pushboolean(L, withheld ? o->side > 0 : low <= 0);
  lua_setfield(L, -2, "met");
}

static bool is_at_least(const char *metric) {
  return strcmp(metric, "goodput") == 0 || strcmp(metric, "met") == 0;
}

/* What parts of a mixture are put together from: `beyond`, the share of the times that are beyond
 * the limit, and `tail`, times that known shares are beyond. */
static void set_tail(const writer *w, const tdm_result_objective *o) {
  static const double shares[] = {0.9,  0.5,  0.2,  0.1,  0.05, 0.02, 0.01,
                                  5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 1e-5};
  lua_State *L = w->L;
  tdm_share beyond = tdm_pool_beyond(o->tail, o->limit, w->confidence);
  lua_createtable(L, 0, 3);
  tdm_result_number(L, "value", beyond.value);
  tdm_result_number(L, "low", beyond.low);
  tdm_result_number(L, "high", beyond.high);
  lua_setfield(L, -2, "beyond");
  lua_createtable(L, 2 * (int)(sizeof shares / sizeof *shares), 0);
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
    lua_pushnumber(L, shares[i]);
    lua_rawseti(L, -2, 2 * (lua_Integer)i + 1);
    lua_pushnumber(L, tdm_pool_level(o->tail, 1 - shares[i]));
    lua_rawseti(L, -2, 2 * (lua_Integer)i + 2);
  }
  lua_setfield(L, -2, "tail");
}

/* Adds value and verdict to a copy of the class's objectives. */
static void set_objectives(const writer *w, size_t c, int model_index) {
  lua_State *L = w->L;
  size_t percentile = 0, counted = 0;
  lua_newtable(L);
  lua_getfield(L, model_index, "classes");
  lua_rawgeti(L, -1, (lua_Integer)c + 1);
  lua_getfield(L, -1, "slo");
  lua_Integer count = lua_istable(L, -1) ? luaL_len(L, -1) : 0;
  for (lua_Integer i = 1; i <= count; i++) {
    tdm_result_objective o = {.value = {.value = NAN, .half = NAN}};
    lua_rawgeti(L, -1, i);
    lua_getfield(L, -1, "metric");
    lua_getfield(L, -2, "limit");
    const char *metric = luaL_checkstring(L, -2);
    o.limit = luaL_checknumber(L, -1);
    lua_pushvalue(L, -3);
    lua_getfield(L, -1, "of_limit");
    double of_limit = lua_tonumber(L, -1);
    lua_pop(L, 1);
    lua_getfield(L, -1, "window");
    bool by_window = !lua_isnil(L, -1), at_least = is_at_least(metric);
    double window_s = lua_tonumber(L, -1), worst_s = NAN;
    lua_pop(L, 1);
    if (by_window) at_least = tdm_result_window_objective(w, c, &counted, &o, &worst_s);
    lua_pop(L, 1);
    if (by_window || objective(w, c, metric, &percentile, &o)) {
      lua_createtable(L, 0, 6);
      if (by_window) tdm_result_number(L, "window_s", window_s);
      if (by_window && of_limit != o.limit) tdm_result_number(L, "of_limit", of_limit);
      tdm_result_number(L, "worst_s", worst_s);
      tdm_result_text(L, "metric", metric);
      tdm_result_number(L, "limit", o.limit);
      tdm_result_push(w, o.value);
      lua_setfield(L, -2, "value");
      if (o.tail != NULL) set_tail(w, &o);
      /* How such runs differ, one of them does not tell. */
      if (!w->lone) set_verdict(L, &o, at_least);
      if (isnan(o.value.value) && all_lost(w, c)) {
        lua_pushboolean(L, false);
        lua_setfield(L, -2, "met");
      }
      lua_rawseti(L, -8, (lua_Integer)lua_rawlen(L, -8) + 1);
    }
    lua_pop(L, 3);
  }
  lua_pop(L, 3);
  lua_setfield(L, -2, "slo");
}

static void set_classes(const writer *w, int model_index) {
  lua_State *L = w->L;
  lua_createtable(L, (int)w->model->class_count, 0);
  for (size_t c = 0; c < w->model->class_count; c++) {
    tdm_class_measure sum = {0};
    for (size_t r = 0; r < w->count; r++) {
      const tdm_class_measure *m = &w->measures[r].classes[c];
      sum.arrived += m->arrived;
      sum.completed += m->completed;
      sum.dropped += m->dropped;
      sum.abandoned += m->abandoned;
      sum.timed_out += m->timed_out;
      sum.retried += m->retried;
    }
    lua_createtable(L, 0, 14);
    tdm_result_text(L, "name", w->model->classes[c].name);
    tdm_result_integer(L, "arrived", sum.arrived);
    tdm_result_integer(L, "completed", sum.completed);
    tdm_result_integer(L, "dropped", sum.dropped);
    tdm_result_integer(L, "abandoned", sum.abandoned);
    tdm_result_integer(L, "timed_out", sum.timed_out);
    tdm_result_integer(L, "retried", sum.retried);
    set_latency(w, c);
    set_rates(w, c);
    set_objectives(w, c, model_index);
    lua_rawseti(L, -2, (lua_Integer)c + 1);
  }
  lua_setfield(L, -2, "classes");
}

static void set_checks(const writer *w) {
  lua_State *L = w->L;
  double little = 0;
  bool conserved = true;
  for (size_t r = 0; r < w->count; r++) {
    little = fmax(little, w->measures[r].little_error);
    conserved = conserved && (w->measures[r].conserved || w->measures[r].interrupted);
  }
  lua_createtable(L, 0, 3);
  tdm_result_number(L, "little", little);
  lua_pushboolean(L, conserved);
  lua_setfield(L, -2, "conservation");
  lua_pushboolean(L, conserved && little <= LITTLE_TOLERANCE);
  lua_setfield(L, -2, "ok");
  lua_setfield(L, -2, "checks");
}

/* The latency histogram, eight bins an octave: enough to see, few enough to print. */
static void set_histogram(const writer *w, const tdm_histogram *h) {
  lua_State *L = w->L;
  const uint32_t group = TDM_HISTOGRAM_PER_OCTAVE / 8;
  uint32_t first = TDM_HISTOGRAM_BUCKETS, last = 0;
  for (uint32_t i = 1; i < TDM_HISTOGRAM_BUCKETS; i++) {
    if (h->counts[i] == 0) continue;
    if (first == TDM_HISTOGRAM_BUCKETS) first = i;
    last = i;
  }
  if (first == TDM_HISTOGRAM_BUCKETS) return;
  uint32_t from = (first - 1) / group, to = (last - 1) / group;
  lua_createtable(L, 0, 2);
  lua_createtable(L, (int)(to - from) + 2, 0);
  for (uint32_t g = from; g <= to + 1; g++) {
    lua_pushnumber(L, tdm_histogram_lower(g * group + 1) / 1e9);
    lua_rawseti(L, -2, (lua_Integer)(g - from) + 1);
  }
  lua_setfield(L, -2, "edges_s");
  lua_createtable(L, (int)(to - from) + 1, 0);
  for (uint32_t g = from; g <= to; g++) {
    uint64_t sum = g == from ? h->counts[0] : 0;
    for (uint32_t i = g * group + 1; i <= (g + 1) * group; i++) sum += h->counts[i];
    lua_pushinteger(L, (lua_Integer)sum);
    lua_rawseti(L, -2, (lua_Integer)(g - from) + 1);
  }
  lua_setfield(L, -2, "counts");
  lua_setfield(L, -2, "histogram");
}

static void set_facts(const writer *w, const tdm_replications *replications,
                      const tdm_result_facts *facts) {
  lua_State *L = w->L;
  uint64_t requests = 0, events = 0, cut = 0, open = 0;
  for (size_t r = 0; r < w->count; r++) {
    requests += w->measures[r].all.completed;
    events += w->measures[r].events;
    open += w->measures[r].open;
    for (size_t k = 0; k < TDM_SLICES; k++) {
      if ((int64_t)k * w->measures[r].slice_ns >= w->measures[r].from_ns) break;
      cut += (uint64_t)tdm_measure_series(&w->measures[r], TDM_SERIES_ARRIVED)[k];
    }
  }
  tdm_result_text(L, "name", w->model->name);
  tdm_result_integer(L, "seed", facts->seed);
  tdm_result_integer(L, "replications", w->count);
  tdm_result_number(L, "confidence", facts->confidence);
  tdm_result_integer(L, "requests", requests);
  tdm_result_integer(L, "events", events);
  if (open > 0) tdm_result_integer(L, "open", open);
  tdm_result_number(L, "duration_s", tdm_result_mean(w, read_window, 0, 0));
  tdm_result_number(L, "warmup_s", tdm_result_mean(w, read_warmup, 0, 0));
  tdm_result_integer(L, "warmup_requests", cut);
  if (facts->moving) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "moving");
  }
  if (replications->warmup_unsettled) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "warmup_unsettled");
  }
  if (replications->interrupted) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "interrupted");
  }
}

/* A run that counts requests goes on until the last one has left. A closed loop has also to fill:
 * nobody else arrives meanwhile. */
static double drain_of(const writer *w) {
  double sum = 0;
  bool closed = false;
  for (size_t c = 0; c < w->model->class_count; c++)
    closed |= w->model->classes[c].arrivals->kind == TDM_ARRIVE_CLOSED;
  for (size_t r = 0; r < w->count; r++) sum += w->measures[r].drain;
  return (closed ? 2 : 1) * sum / (double)w->count;
}

void tdm_bind_result(lua_State *L, const tdm_model *model, const tdm_replications *replications,
                     const tdm_result_facts *facts) {
  luaL_checkstack(L, 24, "result");
  int model_index = lua_absindex(L, facts->model_index);
  writer w = {.L = L,
              .model = model,
              .measures = replications->measures,
              .count = replications->count,
              .confidence = facts->confidence,
              .values = facts->values,
              .brief = facts->brief,
              .scratch = lua_newuserdatauv(L, replications->count * sizeof(double), 0)};
  w.pools = tdm_result_pools_new(L);
  lua_createtable(L, 0, 32);
  w.bounded = tdm_result_overload(&w) ||
              (facts->whole && w.count >= (facts->moving ? SOME_RUNS : MANY_RUNS));
  w.lone = facts->moving && w.count == 1;
  for (size_t r = 0; r < w.count; r++) w.requests += (double)w.measures[r].all.completed;
  w.drain = w.bounded ? 0 : drain_of(&w);
  w.evidence = tdm_result_time_mean(&w, times_of, ALL_CLASSES, 0);
  set_facts(&w, replications, facts);
  set_rates(&w, ALL_CLASSES);
  tdm_result_push(&w, tdm_result_over_time(&w, read_throughput, 0, 0, TDM_SERIES_FINISHED, true));
  lua_setfield(L, -2, "throughput_rps");
  tdm_estimate inside = tdm_result_over_time(&w, read_in_system, 0, 0, TDM_SERIES_IN_SYSTEM, false);
  tdm_result_push(&w, tdm_result_no_surer(&w, inside, read_mean_error, 0, 0));
  lua_setfield(L, -2, "in_system");
  if (replications->measures[0].gpus_peak > 0) {
    lua_createtable(L, 0, 2);
    tdm_result_set(&w, "mean", read_gpus, 0, 0);
    tdm_result_set(&w, "peak", read_gpus, 0, 1);
    lua_setfield(L, -2, "gpus_held");
  }
  set_latency(&w, ALL_CLASSES);
  set_classes(&w, model_index);
  tdm_result_stages(&w);
  tdm_result_resources(&w);
  tdm_result_llm(&w);
  set_checks(&w);
  if (!facts->brief) {
    tdm_result_windows(&w);
    tdm_result_all_series(&w);
    set_histogram(&w, &replications->latency);
  }
  if (w.pools->starved) luaL_error(L, "not enough memory"); /* figures would be missing */
  lua_remove(L, -2);
  lua_remove(L, -2);
}
