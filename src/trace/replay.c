/* Pushes a collected trace into another sink, in blocks, tables first. Owns nothing. */
#include "trace/collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static tdm_status replay_tables(const tdm_trace *trace, const tdm_sink *sink, tdm_error *error) {
  tdm_status status = TDM_OK;
  for (uint32_t i = 0; sink->track && status == TDM_OK && i < tdm_trace_tracks(trace); i++) {
    const tdm_track *track = tdm_trace_track(trace, i);
    if (track != NULL) status = sink->track(sink->context, track, error);
  }
  for (uint32_t i = 0; sink->name && status == TDM_OK && i < tdm_trace_names(trace); i++) {
    const char *name = tdm_trace_name(trace, i);
    if (name != NULL) status = sink->name(sink->context, i, name, error);
  }
  for (uint32_t i = 0; sink->counter && status == TDM_OK && i < tdm_trace_counters(trace); i++) {
    const char *unit, *name = tdm_trace_counter(trace, i, &unit);
    if (name != NULL) status = sink->counter(sink->context, i, name, unit, error);
  }
  return status;
}

static tdm_status replay_spans(const tdm_trace *trace, const tdm_sink *sink, tdm_error *error) {
  tdm_span_block *block = tdm_array_new(1, sizeof *block);
  if (block == NULL) return tdm_error_memory(error, "a block of spans", sizeof *block);
  tdm_status status = TDM_OK;
  for (size_t c = 0; c < tdm_trace_chunks(trace) && status == TDM_OK; c++) {
    const tdm_trace_chunk *chunk = tdm_trace_chunk_at(trace, c);
    for (size_t at = 0; at < chunk->count && status == TDM_OK; at += block->count) {
      size_t left = chunk->count - at;
      size_t n = left < TDM_BLOCK_SPANS ? left : TDM_BLOCK_SPANS;
      block->count = (uint32_t)n;
      memcpy(block->start_ns, chunk->start_ns + at, n * sizeof *block->start_ns);
      memcpy(block->dur_ns, chunk->dur_ns + at, n * sizeof *block->dur_ns);
      memcpy(block->request, chunk->request + at, n * sizeof *block->request);
      memcpy(block->arg, chunk->arg + at, n * sizeof *block->arg);
      memcpy(block->track, chunk->track + at, n * sizeof *block->track);
      memcpy(block->name, chunk->name + at, n * sizeof *block->name);
      status = sink->spans(sink->context, block, error);
    }
  }
  free(block);
  return status;
}

tdm_status tdm_trace_replay(const tdm_trace *trace, const tdm_sink *sink, tdm_error *error) {
  tdm_status status = replay_tables(trace, sink, error);
  if (status == TDM_OK && sink->spans != NULL) status = replay_spans(trace, sink, error);
  size_t samples = tdm_trace_sample_extent(trace).kept;
  if (status == TDM_OK && sink->counters != NULL && samples > 0)
    status = sink->counters(sink->context, tdm_trace_samples(trace), samples, error);
  size_t requests = tdm_trace_request_extent(trace).kept;
  if (status == TDM_OK && sink->requests != NULL && requests > 0)
    status = sink->requests(sink->context, tdm_trace_requests(trace), requests, error);
  return status;
}
