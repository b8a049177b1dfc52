/* The run by windows of time, and objectives that hold in each of them: as estimates over
 * replications.
 *
 * Requests that were lost count as later than any limit, so that nobody keeps an objective by
 * turning people away. Of the worst window, the upper end of the interval is that of the window
 * whose upper end is highest, which needs no correction; the lower end takes the choice among all
 * windows into account (Bonferroni). Called by result.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/memory.h"
#include "base/special.h"
#include "bind/result/inside.h"

typedef tdm_result_writer writer;

#define EVERY SIZE_MAX /* class */

/* What a row of windows came to, in one replication. */
typedef struct {
  double arrived, completed, within_slo;
  int64_t sum_ns;
} counts;

/* Rows of windows that are told together, and the classes whose lost requests have no time there.
 */
typedef struct {
  size_t first, end;
  size_t lost_first, lost_end;
} row_set;

static row_set rows_of_class(const writer *w, size_t c) {
  size_t first = c == EVERY ? 0 : c, end = c == EVERY ? w->model->class_count : c + 1;
  return (row_set){first, end, first, end};
}

/* A time of all stages of an LLM server; nobody is counted as lost. */
static row_set rows_of_server(const writer *w, size_t server, tdm_llm_time time) {
  const tdm_llm_server *of = &w->model->servers[server];
  size_t first = of->first_window + (size_t)time * of->stage_count;
  return (row_set){.first = first, .end = first + of->stage_count};
}

/* Of a class's first LLM stage. Gaps are not requests. */
static row_set rows_of_stage(const writer *w, size_t c, tdm_llm_time time) {
  const tdm_stage *stage = tdm_result_llm_stage(w->model, c);
  if (stage == NULL) return (row_set){0};
  const tdm_llm_server *of = &w->model->servers[stage->server];
  size_t first = of->first_window + (size_t)time * of->stage_count + stage->member;
  return (row_set){first, first + 1, c, time == TDM_LLM_ITL ? c : c + 1};
}

static const tdm_windows *of_run(const writer *w, size_t r) {
  return w->measures[r].windows;
}

static counts counts_of(const writer *w, size_t r, size_t window, row_set of) {
  counts sum = {0};
  if (window >= of_run(w, r)->count) return sum;
  for (size_t i = of.first; i < of.end; i++) {
    const tdm_window *one = tdm_windows_at(of_run(w, r), window, i);
    sum.completed += (double)one->completed;
    sum.within_slo += (double)one->within_slo;
    sum.sum_ns += one->sum_ns;
  }
  sum.arrived = sum.completed;
  for (size_t i = of.lost_first; i < of.lost_end; i++)
    sum.arrived += (double)tdm_windows_at(of_run(w, r), window, i)->lost;
  return sum;
}

static size_t window_count(const writer *w) {
  size_t count = 0;
  for (size_t r = 0; r < w->count; r++)
    if (of_run(w, r)->count > count) count = of_run(w, r)->count;
  return count;
}

static double begin_s(const writer *w, size_t window) {
  return (double)window * (double)of_run(w, 0)->length_ns / 1e9;
}

/* The last window ends with the arrivals; where these have no end, with the longest run. */
static double end_s(const writer *w, size_t window) {
  double end = 0, whole = begin_s(w, window + 1);
  for (size_t r = 0; r < w->count; r++) end = fmax(end, (double)of_run(w, r)->end_ns / 1e9);
  return window + 1 == window_count(w) ? (end > begin_s(w, window) ? end : whole)
                                       : fmin(whole, end);
}

static size_t first_window(const writer *w) {
  size_t window = 0;
  while (begin_s(w, window) < (double)w->measures[0].from_ns / 1e9) window++;
  return window;
}

/* ---- latencies of a window in all replications */

/* Sections of a replication each; free_window() frees what it made. */
typedef struct {
  tdm_sections *runs;
  tdm_pool *pool;
  double arrived, completed;
} window_times;

static void free_window(const writer *w, window_times *times) {
  tdm_pool_free(times->pool);
  for (size_t r = 0; times->runs != NULL && r < w->count; r++) tdm_sections_free(&times->runs[r]);
  free(times->runs);
}

