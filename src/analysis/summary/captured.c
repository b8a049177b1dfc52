/* See captured.h. */
#include "analysis/summary/captured.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DOES_NOTHING, BEGINS, ENDS, LAUNCHES_GRAPH, LAUNCHES, COPIES, SETS };
enum { KEY_COPY = -2, KEY_SET = -3, KEY_UNNAMED = -4 }; /* in place of a kernel's name */

static const char *const named_categories[] = {"runtime", "driver", NULL};
static const tdm_arg named_keys[] = {{"kernel", TDM_ARG_TEXT}, {NULL, TDM_ARG_INT}};
static const tdm_wanted named_calls = {.categories = named_categories, .keys = named_keys};

/* A node, or the call that made it. */
typedef struct {
  int64_t key; /* the kernel's name, or one of the above */
  uint32_t position, row;
} item;

typedef struct {
  item *item; /* by key, then by position */
  size_t count;
  int64_t track;
  bool named; /* all its kernels have names */
} capture;

typedef struct {
  tdm_run_view *view;
  const tdm_launched *launched;
  const tdm_processes *processes;
  const tdm_table *named; /* the calls again, with names of kernels; NULL: they tell none */
  tdm_name_marks marks;
  capture *capture;
  size_t captures, capture_room;
  item *node; /* of the launch that is looked at */
  size_t node_room;
  bool (*same)(const void *context, uint32_t a, uint32_t b);
  const void *context;
} matching;

/* ---- captures ---- */

static uint8_t what_does(const char *name) {
  if (strstr(name, "StreamBeginCapture") != NULL) return BEGINS;
  if (strstr(name, "StreamEndCapture") != NULL) return ENDS;
  if (tdm_call_launches_graph(name)) return LAUNCHES_GRAPH;
  if (strstr(name, "HostFunc") != NULL) return DOES_NOTHING; /* its node is no work of a GPU */
  if (strstr(name, "Launch") != NULL) return LAUNCHES;
  if (strstr(name, "Memcpy") != NULL) return COPIES;
  return strstr(name, "Memset") != NULL ? SETS : DOES_NOTHING;
}

static uint8_t does(matching *m, uint32_t call) {
  return tdm_name_mark(&m->marks, m->view, tdm_table_name(m->launched->calls, call), what_does);
}

