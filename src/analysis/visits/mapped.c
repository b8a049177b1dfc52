/* A capture through a map: its requests, their visits and sizes, and what the map leaves; see
 * visits.h. Each table of rows is gone through once for windows and once for pieces. */
#include "analysis/visits/visits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/visits/inside.h"
#include "base/memory.h"

typedef struct {
  const tdm_visit_tables *tables;
  tdm_visit_map *map;
  tdm_windows *windows;
  tdm_mapped *out;
  uint32_t *window[TDM_ROW_TABLES];             /* by row */
  uint32_t *stage[TDM_ROW_TABLES];              /* by row: TDM_NO_STAGE: none takes it */
  unsigned char *launched_in[TDM_VISIT_STAGES]; /* by row of GPU work: for ranges on the GPU */
  tdm_request_phases phases;
  tdm_pieces pieces;
  bool on_gpu;
} mapping;

/* ---- which request a row belongs to ---- */

/* A synchronization that has a call belongs where the call does. */
static void follow_calls(const mapping *m) {
  const tdm_table *syncs = m->tables->table[TDM_OF_SYNCS];
  for (size_t i = 0; i < syncs->count; i++) {
    uint32_t call = tdm_correlation_find(&m->tables->launched->by_call, tdm_table_track(syncs, i),
                                         tdm_table_arg(syncs, 0, i));
    if (call != TDM_NO_ROW) m->window[TDM_OF_SYNCS][i] = m->window[TDM_OF_CALLS][call];
  }
}

static void follow_launches(const mapping *m) {
  const tdm_table *work = m->tables->table[TDM_OF_WORK];
  uint32_t *window = m->window[TDM_OF_WORK];
  bool by_time = m->on_gpu || m->map->attribute == TDM_ATTRIBUTE_TIME;
  for (size_t i = 0; i < work->count; i++) {
    uint32_t call = m->tables->launched->by_call.cause[i];
    bool launched = !by_time && call != TDM_NO_ROW;
    if (launched)
      window[i] = m->window[TDM_OF_CALLS][call];
    else if (!by_time && m->map->attribute == TDM_ATTRIBUTE_LAUNCH)
      window[i] = TDM_NO_WINDOW;
    if (window[i] == TDM_TWO_WINDOWS) m->out->unclear++;
    if (window[i] >= TDM_TWO_WINDOWS) continue;
    if (launched)
      m->out->by_launch++;
    else
      m->out->by_time++;
  }
}

static tdm_status find_windows(mapping *m, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (int t = 0; t < TDM_ROW_TABLES && status == TDM_OK; t++) {
    const tdm_table *table = m->tables->table[t];
    m->window[t] = tdm_array_new(table->count + 1, sizeof(uint32_t));
    m->stage[t] = tdm_array_new(table->count + 1, sizeof(uint32_t));
    if (m->window[t] == NULL || m->stage[t] == NULL)
      return tdm_error_memory(error, "rows", table->count * sizeof(uint32_t));
    status = tdm_windows_of_rows(m->windows, table, m->window[t], error);
  }
  if (status != TDM_OK) return status;
  follow_calls(m);
  follow_launches(m);
  return TDM_OK;
}

/* ---- what was launched in ranges ---- */

/* Until when ranges of a rule are open, on each thread and in each request. */
typedef struct {
  int64_t *thread_ns, *request_ns;
  unsigned char *own;
} open_ranges;

static bool is_in(const open_ranges *open, int64_t track, uint32_t window, int64_t time_ns) {
  if (open->thread_ns[track] > time_ns) return true;
  return !open->own[track] && window < TDM_TWO_WINDOWS && open->request_ns[window] > time_ns;
}

/* Marks rows that begin in ranges: of calls, and of GPU work that has none. */
static void mark(mapping *m, tdm_visit_rule *rule, tdm_row_table ranges, tdm_row_table of,
                 const open_ranges *open, unsigned char *in) {
  const tdm_table *range = m->tables->table[ranges], *table = m->tables->table[of];
  size_t r = 0;
  for (size_t i = 0; i < table->count; i++) {
    for (; r < range->count && tdm_table_start_ns(range, r) <= tdm_table_start_ns(table, i); r++) {
      if (!tdm_visit_rule_takes(m->tables, rule, ranges, r)) continue;
      int64_t *thread = &open->thread_ns[tdm_table_track(range, r)];
      uint32_t window = m->window[ranges][r];
      if (tdm_table_end_ns(range, r) > *thread) *thread = tdm_table_end_ns(range, r);
      if (window < TDM_TWO_WINDOWS && tdm_table_end_ns(range, r) > open->request_ns[window])
        open->request_ns[window] = tdm_table_end_ns(range, r);
    }
    if (is_in(open, tdm_table_track(table, i), m->window[of][i], tdm_table_start_ns(table, i)))
      in[i] = 1;
  }
}

