/* How often each name occurs on each track and how long in all: what search and statistics show
 * before any span is looked at. See inside.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/timeline/inside.h"

enum { NAME, TRACK, LAYOUT, COUNT, TOTAL, COLUMNS };

typedef struct {
  uint32_t name, track, layout;
  int64_t count, total_ns;
} total;

static int by_name(const void *left, const void *right) {
  const total *a = left, *b = right;
  if (a->name != b->name) return TDM_ORDER(a->name, b->name);
  if (a->track != b->track) return TDM_ORDER(a->track, b->track);
  return TDM_ORDER(a->layout, b->layout);
}

/* Spans of one track and name side by side are summed up as they come; the rest by sorting. */
static size_t sum_up(total *totals, size_t count) {
  size_t kept = 0;
  if (count > 1) qsort(totals, count, sizeof *totals, by_name);
  for (size_t i = 0; i < count; i++) {
    if (kept > 0 && by_name(&totals[kept - 1], &totals[i]) == 0) {
      totals[kept - 1].count += totals[i].count;
      if (__builtin_add_overflow(totals[kept - 1].total_ns, totals[i].total_ns,
                                 &totals[kept - 1].total_ns))
        totals[kept - 1].total_ns = INT64_MAX; /* damaged lengths */
    } else {
      totals[kept++] = totals[i];
    }
  }
  return kept;
}

enum { BATCH = 65536 };

/* Summed up whenever many have come, so that memory follows the names, not the spans. */
static total *gather(const tdm_frame *f, size_t *count) {
  total *totals = NULL;
  size_t room = 0, settled = 0;
  *count = 0;
  for (uint32_t i = 0; i < f->tracks; i++) {
    const tdm_frame_track *t = &f->track[i];
    for (size_t n = f->first[t->first_row]; n < f->first[t->first_row + t->rows]; n++) {
      tdm_frame_span s = tdm_frame_span_at(f, n);
      if (!tdm_array_grow(&totals, &room, *count + 1, sizeof *totals)) {
        free(totals);
        return NULL;
      }
      totals[(*count)++] = (total){(uint32_t)s.name, i, s.layout, 1, s.end_ns - s.start_ns};
      if (*count >= 2 * settled + BATCH) *count = settled = sum_up(totals, *count);
    }
  }
  *count = sum_up(totals, *count);
  return totals != NULL ? totals : tdm_array_new(1, sizeof *totals);
}

tdm_status tdm_timeline_totals(tdm_timeline_run *run, tdm_error *error) {
  size_t count;
  total *totals = gather(run->frame, &count);
  int64_t *cells = totals != NULL ? tdm_array_new(COLUMNS * (count + 1), sizeof *cells) : NULL;
  if (cells == NULL) {
    free(totals);
    return tdm_error_memory(error, "the totals of a timeline", 0);
  }
  int64_t *column[COLUMNS];
  for (size_t c = 0; c < COLUMNS; c++) column[c] = cells + c * count;
  for (size_t i = 0; i < count; i++) {
    column[NAME][i] = totals[i].name;
    column[TRACK][i] = totals[i].track;
    column[LAYOUT][i] = totals[i].layout;
    column[COUNT][i] = totals[i].count;
    column[TOTAL][i] = totals[i].total_ns;
  }
  tdm_timeline_list(run, "totals", column, COLUMNS, count);
  free(cells);
  free(totals);
  return TDM_OK;
}
