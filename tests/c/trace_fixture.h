/* Small traces for the tests of src/trace, pushed through the sink as the engine does. */
#ifndef TDM_TESTS_TRACE_FIXTURE_H
#define TDM_TESTS_TRACE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "trace/collect.h"

#define FIXTURE_CLASS(index) ((uint64_t)(index) << 48)

typedef struct {
  tdm_trace *trace;
  tdm_sink sink;
  tdm_error error;
  tdm_span_block block;
} fixture;

static inline fixture *fixture_new(size_t limit) {
  fixture *f = calloc(1, sizeof *f);
  f->trace = tdm_trace_new(limit);
  tdm_trace_sink(f->trace, &f->sink);
  return f;
}

static inline void fixture_free(fixture *f) {
  tdm_trace_free(f->trace);
  free(f);
}

static inline tdm_status fixture_track(fixture *f, uint32_t id, const char *process,
                                       const char *name, tdm_lane lane, uint32_t capacity) {
  tdm_sink_track track = {id, process, name, lane, capacity};
  return f->sink.track(f->sink.context, &track, &f->error);
}

static inline tdm_status fixture_name(fixture *f, uint32_t id, const char *name) {
  return f->sink.name(f->sink.context, id, name, &f->error);
}

static inline tdm_status fixture_flush(fixture *f) {
  tdm_status status = f->sink.spans(f->sink.context, &f->block, &f->error);
  f->block.count = 0;
  return status;
}

static inline tdm_status fixture_span(fixture *f, uint32_t track, uint32_t name, int64_t start_ns,
                                      int64_t dur_ns, uint64_t request) {
  uint32_t i = f->block.count++;
  f->block.track[i] = track;
  f->block.name[i] = name;
  f->block.start_ns[i] = start_ns;
  f->block.dur_ns[i] = dur_ns;
  f->block.request[i] = request;
  f->block.arg[i] = 1;
  f->block.bytes[i] = TDM_NO_BYTES;
  return f->block.count == TDM_BLOCK_SPANS ? fixture_flush(f) : TDM_OK;
}

/* Fisher–Yates: the same spans in another order of emission. */
static inline void fixture_shuffle(tdm_span *spans, size_t count, uint64_t seed) {
  tdm_rng rng = {seed};
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)tdm_index_below(tdm_rng_bits(&rng), i);
    tdm_span swap = spans[i - 1];
    spans[i - 1] = spans[j];
    spans[j] = swap;
  }
}

#endif
