/* Levels of detail: nodes over runs of TDM_TIMELINE_FAN spans of one drawing row, nodes over those
 * nodes, and so on while a row has enough of them. See inside.h.
 *
 * A node tells from when to when, how long of that is busy, how many spans, and which name (with
 * its layout) takes most of the time; of two that take as much, the first. Of a node over nodes
 * that is the name with most time by theirs: an estimate, exact counts are in the totals. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "write/timeline/inside.h"

enum { START, END, BUSY, NAME, LAYOUT, COUNT, SHARE, COLUMNS };
enum { WRITTEN = SHARE }; /* columns; a name's own time is needed only to build on */
enum { FIRST_UNDER = WRITTEN, UNDER, WRITTEN_MOST }; /* of the lowest nodes of a thinned run */
enum { WORTH_IT = 4 };                               /* nodes of a level that a row must have */

typedef struct {
  int64_t *column[COLUMNS];
  size_t *first; /* [rows + 1] of each row's nodes; rows without this level have none */
  size_t count;
} level;

static void close_level(level *l) {
  for (int c = 0; c < COLUMNS; c++) free(l->column[c]);
  free(l->first);
  *l = (level){0};
}

size_t tdm_timeline_nodes(size_t below) {
  return below > TDM_TIMELINE_FAN * WORTH_IT ? (below + TDM_TIMELINE_FAN - 1) / TDM_TIMELINE_FAN
                                             : 0;
}

static bool open_level(level *l, const size_t *below, uint32_t rows) {
  *l = (level){.first = tdm_array_new((size_t)rows + 1, sizeof *l->first)};
  if (l->first == NULL) return false;
  for (uint32_t r = 0; r < rows; r++)
    l->first[r + 1] = l->first[r] + tdm_timeline_nodes(below[r + 1] - below[r]);
  l->count = l->first[rows];
  for (int c = 0; c < COLUMNS; c++)
    if ((l->column[c] = tdm_array_new(l->count, sizeof(int64_t))) == NULL) return false;
  return true;
}

typedef struct {
  int64_t start_ns, end_ns, busy_ns, name, layout, count, share_ns;
} node;

static node span_node(const tdm_frame *f, size_t number) {
  tdm_frame_span s = tdm_frame_span_at(f, number);
  int64_t dur_ns = s.end_ns - s.start_ns;
  return (node){s.start_ns, s.end_ns, dur_ns, s.name, s.layout, 1, dur_ns};
}

static node level_node(const level *l, size_t i) {
  return (node){l->column[START][i],  l->column[END][i],   l->column[BUSY][i], l->column[NAME][i],
                l->column[LAYOUT][i], l->column[COUNT][i], l->column[SHARE][i]};
}

/* The name that takes most time of `count` ≤ fan nodes; of names that take as much the first. */
static size_t heaviest(const node *nodes, size_t count, int64_t *share_ns) {
  size_t first[TDM_TIMELINE_FAN] = {0}, names = 0, best = 0;
  int64_t sum_ns[TDM_TIMELINE_FAN] = {0};
  for (size_t i = 0; i < count; i++) {
    size_t at = 0;
    while (at < names && nodes[first[at]].name != nodes[i].name) at++;
    if (at == names) first[names++] = i;
    sum_ns[at] += nodes[i].share_ns;
  }
  for (size_t at = 1; at < names; at++)
    if (sum_ns[at] > sum_ns[best]) best = at;
  *share_ns = sum_ns[best];
  return first[best];
}

static void put_node(level *l, size_t at, const node *nodes, size_t count) {
  int64_t busy_ns = 0, spans = 0, share_ns;
  for (size_t i = 0; i < count; i++) {
    busy_ns += nodes[i].busy_ns;
    spans += nodes[i].count;
  }
  size_t best = heaviest(nodes, count, &share_ns);
  l->column[START][at] = nodes[0].start_ns;
  l->column[END][at] = nodes[count - 1].end_ns;
  l->column[BUSY][at] = busy_ns;
  l->column[NAME][at] = nodes[best].name;
  l->column[LAYOUT][at] = nodes[best].layout;
  l->column[COUNT][at] = spans;
  l->column[SHARE][at] = share_ns;
}

