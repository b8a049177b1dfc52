/* See span_links.h. */
#include "write/span_links.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/natural_order.h"
#include "base/order.h"

/* A call or a piece of GPU work with a correlation. */
typedef struct {
  int64_t correlation;
  uint32_t span;
  uint32_t track : 31, launched : 1;
} correlated;

typedef struct {
  tdm_span_links *links;
  const tdm_recording *recording;
  const tdm_lanes *lanes;
  uint32_t *below;      /* [spans] the span a span lies in on its sub-lane, + 1 */
  char *tied;           /* [sources] whether it has its own edges from the CPU to the GPU */
  uint32_t correlation; /* kind */
  correlated *both;
  size_t count;
} linking;

void tdm_span_links_close(tdm_span_links *links) {
  free(links->end);
  free(links->loose);
  *links = (tdm_span_links){0};
}

static int64_t start_of(const linking *l, size_t span) {
  const tdm_laid_span *at = &l->lanes->span[span];
  return tdm_kept(tdm_recording_rows(l->recording, at->layout), TDM_START, at->row);
}

static int64_t end_of(const linking *l, size_t span) {
  const tdm_laid_span *at = &l->lanes->span[span];
  return tdm_lanes_end(tdm_recording_rows(l->recording, at->layout), at->row);
}

/* The number of a kind of arrow. */
static uint32_t kind_of(tdm_span_links *links, const char *name) {
  for (uint32_t i = 0; i < links->kinds; i++)
    if (strcmp(links->kind[i], name) == 0) return i;
  if (links->kinds == TDM_LINK_KINDS) return TDM_LINK_KINDS - 1;
  links->kind[links->kinds] = name;
  return links->kinds++;
}

static int add_end(tdm_span_links *links, uint64_t id, size_t span, bool incoming) {
  if (!tdm_array_grow(&links->end, &links->room, links->count + 1, sizeof *links->end)) return 0;
  links->end[links->count++] = (tdm_link_end){id, (uint32_t)span, incoming};
  return 1;
}

/* ---- edges ---- */

/* Which span each lies in: the last one before it on its sub-lane that is one less deep. */
static int find_below(linking *l) {
  const tdm_lanes *lanes = l->lanes;
  uint32_t widest = 0;
  for (uint32_t t = 0; t < lanes->tracks; t++)
    if (lanes->lanes[t] > widest) widest = lanes->lanes[t];
  uint32_t *last = tdm_array_new(widest, sizeof *last); /* + 1, on each lane */
  l->below = tdm_array_new(lanes->count, sizeof *l->below);
  for (uint32_t t = 0; last != NULL && l->below != NULL && t < lanes->tracks; t++) {
    memset(last, 0, lanes->lanes[t] * sizeof *last);
    for (size_t i = lanes->first[t]; i < lanes->first[t + 1]; i++) {
      const tdm_laid_span *at = &lanes->span[i];
      uint32_t up = last[at->lane];
      while (up > 0 && lanes->span[up - 1].depth >= at->depth) up = l->below[up - 1];
      l->below[i] = up;
      last[at->lane] = (uint32_t)i + 1;
    }
  }
  free(last);
  return last != NULL && l->below != NULL;
}

/* The span that is open at a time on a track. False: none. */
static int find_open(const linking *l, uint32_t track, int64_t time_ns, size_t *span) {
  size_t low = l->lanes->first[track], high = l->lanes->first[track + 1], first = low;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (start_of(l, middle) <= time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == first) return 0;
  for (uint32_t at = (uint32_t)low; at > 0; at = l->below[at - 1])
    if (end_of(l, at - 1) >= time_ns) {
      *span = at - 1;
      return 1;
    }
  return 0;
}

static int add_point(linking *l, uint64_t id, int64_t track, int64_t time_ns, bool incoming) {
  tdm_span_links *links = l->links;
  size_t span;
  if (track < 0 || track >= l->lanes->tracks) return 1;
  if (find_open(l, (uint32_t)track, time_ns, &span)) return add_end(links, id, span, incoming);
  if (!tdm_array_grow(&links->loose, &links->loose_room, links->loose_count + 1,
                      sizeof *links->loose))
    return 0;
  links->loose[links->loose_count++] = (tdm_loose_end){id, time_ns, (uint32_t)track, incoming};
  return 1;
}

