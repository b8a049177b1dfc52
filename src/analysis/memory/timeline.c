/* What each space held over time, by category; see inside.h. */
#include "analysis/memory/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"

/* Of a space: what was before the trace, the largest series, and the others. */
enum { BEFORE, FIRST, SERIES = 8, REST = SERIES - 1 };

static const tdm_field fields[] = {{"rank", TDM_FIELD_INT},
                                   {"device", TDM_FIELD_TEXT},
                                   {"category", TDM_FIELD_TEXT},
                                   {"at_ns", TDM_FIELD_INT},
                                   {"bytes", TDM_FIELD_INT}};
enum { RANK, DEVICE, CATEGORY, AT, BYTES, FIELDS };

typedef struct {
  int64_t now[SERIES], live;
  int64_t key[SERIES]; /* name ids; TDM_NONE: blocks without one */
  size_t count;        /* FIRST … count - 1 are used */
  int64_t time_ns;     /* of the moment that is not judged yet; INT64_MIN: none */
  size_t bin;          /* that it belongs to */
  int64_t *best;       /* [bins][SERIES]: the highest moment of each */
  int64_t *most;       /* [bins]: its total; INT64_MIN: none yet */
} place_line;

typedef struct {
  const tdm_memory_blocks *blocks;
  size_t bins;
  int64_t from_ns, to_ns;
  place_line *line;
} drawing;

static int64_t key_of(const tdm_memory_blocks *b, const tdm_memory_event *e) {
  return b->sum[e->space].by_kind || e->action == TDM_MEMORY_COUNTER ? e->kind : e->owner;
}

/* ---- which series ---- */

typedef struct {
  int64_t space, key, bytes;
} weight;

