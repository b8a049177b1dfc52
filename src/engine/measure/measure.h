/* What one replication says once its warm-up is left out: a tally of megabytes becomes a record of
 * kilobytes, at once, so that a thousand replications fit in memory.
 *
 * All values are those of the window [from_ns, window_ns). Owned by the caller; plain numbers.
 * Filled by parallel/replicate, read by the binding. A scenario's `warmup` ("none", a time) is read
 * by bind/run; an automatic one is found by warmup.c. */
#ifndef TDM_ENGINE_MEASURE_MEASURE_H
#define TDM_ENGINE_MEASURE_MEASURE_H

#include "base/histogram.h"
#include "base/sections.h"
#include "engine/tally.h"

/* Whether an LLM server keeps up while requests come: samples for tests.
 *
 * A server that keeps up has a queue that goes up and down; one that is offered more than it can
 * take has a queue with a drift. So the second half of the time in which requests came is cut into
 * equal parts, and the increments of the mean queue from part to part are the sample: their sum
 * telescopes where there is no drift, which makes a t test of their mean a careful one, and under a
 * critical load, where the queue is a random walk, an exact one in the limit.
 *
 * That queue may be inside the batch: where blocks and places are plenty everybody runs, in steps
 * that get longer and longer. So all who are inside are counted as well, waiting or running. But
 * they also get more while a run fills up: at 90 % of what a server can take that lasts a hundred
 * times as long as a request alone. What tells the two apart is what the server can take at most
 * (inside.h): each part's load is another sample. Overload is a queue of waiting requests that
 * grows beyond doubt, or a load above 1 beyond doubt and ever more inside. Where ever more are
 * inside and the load does not say why, the run is too short to tell.
 *
 * Owns nothing; the verdict is asked for by the binding, over all replications. */

/* A sample by its sums. */
typedef struct {
  size_t count;
  double sum, squares;
} tdm_drift;

typedef struct {
  tdm_drift waiting, inside; /* increments from part to part; no count: too few slices */
  tdm_drift load;            /* of parts: offered ÷ capability; no count: it is not known */
  double part_s;             /* from part to part */
  double waiting_last;       /* mean of the last part */
  double inside_first, inside_last;
  double asked_first, asked_last;  /* output tokens in the first and last part */
  double served_per_s;             /* in the second half, requests */
  double asked_per_s, given_per_s; /* likewise, output tokens */
  double by_steps;                 /* parts in which larger batches would not have helped */
} tdm_backlog;

/* Of server `index`. */
tdm_backlog tdm_backlog_of(const tdm_model *model, const tdm_tally *tally, size_t index);

/* Adds a replication's samples; means are weighted alike by the caller's count of them. */
void tdm_backlog_add(tdm_backlog *sum, const tdm_backlog *one);

typedef enum {
  TDM_BACKLOG_NONE,
  TDM_BACKLOG_WAITS,  /* overload: ever more requests wait */
  TDM_BACKLOG_INSIDE, /* overload: ever more run */
  TDM_BACKLOG_UNSURE  /* ever more are inside: the run is too short to tell why */
} tdm_backlog_state;

typedef struct {
  tdm_backlog_state state;
  double load;                      /* offered ÷ served or capability; NaN: it is not known */
  double inside_first, inside_last; /* mean of a replication, at the begin and end of the half */
  bool by_steps;                    /* a larger batch would not help */
} tdm_backlog_verdict;

/* Of `runs` replications added up, on `replicas` replicas. */
tdm_backlog_verdict tdm_backlog_judge(const tdm_backlog *sum, double runs, double replicas);

enum { TDM_Q50, TDM_Q90, TDM_Q95, TDM_Q99, TDM_Q999, TDM_QUANTILES };
extern const double tdm_quantile_levels[TDM_QUANTILES];

/* Levels at which the distributions of an LLM server's times are told. */
#define TDM_LLM_LEVELS 22
extern const double tdm_llm_levels[TDM_LLM_LEVELS];

typedef struct {
  uint64_t arrived, completed, within_slo, dropped, abandoned, timed_out, retried;
  double mean_s, min_s, max_s, sd_s; /* latency; NaN when nobody completed */
  double quantiles_s[TDM_QUANTILES];
  tdm_sections sections; /* its latencies, for what is said of all replications together */
} tdm_class_measure;

typedef struct {
  uint64_t visits, delayed;
  uint64_t batches;         /* that one of its requests led */
  double batch_size;        /* mean, of all stages that share its batches; NaN without any */
  double wait_s, service_s; /* means a visit; NaN without visits */
  double wait_error;        /* relative error of the wait that the model knows; see tdm_tail */
  double max_wait_s;
} tdm_stage_measure;

typedef struct {
  double utilization, queue, down; /* time averages; utilization per server, 0…1 */
  double offered;                  /* work demanded ÷ capacity of the window */
  double queue_error;              /* relative, that the model knows; see tdm_tail */
} tdm_station_measure;

/* Of replicas of an LLM server together; rates by the window. */
typedef struct {
  double output_per_s, prompt_per_s,
      finished_per_s;                  /* tokens; prompt: of requests that were done */
  double preemptions;                  /* a request */
  double swapped_out, swapped_in;      /* tokens a request */
  double accepted;                     /* share of the drafted tokens */
  double adapter_loads;                /* a request */
  double batch, step_s;                /* means a step: sequences, duration */
  double kv_mean, kv_peak;             /* share of a replica's blocks, 0…1 */
  double cached;                       /* share of the prompt tokens */
  double below[TDM_KV_TIERS];          /* … found in each tier below the KV cache */
  double below_requests[TDM_KV_TIERS]; /* share of the requests */
  double stored_per_s[TDM_KV_TIERS], loaded_per_s[TDM_KV_TIERS]; /* bytes */
  double load_s;                                                 /* a request, waiting for them */
  double replicas_mean, replicas_peak, gpus_mean;                /* that are held */
  double gpu_s;                  /* GPU-seconds held in the window */
  double moved_per_s;            /* bytes of KV cache that came in */
  double restarts;               /* a request */
  double held[TDM_SERVING_HELD]; /* share of the time of steps in which requests were kept out */
  uint64_t refused[TDM_REFUSED]; /* requests that could never run */
  double energy_j, power_w;      /* of the GPUs held in the window, mean; NaN: not known */
  double token_j;                /* an output token */
  uint64_t steps;
} tdm_pool_measure;

