/* The estimates of the result table: over replications, over time, and of the times of all
 * replications together. Owns the pool of times that was asked for last: a dozen figures in a row
 * are of the same one. Called by the other writers here. */
#include <lauxlib.h>
#include <math.h>

#include "base/special.h"
#include "bind/result/inside.h"

typedef tdm_result_writer writer;
typedef tdm_result_reading reading;

#define LONE_WANTS 8 /* runs of a load that moves, to tell how they differ */

/* ---- over replications */

tdm_estimate tdm_result_estimate(const writer *w, reading read, size_t index, size_t which) {
  for (size_t r = 0; r < w->count; r++) w->scratch[r] = read(&w->measures[r], index, which);
  return tdm_interval(w->scratch, w->count, w->confidence);
}

void tdm_result_push(const writer *w, tdm_estimate e) {
  lua_State *L = w->L;
  lua_createtable(L, 0, 2);
  tdm_result_number(L, "value", e.value);
  tdm_result_number(L, "half", e.half);
  bool lone = w->lone && isnan(e.half) && !isnan(e.value);
  if (lone || (isnan(e.half) && e.needs > 0)) {
    lua_createtable(L, 0, 2);
    tdm_result_number(L, "requests", lone ? w->requests * LONE_WANTS : ceil(e.needs));
    tdm_result_text(L, "by", lone ? "replications" : e.needs_length ? "length" : "requests");
    lua_setfield(L, -2, "needs");
  }
  if (!w->values) return;
  if (e.seen.half > 0) {
    lua_createtable(L, 0, 4);
    tdm_result_number(L, "half", e.seen.half);
    tdm_result_number(L, "excursions", e.seen.excursions);
    tdm_result_number(L, "telling", e.seen.telling);
    tdm_result_number(L, "worth", e.seen.worth);
    tdm_result_number(L, "cycles", e.seen.cycles);
    lua_setfield(L, -2, "seen");
  }
  lua_createtable(L, (int)w->count, 0);
  for (size_t r = 0; r < w->count; r++) {
    lua_pushnumber(L, w->scratch[r]);
    lua_rawseti(L, -2, (lua_Integer)r + 1);
  }
  lua_setfield(L, -2, "values");
}

void tdm_result_set(const writer *w, const char *key, reading read, size_t index, size_t which) {
  tdm_result_push(w, tdm_result_estimate(w, read, index, which));
  lua_setfield(w->L, -2, key);
}

double tdm_result_mean(const writer *w, reading read, size_t index, size_t which) {
  return tdm_result_estimate(w, read, index, which).value;
}

/* ---- over time */

#define PIECES 64u /* of all replications; more of them are left out */

/* Half-width of the mean of a series over all replications, from as many pieces as there are
 * sections; longer where neighbours are alike. NaN: too few slices. */
static double half_of_pieces(const writer *w, size_t series) {
  size_t each = tdm_sections_each(w->count), count = 0;
  double gaps[PIECES] = {0}, sum = 0, squares = 0, neighbours = 0;
  for (size_t r = 0; r < w->count && count + each <= PIECES; r++) {
    const tdm_measure *m = &w->measures[r];
    const double *values = tdm_measure_series(m, series);
    size_t first = 0, end = 0;
    while (first < TDM_SLICES && (int64_t)first * m->slice_ns < m->from_ns) first++;
    /* The last slice may be longer than others: it takes what comes behind the planned end. */
    while (end + 1 < TDM_SLICES && (int64_t)(end + 1) * m->slice_ns <= m->window_ns) end++;
    if (end < first + each) return NAN;
    size_t length = (end - first) / each;
    first = end - each * length; /* the remainder is the oldest part */
    for (size_t i = 0; i < each * length; i++)
      gaps[count + i / length] += values[first + i] / (double)length;
    count += each;
  }
  for (size_t i = 0; i < count; i++) sum += gaps[i];
  for (size_t i = 0; i < count; i++) gaps[i] -= sum / (double)count;
  for (size_t i = 0; i < count; i++) {
    squares += gaps[i] * gaps[i];
    if (i % each > 0) neighbours += gaps[i] * gaps[i - 1];
  }
  double among = squares * (double)(each - 1) / (double)each;
  double alike = among > 0 ? fmin(fmax(neighbours / among, 0), 0.8) : 0;
  return tdm_skewed_half(gaps, count, w->confidence) * sqrt((1 + alike) / (1 - alike));
}

tdm_estimate tdm_result_over_time(const writer *w, reading read, size_t index, size_t which,
                                  size_t series, bool steady) {
  tdm_estimate e = tdm_result_estimate(w, read, index, which);
  double slice_s = (double)w->measures[0].slice_ns / 1e9;
  if (w->bounded && w->count == 1)
    e.half = NAN; /* parts of one run are no sample of such runs */
  else if (!w->bounded && w->count < PIECES && series != SIZE_MAX && (!steady || w->count == 1))
    e.half = half_of_pieces(w, series) / (series == TDM_SERIES_FINISHED ? slice_s : 1);
  else if (!w->bounded && !steady && series == SIZE_MAX) { /* waits: as skewed as latencies */
    double skewed = tdm_skewed_half(w->scratch, w->count, w->confidence);
    if (!isnan(skewed)) e.half = skewed; /* some replications may have no wait at all */
  }
  e.seen = w->evidence.seen;
  e.seen.half = e.half;
  if (!steady && !w->bounded) e.half *= tdm_pool_longer(w->evidence.seen.excursions);
  if (!isnan(e.value)) e.half += w->drain * e.value;
  if (!(e.half > 0) || steady || !(w->evidence.needs > 0)) return e;
  e.half = NAN;
  e.needs = w->evidence.needs;
  e.needs_length = w->evidence.needs_length;
  return e;
}

