/* The requests of a capture by the rule of a map, as windows of time; see inside.h.
 * Every rule is one pass over rows in order of start, with the last match of each group. */
#include "analysis/visits/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
  const tdm_visit_tables *tables;
  tdm_visit_map *map;
  tdm_windows *out;
  tdm_not_requests *missed;
  uint32_t tracks;
} finding;

/* ---- groups ---- */

/* The group of each track: itself, its device or its process. */
static tdm_status group(finding *f, bool on_gpu, tdm_each each, tdm_error *error) {
  tdm_windows *out = f->out;
  out->group_of = tdm_array_new((size_t)f->tracks + 1, sizeof *out->group_of);
  if (out->group_of == NULL)
    return tdm_error_memory(error, "windows", f->tracks * sizeof(uint32_t));
  for (uint32_t t = 0; t < f->tracks; t++) {
    const tdm_track *track = tdm_run_view_track(f->tables->view, t);
    bool of_gpu = track != NULL && track->kind != TDM_TRACK_THREAD;
    out->group_of[t] = TDM_NO_WINDOW;
    if (of_gpu != on_gpu && each != TDM_EACH_PROCESS) continue;
    if (each == TDM_EACH_PROCESS)
      out->group_of[t] = f->tables->processes->of[t];
    else if (on_gpu && each == TDM_EACH_DEVICE)
      out->group_of[t] = tdm_run_view_device_of(f->tables->view, t);
    else
      out->group_of[t] = t;
    if (out->group_of[t] == TDM_NO_DEVICE) out->group_of[t] = TDM_NO_WINDOW;
  }
  out->groups = f->tracks > f->tables->processes->count ? f->tracks : f->tables->processes->count;
  uint32_t devices = tdm_run_view_devices(f->tables->view);
  if (devices > out->groups) out->groups = devices;
  return TDM_OK;
}

static tdm_window window_at(const finding *f, const tdm_table *table, size_t row) {
  uint32_t track = (uint32_t)tdm_table_track(table, row);
  return (tdm_window){.start_ns = tdm_table_start_ns(table, row),
                      .end_ns = tdm_table_end_ns(table, row),
                      .closed_ns = tdm_table_end_ns(table, row),
                      .group = f->out->group_of[track],
                      .process = f->tables->processes->of[track],
                      .name = tdm_table_name(table, row),
                      .table = table,
                      .row = (uint32_t)row};
}

/* ---- each match ---- */

static tdm_status add_ranges(finding *f, tdm_row_table of, tdm_error *error) {
  const tdm_table *table = f->tables->table[of];
  int64_t *until_ns = tdm_array_new((size_t)f->tracks + 1, sizeof *until_ns);
  bool done = until_ns != NULL;
  for (uint32_t t = 0; done && t < f->tracks; t++) until_ns[t] = INT64_MIN;
  for (size_t i = 0; done && i < table->count; i++) {
    if (!tdm_visit_rule_takes(f->tables, &f->map->rule[0], of, i)) continue;
    int64_t track = tdm_table_track(table, i);
    if (f->out->group_of[track] == TDM_NO_WINDOW) f->out->group_of[track] = (uint32_t)track;
    bool inside = tdm_table_start_ns(table, i) < until_ns[track] &&
                  tdm_table_end_ns(table, i) <= until_ns[track];
    if (of == TDM_OF_RANGES && inside) {
      f->missed->inside++;
      continue;
    }
    if (tdm_table_end_ns(table, i) > until_ns[track]) until_ns[track] = tdm_table_end_ns(table, i);
    done = tdm_windows_add(f->out, window_at(f, table, i)) != 0;
  }
  free(until_ns);
  return done ? TDM_OK : tdm_error_memory(error, "requests", table->count);
}

/* Ranges on streams are told by the GPU's own clock: what a call launched may begin in the next. */
static bool lie_on_gpu(const finding *f) {
  if (f->out->count == 0) return false;
  const tdm_track *track = tdm_run_view_track(f->tables->view, f->out->window[0].group);
  return track != NULL && track->device != TDM_NONE;
}

static tdm_status find_ranges(finding *f, tdm_error *error) {
  tdm_status status = group(f, false, TDM_EACH_STREAM, error);
  if (status == TDM_OK) status = add_ranges(f, TDM_OF_RANGES, error);
  if (status == TDM_OK) status = add_ranges(f, TDM_OF_FREE_RANGES, error);
  return status;
}

/* ---- from one match to the next ---- */