static void reset(const mapping *m, const open_ranges *open, uint32_t tracks) {
  for (uint32_t t = 0; t < tracks; t++) open->thread_ns[t] = INT64_MIN;
  for (size_t w = 0; w < m->windows->count; w++) open->request_ns[w] = INT64_MIN;
}

static tdm_status find_launched_in(mapping *m, uint32_t stage, tdm_error *error) {
  const tdm_table *work = m->tables->table[TDM_OF_WORK];
  size_t calls = m->tables->table[TDM_OF_CALLS]->count;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(m->tables->view));
  open_ranges open = {.thread_ns = tdm_array_new((size_t)tracks + 1, sizeof(int64_t)),
                      .request_ns = tdm_array_new(m->windows->count + 1, sizeof(int64_t)),
                      .own = tdm_windows_own(m->windows, tracks)};
  unsigned char *call_in = tdm_array_new(calls + 1, 1), *in = tdm_array_new(work->count + 1, 1);
  bool done = open.thread_ns != NULL && open.request_ns != NULL && open.own != NULL &&
              call_in != NULL && in != NULL;
  for (tdm_row_table t = TDM_OF_RANGES; done && t <= TDM_OF_FREE_RANGES; t++) {
    reset(m, &open, tracks);
    mark(m, &m->map->stage_rule[stage], t, TDM_OF_CALLS, &open, call_in);
    reset(m, &open, tracks);
    mark(m, &m->map->stage_rule[stage], t, TDM_OF_WORK, &open, in);
  }
  for (size_t i = 0; done && i < work->count; i++) {
    uint32_t call = m->tables->launched->by_call.cause[i];
    if (call != TDM_NO_ROW) in[i] = call_in[call];
  }
  m->launched_in[stage] = in;
  free(open.thread_ns);
  free(open.request_ns);
  free(open.own);
  free(call_in);
  return done ? TDM_OK : tdm_error_memory(error, "launches", work->count);
}

/* ---- pieces ---- */

static void leave(tdm_outside *outside, int64_t start_ns, int64_t end_ns) {
  outside->rows++;
  outside->total_ns = tdm_sum_ns(outside->total_ns, tdm_length_ns(start_ns, end_ns));
}

static bool takes(const mapping *m, uint32_t stage, tdm_row_table of, size_t row) {
  if (m->launched_in[stage] != NULL) return m->launched_in[stage][row] != 0;
  return tdm_visit_rule_takes(m->tables, &m->map->stage_rule[stage], of, row);
}

/* Numbers of processes, of devices, and of processes whose device is not told are apart: a stage on
 * a GPU may have the lane of host time. */
static uint32_t resource_of(const mapping *m, tdm_row_table of, int64_t track) {
  uint32_t process = m->tables->processes->of[track];
  if (of != TDM_OF_WORK) return process;
  uint32_t device = tdm_run_view_device_of(m->tables->view, track);
  return device != TDM_NO_DEVICE ? UINT32_C(1) << 31 | device : UINT32_C(3) << 30 | process;
}

static tdm_status add_pieces(mapping *m, tdm_row_table of, tdm_error *error) {
  const tdm_table *table = m->tables->table[of];
  uint32_t list[TDM_VISIT_STAGES], listed = 0;
  for (uint32_t s = 0; s < m->map->stages; s++)
    if (tdm_visit_rule_tables(m->tables, &m->map->stage_rule[s]) >> of & 1) list[listed++] = s;
  for (size_t i = 0; i < table->count; i++) {
    uint32_t stage = TDM_NO_STAGE, window = m->window[of][i];
    for (uint32_t k = 0; k < listed && stage == TDM_NO_STAGE; k++)
      if (takes(m, list[k], of, i)) stage = list[k];
    m->stage[of][i] = stage;
    if (stage == TDM_NO_STAGE) continue;
    if (window >= TDM_TWO_WINDOWS) {
      leave(&m->out->outside[stage], tdm_table_start_ns(table, i), tdm_table_end_ns(table, i));
      continue;
    }
    tdm_piece piece = {.request = window,
                       .stage = stage,
                       .resource = resource_of(m, of, tdm_table_track(table, i)),
                       .start_ns = tdm_table_start_ns(table, i),
                       .end_ns = tdm_table_end_ns(table, i),
                       .bytes = of == TDM_OF_WORK && tdm_table_category(table, i) != TDM_WORK_KERNEL
                                    ? tdm_table_arg(table, TDM_WORK_BYTES, i)
                                    : TDM_NONE};
    if (!tdm_pieces_add(&m->pieces, piece))
      return tdm_error_memory(error, "pieces of visits", m->pieces.count * sizeof piece);
  }
  return TDM_OK;
}

