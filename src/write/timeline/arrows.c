/* Arrows between spans: edges of the source, and calls to what they launched. See inside.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/span_links.h"
#include "write/timeline/inside.h"

enum { FROM, TO, KIND, COLUMNS };

typedef struct {
  uint32_t from, to, kind;
} arrow;

static int by_span(const void *left, const void *right) {
  const arrow *a = left, *b = right;
  if (a->from != b->from) return TDM_ORDER(a->from, b->from);
  if (a->to != b->to) return TDM_ORDER(a->to, b->to);
  return TDM_ORDER(a->kind, b->kind);
}

/* Pairs of ends that have one id, by the span they leave. NULL: out of memory. */
static arrow *pair(const tdm_frame *f, const tdm_span_links *links, size_t *count) {
  arrow *arrows = tdm_array_raw(links->count / 2 + 1, sizeof *arrows);
  uint32_t *number = tdm_array_raw(f->lanes.count + 1, sizeof *number); /* by place in the lanes */
  *count = 0;
  if (arrows == NULL || number == NULL) {
    free(arrows);
    free(number);
    return NULL;
  }
  for (size_t n = 0; n < f->lanes.count; n++) number[f->order[n]] = (uint32_t)n;
  for (size_t i = 1; i < links->count; i++) {
    const tdm_link_end *a = &links->end[i - 1], *b = &links->end[i];
    if (a->id != b->id || a->incoming || !b->incoming) continue;
    arrows[(*count)++] = (arrow){number[a->span], number[b->span], tdm_link_kind(a->id)};
  }
  free(number);
  return arrows;
}

static void put_kinds(tdm_timeline_run *run, const tdm_span_links *links) {
  tdm_meta_key(run->meta, "arrow_kinds");
  tdm_meta_put(run->meta, "[");
  for (uint32_t i = 0; i < links->kinds; i++) {
    tdm_meta_next(run->meta);
    tdm_meta_string(run->meta, links->kind[i]);
  }
  tdm_meta_put(run->meta, "]");
}

static int64_t end_of(const tdm_timeline_run *run, size_t number) {
  size_t place = tdm_thinning_place(run, number);
  return place != SIZE_MAX ? (int64_t)place : TDM_NONE;
}

/* Of a thinned run those with an end that is written. */
static bool put(tdm_timeline_run *run, const arrow *arrows, size_t count, size_t loose) {
  int64_t *cells = tdm_array_raw(COLUMNS * count + 1, sizeof *cells);
  int64_t *column[COLUMNS];
  size_t at = 0;
  if (cells == NULL) return false;
  for (size_t c = 0; c < COLUMNS; c++) column[c] = cells + c * count;
  for (size_t i = 0; i < count; i++) {
    int64_t from = end_of(run, arrows[i].from), to = end_of(run, arrows[i].to);
    if (from == TDM_NONE && to == TDM_NONE) continue;
    column[FROM][at] = from;
    column[TO][at] = to;
    column[KIND][at++] = arrows[i].kind;
  }
  tdm_timeline_list(run, "arrows", column, COLUMNS, at);
  tdm_meta_key(run->meta, "loose_arrows"); /* with an end where no span is: not drawn */
  tdm_meta_integer(run->meta, (int64_t)loose);
  free(cells);
  return true;
}

/* What the marks go by: numbers among all spans. */
static bool note(tdm_timeline_run *run, const arrow *arrows, size_t count) {
  run->arrow_from = tdm_array_raw(2 * count + 1, sizeof *run->arrow_from);
  if (run->arrow_from == NULL) return false;
  run->arrow_to = run->arrow_from + count;
  for (size_t i = 0; i < count; i++) {
    run->arrow_from[i] = arrows[i].from;
    run->arrow_to[i] = arrows[i].to;
  }
  run->arrows = count;
  return true;
}

tdm_status tdm_timeline_arrows(tdm_timeline_run *run, tdm_error *error) {
  tdm_span_links links;
  tdm_status status =
      tdm_span_links_gather(&links, run->frame->recording, &run->frame->lanes, error);
  if (status != TDM_OK) return status;
  size_t count, loose = links.loose_count;
  arrow *arrows = pair(run->frame, &links, &count);
  if (arrows != NULL) put_kinds(run, &links);
  tdm_span_links_close(&links);
  if (arrows != NULL && count > 1) qsort(arrows, count, sizeof *arrows, by_span);
  if (arrows == NULL || !put(run, arrows, count, loose) || !note(run, arrows, count))
    status = tdm_error_memory(error, "the arrows of a timeline", count * sizeof *arrows);
  free(arrows);
  return status;
}
