/* See simulated.h. Spans go straight from the trace's columns into the recorder's. */
#include "trace/simulated/simulated.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/simulated/inside.h"

enum { WAIT, STAGE, MOVE, STEP, KINDS, COLUMNS = TDM_ARGS + 3 };

static const tdm_arg span_args[] = {
    {"request", TDM_ARG_INT}, {"batch", TDM_ARG_INT}, {"bytes", TDM_ARG_INT}};
static const tdm_arg step_args[] = {{"sequences", TDM_ARG_INT}, {"tokens", TDM_ARG_INT}};
static const uint32_t span_arg_count[KINDS] = {2, 2, 3, 2};
static const char *const categories[KINDS] = {"wait", "stage", "stage", "step"};

typedef struct {
  const tdm_trace *trace;
  tdm_recorder *recorder;
  uint32_t *track, *name; /* the recorder's ids by the trace's */
  unsigned char *kind;    /* by track id: WAIT or STAGE */
} transfer;

/* Where rows of one layout go; the recorder's buffer, its columns side by side. */
typedef struct {
  uint32_t layout, columns;
  tdm_row_buffer *rows;
  int64_t *column[COLUMNS];
  size_t count, room;
} outlet;

static void announce(transfer *to) {
  const tdm_trace *trace = to->trace;
  for (uint32_t i = 0; i < tdm_trace_classes(trace); i++)
    if (tdm_trace_class(trace, i) != NULL)
      tdm_record_request_class(to->recorder, i, tdm_trace_class(trace, i));
  for (uint32_t i = 0; i < tdm_trace_names(trace); i++)
    if (tdm_trace_name(trace, i) != NULL)
      to->name[i] = tdm_record_text(to->recorder, tdm_trace_name(trace, i));
  for (uint32_t i = 0; i < tdm_trace_tracks(trace); i++) {
    const tdm_sink_track *track = tdm_trace_track(trace, i);
    if (track == NULL) continue;
    int queue = track->lane == TDM_LANE_QUEUE;
    tdm_track about = TDM_TRACK_PLAIN;
    about.process = track->process;
    about.name = track->name;
    about.kind = queue ? TDM_TRACK_QUEUE : TDM_TRACK_SERVER;
    about.lane = track->lane;
    if (track->capacity != 0) about.capacity = track->capacity;
    to->kind[i] = queue ? WAIT : STAGE;
    to->track[i] = tdm_record_track(to->recorder, &about);
  }
}

/* Fresh room in the recorder; 0: it failed. */
static int refill(tdm_recorder *recorder, outlet *out) {
  if (out->rows != NULL) out->rows->count = out->count;
  out->rows = tdm_record_rows(recorder, out->layout);
  if (out->rows == NULL) return 0;
  for (size_t c = 0; c < out->columns; c++) out->column[c] = out->rows->column[c];
  out->count = out->rows->count;
  out->room = out->rows->room;
  return 1;
}

static int push_chunk(const transfer *to, const tdm_trace_chunk *chunk, outlet *outlets) {
  for (size_t i = 0; i < chunk->count; i++) {
    uint32_t track = chunk->track[i];
    bool step = chunk->request[i] == TDM_NO_REQUEST;
    outlet *out = &outlets[step ? STEP : chunk->bytes[i] >= 0 ? MOVE : to->kind[track]];
    if (out->count == out->room && !refill(to->recorder, out)) return 0;
    size_t at = out->count++;
    out->column[TDM_START][at] = chunk->start_ns[i];
    out->column[TDM_DUR][at] = chunk->dur_ns[i];
    out->column[TDM_TRACK][at] = to->track[track];
    out->column[TDM_NAME][at] = to->name[chunk->name[i]];
    out->column[TDM_ARGS][at] = (int64_t)(step ? chunk->arg[i] >> 32 : chunk->request[i]);
    out->column[TDM_ARGS + 1][at] = (int64_t)(step ? chunk->arg[i] & UINT32_MAX : chunk->arg[i]);
    if (out->columns > TDM_ARGS + 2) out->column[TDM_ARGS + 2][at] = chunk->bytes[i];
  }
  return 1;
}

static void push_spans(const transfer *to) {
  outlet outlets[KINDS] = {0};
  for (size_t k = 0; k < KINDS; k++) {
    outlets[k].columns = TDM_ARGS + span_arg_count[k];
    outlets[k].layout = tdm_record_layout(to->recorder, categories[k], TDM_SHAPE_SPAN,
                                          k == STEP ? step_args : span_args, span_arg_count[k]);
  }
  size_t chunks = tdm_trace_chunks(to->trace);
  for (size_t c = 0; c < chunks && !tdm_recorder_failed(to->recorder); c++)
    if (!push_chunk(to, tdm_trace_chunk_at(to->trace, c), outlets)) return;
  for (size_t k = 0; k < KINDS; k++)
    if (outlets[k].rows != NULL) outlets[k].rows->count = outlets[k].count;
}

/* Samples belong to no resource of the model: they lie on a track of the host's. */
static void push_samples(const transfer *to) {
  size_t count = tdm_trace_sample_extent(to->trace).kept;
  if (count == 0) return;
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = "host";
  about.name = "counters";
  about.kind = TDM_TRACK_PROCESS;
  uint32_t track = tdm_record_track(to->recorder, &about);
  const tdm_counter_sample *samples = tdm_trace_samples(to->trace);
  for (size_t i = 0; i < count && !tdm_recorder_failed(to->recorder); i++) {
    const char *unit, *counter = tdm_trace_counter(to->trace, samples[i].counter, &unit);
    tdm_record_sample(to->recorder, samples[i].time_ns, track,
                      tdm_record_text(to->recorder, counter), samples[i].value,
                      tdm_record_text(to->recorder, unit));
  }
}

static void note_dropped(const transfer *to) {
  tdm_trace_extent spans = tdm_trace_span_extent(to->trace);
  tdm_record_problem(to->recorder, "spans over the limit of a trace (dropped)", spans.dropped);
  tdm_record_problem(to->recorder, "requests over the limit of a trace (dropped)",
                     tdm_trace_request_extent(to->trace).dropped);
  tdm_record_problem(to->recorder, "samples over the limit of a trace (dropped)",
                     tdm_trace_sample_extent(to->trace).dropped);
  if (spans.dropped > 0)
    tdm_record_fact_int(to->recorder, "complete_until_ns", spans.complete_until_ns);
}

tdm_status tdm_simulated_record(const tdm_trace *trace, const char *path, tdm_recorder *recorder,
                                tdm_error *error) {
  size_t tracks = tdm_trace_tracks(trace), names = tdm_trace_names(trace);
  transfer to = {.trace = trace,
                 .recorder = recorder,
                 .track = tdm_array_new(tracks, sizeof *to.track),
                 .name = tdm_array_new(names, sizeof *to.name),
                 .kind = tdm_array_new(tracks, sizeof *to.kind)};
  tdm_recorder_begin_source(recorder, path, TDM_SIMULATION);
  tdm_status status = TDM_OK;
  if (to.track != NULL && to.name != NULL && to.kind != NULL) {
    announce(&to);
    push_spans(&to);
    push_samples(&to);
    tdm_simulated_requests(trace, recorder);
    tdm_record_requests(recorder, tdm_trace_requests(trace), tdm_trace_request_extent(trace).kept);
    note_dropped(&to);
  } else {
    status = tdm_error_memory(error, "the tracks of a trace", (tracks + names) * sizeof *to.track);
  }
  free(to.track);
  free(to.name);
  free(to.kind);
  return status;
}