static bool fill_run(const writer *w, size_t r, size_t window, row_set of, tdm_histogram *scratch,
                     tdm_sections *out) {
  counts sum = counts_of(w, r, window, of);
  tdm_histogram_clear(scratch);
  for (size_t i = of.first; i < of.end && window < of_run(w, r)->count; i++)
    tdm_window_merge(tdm_windows_at(of_run(w, r), window, i), scratch);
  if (!tdm_sections_new(out, 1) || !tdm_section_count(&out->items[0], scratch)) return false;
  out->items[0].sum_s = (double)sum.sum_ns / 1e9;
  out->items[0].arrived = (uint64_t)sum.arrived;
  out->items[0].within = (uint64_t)sum.within_slo;
  out->items[0].length_s = end_s(w, window) - begin_s(w, window);
  out->mean_s = sum.completed > 0 ? out->items[0].sum_s / sum.completed : NAN;
  out->sd_s = sum.completed > 1 ? tdm_histogram_sd(scratch) / 1e9 : 0;
  return true;
}

static bool open_window(const writer *w, size_t window, row_set of, tdm_histogram *scratch,
                        window_times *out) {
  *out = (window_times){.runs = tdm_array_new(w->count, sizeof *out->runs),
                        .pool = tdm_pool_new(w->count, true)};
  bool room = out->runs != NULL && out->pool != NULL;
  for (size_t r = 0; room && r < w->count; r++) {
    room = fill_run(w, r, window, of, scratch, &out->runs[r]) &&
           tdm_pool_add(out->pool, &out->runs[r]);
    counts sum = counts_of(w, r, window, of);
    out->arrived += sum.arrived;
    out->completed += sum.completed;
  }
  w->pools->starved |= !room;
  return room;
}

/* The quantile of all who arrived: those that were lost are later than all others. */
static tdm_estimate quantile_of(const window_times *times, double level, double confidence) {
  tdm_estimate none = {.value = NAN, .half = NAN};
  if (!(times->arrived > 0)) return none;
  double served = level * times->arrived / fmax(times->completed, 1);
  if (served > 1 + 1e-12) return (tdm_estimate){.value = INFINITY, .half = NAN};
  return tdm_pool_quantile(times->pool, fmin(served, 1), confidence);
}

/* The share of arrivals that were served in time; its replications stand in the scratch. Where
 * hardly anybody is late, or in time, replications do not differ: then their number says how far
 * the share may be off. */
static tdm_estimate share_in_time(const writer *w, size_t window, row_set of,
                                  tdm_histogram *scratch) {
  tdm_estimate e = {.value = NAN, .half = NAN};
  window_times times;
  if (open_window(w, window, of, scratch, &times)) {
    e = tdm_pool_ratio(times.pool, TDM_PART_WITHIN, TDM_PART_ARRIVED, w->confidence);
    double few = tdm_pool_few(times.pool, w->confidence);
    if (!isnan(few) && !isnan(e.half)) e.half = fmax(e.half, few);
  }
  free_window(w, &times);
  for (size_t r = 0; r < w->count; r++) {
    counts sum = counts_of(w, r, window, of);
    w->scratch[r] = sum.arrived > 0 ? sum.within_slo / sum.arrived : NAN;
  }
  return e;
}

/* ---- objectives */

typedef struct {
  const char *base;  /* "p99", "mean", "max", "met", "goodput"; of an LLM server's time, too */
  tdm_llm_time time; /* TDM_LLM_TIMES: of whole requests */
  double base_limit; /* its limit in a window */
  double level;      /* of a percentile */
  size_t number;     /* among the class's window limits; SIZE_MAX: not counted */
  bool at_least;
} window_rule;

static double rate_of(double count, const writer *w, size_t window) {
  return count / (end_s(w, window) - begin_s(w, window));
}

static row_set rows_of_rule(const writer *w, size_t c, const window_rule *rule) {
  return rule->time < TDM_LLM_TIMES ? rows_of_stage(w, c, rule->time) : rows_of_class(w, c);
}

/* Is a window of one replication as it should be? */
static bool is_good(const writer *w, size_t r, size_t window, row_set of, const window_rule *rule) {
  counts sum = counts_of(w, r, window, of);
  const tdm_window *one = tdm_windows_at(of_run(w, r), window, of.first);
  if (rule->number != SIZE_MAX)
    return (double)one->within[rule->number] >= rule->level * sum.arrived - 1e-9 * sum.arrived;
  if (strcmp(rule->base, "mean") == 0)
    return sum.completed > 0 && (double)sum.sum_ns / 1e9 / sum.completed <= rule->base_limit;
  if (strcmp(rule->base, "met") == 0)
    return sum.within_slo >= (rule->base_limit - 1e-12) * sum.arrived;
  return rate_of(sum.within_slo, w, window) >= rule->base_limit;
}

#define FEW 30 /* windows */

/* The share of windows that are good. Where hardly any is bad, or good, replications hardly differ:
 * then the number of such windows in a row says how far the share may be off. */