tdm_estimate tdm_result_no_surer(const writer *w, tdm_estimate e, reading known, size_t index,
                                 size_t which) {
  double squares = 0;
  for (size_t r = 0; r < w->count; r++) squares += pow(known(&w->measures[r], index, which), 2);
  double error = sqrt(squares) / (double)w->count * e.value;
  if (e.half > 0) e.half = fmax(e.half, tdm_normal_quantile(0.5 + 0.5 * w->confidence) * error);
  return e;
}

/* ---- times of all replications together */

static int free_pools(lua_State *L) {
  tdm_result_pools *pools = lua_touserdata(L, 1);
  tdm_pool_free(pools->latest);
  *pools = (tdm_result_pools){0};
  return 0;
}

tdm_result_pools *tdm_result_pools_new(lua_State *L) {
  tdm_result_pools *pools = lua_newuserdatauv(L, sizeof *pools, 0);
  *pools = (tdm_result_pools){0};
  if (luaL_newmetatable(L, "tandem.pools")) {
    lua_pushcfunction(L, free_pools);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return pools;
}

const tdm_pool *tdm_result_pool(const writer *w, tdm_result_times times, size_t index,
                                size_t which) {
  const tdm_class_measure *of = times(&w->measures[0], index, which);
  if (w->pools->of == of) return w->pools->latest;
  tdm_pool_free(w->pools->latest);
  w->pools->of = of;
  w->pools->latest = tdm_pool_new(w->count, w->bounded);
  double requests = 0;
  for (size_t r = 0; r < w->count; r++) requests += (double)w->measures[r].all.completed;
  if (w->pools->latest != NULL) tdm_pool_of_requests(w->pools->latest, requests);
  for (size_t r = 0; w->pools->latest != NULL && r < w->count; r++) {
    if (tdm_pool_add(w->pools->latest, &times(&w->measures[r], index, which)->sections)) continue;
    tdm_pool_free(w->pools->latest);
    w->pools->latest = NULL;
  }
  w->pools->starved |= w->pools->latest == NULL;
  return w->pools->latest;
}

/* Of each replication by itself. */
static void read_levels(const writer *w, tdm_result_times times, size_t index, size_t which,
                        double level) {
  for (size_t r = 0; r < w->count; r++) {
    tdm_pool *pool = tdm_pool_new(1, true);
    w->scratch[r] = NAN;
    if (pool != NULL && tdm_pool_add(pool, &times(&w->measures[r], index, which)->sections))
      w->scratch[r] = tdm_pool_level(pool, level);
    else
      w->pools->starved = true;
    tdm_pool_free(pool);
  }
}

void tdm_result_percentile(const writer *w, tdm_result_times times, size_t index, size_t which,
                           double level, tdm_result_objective *out) {
  const tdm_pool *pool = tdm_result_pool(w, times, index, which);
  out->value = (tdm_estimate){.value = NAN, .half = NAN};
  if (w->values) read_levels(w, times, index, which, level);
  if (pool == NULL) return;
  if (w->values) out->tail = pool;
  out->value = tdm_pool_quantile(pool, level, w->confidence);
  if (isnan(out->value.half) && out->value.needs > 0)
    out->side = tdm_pool_side(pool, level, out->limit, w->confidence);
}

tdm_estimate tdm_result_time_mean(const writer *w, tdm_result_times times, size_t index,
                                  size_t which) {
  tdm_estimate e = {.value = NAN, .half = NAN};
  const tdm_pool *pool = tdm_result_pool(w, times, index, which);
  if (pool != NULL) e = tdm_pool_mean(pool, w->confidence);
  for (size_t r = 0; r < w->count; r++)
    w->scratch[r] = times(&w->measures[r], index, which)->mean_s;
  return e;
}

void tdm_result_set_times(const writer *w, tdm_result_times times, reading read, size_t index,
                          const size_t which[]) {
  static const char *const keys[TDM_RESULT_TIMES] = {"mean", "p50", "p90", "p95", "p99", "p999"};
  tdm_estimate all[TDM_RESULT_TIMES];
  const tdm_pool *pool = tdm_result_pool(w, times, index, which[0]);
  for (size_t i = 0; i < TDM_RESULT_TIMES && pool != NULL; i++)
    all[i] = i == 0 ? tdm_pool_mean(pool, w->confidence)
                    : tdm_pool_quantile(pool, tdm_quantile_levels[i - 1], w->confidence);
  for (size_t i = 0; i < TDM_RESULT_TIMES; i++) {
    tdm_estimate own = tdm_result_estimate(w, read, index, which[i]); /* fills the scratch */
    tdm_result_push(w, pool != NULL ? all[i] : own);
    lua_setfield(w->L, -2, keys[i]);
  }
}
