/* What the spans of a row within one chunk (of a thinned run: within a stretch of its nodes) come
 * to by name and layout, so that a page sums up a long range without unpacking its chunks: only
 * those at its ends. See inside.h.
 *
 * Few spans are summed up as fast by themselves; a run whose rows are so short that this would be
 * as long as they are has none, either. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/timeline/inside.h"

enum { FIRST, NAME, LAYOUT, COUNT, TOTAL, LONGEST, COLUMNS };
enum { WORTH_IT = 16 * TDM_CHUNK_ROWS, SHARE = 16 };
enum { THIN_SHARE = 5 /* of the spans that are written, a row of sums */, LONGER = 8 };

/* Rows of the table as they grow. Those of a stretch are found by name: `last` has the last row of
 * each, which is of this stretch if it is not before `begin`; `before` leads to its other layouts.
 */
typedef struct {
  int64_t *column[COLUMNS];
  size_t rows, most; /* rows > most: too many */
  size_t begin;
  uint32_t *last;   /* [names + 1] rows plus one */
  uint32_t *before; /* [most] the same */
  uint32_t *order;  /* of a stretch's rows */
  int64_t *spare;
} table;

static size_t row_of(table *t, size_t first, uint32_t name, int64_t id, uint32_t layout) {
  size_t at = t->last[name];
  for (; at > t->begin; at = t->before[at - 1])
    if (t->column[LAYOUT][at - 1] == layout && t->column[NAME][at - 1] == id) return at - 1;
  if (t->rows == t->most) return SIZE_MAX;
  at = t->rows++;
  t->before[at] = t->last[name];
  t->last[name] = (uint32_t)at + 1;
  t->column[FIRST][at] = (int64_t)first;
  t->column[NAME][at] = id;
  t->column[LAYOUT][at] = layout;
  t->column[COUNT][at] = t->column[TOTAL][at] = t->column[LONGEST][at] = 0;
  return at;
}

static void add(table *t, size_t at, int64_t length_ns) {
  t->column[COUNT][at]++;
  if (__builtin_add_overflow(t->column[TOTAL][at], length_ns, &t->column[TOTAL][at]))
    t->column[TOTAL][at] = INT64_MAX; /* damaged lengths */
  if (length_ns > t->column[LONGEST][at]) t->column[LONGEST][at] = length_ns;
}

static int by_name(const void *left, const void *right, void *context) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const table *t = context;
  if (t->column[NAME][a] != t->column[NAME][b])
    return TDM_ORDER(t->column[NAME][a], t->column[NAME][b]);
  return TDM_ORDER(t->column[LAYOUT][a], t->column[LAYOUT][b]);
}

/* The rows of the stretch that ends, by name and layout. */
static void settle(table *t) {
  size_t count = t->rows - t->begin;
  for (size_t i = 0; i < count; i++) t->order[i] = (uint32_t)(t->begin + i);
  if (count > 1) qsort_r(t->order, count, sizeof *t->order, by_name, t);
  for (int c = 0; c < COLUMNS; c++) {
    for (size_t i = 0; i < count; i++) t->spare[i] = t->column[c][t->order[i]];
    memcpy(t->column[c] + t->begin, t->spare, count * sizeof *t->spare);
  }
  t->begin = t->rows;
}

/* False: more rows than are worth it. */
static bool fill(table *t, const tdm_timeline_run *run) {
  const tdm_frame *f = run->frame;
  uint32_t names = tdm_recording_names(f->recording);
  for (uint32_t row = 0; row < f->rows; row++) {
    if (run->thinning.number != NULL && run->thinning.bottom[row] == 0) continue; /* whole */
    for (size_t n = f->first[row], end, first; n < f->first[row + 1]; n = end) {
      first = n;
      end = tdm_thinning_stretch(run, row, n);
      for (; n < end; n++) {
        tdm_frame_span span = tdm_frame_span_at(f, n);
        uint32_t name = span.name >= 0 && span.name < names ? (uint32_t)span.name : names;
        size_t at = row_of(t, first, name, span.name, span.layout);
        if (at == SIZE_MAX) return false;
        add(t, at, span.end_ns - span.start_ns);
      }
      settle(t);
    }
  }
  return true;
}

static bool open_table(table *t, size_t most, uint32_t names) {
  int64_t *cells = tdm_array_new((COLUMNS + 1) * most, sizeof *cells);
  *t = (table){.most = most};
  for (size_t c = 0; cells != NULL && c < COLUMNS; c++) t->column[c] = cells + c * most;
  if (cells != NULL) t->spare = cells + COLUMNS * most;
  t->last = tdm_array_new((size_t)names + 1, sizeof *t->last);
  t->before = tdm_array_new(most, sizeof *t->before);
  t->order = tdm_array_new(most, sizeof *t->order);
  return cells != NULL && t->last != NULL && t->before != NULL && t->order != NULL;
}

static void close_table(table *t) {
  free(t->column[0]);
  free(t->last);
  free(t->before);
  free(t->order);
}

/* Of a thinned run a stretch is made longer until its table is short. */
static bool fill_short(table *t, tdm_timeline_run *run) {
  tdm_thinning *thin = &run->thinning;
  for (;;) {
    if (fill(t, run)) return true;
    if (thin->number == NULL || thin->stretch > run->frame->lanes.count) return false;
    thin->stretch *= LONGER;
    t->rows = t->begin = 0;
    memset(t->last, 0, ((size_t)tdm_recording_names(run->frame->recording) + 1) * sizeof *t->last);
  }
}

static size_t rows_most(const tdm_timeline_run *run) {
  size_t spans = run->frame->lanes.count;
  size_t most = spans >= WORTH_IT ? spans / SHARE : 0;
  if (run->thinning.number != NULL) most = run->thinning.count / THIN_SHARE + WORTH_IT / SHARE;
  return most < UINT32_MAX ? most : 0;
}

tdm_status tdm_timeline_sums(tdm_timeline_run *run, tdm_error *error) {
  size_t most = rows_most(run);
  table t = {0};
  bool whole = true;
  if (most > 0 && !open_table(&t, most, tdm_recording_names(run->frame->recording))) {
    close_table(&t);
    return tdm_error_memory(error, "the sums of a timeline", most);
  }
  if (most > 0) whole = fill_short(&t, run);
  tdm_timeline_list(run, "sums", t.column, COLUMNS, whole ? t.rows : 0);
  if (run->thinning.number != NULL) {
    tdm_meta_key(run->meta, "stretch");
    tdm_meta_integer(run->meta, (int64_t)run->thinning.stretch);
  }
  close_table(&t);
  return TDM_OK;
}