static tdm_estimate share_of(const writer *w, size_t c, const window_rule *rule, double *gaps) {
  row_set of = rows_of_rule(w, c, rule);
  double all = 0, bad = 0, bad_rows = 0, good_rows = 0;
  for (size_t r = 0; r < w->count; r++) {
    double seen = 0, good = 0;
    int before = -1;
    for (size_t i = first_window(w); i < of_run(w, r)->count; i++) {
      if (!(counts_of(w, r, i, of).arrived > 0)) continue;
      int now = is_good(w, r, i, of, rule);
      seen++;
      good += now;
      bad_rows += now == 0 && before != 0;
      good_rows += now == 1 && before != 1;
      before = now;
    }
    w->scratch[r] = seen > 0 ? good / seen : NAN;
    all += seen;
    bad += seen - good;
  }
  tdm_estimate e = tdm_interval(w->scratch, w->count, w->confidence);
  /* Days are skewed: a bad one has many bad windows. */
  for (size_t r = 0; r < w->count; r++) gaps[r] = w->scratch[r] - e.value;
  if (!isnan(e.half)) e.half = fmax(e.half, tdm_skewed_half(gaps, w->count, w->confidence));
  bool bad_are_few = bad < all - bad;
  double few = bad_are_few ? bad : all - bad, rows = bad_are_few ? bad_rows : good_rows;
  if (!(all > 0) || few >= FEW || isnan(e.half)) return e;
  double each = rows > 0 ? few / rows : 1;
  double most = fmin(1, tdm_poisson_most(rows, 0.5 + w->confidence / 2) * each / all);
  e.half = fmax(e.half, most - few / all);
  return e;
}

/* A figure of one window. */
static tdm_estimate figure_of(const writer *w, size_t window, size_t c, const window_rule *rule,
                              tdm_histogram *scratch) {
  tdm_estimate e = {.value = NAN, .half = NAN};
  row_set of = rows_of_rule(w, c, rule);
  if (strcmp(rule->base, "met") == 0) return share_in_time(w, window, of, scratch);
  if (rule->at_least) {
    for (size_t r = 0; r < w->count; r++)
      w->scratch[r] = rate_of(counts_of(w, r, window, of).within_slo, w, window);
    return tdm_interval(w->scratch, w->count, w->confidence);
  }
  window_times times;
  if (open_window(w, window, of, scratch, &times)) {
    if (strcmp(rule->base, "mean") == 0)
      e = times.completed > 0 ? tdm_pool_mean(times.pool, w->confidence) : e;
    else
      e = quantile_of(&times, rule->level, w->confidence);
  }
  free_window(w, &times);
  return e;
}

/* The window whose figure is worst, and the interval of that figure; *worst: which one; *least: it
 * is as bad as that, surely, also where there is no interval. */
static tdm_estimate worst_of(const writer *w, size_t c, const window_rule *rule, size_t *worst,
                             double *least) {
  size_t first = first_window(w), count = window_count(w);
  double sign = rule->at_least ? -1 : 1, value = -INFINITY, high = -INFINITY, low = -INFINITY;
  double error = (1 - w->confidence) / 2, freedom = fmax((double)w->count - 1, 1);
  double wider =
      tdm_student_quantile(1 - error / (double)(count > first ? count - first : 1), freedom) /
      tdm_student_quantile(1 - error, freedom);
  tdm_histogram scratch = {0};
  tdm_estimate out = {.value = NAN, .half = NAN};
  bool sure = true;
  w->pools->starved |= tdm_histogram_new(&scratch, NULL) != TDM_OK;
  if (w->pools->starved) return out;
  for (size_t i = first; i < count; i++) {
    tdm_estimate e = figure_of(w, i, c, rule, &scratch);
    if (isnan(e.value)) continue;
    sure &= !isnan(e.half);
    if (isnan(e.half) && e.needs > out.needs) {
      out.needs = e.needs;
      out.needs_length = e.needs_length;
    }
    if (!isnan(e.half)) low = fmax(low, sign * e.value - e.half * wider);
    if (sign * e.value > value) {
      value = sign * e.value;
      *worst = i;
    }
    high = fmax(high, sign * e.value + e.half);
  }
  for (size_t r = 0; r < w->count; r++) w->scratch[r] = NAN; /* it is of all replications */
  *least = sign * low;
  tdm_histogram_free(&scratch);
  if (isinf(value) && value < 0) return out;
  out.value = sign * value;
  out.half = sure ? fmax(high - value, value - low) : NAN;
  return out;
}