static tdm_status add_starts(finding *f, tdm_row_table of, uint32_t *last, tdm_error *error) {
  const tdm_table *table = f->tables->table[of];
  for (size_t i = 0; i < table->count; i++) {
    uint32_t in = f->out->group_of[tdm_table_track(table, i)];
    if (in == TDM_NO_WINDOW) continue;
    if (!tdm_visit_rule_takes(f->tables, &f->map->rule[0], of, i)) {
      if (last[in] == TDM_NO_WINDOW && of == TDM_OF_WORK) f->missed->before++;
      continue;
    }
    if (last[in] != TDM_NO_WINDOW) {
      tdm_window *before = &f->out->window[last[in]];
      before->end_ns = before->closed_ns = tdm_table_start_ns(table, i);
    }
    last[in] = (uint32_t)f->out->count;
    tdm_window window = window_at(f, table, i);
    window.group = in;
    if (!tdm_windows_add(f->out, window)) return tdm_error_memory(error, "requests", 0);
  }
  return TDM_OK;
}

/* The last of each group has no end. */
static void drop_open(finding *f, const uint32_t *last) {
  size_t kept = 0;
  for (size_t i = 0; i < f->out->count; i++) {
    if (last[f->out->window[i].group] == i)
      f->missed->open++;
    else
      f->out->window[kept++] = f->out->window[i];
  }
  f->out->count = kept;
}

static tdm_status find_starts(finding *f, bool on_gpu, tdm_error *error) {
  unsigned of = tdm_visit_rule_tables(f->tables, &f->map->rule[0]);
  tdm_status status = group(f, on_gpu, f->map->each, error);
  if (status != TDM_OK) return status;
  uint32_t *last = tdm_array_new((size_t)f->out->groups + 1, sizeof *last);
  if (last == NULL) return tdm_error_memory(error, "requests", f->out->groups * sizeof *last);
  for (uint32_t g = 0; g < f->out->groups; g++) last[g] = TDM_NO_WINDOW;
  /* Matches of free ranges are looked for only where none nests, so that both stay in order. */
  for (int t = 0; t < TDM_ROW_TABLES && status == TDM_OK; t++)
    if (of >> t & 1 && f->out->count == 0) status = add_starts(f, (tdm_row_table)t, last, error);
  drop_open(f, last);
  free(last);
  return status;
}

/* ---- a sequence ---- */

/* A request that is being followed in its group. */
typedef struct {
  tdm_window window;
  uint32_t step;
  bool begun;
} following;

/* The step of a sequence that a row is: of several alike the one that can be next, which after the
 * last is the first. */
static uint32_t step_of(finding *f, size_t row, uint32_t now) {
  uint32_t found = UINT32_MAX;
  bool complete = now + 1 == f->map->steps;
  for (uint32_t s = 0; s < f->map->steps; s++) {
    if (!tdm_visit_rule_takes(f->tables, &f->map->rule[s], TDM_OF_WORK, row)) continue;
    if (found == UINT32_MAX || (!complete && found < now && s >= now)) found = s;
  }
  return found;
}

static int end_sequence(finding *f, following *at, int64_t next_ns) {
  if (!at->begun) return 1;
  if (at->step + 1 < f->map->steps) {
    f->missed->open++;
    return 1;
  }
  at->window.end_ns = next_ns;
  return tdm_windows_add(f->out, at->window);
}

static int follow(finding *f, following *at, size_t row) {
  const tdm_table *work = f->tables->table[TDM_OF_WORK];
  uint32_t step = step_of(f, row, at->begun ? at->step : 0);
  bool over = at->begun && at->step + 1 == f->map->steps && step == 0;
  if (over || (!at->begun && step == 0)) {
    if (!end_sequence(f, at, tdm_table_start_ns(work, row))) return 0;
    *at = (following){.window = window_at(f, work, row), .begun = true};
    at->window.name = TDM_NONE;
  }
  if (!at->begun) {
    f->missed->before++;
    return 1;
  }
  if (step == UINT32_MAX) return 1;
  /* One step after another: what comes too early is more of what was. */
  if (step == at->step + 1) at->step = step;
  if (tdm_table_end_ns(work, row) > at->window.closed_ns)
    at->window.closed_ns = tdm_table_end_ns(work, row);
  return 1;
}

static tdm_status find_sequences(finding *f, tdm_error *error) {
  const tdm_table *work = f->tables->table[TDM_OF_WORK];
  tdm_status status = group(f, true, f->map->each, error);
  if (status != TDM_OK) return status;
  following *at = tdm_array_new((size_t)f->out->groups + 1, sizeof *at);
  bool done = at != NULL;
  for (size_t i = 0; done && i < work->count; i++) {
    uint32_t in = f->out->group_of[tdm_table_track(work, i)];
    if (in != TDM_NO_WINDOW) done = follow(f, &at[in], i) != 0;
  }
  for (uint32_t g = 0; done && g < f->out->groups; g++)
    done = end_sequence(f, &at[g], INT64_MAX) != 0;
  free(at);
  return done ? TDM_OK : tdm_error_memory(error, "requests", work->count);
}