static int by_key(const void *a, const void *b) {
  const item *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

static bool add_item(capture *to, size_t *room, int64_t key, uint32_t row) {
  if (!tdm_array_grow(&to->item, room, to->count + 1, sizeof *to->item)) return false;
  to->item[to->count] = (item){key, (uint32_t)to->count, row};
  to->count++;
  return true;
}

static int64_t key_of_call(const matching *m, uint32_t call, uint8_t what) {
  if (what == COPIES) return KEY_COPY;
  if (what == SETS) return KEY_SET;
  int64_t name = m->named != NULL ? tdm_table_arg(m->named, 0, call) : TDM_NONE;
  return name != TDM_NONE ? name : KEY_UNNAMED;
}

/* What a thread captures from the call that begins it; the end's row, or the last. False: out of
 * memory. */
static bool read_capture(matching *m, uint32_t begin) {
  const tdm_table *calls = m->launched->calls;
  int64_t track = tdm_table_track(calls, begin), passed_ns = tdm_table_end_ns(calls, begin);
  if (!tdm_array_grow(&m->capture, &m->capture_room, m->captures + 1, sizeof *m->capture))
    return false;
  capture *made = &m->capture[m->captures++];
  size_t room = 0;
  *made = (capture){.track = track, .named = true};
  for (uint32_t c = begin + 1; c < calls->count; c++) {
    if (tdm_table_track(calls, c) != track || tdm_table_start_ns(calls, c) < passed_ns) continue;
    uint8_t what = does(m, c);
    if (what == ENDS || what == BEGINS) break;
    if (what < LAUNCHES) continue;
    int64_t key = key_of_call(m, c, what);
    made->named = made->named && key != KEY_UNNAMED;
    if (!add_item(made, &room, key, c)) return false;
    passed_ns = tdm_table_end_ns(calls, c); /* the driver's call within it is the same */
  }
  if (made->named && made->count > 0) qsort(made->item, made->count, sizeof *made->item, by_key);
  return true;
}

static bool read_captures(matching *m) {
  for (uint32_t c = 0; c < m->launched->calls->count; c++)
    if (does(m, c) == BEGINS && !read_capture(m, c)) return false;
  return true;
}

/* ---- launches ---- */

static int64_t key_of_node(const tdm_table *work, uint32_t row) {
  if (tdm_table_category(work, row) == TDM_WORK_MEMCPY) return KEY_COPY;
  if (tdm_table_category(work, row) == TDM_WORK_MEMSET) return KEY_SET;
  return tdm_table_name(work, row);
}

/* A launch's nodes in the order in which they were made, as far as that is known: graphs number
 * them; else in the order in which they began. False: out of memory. */
static bool read_nodes(matching *m, uint32_t call, size_t *count) {
  const tdm_correlation *by = &m->launched->by_call;
  const tdm_table *work = m->launched->work;
  *count = by->first[call + 1] - by->first[call];
  if (!tdm_array_grow(&m->node, &m->node_room, *count + 1, sizeof *m->node)) return false;
  bool numbered = true;
  for (size_t i = 0; i < *count; i++) {
    uint32_t row = by->effect[by->first[call] + i];
    int64_t number = tdm_table_arg(work, TDM_WORK_GRAPH_NODE, row);
    m->node[i] = (item){number, (uint32_t)i, row};
    numbered = numbered && number != TDM_NONE;
  }
  if (numbered) qsort(m->node, *count, sizeof *m->node, by_key);
  for (size_t i = 0; i < *count; i++) {
    m->node[i].key = key_of_node(work, m->node[i].row);
    m->node[i].position = (uint32_t)i;
  }
  return true;
}

/* On HIP copies and memsets of graphs may be kernels. */
static bool may_be(int64_t call_key, int64_t node_key) {
  return call_key == node_key || (node_key >= 0 && call_key < 0);
}

static bool fits(const capture *c, const item *node, size_t count) {
  if (c->count != count) return false;
  for (size_t i = 0; i < count; i++)
    if (c->named ? c->item[i].key != node[i].key : !may_be(c->item[i].key, node[i].key))
      return false;
  return true;
}

/* 0: of the launching process, 1: of its rank or of none, 2: of another rank. */
static int distance(const matching *m, int64_t captured, int64_t launching) {
  const tdm_run_tables *tables = tdm_run_view_tables(m->view);
  if (m->processes->of[captured] == m->processes->of[launching]) return 0;
  const tdm_track *a = tdm_run_view_track(m->view, captured);
  const tdm_track *b = tdm_run_view_track(m->view, launching);
  if (a == NULL || b == NULL || a->source == b->source) return 2;
  int64_t x = tdm_run_tables_source(tables, a->source)->rank;
  int64_t y = tdm_run_tables_source(tables, b->source)->rank;
  return x == TDM_NONE || y == TDM_NONE || x == y ? 1 : 2;
}

static bool alike(const matching *m, const capture *a, const capture *b) {
  for (size_t i = 0; i < a->count; i++)
    if (!m->same(m->context, a->item[i].row, b->item[i].row)) return false;
  return true;
}

/* The capture of a launch; NULL: none, or *ambiguous. `node` in order of making; sorted by name
 * at the first capture that tells names, which is compared that way. */
static const capture *capture_of(matching *m, uint32_t call, size_t count, bool *ambiguous) {
  const capture *best = NULL;
  int nearest = 2;
  bool sorted = false;
  *ambiguous = false;
  for (int names = 0; names < 2; names++) { /* those without names first: nodes are in order */
    for (size_t i = 0; i < m->captures; i++) {
      const capture *one = &m->capture[i];
      int far = one->named == (names == 1) && one->count == count
                    ? distance(m, one->track, tdm_table_track(m->launched->calls, call))
                    : 2;
      if (far == 2 || far > nearest) continue;
      if (names == 1 && !sorted) qsort(m->node, count, sizeof *m->node, by_key);
      sorted = sorted || names == 1;
      if (!fits(one, m->node, count)) continue;
      if (best != NULL && far == nearest)
        *ambiguous = *ambiguous || !alike(m, best, one);
      else
        best = one, *ambiguous = false;
      nearest = far;
    }
    if (best != NULL) break;
  }
  return *ambiguous ? NULL : best;
}

static bool match(matching *m, tdm_captured *out) {
  const tdm_launched *launched = m->launched;
  for (uint32_t c = 0; c < launched->calls->count; c++) {
    size_t count = 0;
    bool ambiguous = false;
    if (launched->by_call.first[c] == launched->by_call.first[c + 1] ||
        does(m, c) != LAUNCHES_GRAPH)
      continue;
    if (!read_nodes(m, c, &count)) return false;
    const capture *made = capture_of(m, c, count, &ambiguous);
    out->ambiguous += ambiguous;
    for (size_t i = 0; made != NULL && i < count; i++)
      out->call[m->node[i].row] = made->item[i].row;
    out->told += made != NULL ? count : 0;
  }
  return true;
}

/* Whether some call begins a capture and some launches a graph: else there is nothing to do. */
static bool captures_and_launches(matching *m) {
  bool begins = false, launches = false;
  for (uint32_t c = 0; c < m->launched->calls->count && !(begins && launches); c++) {
    uint8_t what = does(m, c);
    begins = begins || what == BEGINS;
    launches = launches || what == LAUNCHES_GRAPH;
  }
  return begins && launches;
}

static tdm_status load(matching *m, tdm_error *error) {
  tdm_run_view *whole = NULL;
  tdm_status status = tdm_processes_of(m->view, &m->processes, error);
  if (status != TDM_OK || (!tdm_run_view_has_key(m->view, "runtime", "kernel") &&
                           !tdm_run_view_has_key(m->view, "driver", "kernel")))
    return status;
  status = tdm_run_view_at_all_times(m->view, &whole, error);
  if (status == TDM_OK) status = tdm_run_view_table(whole, &named_calls, &m->named, error);
  return status;
}

tdm_status tdm_captured_open(tdm_run_view *view, const tdm_launched *launched,
                             bool (*same)(const void *context, uint32_t a, uint32_t b),
                             const void *context, tdm_captured *out, tdm_error *error) {
  matching m = {.view = view, .launched = launched, .same = same, .context = context};
  tdm_status status = TDM_OK;
  *out = (tdm_captured){.call = NULL};
  if (captures_and_launches(&m)) {
    size_t works = launched->work->count;
    status = load(&m, error);
    out->call = tdm_array_new(works + 1, sizeof *out->call);
    for (size_t i = 0; out->call != NULL && i < works; i++) out->call[i] = TDM_NO_ROW;
    if (status == TDM_OK && (out->call == NULL || !read_captures(&m) || !match(&m, out)))
      status = tdm_error_memory(error, "captures of graphs", works * sizeof *out->call);
  }
  for (size_t i = 0; i < m.captures; i++) free(m.capture[i].item);
  free(m.capture);
  free(m.node);
  tdm_name_marks_close(&m.marks);
  return status;
}

void tdm_captured_close(tdm_captured *captured) {
  free(captured->call);
  *captured = (tdm_captured){.call = NULL};
}
