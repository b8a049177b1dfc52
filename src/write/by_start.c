/* See by_start.h. */
#include "write/by_start.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

static int compare(const void *left, const void *right) {
  const tdm_row_place *a = left, *b = right;
  if (a->start_ns != b->start_ns) return TDM_ORDER(a->start_ns, b->start_ns);
  if (a->layout != b->layout) return TDM_ORDER(a->layout, b->layout);
  return TDM_ORDER(a->row, b->row);
}

tdm_row_place *tdm_rows_by_start(const tdm_recording *recording, size_t *count) {
  uint32_t layouts = tdm_recording_layouts(recording);
  *count = 0;
  for (uint32_t i = 0; i < layouts; i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(recording, i);
    if (rows != NULL) *count += rows->count;
  }
  tdm_row_place *places = tdm_array_new(*count, sizeof *places);
  size_t used = 0;
  for (uint32_t i = 0; places != NULL && i < layouts; i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(recording, i);
    for (size_t row = 0; rows != NULL && row < rows->count; row++) {
      const tdm_track *track = tdm_recording_track(recording, tdm_kept(rows, TDM_TRACK, row));
      const tdm_source *source =
          track != NULL ? tdm_recording_source(recording, track->source) : NULL;
      tdm_row_place *fresh = &places[used++];
      *fresh = (tdm_row_place){tdm_kept(rows, TDM_START, row), i, (uint32_t)row};
      if (source != NULL)
        (void)__builtin_add_overflow(fresh->start_ns, source->offset_ns, &fresh->start_ns);
    }
  }
  for (size_t i = 1; i < used; i++)
    if (compare(&places[i - 1], &places[i]) > 0) {
      qsort(places, used, sizeof *places, compare);
      break;
    }
  return places;
}
