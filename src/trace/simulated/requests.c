/* The requests of a simulated trace as rows of category "request": one from arrival to end, with
 * the attributes that its class has; see inside.h. Classes differ in their attributes, so each has
 * a layout of its own, and one more for requests that had not ended. */
#include "trace/simulated/inside.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_MAX 9007199254740992.0 /* above, not every whole number is a double */

typedef struct {
  const tdm_trace *trace;
  tdm_recorder *recorder;
  uint32_t track;
  int64_t until_ns; /* the spans' end */
} request_rows;

/* One class: its attributes, in order of the trace's. */
typedef struct {
  uint32_t index;
  uint32_t count;
  const double *value[TDM_LAYOUT_ARGS];
  tdm_arg_type type[TDM_LAYOUT_ARGS];
  uint32_t layout[2]; /* ended, open */
  bool begun[2];
} request_class;

/* Arguments that mean something else (trace/record.h), and how they are kept. An attribute of the
 * same name and kind keeps it. */
static const tdm_arg meanings[] = {
    {"correlation", TDM_ARG_INT}, {"bytes", TDM_ARG_INT},       {"kind", TDM_ARG_TEXT},
    {"src_kind", TDM_ARG_TEXT},   {"dst_kind", TDM_ARG_TEXT},   {"domain", TDM_ARG_TEXT},
    {"color", TDM_ARG_INT},       {"external_id", TDM_ARG_INT}, {"graph_id", TDM_ARG_INT},
    {"graph_node", TDM_ARG_INT},  {"request", TDM_ARG_TYPES},
};

static bool means_something_else(const char *name, tdm_arg_type type) {
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (strcmp(meanings[i].key, name) == 0) return meanings[i].type != type;
  return false;
}

/* Whether all values of a class are whole, and whether it has any: a NaN is none. */
static bool scan_values(const tdm_trace *trace, uint32_t class_index, const double *value,
                        size_t count, bool *any) {
  const tdm_request_record *requests = tdm_trace_requests(trace);
  bool whole = true;
  *any = false;
  for (size_t i = 0; i < count; i++) {
    if (requests[i].class_index != class_index || isnan(value[i])) continue;
    *any = true;
    whole &= fabs(value[i]) <= WHOLE_MAX && value[i] == floor(value[i]);
  }
  return whole;
}

static void find_attributes(const tdm_trace *trace, size_t count, request_class *class) {
  for (uint32_t i = 0; i < tdm_trace_attributes(trace); i++) {
    const double *value = tdm_trace_values(trace, i);
    bool any, whole;
    if (value == NULL || tdm_trace_attribute(trace, i) == NULL ||
        class->count == TDM_LAYOUT_ARGS - 1)
      continue;
    whole = scan_values(trace, class->index, value, count, &any);
    if (!any) continue;
    class->value[class->count] = value;
    class->type[class->count++] = whole ? TDM_ARG_INT : TDM_ARG_REAL;
  }
}

/* The layout of a class; its attributes' names are found again by their columns. */
static uint32_t begin_layout(const request_rows *to, const request_class *class, tdm_shape shape) {
  char key[TDM_LAYOUT_ARGS][128];
  tdm_arg args[TDM_LAYOUT_ARGS] = {{"request", TDM_ARG_INT}};
  uint32_t used = 0;
  for (uint32_t i = 0; i < tdm_trace_attributes(to->trace) && used < class->count; i++) {
    const char *name = tdm_trace_attribute(to->trace, i);
    if (tdm_trace_values(to->trace, i) != class->value[used]) continue;
    tdm_arg_type type = class->type[used];
    snprintf(key[used], sizeof key[used], "%s%s",
             means_something_else(name, type) ? "attribute_" : "", name);
    args[used + 1] = (tdm_arg){key[used], type};
    used++;
  }
  return tdm_record_layout(to->recorder, "request", shape, args, used + 1);
}

static int64_t value_of(tdm_arg_type type, double value) {
  if (type == TDM_ARG_REAL) return tdm_record_real(value);
  return isnan(value) ? TDM_NONE : (int64_t)value;
}

/* The last time of the trace, which what has not ended lasts to. */
static int64_t last_time(const tdm_trace *trace) {
  int64_t last_ns = 0;
  const tdm_request_record *requests = tdm_trace_requests(trace);
  for (size_t i = 0; i < tdm_trace_request_extent(trace).kept; i++) {
    if (requests[i].end_ns > last_ns) last_ns = requests[i].end_ns;
    if (requests[i].arrival_ns > last_ns) last_ns = requests[i].arrival_ns;
  }
  for (size_t c = 0; c < tdm_trace_chunks(trace); c++) {
    const tdm_trace_chunk *chunk = tdm_trace_chunk_at(trace, c);
    for (size_t i = 0; i < chunk->count; i++)
      if (chunk->start_ns[i] + chunk->dur_ns[i] > last_ns)
        last_ns = chunk->start_ns[i] + chunk->dur_ns[i];
  }
  return last_ns;
}

static void push_class(const request_rows *to, request_class *class, uint32_t name, size_t count) {
  const tdm_request_record *requests = tdm_trace_requests(to->trace);
  int64_t args[TDM_LAYOUT_ARGS], last_ns = 0;
  for (size_t i = 0; i < count; i++) {
    if (requests[i].class_index != class->index || requests[i].arrival_ns >= to->until_ns) continue;
    bool open = requests[i].outcome == TDM_OUTCOME_OPEN;
    if (!class->begun[open]) {
      class->layout[open] = begin_layout(to, class, open ? TDM_SHAPE_OPEN : TDM_SHAPE_ASYNC);
      class->begun[open] = true;
      if (open) last_ns = last_time(to->trace);
    }
    args[0] = (int64_t)requests[i].request;
    for (uint32_t k = 0; k < class->count; k++)
      args[k + 1] = value_of(class->type[k], class->value[k][i]);
    tdm_record_row(to->recorder, class->layout[open], requests[i].arrival_ns,
                   (open ? last_ns : requests[i].end_ns) - requests[i].arrival_ns, to->track, name,
                   args, class->count + 1);
    if (tdm_recorder_failed(to->recorder)) return;
  }
}

void tdm_simulated_requests(const tdm_trace *trace, tdm_recorder *recorder) {
  size_t count = tdm_trace_request_extent(trace).kept;
  if (count == 0) return;
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = "workload";
  track.name = "requests";
  track.kind = TDM_TRACK_PROCESS;
  request_rows to = {trace, recorder, tdm_record_track(recorder, &track),
                     tdm_trace_span_extent(trace).complete_until_ns};
  for (uint32_t c = 0; c < tdm_trace_classes(trace); c++) {
    if (tdm_trace_class(trace, c) == NULL) continue;
    request_class class = {.index = c};
    find_attributes(trace, count, &class);
    push_class(&to, &class, tdm_record_text(recorder, tdm_trace_class(trace, c)), count);
  }
}
