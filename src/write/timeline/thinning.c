/* Which spans of a run are written where it has more than are wanted; see inside.h.
 *
 * Nodes over all spans are written from a level on that has few enough of them, and of the spans
 * - those of rows without nodes,
 * - all under nodes that take at least a PIXEL of the run, or of these the longest: where spans
 * stand apart, so that the picture of all of the time is as it would be with every span,
 * - the longest, as many as there is room for,
 * - the longest of each group of neighbours, and the longest of each name on each track,
 * - those that begin or end at one of the moments that somebody points at.
 * A page draws a node by its share of busy time where spans under it are missing.
 *
 * Owns the list of spans that are written. */
#include <limits.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "write/timeline/inside.h"

/* Shares of what is wanted: of it the nodes and those of names; of what is left a group's longest
 * and those that stand apart. */
enum {
  NODES_PART = 2,
  NODES_OF = 5,
  NAMES_OF = 8,
  GROUPS_OF = 4,
  APART_PART = 2,
  APART_OF = 3,
  PIXEL = 4096
};

typedef struct {
  tdm_timeline_run *run;
  const tdm_timeline_wish *wish;
  tdm_thinning *out;
  uint64_t *kept;     /* a bit for each span */
  uint64_t *sieve;    /* a bit for each moment's hash */
  int64_t *length;    /* [nodes] of the lowest nodes, row by row */
  size_t nodes, room; /* room: spans that may be written */
  int64_t apart_ns;   /* nodes that take as long are written whole */
} job;

size_t tdm_thinning_spans(const tdm_timeline_run *run) {
  return run->thinning.number != NULL ? run->thinning.count : run->frame->lanes.count;
}