static int from_cpu_to_gpu(const char *kind) {
  return strcmp(kind, "ac2g") == 0 || strcmp(kind, "async_cpu_to_gpu") == 0 ||
         strcmp(kind, "correlation") == 0;
}

static int add_edges(linking *l, const tdm_kept_rows *rows) {
  if (rows->count > 0 && l->below == NULL && !find_below(l)) return 0;
  for (size_t row = 0; row < rows->count; row++) {
    const char *name = tdm_recording_name(l->recording, tdm_kept(rows, TDM_NAME, row), NULL);
    int64_t from = tdm_kept(rows, TDM_TRACK, row), at = tdm_kept(rows, TDM_START, row), arrival;
    if (__builtin_add_overflow(at, tdm_kept(rows, TDM_DUR, row), &arrival)) continue;
    if (name == NULL) name = "flow";
    const tdm_track *track = tdm_recording_track(l->recording, from);
    if (track != NULL && from_cpu_to_gpu(name)) l->tied[track->source] = 1;
    uint64_t id = (uint64_t)kind_of(l->links, name) << 48 | ++l->links->numbers;
    if (!add_point(l, id, from, at, 0) ||
        !add_point(l, id, tdm_kept(rows, TDM_ARGS, row), arrival, 1))
      return 0;
  }
  return 1;
}

/* ---- correlations ---- */

enum { MANY = 1000000 /* worth a look at what can go back to the system */ };

/* 1: a call, 2: work of the GPU, 0: neither. */
static int side_of(const char *category) {
  static const char *const calls[] = {"runtime", "driver"};
  static const char *const work[] = {"kernel", "memcpy", "memset", "graph"};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (strcmp(category, calls[i]) == 0) return 1;
  for (size_t i = 0; i < sizeof work / sizeof *work; i++)
    if (strcmp(category, work[i]) == 0) return 2;
  return 0;
}

/* By source and process, then correlation; a call before what it launched. */
static int compare_joined(const linking *l, const correlated *p, const correlated *q) {
  const tdm_track *a = tdm_recording_track(l->recording, p->track);
  const tdm_track *b = tdm_recording_track(l->recording, q->track);
  if (a->source != b->source) return TDM_ORDER(a->source, b->source);
  if (a->pid != b->pid) return TDM_ORDER(a->pid, b->pid);
  return TDM_ORDER(p->correlation, q->correlation);
}

static bool is_wrong(const void *context, uint32_t a, uint32_t b) {
  const linking *l = context;
  const correlated *p = &l->both[a], *q = &l->both[b];
  int order = compare_joined(l, p, q);
  if (order != 0) return order > 0;
  return p->launched != q->launched ? p->launched != 0 : p->span > q->span;
}

/* All that have one, track by track; `both` NULL: they are counted. */
static void gather(linking *l, const uint32_t *column, const char *side) {
  l->count = 0;
  for (uint32_t track = 0; track < l->lanes->tracks; track++) {
    const tdm_track *about = tdm_recording_track(l->recording, track);
    if (about == NULL || l->tied[about->source]) continue;
    for (size_t i = l->lanes->first[track]; i < l->lanes->first[track + 1]; i++) {
      const tdm_laid_span *at = &l->lanes->span[i];
      if (side[at->layout] == 0) continue;
      int64_t id =
          tdm_kept(tdm_recording_rows(l->recording, at->layout), column[at->layout], at->row);
      if (id == TDM_NONE || id == 0) continue; /* CUPTI's 0: none */
      if (l->both != NULL)
        l->both[l->count] =
            (correlated){id, (uint32_t)i, track & 0x7FFFFFFF, side[at->layout] == 2};
      l->count++;
    }
  }
}

/* The call and the work of every pair, in the order that joins them (NULL: as they came), to
 * `pairs`, which has room for each work's; how many spans these are. */
static size_t pair_up(const linking *l, const uint32_t *order, uint32_t *pairs) {
  const correlated *call = NULL;
  size_t count = 0;
  for (size_t i = 0; i < l->count; i++) {
    const correlated *w = &l->both[order != NULL ? order[i] : i];
    bool same = call != NULL && compare_joined(l, call, w) == 0;
    if (!same) call = w; /* of several calls the first */
    if (!same || !w->launched || call->launched) continue;
    pairs[count++] = call->span;
    pairs[count++] = w->span;
  }
  return count;
}

