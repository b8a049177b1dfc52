/* The lanes of a run: its rows by what they keep busy, ready to be laid over those of another run;
 * see overlay.h.
 *
 * Rows are given the number of their lane, lanes are put in order, rows copied lane by lane: rows
 * of a view are in order of start, and stay so. */
#include "analysis/overlay/overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/overlay/inside.h"
#include "base/memory.h"

#define UNKNOWN UINT32_MAX

typedef struct {
  tdm_row_lanes row_lanes;
  tdm_lanes_by by;
  tdm_lane_set *set;
  size_t lane_room;
  uint32_t *number; /* [groups + 1][TDM_LANES]: lane of the set; UNKNOWN: not met yet */
  size_t number_rows;
  uint32_t *of; /* by row */
  uint32_t threads;
} sorting;

/* ---- groups of tracks ---- */

/* Which group a row's lane is of; by stage that is its name. */
static size_t group_of(const sorting *s, size_t row) {
  const tdm_table *table = s->row_lanes.table;
  switch (s->by) {
  case TDM_BY_LANE: return 0;
  case TDM_BY_STAGE: return (size_t)tdm_table_name(table, row) + 1;
  case TDM_BY_DEVICE: {
    uint32_t device = tdm_run_view_device_of(s->row_lanes.view, tdm_table_track(table, row));
    return device == TDM_NO_DEVICE ? 0 : (size_t)device + 1;
  }
  case TDM_BY_STREAM: break;
  }
  return (size_t)tdm_table_track(table, row) + 1;
}

static char *printed(const char *format, const char *text, long long number) {
  char short_text[512];
  snprintf(short_text, sizeof short_text, format, text, number);
  return tdm_string_copy(short_text);
}

static char *stream_label(sorting *s, int64_t track) {
  const tdm_track *about = tdm_run_view_track(s->row_lanes.view, track);
  uint32_t device = tdm_run_view_device_of(s->row_lanes.view, track);
  if (about->kind == TDM_TRACK_THREAD) return printed("%.0sthread %lld", "", ++s->threads);
  if (device == TDM_NO_DEVICE) return tdm_string_copy(about->name);
  return printed("%.400s #%lld", about->name, device);
}

static char *label_of(sorting *s, size_t row, tdm_lane lane) {
  const tdm_table *table = s->row_lanes.table;
  const char *name = tdm_lane_name(lane);
  size_t group = group_of(s, row);
  switch (s->by) {
  case TDM_BY_LANE: break;
  case TDM_BY_STAGE:
    return tdm_string_copy(tdm_run_view_name(s->row_lanes.view, tdm_table_name(table, row)));
  case TDM_BY_DEVICE:
    if (group > 0) return printed("%.400s #%lld", name, (long long)group - 1);
    break;
  case TDM_BY_STREAM: return stream_label(s, tdm_table_track(table, row));
  }
  return tdm_string_copy(name);
}

/* Lanes of a kind together, but for stages: these as they came. */
static uint64_t rank_of(const sorting *s, size_t group, tdm_lane lane) {
  if (s->by == TDM_BY_STAGE) return s->set->lanes;
  return (uint64_t)lane << 32 | (uint64_t)group;
}

/* ---- lanes of rows ---- */

static tdm_status make_numbers(sorting *s, size_t group, tdm_error *error) {
  if (group < s->number_rows) return TDM_OK;
  size_t room = s->number_rows, before = room;
  if (!tdm_array_grow(&s->number, &room, group + 1, TDM_LANES * sizeof *s->number))
    return tdm_error_memory(error, "lanes", group);
  memset(s->number + before * TDM_LANES, 0xff, (room - before) * TDM_LANES * sizeof *s->number);
  s->number_rows = room;
  return TDM_OK;
}

static tdm_status new_lane(sorting *s, size_t row, tdm_lane lane, size_t group, uint32_t *number,
                           tdm_error *error) {
  tdm_lane_set *set = s->set;
  char *label = label_of(s, row, lane);
  if (label == NULL ||
      !tdm_array_grow(&set->lane, &s->lane_room, set->lanes + 1, sizeof *set->lane)) {
    free(label);
    return tdm_error_memory(error, "lanes", set->lanes);
  }
  for (uint32_t i = 0; i < set->lanes; i++) {
    if (strcmp(set->lane[i].label, label) != 0) continue;
    free(label); /* two tracks of one name: one lane */
    *number = i;
    return TDM_OK;
  }
  set->lane[set->lanes] =
      (tdm_lane_rows){.label = label, .lane = lane, .rank = rank_of(s, group, lane)};
  *number = set->lanes++;
  return TDM_OK;
}

