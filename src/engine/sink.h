/* The engine's only way out: blocks of trace records pushed through function pointers.
 *
 * The engine (and later every trace reader) fills a tdm_span_block and hands it over when it is
 * full; the receiver copies what it keeps, the block is reused at once. Track and name ids are
 * announced before the first block that uses them. Implementations: trace/ (memory, store),
 * tests. Nobody here knows Lua or SQLite. */
#ifndef TDM_ENGINE_SINK_H
#define TDM_ENGINE_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/lane.h"

#define TDM_BLOCK_SPANS 1024
#define TDM_NO_BYTES    INT64_C(-1)
#define TDM_NO_REQUEST  UINT64_MAX /* of a span that is a step of an LLM server */

/* What a span lies on. One track per station and lane (waiting spans lie on a QUEUE track). */
typedef struct {
  uint32_t id;         /* dense from 0 */
  const char *process; /* "L40#1", "host" */
  const char *name;    /* "GPU", "cpu", "cpu queue" */
  tdm_lane lane;
  uint32_t capacity; /* servers; 0 = unlimited. Spans on one track may overlap up to this many */
} tdm_sink_track;

/* Columnar: 48 bytes a span. */
typedef struct {
  uint32_t count;
  int64_t start_ns[TDM_BLOCK_SPANS];
  int64_t dur_ns[TDM_BLOCK_SPANS];
  uint64_t request[TDM_BLOCK_SPANS]; /* class << 48 | ordinal within the class */
  uint32_t track[TDM_BLOCK_SPANS];
  uint32_t name[TDM_BLOCK_SPANS]; /* stage name id */
  /* Members of the batch (1 when not batched); of a step: sequences << 32 | tokens. */
  uint64_t arg[TDM_BLOCK_SPANS];
  int64_t bytes[TDM_BLOCK_SPANS]; /* that a transfer moves, to the nearest; TDM_NO_BYTES: none */
} tdm_span_block;

typedef enum {
  TDM_OUTCOME_OPEN,
  TDM_OUTCOME_OK,
  TDM_OUTCOME_DROPPED, /* a queue was full */
  TDM_OUTCOME_ABANDONED,
  TDM_OUTCOME_TIMED_OUT,
  TDM_OUTCOME_REFUSED, /* by admit; counted as dropped */
  TDM_OUTCOMES
} tdm_outcome;

const char *tdm_outcome_name(tdm_outcome outcome);

typedef struct {
  uint64_t request; /* as in spans */
  int64_t arrival_ns;
  int64_t end_ns;
  int32_t gpu; /* index or -1 */
  uint32_t class_index;
  tdm_outcome outcome;
} tdm_request_record;

typedef struct {
  int64_t time_ns;
  uint32_t counter; /* id announced by counter() */
  double value;
} tdm_counter_sample;

/* Any member may be NULL: that record kind is then not produced. A non-OK return stops the run. */
typedef struct tdm_sink tdm_sink;
struct tdm_sink {
  void *context;
  tdm_status (*track)(void *context, const tdm_sink_track *track, tdm_error *error);
  tdm_status (*name)(void *context, uint32_t id, const char *name, tdm_error *error);
  tdm_status (*counter)(void *context, uint32_t id, const char *name, const char *unit,
                        tdm_error *error);
  tdm_status (*spans)(void *context, const tdm_span_block *block, tdm_error *error);
  tdm_status (*counters)(void *context, const tdm_counter_sample *samples, size_t count,
                         tdm_error *error);
  /* An attribute that requests carry: all of them, in order, before the first request. */
  tdm_status (*attribute)(void *context, uint32_t index, const char *name, tdm_error *error);
  /* values[count][attributes]: a NaN where the request's class has no such attribute. NULL when
   * `attribute` is, or when the model has none. */
  tdm_status (*requests)(void *context, const tdm_request_record *records, const double *values,
                         size_t count, tdm_error *error);
};

/* Bytes that a cost came to, as a span carries them. */
static inline int64_t tdm_span_bytes(double bytes) {
  return bytes >= 0 && bytes < 9e18 ? (int64_t)(bytes + 0.5) : TDM_NO_BYTES;
}

#endif
