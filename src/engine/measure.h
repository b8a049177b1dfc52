/* What one replication says once its warm-up is left out: a tally of megabytes becomes a record of
 * kilobytes, at once, so that a thousand replications fit in memory.
 *
 * All values are those of the window [from_ns, window_ns). Owned by the caller; plain numbers.
 * Filled by parallel/replicate, read by engine/summary. */
#ifndef TDM_ENGINE_MEASURE_H
#define TDM_ENGINE_MEASURE_H

#include "base/histogram.h"
#include "engine/backlog.h"
#include "engine/tally.h"

enum { TDM_Q50, TDM_Q90, TDM_Q95, TDM_Q99, TDM_Q999, TDM_QUANTILES };
extern const double tdm_quantile_levels[TDM_QUANTILES];

/* Levels at which the distributions of an LLM server's times are told. */
#define TDM_LLM_LEVELS 22
extern const double tdm_llm_levels[TDM_LLM_LEVELS];

typedef struct {
  uint64_t arrived, completed, within_slo, dropped, abandoned, timed_out, retried;
  double mean_s, min_s, max_s, sd_s; /* latency; NaN when nobody completed */
  double quantiles_s[TDM_QUANTILES];
  double *slo_s; /* by tdm_class.slo_levels; NULL: none asked for */
} tdm_class_measure;

typedef struct {
  uint64_t visits, delayed, batches;
  double wait_s, service_s; /* means a visit; NaN without visits */
  double max_wait_s;
} tdm_stage_measure;

typedef struct {
  double utilization, queue, down; /* time averages; utilization per server, 0…1 */
  double offered;                  /* work demanded ÷ capacity of the window */
} tdm_station_measure;

/* Of replicas of an LLM server together; rates by the window. */
typedef struct {
  double output_per_s, prompt_per_s,
      finished_per_s;                             /* tokens; prompt: of requests that were done */
  double preemptions;                             /* a request */
  double swapped_out, swapped_in;                 /* tokens a request */
  double accepted;                                /* share of the drafted tokens */
  double adapter_loads;                           /* a request */
  double batch, step_s;                           /* means a step: sequences, duration */
  double kv_mean, kv_peak;                        /* share of a replica's blocks, 0…1 */
  double cached;                                  /* share of the prompt tokens */
  double replicas_mean, replicas_peak, gpus_mean; /* that are held */
  double gpu_s;                                   /* GPU-seconds held in the window */
  double moved_per_s;                             /* bytes of KV cache that came in */
  double restarts;                                /* a request */
  double held[TDM_SERVING_HELD]; /* share of the time of steps in which requests were kept out */
  double energy_j, power_w;      /* of the GPUs held in the window, mean; NaN: not known */
  double token_j;                /* an output token */
  uint64_t steps;
} tdm_pool_measure;

/* Of a stage or a tenant of a server; tokens of requests that were done. */
typedef struct {
  double output_per_s, prompt_per_s, goodput_per_s;
} tdm_taker_measure;

typedef struct {
  tdm_class_measure times[TDM_LLM_TIMES];         /* all stages together; slo_s by tdm_llm_levels */
  tdm_class_measure *stage_times[TDM_LLM_TIMES];  /* [stage]; slo_s by the class's slo_levels, then
                                                   * by tdm_llm_levels */
  tdm_class_measure *tenant_times[TDM_LLM_TIMES]; /* [tenant row]; slo_s by tdm_llm_levels */
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
  tdm_class_measure all; /* every class together */
  tdm_class_measure *classes;
  tdm_stage_measure *stages;
  tdm_station_measure *stations;
  tdm_station_measure *memories; /* utilization: mean fraction held */
  tdm_station_measure *links;    /* utilization: bytes moved ÷ bytes it could have moved */
  tdm_server_measure *servers;
  double in_system;
  double growth;         /* mean in system, last quarter of the window ÷ its second quarter */
  double finished_per_s; /* completions in the window by time of completion */
  double little_error; /* |∫L dt − Σ sojourn| ÷ Σ sojourn over the whole run, when it drained */
  double batch_half_s; /* half-width of the mean latency by batch means; NaN: undecided */
  bool conserved;
  tdm_histogram latency; /* of the window, all classes */
  /* The run over time, TDM_SLICES values each, warm-up included. */
  int64_t slice_ns;
  double *series; /* see tdm_measure_series */
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

/* warmup_ns is left out, to the next slice's end. */
tdm_status tdm_measure_take(const tdm_model *model, const tdm_tally *tally, int64_t warmup_ns,
                            double confidence, tdm_measure *out, tdm_error *error);
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

#endif
