/* What a thread did where it has no record open: whether it was on a CPU, by scheduling and
 * samples, and in which function. See path.h.
 *
 * Scheduling says it to the nanosecond. A sample stands for half the way to the samples beside it
 * on its thread, and for no more than half the usual distance where those are far. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "analysis/path/path.h"
#include "base/memory.h"
#include "base/ranks.h"

static const char *const categories[] = {"sched", "sample", NULL};
static const tdm_wanted wanted = {.categories = categories, .shapes = 1u << TDM_SHAPE_INSTANT};
enum { SCHED, SAMPLE };

typedef struct {
  const tdm_table *table;
  tdm_path *path;
  uint32_t track;
  const uint32_t *row; /* of the thread, in order of time */
  size_t rows;
  int64_t usual_ns; /* between samples */
  int64_t last_ns;  /* of the run */
  bool failed;
} thread;

/* ---- names ---- */

/* Where a stack ends. */
static void leaf_of(const char *name, char *out, size_t room) {
  const char *last = strrchr(name, ';');
  snprintf(out, room, "%s", last != NULL && last[1] != 0 ? last + 1 : name);
}

const char *tdm_path_leaf(const tdm_path *path, int64_t leaf) {
  return tdm_base_names_text(&path->leaves, leaf);
}

/* ---- pieces of one thread ---- */

static void put(thread *t, int64_t start_ns, int64_t end_ns, int64_t what) {
  tdm_path *path = t->path;
  if (end_ns <= start_ns || t->failed) return;
  if (!tdm_array_grow(&path->piece, &path->piece_room, path->pieces + 1, sizeof *path->piece)) {
    t->failed = true;
    return;
  }
  path->piece[path->pieces++] = (tdm_piece){start_ns, end_ns, what};
}

static bool is_sample(const thread *t, size_t i) {
  return tdm_table_category(t->table, t->row[i]) == SAMPLE;
}

static int64_t at(const thread *t, size_t i) {
  return tdm_table_start_ns(t->table, t->row[i]);
}

/* The next sample after a place, before another; `end`: none. */
static size_t next_sample(const thread *t, size_t i, size_t end) {
  while (i < end && !is_sample(t, i)) i++;
  return i;
}

/* Samples of rows [i, end), which lie within a stretch. `all`: the thread was on a CPU all that
 * while, so that what no sample is near has no name but counts. */
static void put_samples(thread *t, size_t i, size_t end, int64_t from_ns, int64_t to_ns, bool all) {
  int64_t done_ns = from_ns, half_ns = t->usual_ns / 2 + 1;
  for (i = next_sample(t, i, end); i < end;) {
    size_t next = next_sample(t, i + 1, end);
    int64_t start_ns = at(t, i) - half_ns, stop_ns = at(t, i) + half_ns;
    if (next < end && at(t, next) - at(t, i) <= 2 * t->usual_ns)
      stop_ns = at(t, i) + (at(t, next) - at(t, i)) / 2;
    if (stop_ns > to_ns) stop_ns = to_ns;
    if (start_ns < done_ns || (all && start_ns - done_ns < half_ns)) start_ns = done_ns;
    if (all) put(t, done_ns, start_ns, TDM_ON_CPU);
    int64_t leaf =
        tdm_base_names_id(&t->path->leaves, t->path->view, tdm_table_name(t->table, t->row[i]));
    put(t, start_ns, stop_ns, leaf == TDM_NONE ? TDM_ON_CPU : leaf);
    if (stop_ns > done_ns) done_ns = stop_ns;
    i = next;
  }
  if (all) put(t, done_ns, to_ns, TDM_ON_CPU);
}

/* From a thread's switch onto a CPU to its switch off it. */
static void put_scheduled(thread *t) {
  int64_t in_ns = TDM_NONE;
  size_t begun = 0;
  for (size_t i = 0; i <= t->rows; i++) {
    if (i < t->rows && is_sample(t, i)) continue;
    bool in =
        i < t->rows && strcmp(tdm_run_view_name(t->path->view, tdm_table_name(t->table, t->row[i])),
                              "sched in") == 0;
    int64_t now_ns = i < t->rows ? at(t, i) : t->last_ns;
    if (in_ns != TDM_NONE) put_samples(t, begun, i, in_ns, now_ns, true);
    in_ns = in ? now_ns : TDM_NONE;
    begun = i;
  }
}

static int64_t usual_distance_ns(const thread *t, int64_t *scratch) {
  size_t count = 0, before = next_sample(t, 0, t->rows);
  while (before < t->rows) {
    size_t next = next_sample(t, before + 1, t->rows);
    if (next < t->rows) scratch[count++] = at(t, next) - at(t, before);
    before = next;
  }
  return count > 0 ? tdm_ranks_median_ns(scratch, count) : 1000000;
}

static void put_thread(thread *t, int64_t *scratch) {
  bool scheduled = false;
  for (size_t i = 0; i < t->rows && !scheduled; i++) scheduled = !is_sample(t, i);
  t->usual_ns = usual_distance_ns(t, scratch);
  t->path->scheduled[t->track] = scheduled;
  if (scheduled)
    put_scheduled(t);
  else
    put_samples(t, 0, t->rows, INT64_MIN, INT64_MAX, false);
}

tdm_status tdm_path_add_on_cpu(tdm_path *path, tdm_error *error) {
  const tdm_table *table;
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(path->view));
  path->leaves.base_of = leaf_of;
  path->first_piece = tdm_array_new((size_t)tracks + 2, sizeof *path->first_piece);
  path->scheduled = tdm_array_new((size_t)tracks + 1, 1);
  tdm_status status = tdm_run_view_table(path->view, &wanted, &table, error);
  if (status != TDM_OK) return status;
  uint32_t *first = tdm_array_raw((size_t)tracks + 2, sizeof *first);
  uint32_t *row = tdm_array_raw(table->count + 1, sizeof *row);
  int64_t *scratch = tdm_array_raw(table->count + 1, sizeof *scratch);
  thread t = {.table = table, .path = path};
  int64_t first_ns;
  tdm_run_view_extent(path->view, &first_ns, &t.last_ns);
  t.failed = path->first_piece == NULL || path->scheduled == NULL || first == NULL || row == NULL ||
             scratch == NULL;
  if (!t.failed && table->count > 0) {
    tdm_order_by_kept_track(table->track, table->count, tracks, first, row);
    for (t.track = 0; t.track < tracks; t.track++) {
      path->first_piece[t.track] = (uint32_t)path->pieces;
      t.row = row + first[t.track];
      t.rows = first[t.track + 1] - first[t.track];
      if (t.rows > 0) put_thread(&t, scratch);
    }
    path->first_piece[tracks] = (uint32_t)path->pieces;
  }
  free(first);
  free(row);
  free(scratch);
  return t.failed ? tdm_error_memory(error, "samples", table->count * 24) : TDM_OK;
}

/* ---- asking ---- */

uint32_t tdm_path_piece_before(const tdm_path *path, uint32_t track, int64_t before_ns) {
  uint32_t low = path->first_piece[track], high = path->first_piece[track + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (path->piece[middle].start_ns < before_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low > path->first_piece[track] ? low - 1 : TDM_NO_ROW;
}
