/* The engine's only way out: blocks of trace records pushed through function pointers.
 *
 * The engine (and later every trace reader) fills a tdm_span_block and hands it over when it is
 * full; the receiver copies what it keeps, the block is reused at once. Track and name ids are
 * announced before the first block that uses them. Implementations: trace/ (memory, store),
 * tests. Nobody here knows Lua or SQLite. */
#ifndef TDM_ENGINE_SINK_H
#define TDM_ENGINE_SINK_H

#include <stdbool.h>
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

/* A replica of an LLM server, and what it does, as its own metrics see it. Told in order of time,
 * by single steps. */
typedef struct {
  uint32_t id;        /* dense from 0 */
  const char *server; /* its name */
  uint32_t number;    /* of that server's replicas, from 0 */
  int64_t blocks, block_tokens;
  bool caches, offloads; /* prefixes; to tiers below */
} tdm_served_replica;

typedef enum {
  TDM_SERVED_CAME,      /* into its queue: prompt_tokens */
  TDM_SERVED_SCHEDULED, /* cached_tokens, below_tokens; again: after a preemption */
  TDM_SERVED_PREEMPTED,
  TDM_SERVED_FIRST, /* token: ttft_ns */
  TDM_SERVED_DONE,  /* the times below */
  TDM_SERVED_ABORTED,
  TDM_SERVED_STEP, /* is over: begin_ns, count (tokens that left with it), kv_blocks; stored and
                    * loaded so far */
  TDM_SERVED_GAPS  /* between tokens, which end now: begin_ns, count */
} tdm_served_kind;

typedef struct {
  tdm_served_kind kind;
  uint32_t replica;
  uint32_t request;    /* a number that is used again when it has left */
  bool again, waiting; /* waiting: it was not running when it was aborted */
  int64_t at_ns, begin_ns, count, kv_blocks;
  int64_t prompt_tokens, output_tokens, cached_tokens;
  int64_t below_tokens;                               /* … found in tiers below the KV cache */
  double stored_bytes, loaded_bytes;                  /* from the GPUs to these and back */
  int64_t ttft_ns, e2e_ns;                            /* as its client has them */
  int64_t queued_ns, scheduled_ns, first_ns, done_ns; /* by the replica's clock */
} tdm_served;

typedef struct {
  void *context;
  tdm_status (*replica)(void *context, const tdm_served_replica *replica, tdm_error *error);
  tdm_status (*event)(void *context, const tdm_served *event, tdm_error *error);
} tdm_served_sink;

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
  const tdm_served_sink *served;
};

/* Bytes that a cost came to, as a span carries them. */
static inline int64_t tdm_span_bytes(double bytes) {
  return bytes >= 0 && bytes < 9e18 ? (int64_t)(bytes + 0.5) : TDM_NO_BYTES;
}

#endif
