/* What the files of this room share: the families, and what a replica counts between two scrapes.
 */
#ifndef TDM_TRACE_METRICS_INSIDE_H
#define TDM_TRACE_METRICS_INSIDE_H

#include "trace/metrics/metrics.h"

/* In the order in which they are written. */
enum {
  TDM_COUNT_PREEMPTIONS,
  TDM_COUNT_PROMPT,
  TDM_COUNT_PROMPT_COMPUTED,
  TDM_COUNT_PROMPT_HIT,
  TDM_COUNT_PROMPT_BELOW,
  TDM_COUNT_PROMPT_CACHED,
  TDM_COUNT_GENERATION,
  TDM_COUNT_QUERIES,
  TDM_COUNT_HITS,
  TDM_COUNT_BELOW_QUERIES,
  TDM_COUNT_BELOW_HITS,
  TDM_COUNT_LOADED,
  TDM_COUNT_STORED,
  TDM_COUNT_STOPPED,
  TDM_COUNT_ABORTED,
  TDM_COUNTERS
};

enum {
  TDM_TIMES_TTFT,
  TDM_TIMES_ITL,
  TDM_TIMES_TPOT,
  TDM_TIMES_E2E,
  TDM_TIMES_QUEUE,
  TDM_TIMES_INFERENCE,
  TDM_TIMES_PREFILL,
  TDM_TIMES_DECODE,
  TDM_TOKENS_PROMPT,
  TDM_TOKENS_GENERATION,
  TDM_TOKENS_COMPUTED,
  TDM_TOKENS_ITERATION,
  TDM_HISTOGRAMS
};

enum { TDM_BOUNDS = 24 };

typedef struct {
  const char *family, *help; /* without "vllm:" */
  const char *label;         /* one more, or NULL */
} tdm_counter_family;

/* Bounds rise, 0 ends them: of times in milliseconds. */
typedef struct {
  const char *family, *help;
  const int64_t *bound;
  bool time;
} tdm_histogram_family;

extern const tdm_counter_family tdm_counter_families[TDM_COUNTERS];
extern const tdm_histogram_family tdm_histogram_families[TDM_HISTOGRAMS];

/* What came since the scrape before; gauges: what holds. */
typedef struct {
  int64_t count[TDM_COUNTERS];
  int64_t sum[TDM_HISTOGRAMS]; /* nanoseconds or tokens */
  int64_t bucket[TDM_HISTOGRAMS][TDM_BOUNDS];
  int64_t running, waiting; /* changes */
  int64_t kv_blocks;
} tdm_metrics_bin;

typedef struct {
  int64_t prompt_tokens, cached_tokens, below_tokens;
} tdm_metrics_request;

typedef struct {
  char *server;
  uint32_t number;
  int64_t blocks, block_tokens;
  bool caches, offloads;
  tdm_metrics_bin *bins;
  size_t bin_count, bin_room;
  tdm_metrics_request *requests; /* by number */
  size_t request_room;
  bool
      stepped; /* a step is over, whose tokens are known when the next event but a first token is */
  int64_t step_ns, step_tokens;
  int64_t loaded_bytes, stored_bytes; /* so far */
} tdm_metrics_replica;

typedef struct {
  char *server, *model;
} tdm_metrics_model_name;

struct tdm_metrics {
  int64_t scrape_ns, last_ns;
  tdm_metrics_replica *replicas;
  size_t replica_count, replica_room;
  tdm_metrics_model_name *models;
  size_t model_count, model_room;
};

/* ---- metrics.c */

/* Of the last step too; scrapes in all. False: out of memory. */
bool tdm_metrics_settle(tdm_metrics *metrics, size_t *scrapes);

#endif