static tdm_status add_phases(mapping *m, tdm_error *error) {
  for (size_t i = 0; i < m->phases.all.count; i++) {
    const tdm_phase *phase = &m->phases.all.phase[i];
    for (uint32_t s = 0; s < m->map->stages; s++) {
      tdm_visit_rule *rule = &m->map->stage_rule[s];
      if (rule->selector != TDM_SELECT_PHASE || !tdm_pattern_takes(&rule->name, phase->phase))
        continue;
      if (m->phases.window[i] == TDM_NO_WINDOW) {
        leave(&m->out->outside[s], phase->start_ns, phase->end_ns);
      } else if (!tdm_pieces_add(&m->pieces, (tdm_piece){.request = m->phases.window[i],
                                                         .stage = s,
                                                         .resource = phase->process,
                                                         .start_ns = phase->start_ns,
                                                         .end_ns = phase->end_ns,
                                                         .bytes = phase->bytes})) {
        return tdm_error_memory(error, "pieces of visits", 0);
      }
      break;
    }
  }
  return TDM_OK;
}

static tdm_status find_pieces(mapping *m, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (uint32_t s = 0; s < m->map->stages && status == TDM_OK; s++)
    if (m->map->stage_rule[s].selector == TDM_SELECT_RANGE && m->map->stage_rule[s].on_gpu)
      status = find_launched_in(m, s, error);
  for (int t = 0; t < TDM_ROW_TABLES && status == TDM_OK; t++)
    status = add_pieces(m, (tdm_row_table)t, error);
  return status == TDM_OK ? add_phases(m, error) : status;
}

static tdm_status make(mapping *m, tdm_error *error) {
  size_t requests = m->windows->count;
  int64_t *arrival_ns = tdm_array_new(requests + 1, sizeof *arrival_ns);
  int64_t *end_ns = tdm_array_new(requests + 1, sizeof *end_ns);
  tdm_status status = TDM_OK;
  if (arrival_ns == NULL || end_ns == NULL)
    status = tdm_error_memory(error, "requests", requests * sizeof *end_ns);
  for (size_t i = 0; status == TDM_OK && i < requests; i++) {
    arrival_ns[i] = m->windows->window[i].start_ns;
    end_ns[i] = m->windows->window[i].closed_ns;
  }
  tdm_visit_input input = {.requests = requests,
                           .arrival_ns = arrival_ns,
                           .end_ns = end_ns,
                           .stage = m->map->stage,
                           .stages = m->map->stages,
                           .pieces = &m->pieces};
  if (status == TDM_OK) status = tdm_visits_make(&input, &m->out->visits, error);
  free(arrival_ns);
  free(end_ns);
  return status;
}

/* ---- sizes ---- */

/* Rows of a rule and their bytes, by window. */
static tdm_status add_up(mapping *m, tdm_size_rule *size, double *by_window, tdm_error *error) {
  unsigned tables = tdm_visit_rule_tables(m->tables, &size->rule);
  if (size->rule.selector == TDM_SELECT_RANGE && size->rule.on_gpu)
    return tdm_error_set(error, TDM_INVALID, "a size counts ranges, not the work launched in them");
  for (tdm_row_table t = 0; t < TDM_ROW_TABLES; t++) {
    const tdm_table *table = m->tables->table[t];
    if (!(tables >> t & 1)) continue;
    for (size_t i = 0; i < table->count; i++) {
      uint32_t window = m->window[t][i];
      if (window >= TDM_TWO_WINDOWS || !tdm_visit_rule_takes(m->tables, &size->rule, t, i))
        continue;
      int64_t bytes = t == TDM_OF_WORK ? tdm_table_arg(table, TDM_WORK_BYTES, i) : TDM_NONE;
      if (size->kind == TDM_SIZE_COUNT)
        by_window[window] += 1;
      else if (bytes != TDM_NONE)
        by_window[window] += (double)bytes;
    }
  }
  return TDM_OK;
}