static bool is_stage(const sorting *s, size_t row) {
  return strcmp(tdm_lane_work.categories[tdm_table_category(s->row_lanes.table, row)], "stage") ==
         0;
}

static tdm_status number_rows(sorting *s, tdm_error *error) {
  const tdm_table *table = s->row_lanes.table;
  for (size_t row = 0; row < table->count; row++) {
    s->of[row] = UNKNOWN;
    if (s->by == TDM_BY_STAGE && (s->row_lanes.plain || !is_stage(s, row))) continue;
    tdm_lane lane = tdm_lane_of_row(&s->row_lanes, row);
    if (lane >= TDM_NO_LANE) continue;
    size_t group = group_of(s, row);
    tdm_status status = make_numbers(s, group, error);
    if (status != TDM_OK) return status;
    /* A stream and a stage are one lane, whatever ran there. */
    tdm_lane slot = s->by == TDM_BY_STREAM || s->by == TDM_BY_STAGE ? TDM_LANE_QUEUE : lane;
    uint32_t *number = &s->number[group * TDM_LANES + slot];
    if (*number == UNKNOWN) {
      if (slot != lane && s->by == TDM_BY_STREAM)
        lane = s->row_lanes.track_lane[tdm_table_track(table, row)];
      status = new_lane(s, row, lane, group, number, error);
      if (status != TDM_OK) return status;
    }
    s->of[row] = *number;
    s->set->lane[*number].count++;
  }
  return TDM_OK;
}

/* ---- rows lane by lane ---- */

static int by_rank(const void *a, const void *b) {
  const tdm_lane_rows *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return strcmp(x->label, y->label);
}

/* Room for all rows, and where each lane's begin; `rows` are counted in the lanes. */
static tdm_status make_rows(tdm_lane_set *set, bool named, bool in_part, tdm_error *error) {
  for (uint32_t i = 0; i < set->lanes; i++) {
    set->lane[i].first = set->rows;
    set->rows += set->lane[i].count;
  }
  set->start_ns = tdm_array_new(set->rows + 1, sizeof *set->start_ns);
  set->end_ns = tdm_array_new(set->rows + 1, sizeof *set->end_ns);
  if (named) set->name = tdm_array_new(set->rows + 1, sizeof *set->name);
  if (in_part) set->busy_ns = tdm_array_new(set->rows + 1, sizeof *set->busy_ns);
  if (set->start_ns == NULL || set->end_ns == NULL || (named && set->name == NULL) ||
      (in_part && set->busy_ns == NULL))
    return tdm_error_memory(error, "rows of lanes", set->rows * 3 * sizeof *set->start_ns);
  return TDM_OK;
}

static tdm_status copy_rows(sorting *s, tdm_error *error) {
  tdm_lane_set *set = s->set;
  const tdm_table *table = s->row_lanes.table;
  tdm_status status = make_rows(set, true, false, error);
  size_t *at = tdm_array_new(set->lanes + 1, sizeof *at);
  if (status == TDM_OK && at == NULL) status = tdm_error_memory(error, "lanes", set->lanes);
  for (uint32_t i = 0; status == TDM_OK && i < set->lanes; i++) at[i] = set->lane[i].first;
  for (size_t row = 0; status == TDM_OK && row < table->count; row++) {
    if (s->of[row] == UNKNOWN) continue;
    size_t to = at[s->of[row]]++;
    set->start_ns[to] = tdm_table_start_ns(table, row);
    set->end_ns[to] = tdm_table_end_ns(table, row);
    set->name[to] = tdm_table_name(table, row);
  }
  free(at);
  return status;
}

/* Steps and extents; then lanes in their order. */
static tdm_status finish(tdm_lane_set *set, tdm_error *error) {
  for (uint32_t i = 0; i < set->lanes; i++) {
    tdm_lane_rows *lane = &set->lane[i];
    tdm_status status = tdm_lane_steps_of(set->start_ns + lane->first, set->end_ns + lane->first,
                                          set->busy_ns != NULL ? set->busy_ns + lane->first : NULL,
                                          lane->count, &lane->steps, error);
    if (status != TDM_OK) return status;
  }
  for (size_t r = 0; r < set->rows; r++) {
    if (r == 0 || set->start_ns[r] < set->first_ns) set->first_ns = set->start_ns[r];
    if (r == 0 || set->end_ns[r] > set->last_ns) set->last_ns = set->end_ns[r];
  }
  if (set->lanes > 0) qsort(set->lane, set->lanes, sizeof *set->lane, by_rank);
  return TDM_OK;
}

