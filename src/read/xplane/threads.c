/* Which two lines of the host are one thread; see inside.h.
 *
 * ROCm's and CUDA's tracers put API calls on lines of their own, "Host Threads/583", and what the
 * runtime did stands on a line with the thread's name, with nothing that joins them. But each call
 * names the operator that made it ("hlo_op"), and that operator is an event of the right line and
 * holds the call in time. Where the calls of a line all lie within such events of one other line,
 * and of no second one, and no other line of calls does, the two are one thread. One call that does
 * not fit is enough to leave them apart. */
#include <stdlib.h>

#include "base/memory.h"
#include "read/xplane/inside.h"
#include "trace/intern.h"

#define CALLS "Host Threads/"

typedef struct {
  uint32_t op, line;
  int64_t start_ns, end_ns;
} timed;

typedef struct {
  timed *item;
  size_t count, room;
} timed_list;

typedef struct {
  tdm_xplane_line about;
  tdm_proto_field data;
  bool calls;
  bool fits;      /* while one line of calls is looked at: it may be its thread */
  uint32_t other; /* the line that it is one thread with; TDM_ID_NONE */
} host_line;

typedef struct {
  tdm_xplane *x;
  host_line *line;
  size_t lines, line_room;
  tdm_intern ops;
  timed_list calls, holders; /* calls line by line; events named like operators, sorted */
} joining;

static void put(joining *j, timed_list *list, timed item) {
  if (!tdm_array_grow(&list->item, &list->room, list->count + 1, sizeof *list->item)) {
    j->x->failed = true;
    return;
  }
  list->item[list->count++] = item;
}

/* ---- events ---- */

/* Its times and which event it is; false: it has none. */
static bool event_of(const host_line *line, const tdm_proto_field *data, timed *out,
                     uint64_t *meta) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  int64_t offset_ps = 0, duration_ps = -1;
  *meta = 0;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == EVENT_META) *meta = field.value;
    if (field.number == EVENT_OFFSET) offset_ps = (int64_t)field.value;
    if (field.number == EVENT_DURATION) duration_ps = (int64_t)field.value;
  }
  return !scan.bad && tdm_xplane_times(line->about.time_ns, offset_ps, duration_ps, &out->start_ns,
                                       &out->end_ns);
}

/* The operator that made an API call; TDM_INTERN_FAILED: it does not say, or it is no call. */
static uint32_t op_of_call(joining *j, const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  tdm_xplane_text op = {NULL, 0};
  bool call = false;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number != EVENT_STAT || field.wire != TDM_PROTO_BYTES) continue;
    tdm_xplane_value value = tdm_xplane_stat(j->x, &field);
    if (value.name == NULL) continue;
    call |= value.name->use == TDM_XPLANE_CORRELATION;
    if (value.type == TDM_ARG_TEXT && tdm_xplane_is(value.name->name, "hlo_op")) op = value.text;
  }
  if (!call || op.text == NULL || op.length == 0) return TDM_INTERN_FAILED;
  uint32_t id = tdm_intern_put(&j->ops, op.text, op.length, NULL);
  j->x->failed |= id == TDM_INTERN_FAILED;
  return id;
}

/* The operator that an event is called like; TDM_INTERN_FAILED: none. */
static uint32_t op_of_name(const joining *j, uint64_t meta) {
  uint32_t at = tdm_id_map_get(&j->x->event_ids, meta);
  if (at == TDM_ID_NONE) return TDM_INTERN_FAILED;
  tdm_xplane_text name = j->x->event[at].name;
  return tdm_intern_find(&j->ops, name.text, name.length);
}

static void gather(joining *j, uint32_t line, timed_list *into) {
  const host_line *l = &j->line[line];
  tdm_proto_scan scan = tdm_proto_inside(&l->data);
  tdm_proto_field field;
  while (!j->x->failed && tdm_proto_next(&scan, &field)) {
    timed item = {.line = line};
    uint64_t meta;
    if (field.number != LINE_EVENT || field.wire != TDM_PROTO_BYTES ||
        !event_of(l, &field, &item, &meta))
      continue;
    item.op = l->calls ? op_of_call(j, &field) : op_of_name(j, meta);
    if (item.op != TDM_INTERN_FAILED) put(j, into, item);
  }
}

/* ---- who holds whom ---- */

static int by_place(const void *a, const void *b) {
  const timed *l = a, *r = b;
  if (l->op != r->op) return l->op < r->op ? -1 : 1;
  if (l->line != r->line) return l->line < r->line ? -1 : 1;
  return (l->start_ns > r->start_ns) - (l->start_ns < r->start_ns);
}