static double own_size(const mapping *m, tdm_size_rule *size, size_t arg, const tdm_window *w) {
  if (size->kind == TDM_SIZE_NAME)
    return w->name == TDM_NONE
               ? NAN
               : tdm_pattern_number(&size->rule.name, tdm_run_view_name(m->tables->view, w->name));
  bool is_range = w->table == m->tables->table[TDM_OF_RANGES] ||
                  w->table == m->tables->table[TDM_OF_FREE_RANGES];
  return is_range ? tdm_visit_range_arg(m->tables, w->table, arg, w->row) : NAN;
}

static tdm_status find_sizes(mapping *m, tdm_error *error) {
  size_t requests = m->windows->count, arg = 0;
  const uint32_t *given = m->out->visits.given;
  double *by_window = tdm_array_new(requests + 1, sizeof *by_window);
  m->out->name = tdm_array_new(requests + 1, sizeof *m->out->name);
  m->out->size = tdm_array_new(requests * m->map->sizes + 1, sizeof *m->out->size);
  tdm_status status = TDM_OK;
  if (by_window == NULL || m->out->name == NULL || m->out->size == NULL)
    status = tdm_error_memory(error, "sizes", requests * sizeof *by_window);
  for (size_t i = 0; status == TDM_OK && i < requests; i++)
    m->out->name[i] = m->windows->window[given[i]].name;
  for (uint32_t s = 0; status == TDM_OK && s < m->map->sizes; s++) {
    tdm_size_rule *size = &m->map->size[s];
    for (size_t i = 0; i < requests; i++)
      by_window[i] =
          size->kind < TDM_SIZE_COUNT ? own_size(m, size, arg, &m->windows->window[i]) : 0;
    if (size->kind == TDM_SIZE_ARG) arg++;
    if (size->kind >= TDM_SIZE_COUNT) status = add_up(m, size, by_window, error);
    for (size_t i = 0; i < requests; i++) m->out->size[s * requests + i] = by_window[given[i]];
  }
  free(by_window);
  return status;
}

/* ---- all ---- */

void tdm_mapped_close(tdm_mapped *mapped) {
  tdm_visits_close(&mapped->visits);
  free(mapped->name);
  free(mapped->size);
  free(mapped->outside);
  free(mapped->unmapped);
  *mapped = (tdm_mapped){0};
}

static void close_mapping(mapping *m) {
  for (int t = 0; t < TDM_ROW_TABLES; t++) {
    free(m->window[t]);
    free(m->stage[t]);
  }
  for (int s = 0; s < TDM_VISIT_STAGES; s++) free(m->launched_in[s]);
  free(m->pieces.piece);
  tdm_request_phases_close(&m->phases);
}

static tdm_status map_rows(const tdm_visit_tables *tables, tdm_visit_map *map, tdm_mapped *out,
                           tdm_error *error) {
  tdm_windows windows = {0};
  mapping m = {.tables = tables, .map = map, .windows = &windows, .out = out};
  tdm_status status =
      tdm_visit_requests(tables, map, &windows, &m.on_gpu, &out->missed, &m.phases, error);
  if (status == TDM_OK && windows.count == 0)
    status = tdm_error_set(error, TDM_INVALID, "no request was found");
  if (status == TDM_OK) status = find_windows(&m, error);
  if (status == TDM_OK) status = find_pieces(&m, error);
  if (status == TDM_OK) status = make(&m, error);
  if (status == TDM_OK) status = find_sizes(&m, error);
  if (status == TDM_OK)
    status = tdm_find_unmapped(tables, &windows, (const uint32_t *const *)m.window,
                               (const uint32_t *const *)m.stage, map->kind != TDM_REQUEST_PHASES,
                               out, error);
  close_mapping(&m);
  tdm_windows_close(&windows);
  return status;
}

tdm_status tdm_mapped_open(tdm_run_view *view, tdm_visit_map *map, tdm_mapped *out,
                           tdm_error *error) {
  *out = (tdm_mapped){0};
  tdm_visit_tables tables;
  tdm_status status = tdm_visit_tables_open(view, map, &tables, error);
  if (status != TDM_OK) return status;
  out->outside = tdm_array_new((size_t)map->stages + 1, sizeof *out->outside);
  status = out->outside != NULL ? map_rows(&tables, map, out, error)
                                : tdm_error_memory(error, "stages", sizeof *out->outside);
  tdm_visit_tables_close(&tables);
  if (status != TDM_OK) tdm_mapped_close(out);
  return status;
}