static tdm_status nothing(const sorting *s, tdm_error *error) {
  if (s->by == TDM_BY_STAGE)
    return tdm_error_set(error, TDM_INVALID,
                         "%s no simulated stages; a measured run has stages "
                         "with a map (--map FILE)",
                         tdm_run_view_lacking(s->row_lanes.view, &tdm_lane_work));
  return tdm_error_set(
      error, TDM_INVALID, "%s no spans that keep a lane busy",
      s->row_lanes.plain ? "the run has" : tdm_run_view_lacking(s->row_lanes.view, &tdm_lane_work));
}

tdm_status tdm_lane_set_of(tdm_run_view *view, tdm_lanes_by by, tdm_lane_set *out,
                           tdm_error *error) {
  *out = (tdm_lane_set){0};
  sorting s = {.by = by, .set = out};
  tdm_status status = tdm_row_lanes_open(view, &s.row_lanes, error);
  if (status == TDM_OK) {
    out->plain = s.row_lanes.plain;
    s.of = tdm_array_new(s.row_lanes.table->count + 1, sizeof *s.of);
    if (s.of == NULL) status = tdm_error_memory(error, "lanes", s.row_lanes.table->count);
  }
  if (status == TDM_OK) status = number_rows(&s, error);
  if (status == TDM_OK && out->lanes == 0) status = nothing(&s, error);
  if (status == TDM_OK) status = copy_rows(&s, error);
  if (status == TDM_OK) status = finish(out, error);
  free(s.of);
  free(s.number);
  tdm_row_lanes_close(&s.row_lanes);
  if (status != TDM_OK) tdm_lane_set_close(out);
  return status;
}

/* Rows of a lane made by hand come as its maker has them: visits by request. */
static tdm_status copy_given(tdm_lane_set *set, size_t first, const tdm_lane_given *given,
                             tdm_error *error) {
  size_t count = given->count;
  uint64_t *key = tdm_array_new(count + 1, sizeof *key);
  uint32_t *order = tdm_array_new(count + 1, sizeof *order);
  tdm_status status = TDM_OK;
  if (key == NULL || order == NULL)
    status = tdm_error_memory(error, "rows of lanes", count * sizeof *key);
  for (size_t r = 0; status == TDM_OK && r < count; r++)
    key[r] = (uint64_t)given->start_ns[r] ^ (uint64_t)1 << 63; /* negative times come first */
  if (status == TDM_OK && count > 0) status = tdm_order_by(key, order, count, error);
  for (size_t r = 0; status == TDM_OK && r < count; r++) {
    set->start_ns[first + r] = given->start_ns[order[r]];
    set->end_ns[first + r] = given->end_ns[order[r]];
    if (set->busy_ns == NULL) continue;
    set->busy_ns[first + r] = given->busy_ns != NULL
                                  ? given->busy_ns[order[r]]
                                  : given->end_ns[order[r]] - given->start_ns[order[r]];
  }
  free(key);
  free(order);
  return status;
}

tdm_status tdm_lane_set_given(const tdm_lane_given *given, uint32_t count, tdm_lane_set *out,
                              tdm_error *error) {
  *out = (tdm_lane_set){.lane = tdm_array_new(count + 1, sizeof *out->lane)};
  tdm_status status = TDM_OK;
  if (out->lane == NULL) status = tdm_error_memory(error, "lanes", count);
  for (uint32_t i = 0; status == TDM_OK && i < count; i++) {
    out->lane[i] = (tdm_lane_rows){.label = tdm_string_copy(given[i].label),
                                   .lane = given[i].lane,
                                   .rank = i,
                                   .count = given[i].count};
    out->lanes++;
    if (out->lane[i].label == NULL) status = tdm_error_memory(error, "lanes", count);
  }
  bool in_part = false;
  for (uint32_t i = 0; i < count; i++) in_part = in_part || given[i].busy_ns != NULL;
  if (status == TDM_OK) status = make_rows(out, false, in_part, error);
  for (uint32_t i = 0; status == TDM_OK && i < count; i++)
    status = copy_given(out, out->lane[i].first, &given[i], error);
  if (status == TDM_OK) status = finish(out, error);
  if (status != TDM_OK) tdm_lane_set_close(out);
  return status;
}

void tdm_lane_set_close(tdm_lane_set *set) {
  for (uint32_t i = 0; i < set->lanes; i++) {
    free(set->lane[i].label);
    tdm_lane_steps_close(&set->lane[i].steps);
  }
  free(set->lane);
  free(set->start_ns);
  free(set->end_ns);
  free(set->busy_ns);
  free(set->name);
  *set = (tdm_lane_set){0};
}

const tdm_lane_rows *tdm_lane_set_named(const tdm_lane_set *set, const char *label) {
  for (uint32_t i = 0; i < set->lanes; i++)
    if (strcmp(set->lane[i].label, label) == 0) return &set->lane[i];
  return NULL;
}
