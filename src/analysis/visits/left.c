/* See left.h. On a thread the outermost row counts, below the range that is the request and beside
 * what a stage takes, so that no host time counts twice. */
#include "analysis/visits/left.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct {
  uint64_t rows;
  int64_t total_ns;
} sum;

typedef struct {
  sum *by_name;
  size_t room;
} sums;

/* Of a name that is lost nothing is told. */
static int add(sums *s, int64_t name, int64_t dur_ns) {
  if (name < 0 || name >= INT32_MAX) return 1;
  size_t before = s->room;
  if ((size_t)name >= before) {
    if (!tdm_array_grow(&s->by_name, &s->room, (size_t)name + 1, sizeof *s->by_name)) return 0;
    for (size_t i = before; i < s->room; i++) s->by_name[i] = (sum){0};
  }
  s->by_name[name].rows++;
  s->by_name[name].total_ns += dur_ns;
  return 1;
}

static int put(const sums *s, bool on_gpu, tdm_mapped *out) {
  for (size_t i = 0; i < s->room; i++) {
    if (s->by_name[i].rows == 0) continue;
    if (!tdm_array_grow(&out->unmapped, &out->unmapped_room, out->unmappeds + 1,
                        sizeof *out->unmapped))
      return 0;
    out->unmapped[out->unmappeds++] =
        (tdm_unmapped){(int64_t)i, on_gpu, s->by_name[i].rows, s->by_name[i].total_ns};
  }
  return 1;
}

static int longest_first(const void *a, const void *b) {
  const tdm_unmapped *x = a, *y = b;
  if (x->on_gpu != y->on_gpu) return x->on_gpu ? -1 : 1;
  if (x->total_ns != y->total_ns) return x->total_ns > y->total_ns ? -1 : 1;
  return (x->name > y->name) - (x->name < y->name);
}

static int add_work(const tdm_visit_tables *tables, const uint32_t *stage, tdm_mapped *out) {
  const tdm_table *work = tables->table[TDM_OF_WORK];
  sums s = {0};
  int done = 1;
  for (size_t i = 0; done && i < work->count; i++)
    if (stage[i] == TDM_NO_STAGE)
      done = add(&s, work->name[i], work->end_ns[i] - work->start_ns[i]);
  done = done && put(&s, true, out);
  free(s.by_name);
  return done;
}

/* The range that is the request, which all of it lies in. */
static bool is_request(const tdm_windows *windows, uint32_t window, const tdm_table *table,
                       size_t row) {
  const tdm_window *w = &windows->window[window];
  return w->table == table && w->row == row;
}

static int add_host(const tdm_visit_tables *tables, const tdm_windows *windows,
                    const uint32_t *const *window, const uint32_t *const *stage, int64_t *until_ns,
                    tdm_mapped *out) {
  const tdm_table *range = tables->table[TDM_OF_RANGES], *call = tables->table[TDM_OF_CALLS];
  sums s = {0};
  size_t r = 0, c = 0;
  int done = 1;
  while (done && (r < range->count || c < call->count)) {
    bool is_range =
        r < range->count && (c >= call->count || range->start_ns[r] <= call->start_ns[c]);
    tdm_row_table of = is_range ? TDM_OF_RANGES : TDM_OF_CALLS;
    const tdm_table *table = is_range ? range : call;
    size_t row = is_range ? r++ : c++;
    int64_t *until = &until_ns[table->track[row]];
    if (window[of][row] >= TDM_TWO_WINDOWS || table->start_ns[row] < *until) continue;
    bool taken = stage[of][row] != TDM_NO_STAGE;
    if (!taken && is_request(windows, window[of][row], table, row)) continue;
    *until = table->end_ns[row];
    if (!taken) done = add(&s, table->name[row], table->end_ns[row] - table->start_ns[row]);
  }
  done = done && put(&s, false, out);
  free(s.by_name);
  return done;
}

tdm_status tdm_find_unmapped(const tdm_visit_tables *tables, const tdm_windows *windows,
                             const uint32_t *const *window, const uint32_t *const *stage,
                             tdm_mapped *out, tdm_error *error) {
  uint32_t tracks = tdm_run_tables_tracks(tdm_run_view_tables(tables->view));
  int64_t *until_ns = tdm_array_new((size_t)tracks + 1, sizeof *until_ns);
  bool done = until_ns != NULL;
  for (uint32_t t = 0; done && t < tracks; t++) until_ns[t] = INT64_MIN;
  done = done && add_work(tables, stage[TDM_OF_WORK], out) &&
         add_host(tables, windows, window, stage, until_ns, out);
  free(until_ns);
  if (!done) return tdm_error_memory(error, "names", 0);
  if (out->unmappeds > 1)
    qsort(out->unmapped, out->unmappeds, sizeof *out->unmapped, longest_first);
  return TDM_OK;
}
