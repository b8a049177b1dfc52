/* A sink that keeps a run in memory: tracks, names, counters, requests with their attributes, and
 * spans in columns.
 *
 * Spans lie in chunks of fixed size, so that nothing is copied as a trace grows and only touched
 * memory is paid for. The limit bounds each kind of record. Past it the trace becomes a prefix in
 * time: records that start at or after a cut-off are counted instead of kept, and the cut-off is a
 * function of the set of records alone (the latest point of a fixed log-linear grid that fits), so
 * two engines that emit the same records in a different order keep the same ones.
 *
 * Owns every string and record. Called by the binding (fills) and simulated (reads). One thread
 * at a time. */
#ifndef TDM_TRACE_COLLECT_H
#define TDM_TRACE_COLLECT_H

#include <stddef.h>
#include <stdint.h>

#include "engine/sink.h"

#define TDM_TRACE_CHUNK 8192 /* spans; a power of two */

typedef struct tdm_trace tdm_trace;

/* All chunks are full except the last. */
typedef struct {
  size_t count;
  int64_t start_ns[TDM_TRACE_CHUNK];
  int64_t dur_ns[TDM_TRACE_CHUNK];
  uint64_t request[TDM_TRACE_CHUNK];
  uint64_t arg[TDM_TRACE_CHUNK];
  int64_t bytes[TDM_TRACE_CHUNK];
  uint32_t track[TDM_TRACE_CHUNK];
  uint32_t name[TDM_TRACE_CHUNK];
} tdm_trace_chunk;

/* One span, gathered from its columns. */
typedef struct {
  int64_t start_ns;
  int64_t dur_ns;
  uint64_t request;
  uint64_t arg;
  int64_t bytes;
  uint32_t track;
  uint32_t name;
} tdm_span;

/* What was seen of one kind of record, and how much of it is kept. */
typedef struct {
  size_t kept;
  uint64_t dropped;
  int64_t complete_until_ns; /* everything that starts before is kept; INT64_MAX: everything */
} tdm_trace_extent;

/* `limit` holds for spans, for requests and for counter samples, each. NULL: out of memory. */
tdm_trace *tdm_trace_new(size_t limit);
void tdm_trace_free(tdm_trace *trace);

/* Fills *out; the sink lives as long as the trace. */
void tdm_trace_sink(tdm_trace *trace, tdm_sink *out);

/* Class `index` of request ids (request >> 48) is called `name`. */
tdm_status tdm_trace_class_name(tdm_trace *trace, uint32_t index, const char *name,
                                tdm_error *error);

/* Tables. An id that was never announced gives NULL. */
size_t tdm_trace_tracks(const tdm_trace *trace);
const tdm_sink_track *tdm_trace_track(const tdm_trace *trace, uint32_t id);
size_t tdm_trace_names(const tdm_trace *trace);
const char *tdm_trace_name(const tdm_trace *trace, uint32_t id);
size_t tdm_trace_classes(const tdm_trace *trace);
const char *tdm_trace_class(const tdm_trace *trace, uint32_t index);
size_t tdm_trace_attributes(const tdm_trace *trace);
const char *tdm_trace_attribute(const tdm_trace *trace, uint32_t index);
const char *tdm_trace_counter(const tdm_trace *trace, uint32_t id, const char **unit);

/* Records, in the order they came. */
tdm_trace_extent tdm_trace_span_extent(const tdm_trace *trace);
tdm_trace_extent tdm_trace_request_extent(const tdm_trace *trace);
tdm_trace_extent tdm_trace_sample_extent(const tdm_trace *trace);
size_t tdm_trace_chunks(const tdm_trace *trace);
const tdm_trace_chunk *tdm_trace_chunk_at(const tdm_trace *trace, size_t index);
const tdm_request_record *tdm_trace_requests(const tdm_trace *trace);
/* The values of one attribute by request; a NaN where its class has none. NULL: no requests came.
 */
const double *tdm_trace_values(const tdm_trace *trace, uint32_t attribute);
const tdm_counter_sample *tdm_trace_samples(const tdm_trace *trace);

#endif
