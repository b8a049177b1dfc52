/* How often each name occurs on each track and how long in all: what search and statistics show
 * before any span is looked at. See inside.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/timeline/inside.h"

enum { NAME, TRACK, LAYOUT, COUNT, TOTAL, LONGEST, COLUMNS };

static int by_name(const void *left, const void *right) {
  const tdm_total *a = left, *b = right;
  if (a->name != b->name) return TDM_ORDER(a->name, b->name);
  if (a->track != b->track) return TDM_ORDER(a->track, b->track);
  return TDM_ORDER(a->layout, b->layout);
}

/* Totals of a name on the track that is summed up lie one behind the other: `last` has the last of
 * each name, plus one, of this track if it is not before `begin`; `before` leads on. */
typedef struct {
  tdm_total *total;
  uint32_t *before;
  size_t count, room, before_room, begin;
  uint32_t names, *last; /* [names + 1] */
  tdm_timeline_run *run;
  int64_t *block; /* of run->block_ns */
} gathering;

static tdm_total *total_of(gathering *g, uint32_t slot, uint32_t track, const tdm_frame_span *s) {
  size_t at = g->last[slot];
  for (; at > g->begin; at = g->before[at - 1])
    if (g->total[at - 1].layout == s->layout && g->total[at - 1].name == (uint32_t)s->name)
      return &g->total[at - 1];
  if (!tdm_array_grow(&g->total, &g->room, g->count + 1, sizeof *g->total) ||
      !tdm_array_grow(&g->before, &g->before_room, g->count + 1, sizeof *g->before))
    return NULL;
  g->before[g->count] = g->last[slot];
  g->last[slot] = (uint32_t)++g->count;
  g->total[g->count - 1] =
      (tdm_total){.name = (uint32_t)s->name, .track = track, .layout = s->layout, .longest_ns = -1};
  return &g->total[g->count - 1];
}

static bool gather_span(gathering *g, const tdm_frame_span *s, size_t number, uint32_t track) {
  int64_t length_ns = s->end_ns - s->start_ns;
  uint32_t slot = s->name >= 0 && s->name < g->names ? (uint32_t)s->name : g->names;
  tdm_total *total = total_of(g, slot, track, s);
  if (total == NULL) return false;
  total->count++;
  g->run->lengths.count[tdm_lengths_of(length_ns)]++;
  if (__builtin_add_overflow(total->total_ns, length_ns, &total->total_ns))
    total->total_ns = INT64_MAX; /* damaged lengths */
  if (length_ns > total->longest_ns) {
    total->longest_ns = length_ns;
    total->longest = number;
  }
  if (length_ns > *g->block) *g->block = length_ns;
  return true;
}

static bool gather_track(gathering *g, uint32_t track) {
  const tdm_frame *f = g->run->frame;
  const tdm_frame_track *t = &f->track[track];
  g->begin = g->count;
  for (uint32_t row = t->first_row; row < t->first_row + t->rows; row++) {
    for (size_t n = f->first[row]; n < f->first[row + 1]; n++) {
      tdm_frame_span s = tdm_frame_span_at(f, n);
      if (n > f->first[row] && (n - f->first[row]) % TDM_TIMELINE_FAN == 0) g->block++;
      if (!gather_span(g, &s, n, track)) return false;
    }
    g->block += f->first[row + 1] > f->first[row];
  }
  return true;
}

static size_t blocks_of(const tdm_frame *f) {
  size_t blocks = 0;
  for (uint32_t r = 0; r < f->rows; r++)
    blocks += (f->first[r + 1] - f->first[r] + TDM_TIMELINE_FAN - 1) / TDM_TIMELINE_FAN;
  return blocks;
}

tdm_status tdm_totals_find(tdm_timeline_run *run, tdm_error *error) {
  uint32_t names = tdm_recording_names(run->frame->recording);
  run->block_ns = tdm_array_new(blocks_of(run->frame), sizeof *run->block_ns);
  gathering g = {.run = run,
                 .names = names,
                 .block = run->block_ns,
                 .last = tdm_array_new((size_t)names + 1, sizeof *g.last)};
  bool fits = g.last != NULL && run->block_ns != NULL;
  for (uint32_t i = 0; fits && i < run->frame->tracks; i++) fits = gather_track(&g, i);
  free(g.last);
  free(g.before);
  if (!fits) {
    free(g.total);
    return tdm_error_memory(error, "the totals of a timeline", g.count * sizeof *g.total);
  }
  if (g.count > 1) qsort(g.total, g.count, sizeof *g.total, by_name);
  run->total = g.total;
  run->totals = g.count;
  return TDM_OK;
}

tdm_status tdm_timeline_totals(tdm_timeline_run *run, tdm_error *error) {
  size_t count = run->totals;
  const tdm_total *totals = run->total;
  int64_t *cells = tdm_array_new(COLUMNS * (count + 1), sizeof *cells);
  if (cells == NULL) return tdm_error_memory(error, "the totals of a timeline", count);
  int64_t *column[COLUMNS];
  for (size_t c = 0; c < COLUMNS; c++) column[c] = cells + c * count;
  for (size_t i = 0; i < count; i++) {
    column[NAME][i] = totals[i].name;
    column[TRACK][i] = totals[i].track;
    column[LAYOUT][i] = totals[i].layout;
    column[COUNT][i] = totals[i].count;
    column[TOTAL][i] = totals[i].total_ns;
    column[LONGEST][i] = totals[i].longest_ns;
  }
  tdm_timeline_list(run, "totals", column, run->thinning.number != NULL ? COLUMNS : LONGEST, count);
  free(cells);
  return TDM_OK;
}
