/* How many of a lane's spans were active, as changes over time; see overlay.h. */
#include "analysis/overlay/overlay.h"

#include <stdlib.h>

#include "base/memory.h"
#include "trace/sweep.h"

static tdm_status take_steps(tdm_sweep *sweep, tdm_lane_steps *out, tdm_error *error) {
  size_t room = 2 * sweep->count;
  out->time_ns = tdm_array_new(room + 1, sizeof *out->time_ns);
  out->active = tdm_array_new(room + 1, sizeof *out->active);
  if (out->time_ns == NULL || out->active == NULL)
    return tdm_error_memory(error, "a lane", room * sizeof *out->time_ns);
  tdm_step step;
  while (tdm_sweep_next(sweep, &step)) {
    uint32_t active = step.active < UINT32_MAX ? (uint32_t)step.active : UINT32_MAX;
    out->time_ns[out->count] = step.time_ns;
    out->active[out->count++] = active;
    if (active > out->most) out->most = active;
  }
  return TDM_OK;
}

/* ---- busy in part ---- */

typedef struct {
  int64_t time_ns;
  int32_t more; /* 1: a span begins, −1: it ends */
  double share;
} change;

static int by_time(const void *x, const void *y) {
  const change *a = x, *b = y;
  if (a->time_ns != b->time_ns) return a->time_ns < b->time_ns ? -1 : 1;
  return (a->more > b->more) - (a->more < b->more);
}

static change *changes_of(const int64_t *start_ns, const int64_t *end_ns, const int64_t *busy_ns,
                          size_t spans, size_t *count) {
  change *list = tdm_array_new(2 * spans + 1, sizeof *list);
  *count = 0;
  for (size_t i = 0; list != NULL && i < spans; i++) {
    if (end_ns[i] <= start_ns[i]) continue;
    double share = (double)busy_ns[i] / ((double)end_ns[i] - (double)start_ns[i]);
    share = share < 1 ? share : 1;
    list[(*count)++] = (change){start_ns[i], 1, share};
    list[(*count)++] = (change){end_ns[i], -1, -share};
  }
  if (*count > 0) qsort(list, *count, sizeof *list, by_time);
  return list;
}

/* Steps wherever a span begins or ends. Those that are active together without keeping their lane
 * busy take turns. */
static tdm_status steps_in_part(const change *list, size_t count, tdm_lane_steps *out,
                                tdm_error *error) {
  out->time_ns = tdm_array_new(count + 1, sizeof *out->time_ns);
  out->active = tdm_array_new(count + 1, sizeof *out->active);
  out->busy = tdm_array_new(count + 1, sizeof *out->busy);
  if (out->time_ns == NULL || out->active == NULL || out->busy == NULL)
    return tdm_error_memory(error, "a lane", count * sizeof *out->time_ns);
  int64_t active = 0;
  double share = 0;
  for (size_t i = 0; i < count; i++) {
    active += list[i].more;
    share = active > 0 ? share + list[i].share : 0; /* no dust of sums where nothing is */
    if (i + 1 < count && list[i + 1].time_ns == list[i].time_ns) continue;
    out->time_ns[out->count] = list[i].time_ns;
    out->busy[out->count] = share < 0 ? 0 : share > 1 ? 1 : share;
    out->active[out->count++] = (uint32_t)active;
    if ((uint32_t)active > out->most) out->most = (uint32_t)active;
  }
  return TDM_OK;
}

static tdm_status take_in_part(const int64_t *start_ns, const int64_t *end_ns,
                               const int64_t *busy_ns, size_t spans, tdm_lane_steps *out,
                               tdm_error *error) {
  size_t count;
  change *list = changes_of(start_ns, end_ns, busy_ns, spans, &count);
  if (list == NULL) return tdm_error_memory(error, "a lane", spans * sizeof *list);
  tdm_status status = steps_in_part(list, count, out, error);
  free(list);
  if (status != TDM_OK) tdm_lane_steps_close(out);
  return status;
}

tdm_status tdm_lane_steps_of(const int64_t *start_ns, const int64_t *end_ns, const int64_t *busy_ns,
                             size_t count, tdm_lane_steps *out, tdm_error *error) {
  *out = (tdm_lane_steps){0};
  if (busy_ns != NULL) return take_in_part(start_ns, end_ns, busy_ns, count, out, error);
  tdm_sweep sweep;
  tdm_status status = tdm_sweep_begin(&sweep, count, error);
  if (status != TDM_OK) return status;
  for (size_t i = 0; i < count; i++) tdm_sweep_add(&sweep, start_ns[i], end_ns[i]);
  status = tdm_sweep_ready(&sweep, error);
  if (status != TDM_OK) return status;
  status = take_steps(&sweep, out, error);
  tdm_sweep_close(&sweep);
  if (status != TDM_OK) tdm_lane_steps_close(out);
  return status;
}

void tdm_lane_steps_close(tdm_lane_steps *steps) {
  free(steps->time_ns);
  free(steps->active);
  free(steps->busy);
  *steps = (tdm_lane_steps){0};
}

/* ---- two at once ---- */

/* The first change after a time. */
static size_t after(const int64_t *time_ns, size_t count, int64_t now_ns) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (time_ns[middle] <= now_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static double busy_of(const tdm_lane_steps *steps, size_t index) {
  return steps->busy != NULL ? steps->busy[index] : steps->active[index] > 0;
}

void tdm_lane_walk_begin(tdm_lane_walk *walk, const tdm_lane_steps *a, const tdm_lane_steps *b,
                         const int64_t *b_time_ns, int64_t from_ns, int64_t to_ns) {
  *walk =
      (tdm_lane_walk){.a = a, .b = b, .b_time_ns = b_time_ns, .now_ns = from_ns, .to_ns = to_ns};
  walk->next_a = after(a->time_ns, a->count, from_ns);
  walk->next_b = after(b_time_ns, b->count, from_ns);
  if (walk->next_a > 0) {
    walk->active_a = a->active[walk->next_a - 1];
    walk->busy_a = busy_of(a, walk->next_a - 1);
  }
  if (walk->next_b > 0) {
    walk->active_b = b->active[walk->next_b - 1];
    walk->busy_b = busy_of(b, walk->next_b - 1);
  }
}

int tdm_lane_walk_next(tdm_lane_walk *walk, tdm_lane_part *part) {
  if (walk->now_ns >= walk->to_ns) return 0;
  const tdm_lane_steps *a = walk->a, *b = walk->b;
  int64_t next_ns = walk->to_ns;
  *part =
      (tdm_lane_part){walk->now_ns, 0, walk->active_a, walk->active_b, walk->busy_a, walk->busy_b};
  if (walk->next_a < a->count && a->time_ns[walk->next_a] < next_ns)
    next_ns = a->time_ns[walk->next_a];
  if (walk->next_b < b->count && walk->b_time_ns[walk->next_b] < next_ns)
    next_ns = walk->b_time_ns[walk->next_b];
  for (; walk->next_a < a->count && a->time_ns[walk->next_a] <= next_ns; walk->next_a++) {
    walk->active_a = a->active[walk->next_a];
    walk->busy_a = busy_of(a, walk->next_a);
  }
  for (; walk->next_b < b->count && walk->b_time_ns[walk->next_b] <= next_ns; walk->next_b++) {
    walk->active_b = b->active[walk->next_b];
    walk->busy_b = busy_of(b, walk->next_b);
  }
  part->to_ns = walk->now_ns = next_ns;
  return 1;
}