/* Reads what a metric like "p99" is in one window; `number` counts those that are told apart. */
static window_rule read_rule(lua_State *L, size_t *number) {
  window_rule rule = {.number = SIZE_MAX, .time = TDM_LLM_TIMES};
  lua_getfield(L, -1, "of");
  rule.base = luaL_checkstring(L, -1); /* the model table keeps it */
  const char *of = strchr(rule.base, '_');
  if (of != NULL) {
    rule.time = tdm_result_llm_time(rule.base, (size_t)(of - rule.base));
    rule.base = of + 1;
  }
  lua_getfield(L, -2, "of_limit");
  rule.base_limit = luaL_checknumber(L, -1);
  lua_pop(L, 2);
  rule.at_least = strcmp(rule.base, "met") == 0 || strcmp(rule.base, "goodput") == 0;
  if (rule.base[0] == 'p') {
    rule.level = strtod(rule.base + 1, NULL);
    while (rule.level > 100) rule.level /= 10;
    rule.level /= 100;
  } else if (strcmp(rule.base, "max") == 0) {
    rule.level = 1;
  }
  if (rule.level > 0) rule.number = (*number)++;
  return rule;
}

bool tdm_result_window_objective(const writer *w, size_t c, size_t *number,
                                 tdm_result_objective *out, double *worst_s) {
  lua_State *L = w->L;
  lua_getfield(L, -1, "share");
  bool share = !lua_isnil(L, -1);
  lua_pop(L, 1);
  size_t counted = *number, worst = SIZE_MAX;
  window_rule rule = read_rule(L, &counted);
  if (share)
    *number = counted; /* only these are counted as they come */
  else
    rule.number = SIZE_MAX;
  if (w->count == 0 || of_run(w, 0) == NULL) return share || rule.at_least;
  double *gaps = lua_newuserdatauv(L, w->count * sizeof *gaps, 0);
  double least = NAN;
  out->value = share ? share_of(w, c, &rule, gaps) : worst_of(w, c, &rule, &worst, &least);
  if (!share && (rule.at_least ? least < out->limit : least > out->limit)) {
    out->side = -1;
    double far = out->value.half / fabs(out->value.value - out->limit);
    if (far > 1) { /* one side of the interval says it; the longer one is no half of both */
      out->value.half = NAN;
      out->value.needs = w->requests * far * far;
    }
  }
  lua_pop(L, 1);
  *worst_s = worst != SIZE_MAX ? begin_s(w, worst) : NAN;
  return share || rule.at_least;
}

/* ---- the run by windows */

static void push_times(const writer *w, size_t window, row_set of, const char *key,
                       tdm_histogram *scratch) {
  static const char *const keys[] = {"mean", "p50", "p99"};
  lua_State *L = w->L;
  window_times times;
  if (open_window(w, window, of, scratch, &times) && times.completed > 0) {
    lua_createtable(L, 0, 3);
    tdm_estimate e[] = {tdm_pool_mean(times.pool, w->confidence),
                        tdm_pool_quantile(times.pool, 0.5, w->confidence),
                        tdm_pool_quantile(times.pool, 0.99, w->confidence)};
    for (size_t i = 0; i < 3; i++) {
      for (size_t r = 0; r < w->count; r++) w->scratch[r] = NAN;
      tdm_result_push(w, e[i]);
      lua_setfield(L, -2, keys[i]);
    }
    lua_setfield(L, -2, key);
  }
  free_window(w, &times);
}

static void push_servers(const writer *w, size_t window, tdm_histogram *scratch) {
  static const char *const keys[TDM_LLM_WINDOW_TIMES] = {"ttft", "tpot", "itl"};
  lua_State *L = w->L;
  if (w->model->server_count == 0) return;
  lua_createtable(L, (int)w->model->server_count, 0);
  for (size_t i = 0; i < w->model->server_count; i++) {
    lua_createtable(L, 0, TDM_LLM_WINDOW_TIMES + 1);
    tdm_result_text(L, "name", w->model->servers[i].name);
    for (size_t time = 0; time < TDM_LLM_WINDOW_TIMES; time++)
      push_times(w, window, rows_of_server(w, i, (tdm_llm_time)time), keys[time], scratch);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "llm");
}