static int by_bytes(const void *a, const void *b) {
  const weight *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

/* Weighs by what each series holds at its own highest, so that none that matters is missed. */
static tdm_status weigh(drawing *d, tdm_groups *groups, weight **out, tdm_error *error) {
  const tdm_memory_blocks *b = d->blocks;
  const tdm_memory_events *events = b->events;
  size_t room = 0, now_room = 0;
  int64_t *now = NULL;
  tdm_status status = tdm_groups_open(groups, 2, events->count, error);
  for (uint32_t i = 0; status == TDM_OK && i < events->count; i++) {
    uint32_t ended = b->frees[i];
    const tdm_memory_event *e = &events->event[i];
    const tdm_memory_event *of =
        e->action == TDM_MEMORY_FREE && ended != TDM_MEMORY_NO_EVENT ? &events->event[ended] : e;
    int64_t key[] = {e->space, key_of(b, of)};
    size_t known = groups->count;
    uint32_t g = tdm_groups_add(groups, key);
    if (g == UINT32_MAX || !tdm_array_grow(out, &room, (size_t)g + 1, sizeof **out) ||
        !tdm_array_grow(&now, &now_room, (size_t)g + 1, sizeof *now)) {
      status = tdm_error_memory(error, "categories of memory", groups->count);
      break;
    }
    if (g == known) {
      (*out)[g] = (weight){.space = key[0], .key = key[1]};
      now[g] = 0;
    }
    now[g] = tdm_memory_add(now[g], tdm_memory_delta(b, i));
    if (now[g] > (*out)[g].bytes) (*out)[g].bytes = now[g];
  }
  free(now);
  return status;
}

static tdm_status choose(drawing *d, tdm_error *error) {
  tdm_groups groups;
  weight *weights = NULL;
  tdm_status status = weigh(d, &groups, &weights, error);
  if (status == TDM_OK && groups.count > 0) qsort(weights, groups.count, sizeof *weights, by_bytes);
  for (size_t i = 0; status == TDM_OK && i < groups.count; i++) {
    place_line *line = &d->line[weights[i].space];
    if (line->count < REST && weights[i].bytes > 0) line->key[line->count++] = weights[i].key;
  }
  free(weights);
  tdm_groups_close(&groups);
  return status;
}

static size_t series_of(const place_line *line, int64_t key) {
  for (size_t s = FIRST; s < line->count; s++)
    if (line->key[s] == key) return s;
  return REST;
}

/* ---- over time ---- */

static size_t bin_of(const drawing *d, int64_t time_ns) {
  if (time_ns <= d->from_ns) return 0;
  if (time_ns >= d->to_ns) return d->bins - 1;
  double share = (double)((uint64_t)time_ns - (uint64_t)d->from_ns) /
                 (double)((uint64_t)d->to_ns - (uint64_t)d->from_ns);
  size_t bin = (size_t)(share * (double)d->bins);
  return bin < d->bins ? bin : d->bins - 1;
}

static void judge(place_line *line, size_t bin) {
  if (line->live <= line->most[bin]) return;
  line->most[bin] = line->live;
  memcpy(line->best + bin * SERIES, line->now, sizeof line->now);
}

/* The state as it stands holds until a time: it is a candidate in all bins up to there. */
static void pass(const drawing *d, place_line *line, int64_t time_ns) {
  if (line->time_ns == time_ns) return;
  size_t to = bin_of(d, time_ns);
  if (time_ns >= d->from_ns)
    for (; line->bin < to; line->bin++) judge(line, line->bin);
  if (time_ns >= d->from_ns) judge(line, line->bin);
  line->time_ns = time_ns;
}

static void apply(const drawing *d, uint32_t i) {
  const tdm_memory_blocks *b = d->blocks;
  const tdm_memory_event *e = &b->events->event[i];
  place_line *line = &d->line[e->space];
  uint32_t ended = b->frees[i];
  if (e->time_ns <= d->to_ns) pass(d, line, e->time_ns);
  line->live = tdm_memory_live(b, i, line->live);
  if (!tdm_memory_counts(b, i)) return;
  if (e->action == TDM_MEMORY_ALLOC || e->action == TDM_MEMORY_COUNTER) {
    int64_t *now = &line->now[series_of(line, key_of(b, e))];
    *now = tdm_memory_add(*now, e->bytes);
  }
  if (ended != TDM_MEMORY_NO_EVENT) {
    const tdm_memory_event *block = &b->events->event[ended];
    int64_t *now = &line->now[series_of(line, key_of(b, block))];
    *now = tdm_memory_less(*now, block->bytes);
  }
  if (e->total != TDM_NONE && e->time_ns >= d->from_ns && e->time_ns <= d->to_ns)
    judge(line, line->bin);
}

static void draw(drawing *d) {
  const tdm_memory_events *events = d->blocks->events;
  for (uint32_t i = 0; i < events->count && events->event[i].time_ns <= d->to_ns; i++) apply(d, i);
  for (size_t p = 0; p < events->spaces; p++) {
    place_line *line = &d->line[p];
    if (!d->blocks->sum[p].any) continue;
    for (; line->bin + 1 < d->bins; line->bin++) judge(line, line->bin);
    judge(line, line->bin);
  }
}

/* ---- rows ---- */

static const char *title_of(const drawing *d, const place_line *line, size_t series) {
  if (series == BEFORE) return "before the trace";
  if (series == REST) return "other";
  if (line->key[series] == TDM_NONE) return "(not said)";
  return tdm_memory_category(d->blocks->view, line->key[series]);
}

static void put(const drawing *d, tdm_frame *frame) {
  const tdm_memory_events *events = d->blocks->events;
  int64_t step = (int64_t)(((uint64_t)d->to_ns - (uint64_t)d->from_ns) / d->bins);
  for (size_t p = 0; p < events->spaces; p++) {
    place_line *line = &d->line[p];
    if (!d->blocks->sum[p].any) continue;
    bool used[SERIES] = {false};
    for (size_t bin = 0; bin < d->bins; bin++) {
      int64_t *best = line->best + bin * SERIES, sum = 0;
      for (size_t s = FIRST; s < SERIES; s++) sum = tdm_memory_add(sum, best[s]);
      best[BEFORE] = line->most[bin] > sum ? tdm_memory_less(line->most[bin], sum) : 0;
      for (size_t s = 0; s < SERIES; s++) used[s] |= best[s] != 0;
    }
    for (size_t s = 0; s < SERIES; s++) {
      for (size_t bin = 0; used[s] && bin < d->bins; bin++) {
        tdm_frame_row(frame);
        tdm_frame_int(frame, RANK, events->space[p].rank);
        tdm_frame_text(frame, DEVICE, events->space[p].name);
        tdm_frame_text(frame, CATEGORY, title_of(d, line, s));
        tdm_frame_int(frame, AT,
                      tdm_memory_less(d->from_ns, events->first_ns) + (int64_t)bin * step);
        tdm_frame_int(frame, BYTES, line->best[bin * SERIES + s]);
      }
    }
  }
}

tdm_status tdm_memory_put_timeline(const tdm_memory_blocks *blocks, size_t bins, tdm_answer *out,
                                   tdm_error *error) {
  size_t spaces = blocks->events->spaces;
  drawing d = {.blocks = blocks, .bins = bins};
  tdm_run_view_extent(blocks->view, &d.from_ns, &d.to_ns);
  d.line = tdm_array_new(spaces + 1, sizeof *d.line);
  tdm_status status = d.line == NULL ? tdm_error_memory(error, "a timeline", spaces) : TDM_OK;
  for (size_t p = 0; status == TDM_OK && p < spaces; p++) {
    place_line *line = &d.line[p];
    line->count = FIRST;
    line->time_ns = INT64_MIN;
    line->live = blocks->sum[p].base;
    line->best = tdm_array_new(bins * SERIES, sizeof *line->best);
    line->most = tdm_array_new(bins, sizeof *line->most);
    if (line->best == NULL || line->most == NULL)
      status = tdm_error_memory(error, "a timeline", bins * SERIES * sizeof *line->best);
    for (size_t i = 0; status == TDM_OK && i < bins; i++) line->most[i] = INT64_MIN;
  }
  if (status == TDM_OK) status = choose(&d, error);
  tdm_frame *frame = tdm_answer_frame(out, "timeline", fields, FIELDS);
  if (status == TDM_OK) draw(&d);
  if (status == TDM_OK) put(&d, frame);
  for (size_t p = 0; d.line != NULL && p < spaces; p++) {
    free(d.line[p].best);
    free(d.line[p].most);
  }
  free(d.line);
  return status;
}
