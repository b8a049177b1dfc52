/* Arrows between spans: edges of the source, and calls to what they launched. See inside.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/span_links.h"
#include "write/timeline/inside.h"

enum { FROM, TO, KIND, COLUMNS };

static int by_id(const void *left, const void *right) {
  const tdm_link_end *a = left, *b = right;
  if (a->id != b->id) return TDM_ORDER(a->id, b->id);
  return a->incoming - b->incoming;
}

/* Pairs of ends that have one id, by the span they leave. */
typedef struct {
  int64_t from, to, kind;
} arrow;

static int by_span(const void *left, const void *right) {
  const arrow *a = left, *b = right;
  if (a->from != b->from) return TDM_ORDER(a->from, b->from);
  if (a->to != b->to) return TDM_ORDER(a->to, b->to);
  return TDM_ORDER(a->kind, b->kind);
}

static size_t pair(const tdm_frame *f, tdm_span_links *links, arrow *arrows) {
  size_t count = 0;
  if (links->count > 1) qsort(links->end, links->count, sizeof *links->end, by_id);
  for (size_t i = 1; i < links->count; i++) {
    const tdm_link_end *a = &links->end[i - 1], *b = &links->end[i];
    if (a->id != b->id || a->incoming || !b->incoming) continue;
    arrows[count++] =
        (arrow){f->number[a->span], f->number[b->span], (int64_t)tdm_link_kind(a->id)};
  }
  if (count > 1) qsort(arrows, count, sizeof *arrows, by_span);
  return count;
}

static bool put(tdm_timeline_run *run, const tdm_span_links *links, const arrow *arrows,
                size_t count) {
  int64_t *cells = tdm_array_new(COLUMNS * (count + 1), sizeof *cells);
  int64_t *column[COLUMNS];
  if (cells == NULL) return false;
  for (size_t c = 0; c < COLUMNS; c++) column[c] = cells + c * count;
  for (size_t i = 0; i < count; i++) {
    column[FROM][i] = arrows[i].from;
    column[TO][i] = arrows[i].to;
    column[KIND][i] = arrows[i].kind;
  }
  tdm_meta_key(run->meta, "arrow_kinds");
  tdm_meta_put(run->meta, "[");
  for (uint32_t i = 0; i < links->kinds; i++) {
    tdm_meta_next(run->meta);
    tdm_meta_string(run->meta, links->kind[i]);
  }
  tdm_meta_put(run->meta, "]");
  tdm_timeline_list(run, "arrows", column, COLUMNS, count);
  tdm_meta_key(run->meta, "loose_arrows"); /* with an end where no span is: not drawn */
  tdm_meta_integer(run->meta, (int64_t)links->loose_count);
  run->arrow_from = column[FROM];
  run->arrow_to = column[TO];
  run->arrows = count;
  return true;
}

tdm_status tdm_timeline_arrows(tdm_timeline_run *run, tdm_error *error) {
  tdm_span_links links;
  tdm_status status = tdm_span_links_open(&links, run->frame->recording, &run->frame->lanes, error);
  if (status != TDM_OK) return status;
  arrow *arrows = tdm_array_new(links.count / 2 + 1, sizeof *arrows);
  if (arrows == NULL || !put(run, &links, arrows, pair(run->frame, &links, arrows)))
    status = tdm_error_memory(error, "the arrows of a timeline", links.count * sizeof *arrows);
  free(arrows);
  tdm_span_links_close(&links);
  return status;
}
