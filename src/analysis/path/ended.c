/* See ended.h: a tree of minima over the order, sixteen to one. */
#include "analysis/path/ended.h"

#include <stdlib.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "base/memory.h"

enum { FAN = 16 };

static int64_t asked_of(const tdm_path *path, uint32_t work) {
  return path->launch[work] == TDM_NO_ROW ? INT64_MIN : tdm_path_asked_ns(path, work);
}

/* Works in order of end; of equal ends by track, the highest first. */
static tdm_status order_by_end(const tdm_path *path, uint32_t tracks, uint32_t *by_end,
                               tdm_error *error) {
  size_t count = path->work->count, n = 0;
  uint64_t *key = tdm_array_raw(count + 1, sizeof *key);
  uint32_t *place = tdm_array_raw(count + 1, sizeof *place), *listed = tdm_array_raw(count + 1, 4);
  tdm_status status = TDM_OK;
  if (key == NULL || place == NULL || listed == NULL)
    status = tdm_error_memory(error, "streams", count * 16);
  for (uint32_t t = tracks; status == TDM_OK && t-- > 0;)
    for (uint32_t i = path->first_ended[t]; i < path->first_ended[t + 1]; i++) {
      key[n] = (uint64_t)path->ended_at_ns[i] ^ 1ull << 63;
      listed[n++] = path->ended[i];
    }
  if (status == TDM_OK) status = tdm_order_by(key, place, n, error);
  for (size_t i = 0; status == TDM_OK && i < n; i++) by_end[i] = listed[place[i]];
  free(key);
  free(place);
  free(listed);
  return status;
}

static tdm_status fill_levels(const tdm_path *path, tdm_ended *ended, tdm_error *error) {
  size_t count = path->work->count / FAN;
  for (unsigned k = 0; k < TDM_ENDED_LEVELS && count > 0; k++, count /= FAN) {
    int64_t *level = ended->earliest_ns[k] = tdm_array_raw(count, sizeof *level);
    if (level == NULL) return tdm_error_memory(error, "streams", count * sizeof *level);
    for (size_t i = 0; i < count * FAN; i++) {
      int64_t ns = k > 0 ? ended->earliest_ns[k - 1][i] : asked_of(path, ended->order[i]);
      if (i % FAN == 0 || ns < level[i / FAN]) level[i / FAN] = ns;
    }
  }
  return TDM_OK;
}

tdm_status tdm_ended_open(const tdm_path *path, tdm_ended *ended, tdm_error *error) {
  const tdm_table *work = path->work;
  size_t count = work->count;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(path->view));
  *ended = (tdm_ended){.order = tdm_array_raw(count + 1, sizeof *ended->order),
                       .first = tdm_array_raw((size_t)tracks + 2, sizeof *ended->first)};
  uint32_t *by_end = tdm_array_raw(count + 1, sizeof *by_end);
  int32_t *process = tdm_array_raw(count + 1, sizeof *process);
  tdm_status status = TDM_OK;
  if (ended->order == NULL || ended->first == NULL || by_end == NULL || process == NULL)
    status = tdm_error_memory(error, "streams", count * 12);
  if (status == TDM_OK) status = order_by_end(path, tracks, by_end, error);
  if (status == TDM_OK) {
    for (size_t i = 0; i < count; i++)
      process[i] = (int32_t)path->process[tdm_table_track(work, by_end[i])];
    tdm_order_by_track(process, count, tracks, ended->first, ended->order);
    for (size_t i = 0; i < count; i++) ended->order[i] = by_end[ended->order[i]];
    status = fill_levels(path, ended, error);
  }
  free(by_end);
  free(process);
  return status;
}

void tdm_ended_close(tdm_ended *ended) {
  free(ended->order);
  free(ended->first);
  for (unsigned k = 0; k < TDM_ENDED_LEVELS; k++) free(ended->earliest_ns[k]);
  *ended = (tdm_ended){0};
}

uint32_t tdm_ended_by(const tdm_path *path, uint32_t process, int64_t by_ns) {
  const tdm_ended *ended = &path->finished;
  uint32_t low = ended->first[process], high = ended->first[process + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (tdm_table_end_ns(path->work, ended->order[middle]) <= by_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* How many works before a position are passed at once: none of them was asked for before. */
static uint32_t passed(const tdm_ended *ended, uint32_t low, uint32_t at, int64_t asked_ns) {
  uint32_t width = 0, next = FAN;
  for (unsigned k = 0; k < TDM_ENDED_LEVELS && at % next == 0 && at - low >= next; k++) {
    if (ended->earliest_ns[k][at / next - 1] < asked_ns) break;
    width = next;
    if (next > UINT32_MAX / FAN) break;
    next *= FAN;
  }
  return width;
}

uint32_t tdm_ended_asked(const tdm_path *path, uint32_t process, uint32_t before,
                         int64_t asked_ns) {
  const tdm_ended *ended = &path->finished;
  uint32_t low = ended->first[process], at = before;
  while (at > low) {
    uint32_t width = passed(ended, low, at, asked_ns);
    if (width == 0 && asked_of(path, ended->order[at - 1]) < asked_ns) return at;
    at -= width > 0 ? width : 1;
  }
  return 0;
}
