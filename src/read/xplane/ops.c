/* The operators of a TPU: those that hold others (loops, calls, conditionals) take the time of what
 * is inside them, so that only the innermost ones are work. See inside.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "read/xplane/inside.h"

typedef struct {
  int64_t start_ps, end_ps;
  size_t index;
} op;

static op op_of(const tdm_proto_field *event, size_t index) {
  tdm_proto_scan scan = tdm_proto_inside(event);
  tdm_proto_field field;
  op o = {.index = index};
  int64_t duration_ps = 0;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == EVENT_OFFSET) o.start_ps = (int64_t)field.value;
    if (field.number == EVENT_DURATION) duration_ps = (int64_t)field.value;
  }
  if (duration_ps < 0 || __builtin_add_overflow(o.start_ps, duration_ps, &o.end_ps))
    o.end_ps = o.start_ps;
  return o;
}

/* Those that hold others come before them. */
static int by_start(const void *a, const void *b) {
  const op *l = a, *r = b;
  if (l->start_ps != r->start_ps) return l->start_ps < r->start_ps ? -1 : 1;
  if (l->end_ps != r->end_ps) return l->end_ps > r->end_ps ? -1 : 1;
  return l->index < r->index ? -1 : 1;
}

static void mark_holders(op *ops, size_t count, size_t *open, bool *holds) {
  size_t depth = 0;
  qsort(ops, count, sizeof *ops, by_start);
  for (size_t i = 0; i < count; i++) {
    while (depth > 0 && ops[open[depth - 1]].end_ps <= ops[i].start_ps) depth--;
    if (depth > 0) holds[ops[open[depth - 1]].index] = true;
    open[depth++] = i;
  }
}

static size_t count_events(const tdm_proto_field *line) {
  tdm_proto_scan scan = tdm_proto_inside(line);
  tdm_proto_field field;
  size_t count = 0;
  while (tdm_proto_next(&scan, &field))
    count += field.number == LINE_EVENT && field.wire == TDM_PROTO_BYTES;
  return count;
}

/* All events of a line: their times, or once it is known which of them hold others, as records. */
static void each_event(tdm_xplane *x, const tdm_proto_field *line, op *ops, const bool *holds) {
  tdm_proto_scan scan = tdm_proto_inside(line);
  tdm_proto_field field;
  for (size_t i = 0; !x->failed && tdm_proto_next(&scan, &field);) {
    if (field.number != LINE_EVENT || field.wire != TDM_PROTO_BYTES) continue;
    if (holds == NULL) {
      ops[i] = op_of(&field, i);
    } else {
      x->line_category = holds[i] ? "gpu_user_annotation" : "kernel";
      x->line_shape = holds[i] ? TDM_SHAPE_ASYNC : TDM_SHAPE_SPAN;
      tdm_xplane_event(x, &field);
    }
    i++;
  }
}

void tdm_xplane_ops(tdm_xplane *x, const tdm_proto_field *line) {
  size_t count = count_events(line);
  op *ops = tdm_array_new(count + 1, sizeof *ops);
  size_t *open = tdm_array_new(count + 1, sizeof *open);
  bool *holds = tdm_array_new(count + 1, sizeof *holds);
  if (ops == NULL || open == NULL || holds == NULL) {
    x->failed = true;
  } else {
    each_event(x, line, ops, NULL);
    mark_holders(ops, count, open, holds);
    each_event(x, line, ops, holds);
  }
  free(ops);
  free(open);
  free(holds);
}