static void push_window(const writer *w, size_t window, tdm_histogram *scratch) {
  lua_State *L = w->L;
  double lost = 0, arrived = 0;
  lua_createtable(L, 0, 10);
  tdm_result_number(L, "from_s", begin_s(w, window));
  tdm_result_number(L, "to_s", end_s(w, window));
  row_set every = rows_of_class(w, EVERY);
  for (size_t r = 0; r < w->count; r++) {
    counts sum = counts_of(w, r, window, every);
    w->scratch[r] = rate_of(sum.arrived, w, window);
    arrived += sum.arrived;
    lost += sum.arrived - sum.completed;
  }
  tdm_result_push(w, tdm_interval(w->scratch, w->count, w->confidence));
  lua_setfield(L, -2, "offered_rps");
  for (size_t r = 0; r < w->count; r++)
    w->scratch[r] = rate_of(counts_of(w, r, window, every).completed, w, window);
  tdm_result_push(w, tdm_interval(w->scratch, w->count, w->confidence));
  lua_setfield(L, -2, "carried_rps");
  tdm_result_push(w, share_in_time(w, window, every, scratch));
  lua_setfield(L, -2, "slo_met");
  if (lost > 0) tdm_result_number(L, "lost", lost / arrived);
  push_times(w, window, every, "latency", scratch);
  push_servers(w, window, scratch);
}

static int64_t area_of(const tdm_station_note *note, bool held) {
  return held ? note->held_area_ns : note->busy_area_ns;
}

/* Mean over replications of servers that are busy in a window, or of GPUs that are held. */
static double busy_in(const writer *w, size_t window, size_t station, bool held) {
  double sum = 0;
  size_t runs = 0;
  for (size_t r = 0; r < w->count; r++) {
    const tdm_windows *of = of_run(w, r);
    if (window >= of->noted) continue;
    const tdm_station_note *note = &of->notes[window * of->station_count + station];
    int64_t area = area_of(note, held);
    if (window > 0) area -= area_of(note - of->station_count, held);
    sum += (double)area / 1e9 / (end_s(w, window) - begin_s(w, window));
    runs++;
  }
  return runs > 0 ? sum / (double)runs : NAN;
}

static void push_stations(const writer *w, size_t first, size_t count) {
  lua_State *L = w->L;
  lua_createtable(L, (int)w->model->station_count, 0);
  for (size_t i = 0; i < w->model->station_count; i++) {
    const tdm_station *station = &w->model->stations[i];
    lua_createtable(L, 0, 4);
    tdm_result_text(L, "name", station->name);
    tdm_result_text(L, "lane", tdm_lane_name(station->lane));
    if (station->servers != TDM_UNLIMITED) tdm_result_number(L, "servers", station->servers);
    lua_createtable(L, (int)count, 0);
    for (size_t k = first; k < count; k++) {
      lua_pushnumber(L, busy_in(w, k, i, false));
      lua_rawseti(L, -2, (lua_Integer)(k - first) + 1);
    }
    lua_setfield(L, -2, "busy");
    bool held = tdm_model_comes_and_goes(w->model, i);
    if (held) lua_createtable(L, (int)count, 0);
    for (size_t k = first; held && k < count; k++) {
      lua_pushnumber(L, busy_in(w, k, i, true));
      lua_rawseti(L, -2, (lua_Integer)(k - first) + 1);
    }
    if (held) lua_setfield(L, -2, "held");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "stations");
}

void tdm_result_windows(const writer *w) {
  lua_State *L = w->L;
  tdm_histogram scratch = {0};
  if (w->count == 0 || of_run(w, 0) == NULL) return;
  w->pools->starved |= tdm_histogram_new(&scratch, NULL) != TDM_OK;
  if (w->pools->starved) return;
  size_t first = first_window(w), count = window_count(w);
  lua_createtable(L, 0, 3);
  tdm_result_number(L, "length_s", (double)of_run(w, 0)->length_ns / 1e9);
  lua_createtable(L, (int)count, 0);
  for (size_t i = first; i < count; i++) {
    push_window(w, i, &scratch);
    lua_rawseti(L, -2, (lua_Integer)(i - first) + 1);
  }
  lua_setfield(L, -2, "items");
  push_stations(w, first, count);
  lua_setfield(L, -2, "windows");
  tdm_histogram_free(&scratch);
}

void tdm_result_window_limits(lua_State *L, tdm_class *class) {
  size_t number = class->window_limit_count;
  lua_getfield(L, -1, "share");
  bool share = !lua_isnil(L, -1);
  lua_pop(L, 1);
  if (!share) return;
  window_rule rule = read_rule(L, &number);
  if (rule.number == SIZE_MAX) return;
  if (rule.number >= TDM_WINDOW_LIMITS) luaL_error(L, "too many objectives by window");
  class->window_limits_ns[rule.number] = (int64_t)llround(rule.base_limit * 1e9);
  class->window_limit_count = number;
}
