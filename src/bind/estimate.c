/* core.estimate: regressions, samples compared, distributions fitted, on arrays of numbers.
 * Owns nothing: numbers come in as lists and leave as tables. What the data do not allow comes back
 * as nil and a line that says why. Called by lua/tandem/fit and by scores. */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff.h"
#include "analysis/estimate/estimate.h"
#include "base/special.h"
#include "base/stats.h"
#include "bind/bind.h"

/* The list at `index` as an array that Lua owns: left on the stack. */
static double *numbers_at(lua_State *L, int index, size_t *count) {
  luaL_checktype(L, index, LUA_TTABLE);
  *count = (size_t)lua_rawlen(L, index);
  double *out = lua_newuserdatauv(L, (*count + 1) * sizeof *out, 0);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    int is_number;
    out[i] = lua_tonumberx(L, -1, &is_number);
    if (!is_number || isnan(out[i])) luaL_error(L, "item %d is not a number", (int)i + 1);
    lua_pop(L, 1);
  }
  return out;
}

static int ascending(const void *x, const void *y) {
  const double *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

static double *sorted_at(lua_State *L, int index, size_t *count) {
  double *out = numbers_at(L, index, count);
  if (*count > 1) qsort(out, *count, sizeof *out, ascending);
  return out;
}

/* A number that may be missing: NaN is nil. */
static void push(lua_State *L, double value) {
  if (isnan(value))
    lua_pushnil(L);
  else
    lua_pushnumber(L, value);
}

static void set(lua_State *L, const char *key, double value) {
  push(L, value);
  lua_setfield(L, -2, key);
}

static void set_list(lua_State *L, const char *key, const double *values, size_t count) {
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    push(L, values[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, key);
}

static double confidence_at(lua_State *L, int index) {
  double confidence = luaL_optnumber(L, index, 0.95);
  luaL_argcheck(L, confidence > 0 && confidence < 1, index, "wants a number between 0 and 1");
  return confidence;
}

static void push_regression(lua_State *L, const tdm_regression_data *data, const double *mean,
                            const tdm_regression *r) {
  size_t k = data->count;
  double errors[TDM_COLUMNS_MOST] = {0}, half = tdm_student_quantile(0.975, r->df);
  lua_createtable(L, 0, 20);
  set_list(L, "b", r->b, k);
  lua_createtable(L, (int)k, 0);
  for (size_t i = 0; i < k; i++) {
    errors[i] = sqrt(fmax(r->covariance[i * k + i], 0));
    lua_createtable(L, (int)k, 0);
    for (size_t j = 0; j < k; j++) {
      lua_pushnumber(L, r->covariance[i * k + j]);
      lua_rawseti(L, -2, (lua_Integer)j + 1);
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "covariance");
  set_list(L, "errors", errors, k);
  for (size_t i = 0; i < k; i++) errors[i] *= half;
  set_list(L, "half", errors, k);
  set_list(L, "bounded", r->bounded, k);
  set_list(L, "mean", mean, data->rows);
  set(L, "df", r->df);
  set(L, "condition", r->condition);
  set(L, "spread", r->spread);
  set(L, "log_likelihood", r->log_likelihood);
  set(L, "total", r->total);
  set(L, "least", r->least);
  set(L, "correlation", r->correlation);
  set(L, "bounded_total", r->bounded_total);
  set(L, "outlier_share", r->outlier_share);
  lua_pushinteger(L, (lua_Integer)r->outliers);
  lua_setfield(L, -2, "outliers");
  lua_pushinteger(L, (lua_Integer)r->batches);
  lua_setfield(L, -2, "batches");
  lua_pushboolean(L, r->drifts);
  lua_setfield(L, -2, "drifts");
}

/* estimate.regress(y, { column, … }, { power = 2, series = false }) → table | nil, message,
 * condition. Fields as in estimate/estimate.h; half: of 95 % intervals. */
static int regress(lua_State *L) {
  tdm_regression_data data = {.power = 2};
  const double *columns[TDM_COLUMNS_MOST];
  luaL_checktype(L, 2, LUA_TTABLE);
  size_t count = (size_t)lua_rawlen(L, 2);
  luaL_argcheck(L, count >= 1 && count <= TDM_COLUMNS_MOST, 2, "wants 1 to 16 columns");
  if (!lua_isnoneornil(L, 3)) {
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_getfield(L, 3, "power");
    data.power = luaL_optnumber(L, -1, 2);
    lua_getfield(L, 3, "series");
    data.series = lua_toboolean(L, -1);
  }
  lua_settop(L, 3);
  luaL_checkstack(L, (int)count * 2 + 20, "too many columns");
  data.y = numbers_at(L, 1, &data.rows);
  for (size_t j = 0; j < count; j++) {
    size_t rows;
    lua_rawgeti(L, 2, (lua_Integer)j + 1);
    columns[j] = numbers_at(L, lua_gettop(L), &rows);
    luaL_argcheck(L, rows == data.rows, 2, "wants columns as long as the values");
  }
  data.columns = columns;
  data.count = count;
  double *mean = lua_newuserdatauv(L, (data.rows + 1) * sizeof *mean, 0);
  tdm_regression out;
  tdm_error error = {.status = TDM_OK};
  if (tdm_regress(&data, mean, &out, &error) != TDM_OK) {
    lua_pushnil(L);
    lua_pushstring(L, error.message);
    push(L, out.condition > 0 ? out.condition : NAN);
    return 3;
  }
  push_regression(L, &data, mean, &out);
  return 1;
}

/* Both lists, ascending; false when one is empty: nil and a message are on the stack. */
static bool two_samples(lua_State *L, double **a, size_t *a_count, double **b, size_t *b_count) {
  *a = sorted_at(L, 1, a_count);
  *b = sorted_at(L, 2, b_count);
  if (*a_count > 0 && *b_count > 0) return true;
  lua_pushnil(L);
  lua_pushstring(L, "a sample is empty");
  return false;
}

/* estimate.ks(a, b) → distance, p */
static int ks(lua_State *L) {
  double *a, *b;
  size_t a_count, b_count;
  if (!two_samples(L, &a, &a_count, &b, &b_count)) return 2;
  tdm_ks found = tdm_ks_samples(a, a_count, b, b_count);
  lua_pushnumber(L, found.distance);
  lua_pushnumber(L, found.p);
  return 2;
}

/* estimate.wasserstein(a, b) → distance */
static int wasserstein(lua_State *L) {
  double *a, *b;
  size_t a_count, b_count;
  if (!two_samples(L, &a, &a_count, &b, &b_count)) return 2;
  lua_pushnumber(L, tdm_wasserstein(a, a_count, b, b_count));
  return 1;
}

/* estimate.quantiles(values, { level, … }, confidence?) → { { value=, low=, high= }, … } */
static int quantiles(lua_State *L) {
  double confidence = confidence_at(L, 3);
  size_t count, levels;
  double *sorted = sorted_at(L, 1, &count);
  double *level = numbers_at(L, 2, &levels);
  if (count == 0) {
    lua_pushnil(L);
    lua_pushstring(L, "a sample is empty");
    return 2;
  }
  lua_createtable(L, (int)levels, 0);
  for (size_t i = 0; i < levels; i++) {
    luaL_argcheck(L, level[i] >= 0 && level[i] <= 1, 2, "wants levels from 0 to 1");
    tdm_quantile q = tdm_quantile_of(sorted, count, level[i], confidence);
    lua_createtable(L, 0, 3);
    set(L, "value", q.value);
    set(L, "low", q.low);
    set(L, "high", q.high);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

static void push_family(lua_State *L, const tdm_family_fit *fit, size_t count, unsigned draws) {
  lua_createtable(L, 0, 9);
  lua_pushstring(L, tdm_family_name(fit->family));
  lua_setfield(L, -2, "family");
  set_list(L, "at", fit->at, (size_t)fit->parameters);
  set_list(L, "errors", fit->error, (size_t)fit->parameters);
  set(L, "mean", fit->mean);
  set(L, "cv", fit->cv);
  set(L, "log_likelihood", fit->log_likelihood);
  set(L, "aic", 2.0 * fit->parameters - 2 * fit->log_likelihood);
  set(L, "distance", fit->distance);
  set(L, "p", draws > 0 ? tdm_family_p(fit, count, draws) : NAN);
}

/* estimate.family(values, name, draws?) → table | nil when the family cannot have made them. With
 * draws, p: the chance of such a distance, by so many samples of the fitted distribution. */
static int family(lua_State *L) {
  const char *name = luaL_checkstring(L, 2);
  lua_Integer draws = luaL_optinteger(L, 3, 0);
  luaL_argcheck(L, draws >= 0 && draws <= 100000, 3, "wants 0 to 100,000 draws");
  tdm_family wanted = tdm_family_named(name);
  luaL_argcheck(L, wanted != TDM_FAMILY_COUNT, 2,
                "wants constant, normal, lognormal, gamma, exponential or weibull");
  size_t count;
  double *sorted = sorted_at(L, 1, &count);
  tdm_family_fit fit;
  if (!tdm_family_fit_sorted(wanted, sorted, count, &fit)) {
    lua_pushnil(L);
    return 1;
  }
  push_family(L, &fit, count, (unsigned)draws);
  return 1;
}

/* Mean and variance (n − 1) of a list. */
static tdm_observed observe(const double *values, size_t count) {
  tdm_observed out = {.count = (double)count};
  for (size_t i = 0; i < count; i++) out.mean += values[i] / out.count;
  for (size_t i = 0; i < count; i++)
    out.variance += (values[i] - out.mean) * (values[i] - out.mean) / (out.count - 1);
  if (count < 2) out.variance = NAN;
  return out;
}

/* Half of the 95 % interval by batches; by eight of them where no number makes them independent. */
static double by_batches(const double *values, size_t count, size_t *batches, bool *drifts) {
  tdm_estimate e = tdm_batch_means(values, count, 0.95, batches);
  *drifts = *batches == 0;
  if (!*drifts) return e.half;
  double means[TDM_BATCHES_MIN] = {0};
  size_t size = count / TDM_BATCHES_MIN, first = count - size * TDM_BATCHES_MIN;
  for (size_t i = first; i < count; i++) means[(i - first) / size] += values[i] / (double)size;
  *batches = TDM_BATCHES_MIN;
  return tdm_interval(means, TDM_BATCHES_MIN, 0.95).half;
}

/* estimate.mean(values) → { mean, sd, error, half, correlation, batches, drifts }: half of the 95 %
 * interval; values in order of time whose successors are correlated are put into batches. */
static int mean(lua_State *L) {
  size_t count, batches = 0;
  bool drifts = false;
  double *values = numbers_at(L, 1, &count);
  if (count == 0) {
    lua_pushnil(L);
    lua_pushstring(L, "a sample is empty");
    return 2;
  }
  tdm_observed seen = observe(values, count);
  double n = seen.count, lagged = 0, squares = seen.variance * (n - 1);
  for (size_t i = 1; i < count; i++)
    lagged += (values[i] - seen.mean) * (values[i - 1] - seen.mean);
  double correlation = squares > 0 ? lagged / squares : 0;
  double error = sqrt(seen.variance / n), half = tdm_student_quantile(0.975, n - 1) * error;
  if (count >= 32 && fabs(correlation) * sqrt(n) > tdm_normal_quantile(0.995)) {
    /* Batches leave out the first values where their number does not divide: an outlier among those
     * must count, and what goes together tells no more than what is independent. */
    double least = correlation > 0 ? half : 0;
    half = fmax(least, by_batches(values, count, &batches, &drifts));
    error = half / tdm_student_quantile(0.975, (double)batches - 1);
  }
  lua_createtable(L, 0, 7);
  set(L, "mean", seen.mean);
  set(L, "sd", sqrt(seen.variance));
  set(L, "error", error);
  set(L, "half", half);
  set(L, "correlation", correlation);
  lua_pushinteger(L, (lua_Integer)batches);
  lua_setfield(L, -2, "batches");
  lua_pushboolean(L, drifts);
  lua_setfield(L, -2, "drifts");
  return 1;
}

/* estimate.difference(a, b) → mean of b − mean of a, half of its 95 % interval, p (Welch) */
static int difference(lua_State *L) {
  size_t a_count, b_count;
  double *a = numbers_at(L, 1, &a_count), *b = numbers_at(L, 2, &b_count);
  if (a_count == 0 || b_count == 0) {
    lua_pushnil(L);
    lua_pushstring(L, "a sample is empty");
    return 2;
  }
  tdm_observed of_a = observe(a, a_count), of_b = observe(b, b_count);
  tdm_welch_result w = tdm_welch(of_a, of_b);
  lua_pushnumber(L, of_b.mean - of_a.mean);
  push(L, w.half);
  push(L, w.p);
  return 3;
}

void tdm_bind_open_estimate(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"regress", regress}, {"ks", ks},     {"wasserstein", wasserstein}, {"quantiles", quantiles},
      {"family", family},   {"mean", mean}, {"difference", difference},   {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "estimate");
}