/* `under`: the level below, or NULL over the spans. */
static void fill(level *l, const tdm_frame *f, const level *under, const size_t *below) {
  node nodes[TDM_TIMELINE_FAN];
  for (uint32_t r = 0; r < f->rows; r++)
    for (size_t at = l->first[r]; at < l->first[r + 1]; at++) {
      size_t from = below[r] + (at - l->first[r]) * TDM_TIMELINE_FAN, count = 0;
      for (; count < TDM_TIMELINE_FAN && from + count < below[r + 1]; count++)
        nodes[count] = under == NULL ? span_node(f, from + count) : level_node(under, from + count);
      put_node(l, at, nodes, count);
    }
}

/* Of a thinned run: nodes of rows that end lower are left out below the level of long rows. */
static bool is_written(const tdm_thinning *t, uint32_t row, unsigned number) {
  return t->number == NULL || number >= t->bottom[row];
}

/* What is written under the nodes of a row: from which place on, and how many. */
static void put_under(const tdm_timeline_run *run, uint32_t row, size_t fan, int64_t *first,
                      int64_t *count, size_t nodes) {
  const tdm_thinning *t = &run->thinning;
  size_t at = t->first[row], end = t->first[row + 1], begin = run->frame->first[row];
  for (size_t i = 0; i < nodes; i++) {
    size_t from = at;
    while (at < end && t->number[at] < begin + (i + 1) * fan) at++;
    first[i] = (int64_t)from;
    count[i] = (int64_t)(at - from);
  }
}

/* In the file a moment is the gap to the node before it in its block, and busy what is idle. */
static void put_cell(const level *l, size_t i, int64_t *const *column, size_t at, int64_t before) {
  int64_t start_ns = l->column[START][i], end_ns = l->column[END][i];
  column[START][at] = tdm_timeline_gap(start_ns, before);
  column[END][at] = tdm_timeline_gap(end_ns, start_ns);
  column[BUSY][at] = tdm_timeline_gap(column[END][at], l->column[BUSY][i]);
  for (int c = NAME; c < WRITTEN; c++) column[c][at] = l->column[c][i];
}

/* `fan`: spans under a node. */
static bool put_level(tdm_timeline_run *run, const level *l, unsigned number, size_t fan) {
  const tdm_thinning *t = &run->thinning;
  bool lowest = t->number != NULL && number <= t->level;
  uint32_t columns = lowest ? WRITTEN_MOST : WRITTEN;
  int64_t *cells = tdm_array_new(l->count * columns, sizeof *cells);
  int64_t *column[WRITTEN_MOST], before = 0;
  if (cells == NULL) return false;
  for (uint32_t c = 0; c < columns; c++) column[c] = cells + c * l->count;
  size_t at = 0;
  for (uint32_t r = 0; r < run->frame->rows; r++) {
    size_t first = l->first[r], nodes = l->first[r + 1] - first;
    if (!is_written(t, r, number)) continue;
    if (lowest) put_under(run, r, fan, column[FIRST_UNDER] + at, column[UNDER] + at, nodes);
    for (size_t i = first; i < first + nodes; i++, at++) {
      put_cell(l, i, column, at, at % TDM_CHUNK_ROWS > 0 ? before : 0);
      before = l->column[END][i];
    }
  }
  tdm_timeline_list(run, NULL, column, columns, at);
  free(cells);
  return true;
}

tdm_status tdm_timeline_pyramid(tdm_timeline_run *run, tdm_error *error) {
  const tdm_frame *f = run->frame;
  level under = {0}, over = {0};
  const size_t *below = f->first;
  bool fits = true;
  unsigned number = 0;
  size_t fan = 1;
  tdm_meta_key(run->meta, "levels");
  tdm_meta_put(run->meta, "[");
  for (bool bottom = true;; bottom = false) {
    fits = open_level(&over, below, f->rows);
    if (!fits || over.count == 0) break;
    fill(&over, f, bottom ? NULL : &under, below);
    fan *= TDM_TIMELINE_FAN;
    fits = put_level(run, &over, ++number, fan);
    if (!fits) break;
    close_level(&under);
    under = over;
    over = (level){0};
    below = under.first;
  }
  tdm_meta_put(run->meta, "]");
  close_level(&under);
  close_level(&over);
  return fits ? TDM_OK : tdm_error_memory(error, "the levels of a timeline", f->rows);
}