/* Whether the last event of the call's operator that began on a line before it holds it. */
static bool holds(const joining *j, uint32_t line, const timed *call) {
  timed wanted = {call->op, line, call->start_ns, 0};
  size_t from = 0, to = j->holders.count;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (by_place(&j->holders.item[middle], &wanted) <= 0)
      from = middle + 1;
    else
      to = middle;
  }
  if (from == 0) return false;
  const timed *last = &j->holders.item[from - 1];
  return last->op == call->op && last->line == line && last->end_ns >= call->end_ns;
}

/* The one line that holds all calls of another; TDM_ID_NONE: none or several. */
static uint32_t thread_of(joining *j, const timed *call, size_t count) {
  uint32_t found = TDM_ID_NONE;
  for (uint32_t l = 0; l < j->lines; l++) {
    j->line[l].fits = !j->line[l].calls && count > 0;
    for (size_t c = 0; c < count && j->line[l].fits; c++) j->line[l].fits = holds(j, l, &call[c]);
    if (!j->line[l].fits) continue;
    if (found != TDM_ID_NONE) return TDM_ID_NONE;
    found = l;
  }
  return found;
}

/* Two that claim one thread are both left alone. */
static void join(joining *j) {
  bool *twice = tdm_array_new(j->lines + 1, sizeof *twice);
  if (twice == NULL) {
    j->x->failed = true;
    return;
  }
  for (size_t from = 0, to; from < j->calls.count; from = to) {
    uint32_t line = j->calls.item[from].line;
    for (to = from; to < j->calls.count && j->calls.item[to].line == line;) to++;
    uint32_t thread = thread_of(j, &j->calls.item[from], to - from);
    if (thread == TDM_ID_NONE) continue;
    twice[thread] |= j->line[thread].other != TDM_ID_NONE;
    j->line[line].other = thread;
    j->line[thread].other = line;
  }
  for (uint32_t l = 0; l < j->lines; l++)
    if (j->line[l].calls && j->line[l].other != TDM_ID_NONE && twice[j->line[l].other])
      j->line[l].other = TDM_ID_NONE;
  free(twice);
}

/* ---- all of it ---- */

static void list_lines(joining *j, const tdm_proto_field *plane) {
  tdm_proto_scan scan = tdm_proto_inside(plane);
  tdm_proto_field field;
  while (!j->x->failed && tdm_proto_next(&scan, &field)) {
    if (field.number != PLANE_LINE || field.wire != TDM_PROTO_BYTES) continue;
    if (!tdm_array_grow(&j->line, &j->line_room, j->lines + 1, sizeof *j->line)) {
      j->x->failed = true;
      return;
    }
    tdm_xplane_line about = tdm_xplane_line_of(&field);
    j->line[j->lines++] = (host_line){.about = about,
                                      .data = field,
                                      .calls = tdm_xplane_begins(about.name, CALLS),
                                      .other = TDM_ID_NONE};
  }
}

static void keep_pairs(joining *j) {
  tdm_xplane *x = j->x;
  for (size_t l = 0; l < j->lines && !x->failed; l++) {
    if (!j->line[l].calls || j->line[l].other == TDM_ID_NONE) continue;
    if (!tdm_array_grow(&x->pair, &x->pair_room, x->pairs + 1, sizeof *x->pair)) {
      x->failed = true;
      return;
    }
    x->pair[x->pairs++] = (tdm_xplane_pair){.calls = j->line[l].about.id,
                                            .thread = j->line[j->line[l].other].about.id,
                                            .name = j->line[j->line[l].other].about.name};
  }
}

void tdm_xplane_join_threads(tdm_xplane *x, const tdm_proto_field *plane) {
  joining j = {.x = x};
  list_lines(&j, plane);
  for (uint32_t l = 0; l < j.lines; l++)
    if (j.line[l].calls) gather(&j, l, &j.calls);
  for (uint32_t l = 0; j.calls.count > 0 && l < j.lines; l++)
    if (!j.line[l].calls) gather(&j, l, &j.holders);
  if (!x->failed && j.holders.count > 0) {
    qsort(j.holders.item, j.holders.count, sizeof *j.holders.item, by_place);
    join(&j);
    keep_pairs(&j);
  }
  tdm_intern_clear(&j.ops);
  free(j.calls.item);
  free(j.holders.item);
  free(j.line);
}