/* Of a stage or a tenant of a server; tokens of requests that were done. */
typedef struct {
  double output_per_s, prompt_per_s, goodput_per_s;
} tdm_taker_measure;

typedef struct {
  tdm_class_measure times[TDM_LLM_TIMES];         /* all stages together */
  tdm_class_measure *stage_times[TDM_LLM_TIMES];  /* [stage] */
  tdm_class_measure *tenant_times[TDM_LLM_TIMES]; /* [tenant row] */
  tdm_taker_measure *takers;                      /* [stage], then [tenant row] */
  double fairness;      /* Jain's index of what tenants with rows got by their shares, 1/n…1 */
  double goodput_per_s; /* requests */
  double api;           /* work of the API server ÷ what its workers can do; NaN: there is none */
  tdm_pool_measure all, *pools; /* its pools together; each */
  tdm_backlog backlog;
  size_t stage_count, tenant_count;
} tdm_server_measure;

typedef struct {
  int64_t from_ns, window_ns, end_ns;
  uint64_t events, open, series_batches;
  bool interrupted;
  size_t class_count, stage_count, station_count, memory_count, link_count, server_count;
  tdm_class_measure all; /* every class together; of a lone class, its sections */
  tdm_class_measure *classes;
  tdm_stage_measure *stages;
  tdm_station_measure *stations;
  tdm_station_measure *memories; /* utilization: mean fraction held */
  tdm_station_measure *links;    /* utilization: bytes moved ÷ bytes it could have moved */
  tdm_server_measure *servers;
  double in_system;
  double gpus_mean;      /* GPUs held, of groups that come and go */
  uint32_t gpus_peak;    /* most of them at a time; 0: there are none */
  double growth;         /* mean in system, last quarter of the window ÷ its second quarter */
  double finished_per_s; /* completions in the window by time of completion */
  double little_error; /* |∫L dt − Σ sojourn| ÷ Σ sojourn over the whole run, when it drained */
  double drain; /* share of the window in which nobody came any more: requests were counted */
  bool conserved;
  tdm_histogram latency; /* of the window, all classes */
  /* The run over time, TDM_SLICES values each, warm-up included. */
  int64_t slice_ns;
  double *series;       /* see tdm_measure_series */
  tdm_windows *windows; /* the tally's; NULL: nothing is told by window */
} tdm_measure;

typedef enum {
  TDM_SERIES_ARRIVED,   /* requests */
  TDM_SERIES_FINISHED,  /* requests */
  TDM_SERIES_IN_SYSTEM, /* mean */
  TDM_SERIES_LATENCY,   /* mean of those arriving in the slice, s */
  TDM_SERIES_LATENCY_99,
  TDM_SERIES_SYSTEM
} tdm_series_kind;

/* Of each LLM server, behind the stations'. */
typedef enum {
  TDM_LLM_SERIES_OUTPUT,      /* tokens/s */
  TDM_LLM_SERIES_PREFILL,     /* tokens/s computed */
  TDM_LLM_SERIES_BATCH,       /* sequences a step; NaN without steps */
  TDM_LLM_SERIES_KV,          /* share of the blocks, mean */
  TDM_LLM_SERIES_WAITING,     /* requests, mean */
  TDM_LLM_SERIES_PREEMPTIONS, /* a second */
  TDM_LLM_SERIES_TTFT,        /* mean of those arriving in the slice, s; NaN: none */
  TDM_LLM_SERIES
} tdm_llm_series;

/* warmup_ns is left out, to the next slice's end. It is one of so many replications, by which it is
 * cut into sections. Takes the tally's windows over. */
tdm_status tdm_measure_take(const tdm_model *model, tdm_tally *tally, int64_t warmup_ns,
                            uint32_t replications, tdm_measure *out, tdm_error *error);
void tdm_measure_free(tdm_measure *measure);

/* System series first (TDM_SERIES_SYSTEM of them), then utilization and queue of each station, then
 * TDM_LLM_SERIES of each LLM server. */
static inline double *tdm_measure_series(const tdm_measure *m, size_t kind) {
  return m->series + kind * TDM_SLICES;
}
static inline size_t tdm_measure_llm_series(const tdm_measure *m, size_t server,
                                            tdm_llm_series kind) {
  return TDM_SERIES_SYSTEM + 2 * m->station_count + server * TDM_LLM_SERIES + (size_t)kind;
}

/* How long a model takes to settle: MSER-5 (White, Cobb & Spratt 2000; Hoad et al. 2010) on the
 * series of batch means averaged over replications. One cut for all: letting each replication cut
 * where it happens to be calmest would bias what is left. Of closed loops at least the first round
 * of all users is left out. Called by parallel/replicate on the first replications; owns nothing.
 * Nanoseconds to leave out, 0 when there are too few requests to tell. *unsettled: half the run
 * would have to go, so it is too short or has no steady state. Fails only
 * for want of memory. */
tdm_status tdm_warmup_find(tdm_tally *const *tallies, size_t count, int64_t *warmup_ns,
                           bool *unsettled, tdm_error *error);

#endif
