/* What a map leaves: GPU work that no stage takes, host time of requests that none explains; see
 * inside.h.
 *
 * On a thread the outermost row counts, below the range that is the request and those that a
 * stage's row lies in, and beside what a stage takes, so that no host time counts twice. */
#include "analysis/visits/inside.h"

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
  s->by_name[name].total_ns = tdm_sum_ns(s->by_name[name].total_ns, dur_ns);
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
      done = add(&s, tdm_table_name(work, i),
                 tdm_length_ns(tdm_table_start_ns(work, i), tdm_table_end_ns(work, i)));
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

/* Rows of nested ranges and of calls as one list in order of start. */
typedef struct {
  const tdm_table *range, *call;
  size_t r, c; /* the next of each */
  tdm_row_table of;
  const tdm_table *table;
  size_t row;
} both;

static bool is_range_next(const both *b, size_t r, size_t c) {
  return r < b->range->count &&
         (c >= b->call->count || tdm_table_start_ns(b->range, r) <= tdm_table_start_ns(b->call, c));
}

static bool go_on(both *b) {
  if (b->r >= b->range->count && b->c >= b->call->count) return false;
  bool is_range = is_range_next(b, b->r, b->c);
  b->of = is_range ? TDM_OF_RANGES : TDM_OF_CALLS;
  b->table = is_range ? b->range : b->call;
  b->row = is_range ? b->r++ : b->c++;
  return true;
}

/* The row before, from the end: the later of the two that are next there. */
static bool go_back(both *b) {
  if (b->r == 0 && b->c == 0) return false;
  bool is_call = b->c > 0 && (b->r == 0 || tdm_table_start_ns(b->range, b->r - 1) <=
                                               tdm_table_start_ns(b->call, b->c - 1));
  b->of = is_call ? TDM_OF_CALLS : TDM_OF_RANGES;
  b->table = is_call ? b->call : b->range;
  b->row = is_call ? --b->c : --b->r;
  return true;
}

typedef struct {
  const uint32_t *const *window, *const *stage; /* by table and row */
  const tdm_windows *windows;
  unsigned char *holds[TDM_ROW_TABLES]; /* by row: a stage's row begins within it */
  int64_t *time_ns;                     /* by track */
  uint32_t tracks;
} host;

static void reset(const host *h, int64_t time_ns) {
  for (uint32_t t = 0; t < h->tracks; t++) h->time_ns[t] = time_ns;
}

/* Ranges around what a stage takes are looked through, as is the request. */
static void mark_holders(const host *h, both b) {
  b.r = b.range->count;
  b.c = b.call->count;
  reset(h, INT64_MAX); /* where the next row of a stage begins */
  while (go_back(&b)) {
    int64_t *next = &h->time_ns[tdm_table_track(b.table, b.row)];
    h->holds[b.of][b.row] = *next < tdm_table_end_ns(b.table, b.row);
    if (h->stage[b.of][b.row] != TDM_NO_STAGE) *next = tdm_table_start_ns(b.table, b.row);
  }
}

static int add_host(const host *h, both b, tdm_mapped *out) {
  sums s = {0};
  int done = 1;
  reset(h, INT64_MIN); /* until when the outermost row lasts */
  while (done && go_on(&b)) {
    const tdm_table *table = b.table;
    size_t row = b.row;
    uint32_t window = h->window[b.of][row];
    int64_t *until = &h->time_ns[tdm_table_track(table, row)];
    if (window >= TDM_TWO_WINDOWS || tdm_table_start_ns(table, row) < *until) continue;
    bool taken = h->stage[b.of][row] != TDM_NO_STAGE;
    if (!taken && (h->holds[b.of][row] || is_request(h->windows, window, table, row))) continue;
    *until = tdm_table_end_ns(table, row);
    if (!taken)
      done = add(&s, tdm_table_name(table, row),
                 tdm_length_ns(tdm_table_start_ns(table, row), tdm_table_end_ns(table, row)));
  }
  done = done && put(&s, false, out);
  free(s.by_name);
  return done;
}

static int find_host(const tdm_visit_tables *tables, host *h, tdm_mapped *out) {
  both b = {.range = tables->table[TDM_OF_RANGES], .call = tables->table[TDM_OF_CALLS]};
  h->holds[TDM_OF_RANGES] = tdm_array_new(b.range->count + 1, 1);
  h->holds[TDM_OF_CALLS] = tdm_array_new(b.call->count + 1, 1);
  int done = h->holds[TDM_OF_RANGES] != NULL && h->holds[TDM_OF_CALLS] != NULL;
  if (done) mark_holders(h, b);
  done = done && add_host(h, b, out);
  free(h->holds[TDM_OF_RANGES]);
  free(h->holds[TDM_OF_CALLS]);
  return done;
}

tdm_status tdm_find_unmapped(const tdm_visit_tables *tables, const tdm_windows *windows,
                             const uint32_t *const *window, const uint32_t *const *stage,
                             bool and_host, tdm_mapped *out, tdm_error *error) {
  host h = {.window = window,
            .stage = stage,
            .windows = windows,
            .tracks = tdm_run_tables_tracks(tdm_run_view_tables(tables->view))};
  h.time_ns = tdm_array_new((size_t)h.tracks + 1, sizeof *h.time_ns);
  bool done = h.time_ns != NULL && add_work(tables, stage[TDM_OF_WORK], out) &&
              (!and_host || find_host(tables, &h, out));
  free(h.time_ns);
  if (!done) return tdm_error_memory(error, "names", 0);
  if (out->unmappeds > 1)
    qsort(out->unmapped, out->unmappeds, sizeof *out->unmapped, longest_first);
  return TDM_OK;
}