/* ---- phases ---- */

/* Where a phase stands in a request; -1: in none. */
static int rank_in_request(const char *phase) {
  static const char *const names[] = {"input", "execute", "retrieve"};
  for (int i = 0; i < 3; i++)
    if (strcmp(names[i], phase) == 0) return i;
  return -1;
}

/* A request lasts while phases come in their order. */
static tdm_status find_phases(finding *f, tdm_request_phases *phases, tdm_error *error) {
  tdm_status status = group(f, false, TDM_EACH_PROCESS, error);
  if (status == TDM_OK) status = tdm_process_phases(f->tables->view, &phases->all, error);
  if (status != TDM_OK) return status;
  phases->window = tdm_array_new(phases->all.count + 1, sizeof *phases->window);
  if (phases->window == NULL) return tdm_error_memory(error, "phases", phases->all.count);
  int last = -1;
  for (size_t i = 0; i < phases->all.count; i++) {
    const tdm_phase *phase = &phases->all.phase[i];
    bool same = i > 0 && phases->all.phase[i - 1].process == phase->process;
    int rank = rank_in_request(phase->phase);
    tdm_window *open = f->out->count > 0 ? &f->out->window[f->out->count - 1] : NULL;
    bool goes_on = same && last >= 0 && rank > last;
    if (open != NULL && same && last >= 0 && !goes_on) open->end_ns = phase->start_ns;
    last = rank;
    phases->window[i] = TDM_NO_WINDOW;
    if (rank < 0) continue;
    if (!goes_on && !tdm_windows_add(f->out, (tdm_window){.start_ns = phase->start_ns,
                                                          .end_ns = INT64_MAX,
                                                          .group = phase->process,
                                                          .process = phase->process,
                                                          .name = TDM_NONE}))
      return tdm_error_memory(error, "requests", 0);
    phases->window[i] = (uint32_t)f->out->count - 1;
    f->out->window[phases->window[i]].closed_ns = phase->end_ns;
  }
  return TDM_OK;
}

/* Phases follow their windows, which are numbered by `row` meanwhile. */
static tdm_status sort_windows(tdm_windows *out, tdm_request_phases *phases, tdm_error *error) {
  if (phases->all.count == 0) {
    tdm_windows_sort(out);
    return TDM_OK;
  }
  uint32_t *now = tdm_array_new(out->count + 1, sizeof *now);
  if (now == NULL) return tdm_error_memory(error, "requests", out->count * sizeof *now);
  for (size_t i = 0; i < out->count; i++) out->window[i].row = (uint32_t)i;
  tdm_windows_sort(out);
  for (size_t i = 0; i < out->count; i++) now[out->window[i].row] = (uint32_t)i;
  for (size_t i = 0; i < phases->all.count; i++)
    if (phases->window[i] != TDM_NO_WINDOW) phases->window[i] = now[phases->window[i]];
  free(now);
  return TDM_OK;
}

void tdm_request_phases_close(tdm_request_phases *phases) {
  free(phases->all.phase);
  free(phases->window);
  *phases = (tdm_request_phases){0};
}

tdm_status tdm_visit_requests(const tdm_visit_tables *tables, tdm_visit_map *map, tdm_windows *out,
                              bool *on_gpu, tdm_not_requests *missed, tdm_request_phases *phases,
                              tdm_error *error) {
  *out = (tdm_windows){.processes = tables->processes};
  *missed = (tdm_not_requests){0};
  finding f = {.tables = tables,
               .map = map,
               .out = out,
               .missed = missed,
               .tracks = tdm_run_tables_tracks(tdm_run_view_tables(tables->view))};
  tdm_status status = TDM_OK;
  *on_gpu = false;
  switch (map->kind) {
  case TDM_REQUEST_RANGE:
    status = find_ranges(&f, error);
    *on_gpu = status == TDM_OK && lie_on_gpu(&f);
    break;
  case TDM_REQUEST_STARTS:
    *on_gpu = tdm_visit_rule_on_gpu(&map->rule[0]);
    status = find_starts(&f, *on_gpu, error);
    break;
  case TDM_REQUEST_SEQUENCE:
    *on_gpu = true;
    status = find_sequences(&f, error);
    break;
  case TDM_REQUEST_PHASES: status = find_phases(&f, phases, error); break;
  }
  if (status == TDM_OK) status = sort_windows(out, phases, error);
  if (status != TDM_OK) tdm_windows_close(out);
  return status;
}