size_t tdm_thinning_place(const tdm_timeline_run *run, size_t number) {
  const tdm_thinning *t = &run->thinning;
  size_t low = 0, high = t->count;
  if (t->number == NULL) return number;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (t->number[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < t->count && t->number[low] == number ? low : SIZE_MAX;
}

/* Spans under a node of a level. */
static size_t under(unsigned level) {
  size_t spans = 1;
  for (; level > 0 && spans <= SIZE_MAX / TDM_TIMELINE_FAN; level--) spans *= TDM_TIMELINE_FAN;
  return spans;
}

size_t tdm_thinning_stretch(const tdm_timeline_run *run, uint32_t row, size_t n) {
  const tdm_thinning *t = &run->thinning;
  size_t begin = run->frame->first[row], row_end = run->frame->first[row + 1], end;
  if (t->number == NULL) {
    end = n - n % TDM_CHUNK_ROWS + TDM_CHUNK_ROWS;
  } else if (t->bottom[row] == 0) {
    end = row_end;
  } else {
    size_t fan = under(t->bottom[row]), stretch = t->stretch > fan ? t->stretch : fan;
    end = begin + ((n - begin) / stretch + 1) * stretch;
  }
  return end < row_end ? end : row_end;
}

/* ---- the lowest nodes */

static unsigned top_level(size_t spans) {
  unsigned level = 0;
  while ((spans = tdm_timeline_nodes(spans)) > 0) level++;
  return level;
}

/* Nodes that a row has at a level. */
static size_t nodes_at(size_t spans, unsigned level) {
  for (; level > 0; level--) spans = tdm_timeline_nodes(spans);
  return spans;
}

/* The lowest level with few enough nodes, for each row the same or its highest. */
static bool find_bottoms(job *j) {
  const tdm_frame *f = j->run->frame;
  j->out->bottom = tdm_array_new(f->rows, 1);
  if (j->out->bottom == NULL) return false;
  unsigned highest = 0;
  for (uint32_t r = 0; r < f->rows; r++) {
    unsigned level = top_level(f->first[r + 1] - f->first[r]);
    if (level > highest) highest = level;
  }
  size_t nodes = 0, whole = 0, most = j->wish->most / NODES_OF * NODES_PART;
  for (unsigned level = 1;; level++) {
    nodes = whole = 0;
    for (uint32_t r = 0; r < f->rows; r++) {
      size_t spans = f->first[r + 1] - f->first[r];
      unsigned top = top_level(spans);
      j->out->bottom[r] = (unsigned char)(top < level ? top : level);
      if (top == 0)
        whole += spans;
      else
        nodes += nodes_at(spans, j->out->bottom[r]);
    }
    j->out->level = level;
    if (nodes <= most || level >= highest) break;
  }
  j->nodes = nodes;
  j->room = nodes + whole < j->wish->most ? j->wish->most - nodes - whole : 0;
  return true;
}

static bool find_lengths(job *j) {
  const tdm_frame *f = j->run->frame;
  j->length = tdm_array_new(j->nodes, sizeof *j->length);
  if (j->length == NULL) return false;
  size_t at = 0;
  for (uint32_t r = 0; r < f->rows; r++) {
    size_t fan = under(j->out->bottom[r]), end = f->first[r + 1];
    if (fan == 1) continue;
    for (size_t n = f->first[r]; n < end; n += fan) {
      size_t last = n + fan < end ? n + fan - 1 : end - 1;
      j->length[at++] =
          tdm_timeline_gap(tdm_frame_span_at(f, last).end_ns, tdm_frame_span_at(f, n).start_ns);
    }
  }
  return true;
}

typedef struct {
  int64_t length_ns;
  size_t spans;
} sized;

static int longest_first(const void *left, const void *right) {
  const sized *a = left, *b = right;
  return TDM_ORDER(b->length_ns, a->length_ns);
}

/* From which length on all spans under a node are written; of nodes as long all or none. */
static bool find_apart(job *j) {
  const tdm_frame *f = j->run->frame;
  sized *node = tdm_array_new(j->nodes, sizeof *node);
  if (node == NULL) return false;
  size_t at = 0, spans = 0, fits = 0;
  for (uint32_t r = 0; r < f->rows; r++) {
    size_t fan = under(j->out->bottom[r]), end = f->first[r + 1];
    if (fan == 1) continue;
    for (size_t n = f->first[r]; n < end; n += fan, at++)
      node[at] = (sized){j->length[at], end - n < fan ? end - n : fan};
  }
  if (at > 1) qsort(node, at, sizeof *node, longest_first);
  int64_t pixel_ns = tdm_frame_length(f) / PIXEL + 1;
  for (; fits < at && spans + node[fits].spans <= j->room / APART_OF * APART_PART; fits++) {
    if (node[fits].length_ns < pixel_ns) break;
    spans += node[fits].spans;
  }
  for (; fits > 0 && fits < at && node[fits - 1].length_ns == node[fits].length_ns; fits--)
    spans -= node[fits - 1].spans;
  j->apart_ns = fits > 0 ? node[fits - 1].length_ns : INT64_MAX;
  j->room -= spans;
  free(node);
  return true;
}

/* From which length on all spans are written, to 3 %; more of the others if there is room left. */
static void find_long(job *j) {
  const tdm_lengths *lengths = &j->run->lengths;
  size_t spans = 0, at = TDM_LENGTHS, groups = j->run->frame->lanes.count / j->out->group;
  while (at > 0 && spans + lengths->count[at - 1] + groups <= j->room)
    spans += lengths->count[--at];
  j->out->whole_ns = at < TDM_LENGTHS ? tdm_lengths_least(at) : INT64_MAX;
  if (j->apart_ns < j->out->whole_ns) j->out->whole_ns = j->apart_ns;
  size_t left = j->room - spans, least = under(j->out->level);
  while (j->out->group > least && j->run->frame->lanes.count / j->out->group * 2 <= left)
    j->out->group /= 2;
}

/* ---- spans */

static void keep(job *j, size_t number) {
  j->kept[number / 64] |= UINT64_C(1) << number % 64;
}

/* Whether a moment lies within [from, to], nanoseconds from the origin. */
static bool has_moment(const job *j, int64_t from_ns, int64_t to_ns) {
  uint64_t origin = (uint64_t)j->run->frame->origin_ns;
  int64_t from = (int64_t)((uint64_t)from_ns + origin), to = (int64_t)((uint64_t)to_ns + origin);
  size_t low = 0, high = j->wish->moments;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (j->wish->moment[middle] < from)
      low = middle + 1;
    else
      high = middle;
  }
  return low < j->wish->moments && j->wish->moment[low] <= to;
}

static int64_t length_of(const tdm_frame *f, size_t number) {
  tdm_frame_span span = tdm_frame_span_at(f, number);
  return tdm_timeline_gap(span.end_ns, span.start_ns);
}

/* One by one, of spans of which some may stay. */
static void keep_some(job *j, size_t from, size_t to) {
  for (size_t n = from; n < to; n++) {
    tdm_frame_span span = tdm_frame_span_at(j->run->frame, n);
    if (span.end_ns - span.start_ns >= j->out->whole_ns ||
        has_moment(j, span.start_ns, span.start_ns) || has_moment(j, span.end_ns, span.end_ns))
      keep(j, n);
  }
}

/* Spans in a row of which some may stay, as they come in blocks; of most the longest is enough. */
static void keep_block(job *j, size_t from, size_t to, int64_t longest_ns, int64_t node_ns) {
  const tdm_frame *f = j->run->frame;
  if (node_ns >= j->apart_ns) {
    for (size_t n = from; n < to; n++) keep(j, n);
  } else if (longest_ns >= j->out->whole_ns ||
             (j->wish->moments > 0 && has_moment(j, tdm_frame_span_at(f, from).start_ns,
                                                 tdm_frame_span_at(f, to - 1).end_ns))) {
    keep_some(j, from, to);
  }
}

/* The first span of a block that is as long. */
static void keep_longest(job *j, size_t from, int64_t longest_ns) {
  while (length_of(j->run->frame, from) < longest_ns) from++;
  keep(j, from);
}

/* `at`: the row's first node within the lengths; `block`: of its blocks' longest. */
static void keep_of_row(job *j, uint32_t row, size_t at, const int64_t *block) {
  const tdm_frame *f = j->run->frame;
  size_t begin = f->first[row], end = f->first[row + 1], fan = under(j->out->bottom[row]), best = 0;
  int64_t most_ns = -1;
  if (fan == 1)
    for (size_t n = begin; n < end; n++) keep(j, n);
  for (size_t from = begin; fan > 1 && from < end; from += TDM_TIMELINE_FAN, block++) {
    size_t to = end - from < TDM_TIMELINE_FAN ? end : from + TDM_TIMELINE_FAN;
    if (from > begin && (from - begin) % j->out->group == 0) {
      keep_longest(j, best, most_ns);
      most_ns = -1;
    }
    if (*block > most_ns) {
      most_ns = *block;
      best = from;
    }
    keep_block(j, from, to, *block, j->length[at + (from - begin) / fan]);
  }
  if (most_ns >= 0) keep_longest(j, best, most_ns);
}

static int most_time_first(const void *left, const void *right) {
  const tdm_total *const *a = left, *const *b = right;
  if ((*a)->total_ns != (*b)->total_ns) return TDM_ORDER((*b)->total_ns, (*a)->total_ns);
  return TDM_ORDER(*a, *b);
}

/* The longest of each name; of too many names those with most time. */
static bool keep_of_names(job *j) {
  const tdm_timeline_run *run = j->run;
  size_t most = j->wish->most / NAMES_OF;
  const tdm_total **order = tdm_array_new(run->totals, sizeof(const tdm_total *));
  if (order == NULL) return false;
  for (size_t i = 0; i < run->totals; i++) order[i] = &run->total[i];
  if (run->totals > most) qsort(order, run->totals, sizeof(const tdm_total *), most_time_first);
  for (size_t i = 0; i < run->totals && i < most; i++) keep(j, order[i]->longest);
  free(order);
  return true;
}

/* The list of those that are kept, and where each row's begin. */
static bool list_kept(job *j) {
  const tdm_frame *f = j->run->frame;
  size_t count = 0, words = f->lanes.count / 64 + 1;
  for (size_t i = 0; i < words; i++) count += (size_t)__builtin_popcountll(j->kept[i]);
  j->out->number = tdm_array_new(count, sizeof *j->out->number);
  j->out->first = tdm_array_new((size_t)f->rows + 1, sizeof *j->out->first);
  if (j->out->number == NULL || j->out->first == NULL) return false;
  for (size_t i = 0; i < words; i++)
    for (uint64_t bits = j->kept[i]; bits != 0; bits &= bits - 1)
      j->out->number[j->out->count++] = (uint32_t)(64 * i + (size_t)__builtin_ctzll(bits));
  size_t at = 0;
  for (uint32_t r = 0; r < f->rows; r++) {
    while (at < count && j->out->number[at] < f->first[r]) at++;
    j->out->first[r] = at;
  }
  j->out->first[f->rows] = count;
  return true;
}

static bool choose(job *j) {
  const tdm_frame *f = j->run->frame;
  if (!find_bottoms(j) || !find_lengths(j)) return false;
  j->kept = tdm_array_new(f->lanes.count / 64 + 1, sizeof *j->kept);
  if (j->kept == NULL) return false;
  j->out->group = under(j->out->level);
  while (j->out->group < f->lanes.count && f->lanes.count / j->out->group > j->room / GROUPS_OF)
    j->out->group *= 2;
  j->out->stretch = TDM_CHUNK_ROWS;
  if (!find_apart(j)) return false;
  find_long(j);
  const int64_t *block = j->run->block_ns;
  for (size_t at = 0, r = 0; r < f->rows; r++) {
    size_t spans = f->first[r + 1] - f->first[r];
    keep_of_row(j, (uint32_t)r, at, block);
    block += (spans + TDM_TIMELINE_FAN - 1) / TDM_TIMELINE_FAN;
    if (j->out->bottom[r] > 0) at += nodes_at(spans, j->out->bottom[r]);
  }
  return keep_of_names(j) && list_kept(j);
}

tdm_status tdm_thinning_choose(tdm_timeline_run *run, const tdm_timeline_wish *wish,
                               tdm_error *error) {
  job j = {.run = run, .wish = wish, .out = &run->thinning};
  if (wish == NULL || run->frame->lanes.count <= wish->most) return TDM_OK;
  bool fits = choose(&j);
  free(j.kept);
  free(j.length);
  return fits ? TDM_OK : tdm_error_memory(error, "a timeline", run->frame->lanes.count);
}

void tdm_thinning_close(tdm_thinning *t) {
  free(t->number);
  free(t->first);
  free(t->bottom);
  *t = (tdm_thinning){0};
}

static void put_integer(tdm_meta *meta, const char *key, int64_t value) {
  tdm_meta_key(meta, key);
  tdm_meta_integer(meta, value);
}

tdm_status tdm_timeline_thinning(tdm_timeline_run *run, tdm_error *error) {
  const tdm_thinning *t = &run->thinning;
  uint32_t rows = run->frame->rows;
  if (t->number == NULL) return TDM_OK;
  int64_t *counts = tdm_array_new(rows, sizeof *counts);
  if (counts == NULL) return tdm_error_memory(error, "a timeline", rows * sizeof *counts);
  for (uint32_t r = 0; r < rows; r++) counts[r] = (int64_t)(t->first[r + 1] - t->first[r]);
  tdm_meta_key(run->meta, "thinned");
  tdm_meta_put(run->meta, "{");
  put_integer(run->meta, "spans", (int64_t)t->count);
  put_integer(run->meta, "level", t->level);
  if (t->whole_ns != INT64_MAX) put_integer(run->meta, "whole_ns", t->whole_ns);
  put_integer(run->meta, "group", (int64_t)t->group);
  tdm_timeline_list(run, "rows", &counts, 1, rows);
  tdm_meta_put(run->meta, "}");
  free(counts);
  return TDM_OK;
}
