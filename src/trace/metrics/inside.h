/* What the files of this room share: what a replica counts between two scrapes. */
#ifndef TDM_TRACE_METRICS_INSIDE_H
#define TDM_TRACE_METRICS_INSIDE_H

#include "trace/metrics/metrics.h"

/* What is counted. Those with ENDED count of requests that end, when they end. */
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
  TDM_COUNT_ENDED_PROMPT,
  TDM_COUNT_ENDED_GENERATION,
  TDM_COUNT_ENDED_HIT,
  TDM_COUNT_ENDED_BELOW,
  TDM_COUNT_ENDED_CACHED,
  TDM_COUNT_CAME,
  TDM_COUNTERS
};

enum {
  TDM_TIMES_TTFT,
  TDM_TIMES_TTFT_ENDED,
  TDM_TIMES_ITL,
  TDM_TIMES_TPOT,
  TDM_TIMES_E2E,
  TDM_TIMES_QUEUE,
  TDM_TIMES_INFERENCE,
  TDM_TIMES_PREFILL,
  TDM_TIMES_DECODE,
  TDM_TOKENS_PROMPT, /* those before are times */
  TDM_TOKENS_GENERATION,
  TDM_TOKENS_COMPUTED,
  TDM_TOKENS_ITERATION,
  TDM_TOKENS_CACHED,
  TDM_TOKENS_PROMPT_FIRST,
  TDM_TOKENS_CACHED_FIRST,
  TDM_HISTOGRAMS
};

enum {
  TDM_GAUGE_RUNNING,
  TDM_GAUGE_WAITING,
  TDM_GAUGE_INSIDE,
  TDM_GAUGE_UNANSWERED,
  TDM_GAUGE_KV_USAGE,
  TDM_GAUGE_KV_USED, /* blocks */
  TDM_GAUGE_BLOCKS,
  TDM_GAUGE_BLOCK_TOKENS,
  TDM_GAUGE_TOKENS,
  TDM_GAUGE_CONFIG, /* 1, with the cache's configuration as labels */
};

enum { TDM_BOUNDS = 40 };

/* What came since the scrape before; gauges: what holds. */
typedef struct {
  int64_t count[TDM_COUNTERS];
  int64_t sum[TDM_HISTOGRAMS]; /* nanoseconds or tokens */
  int64_t bucket[TDM_HISTOGRAMS][TDM_BOUNDS];
  int64_t running, waiting, unanswered; /* changes */
  int64_t kv_blocks;
} tdm_metrics_bin;

typedef struct {
  int64_t prompt_tokens, cached_tokens, below_tokens;
  bool answered;
} tdm_metrics_request;

typedef struct {
  char *server;
  const char *model; /* the metrics' own, or the server */
  const tdm_metrics_dialect *dialect;
  const int64_t *bound[TDM_HISTOGRAMS]; /* NULL: it has no such histogram */
  uint32_t number;
  size_t into; /* the replica whose bins count: its own, or those of its frontend */
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
  const tdm_metrics_dialect *dialect;
} tdm_metrics_server;

struct tdm_metrics {
  int64_t scrape_ns, last_ns;
  tdm_metrics_replica *replicas;
  size_t replica_count, replica_room;
  tdm_metrics_server *servers;
  size_t server_count, server_room;
};

/* ---- metrics.c */

/* Of the last step too; scrapes in all. False: out of memory. */
bool tdm_metrics_settle(tdm_metrics *metrics, size_t *scrapes);

#endif