static int add_pairs(tdm_span_links *links, const uint32_t *pairs, size_t count) {
  if (!tdm_array_grow(&links->end, &links->room, links->count + count, sizeof *links->end))
    return 0;
  for (size_t i = 0; i < count; i += 2) {
    uint64_t id = (uint64_t)kind_of(links, "correlation") << 48 | ++links->numbers;
    if (!add_end(links, id, pairs[i], false) || !add_end(links, id, pairs[i + 1], true)) return 0;
  }
  return 1;
}

/* What joins them goes before the ends are made, which are as many bytes. */
static int join(linking *l) {
  bool sorted;
  uint32_t *order = tdm_natural_order(l->count, is_wrong, l, &sorted);
  if (order == NULL && !sorted) return 0;
  size_t works = 0, count = 0;
  for (size_t i = 0; i < l->count; i++) works += l->both[i].launched;
  uint32_t *pairs = tdm_array_raw(2 * works + 1, sizeof *pairs);
  if (pairs != NULL) count = pair_up(l, order, pairs);
  free(order);
  free(l->both);
  l->both = NULL;
  if (l->count > MANY) tdm_memory_return();
  int fits = pairs != NULL && add_pairs(l->links, pairs, count);
  free(pairs);
  return fits;
}

static int add_correlations(linking *l) {
  if (l->lanes->count > MANY) tdm_memory_return(); /* of what was done before: this needs most */
  uint32_t layouts = tdm_recording_layouts(l->recording);
  uint32_t *column = tdm_array_new(layouts, sizeof *column);
  char *side = tdm_array_new(layouts, 1);
  int fits = column != NULL && side != NULL;
  for (uint32_t i = 0; fits && i < layouts; i++) {
    const tdm_layout *layout = tdm_recording_layout(l->recording, i);
    if (layout == NULL) continue;
    column[i] = tdm_layout_column(layout, "correlation");
    side[i] = column[i] > 0 ? (char)side_of(layout->category) : 0;
  }
  if (fits) gather(l, column, side);
  if (fits) l->both = tdm_array_raw(l->count + 1, sizeof *l->both);
  fits = fits && l->both != NULL;
  if (fits) gather(l, column, side);
  free(column);
  free(side);
  return fits && join(l);
}

static int by_span(const void *a, const void *b) {
  const tdm_link_end *p = a, *q = b;
  if (p->span != q->span) return TDM_ORDER(p->span, q->span);
  return TDM_ORDER(p->id, q->id);
}

tdm_status tdm_span_links_gather(tdm_span_links *links, const tdm_recording *recording,
                                 const tdm_lanes *lanes, tdm_error *error) {
  *links = (tdm_span_links){0};
  linking l = {.links = links, .recording = recording, .lanes = lanes};
  if (lanes->count >= UINT32_MAX)
    return tdm_error_set(error, TDM_LIMIT, "more than %u spans in one trace", UINT32_MAX - 1);
  uint32_t sources = tdm_recording_sources(recording);
  for (uint32_t t = 0; t < lanes->tracks; t++) {
    const tdm_track *track = tdm_recording_track(recording, t);
    if (track != NULL && track->source >= sources) sources = track->source + 1;
  }
  l.tied = tdm_array_new(sources, 1);
  int fits = l.tied != NULL;
  for (uint32_t i = 0; fits && i < tdm_recording_layouts(recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(recording, i);
    if (layout != NULL && layout->shape == TDM_SHAPE_EDGE && layout->args > 0)
      fits = add_edges(&l, tdm_recording_rows(recording, i));
  }
  fits = fits && add_correlations(&l);
  free(l.tied);
  free(l.below);
  free(l.both);
  if (fits) return TDM_OK;
  tdm_span_links_close(links);
  return tdm_error_memory(error, "the arrows of a trace", lanes->count * sizeof(uint32_t));
}

tdm_status tdm_span_links_open(tdm_span_links *links, const tdm_recording *recording,
                               const tdm_lanes *lanes, tdm_error *error) {
  tdm_status status = tdm_span_links_gather(links, recording, lanes, error);
  if (status == TDM_OK && links->count > 1)
    qsort(links->end, links->count, sizeof *links->end, by_span);
  return status;
}

size_t tdm_span_links_find(const tdm_span_links *links, size_t span) {
  size_t low = 0, high = links->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (links->end[middle].span < span)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
