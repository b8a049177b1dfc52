/* What one replication measured, in integers wherever possible, so that merging is exact and the
 * event engine and the lowered engine can be compared bit by bit.
 *
 * Time is cut into TDM_SLICES equal slices. Requests are counted in the slice of their arrival;
 * counters of stages and stations are cumulative, noted at each slice's end. Warm-up is removed
 * afterwards by leaving out whole slices (measure/measure.c), which is why one pass is enough.
 *
 * Owned by the engine that fills it, taken over by whoever merges. */
#ifndef TDM_ENGINE_TALLY_H
#define TDM_ENGINE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/histogram.h"
#include "engine/serving/serving.h"
#include "engine/windows.h"
#include "model/model.h"

#define TDM_SLICES       64
#define TDM_SERIES_LIMIT 4096 /* batch means kept for MSER; halved by merging pairs when full */

/* By slice of arrival. */
typedef struct {
  uint64_t arrived, completed, within_slo, dropped, abandoned, timed_out, retried;
  int64_t latency_ns; /* sum over completed */
  int64_t min_ns, max_ns;
  uint64_t *counts; /* latency histogram (base/histogram buckets); NULL: see tdm_exact */
} tdm_class_slice;

/* Cumulative over service starts before the slice's end. */
typedef struct {
  uint64_t visits, delayed, batches;
  int64_t wait_ns, service_ns;
  int64_t max_wait_ns; /* of this slice alone */
} tdm_stage_note;

/* What an LLM server was asked for. */
typedef struct {
  int64_t requests, left; /* left: those that failures took out, before they ask again */
  int64_t prompt_tokens, output_tokens;
  double context; /* Σ over the decode steps that it takes: tokens each reads */
} tdm_asked;

/* What the replicas of a pool have done in steps that ended by the slice's end. */
typedef struct {
  int64_t steps, busy_ns;
  int64_t sequences;                     /* of all steps */
  int64_t prefill_tokens, output_tokens; /* computed; output: those that left */
  int64_t prompt_tokens, cached_tokens;  /* of requests that are done; found in the cache */
  int64_t finished, preemptions;         /* requests */
  tdm_asked asked;                       /* in a server's first pool */
  int64_t handed_over;                   /* finished ones that go on in another pool */
  int64_t held_ns[TDM_SERVING_HELD];     /* of steps, by what kept requests out of them */
  int64_t refused[TDM_REFUSED];          /* requests that could never run */
  double energy_j;                       /* beyond idling */
  int64_t api_ns;                        /* work of API workers; in a server's first pool */
  int64_t swapped_out, swapped_in;       /* tokens whose KV moved to and from host memory */
  int64_t drafted, accepted;             /* tokens */
  /* By tier below the KV cache, the nearest first. */
  int64_t tier_tokens[TDM_KV_TIERS];   /* prompt tokens found there, of requests that are done */
  int64_t tier_requests[TDM_KV_TIERS]; /* requests that found some */
  double tier_stored[TDM_KV_TIERS], tier_loaded[TDM_KV_TIERS]; /* bytes that moved */
  int64_t load_ns;                                             /* that requests waited for them */
  int64_t adapter_loads;
  double kv_moved;         /* bytes of KV cache that came from other replicas */
  double kv_area;          /* ∫ KV blocks in use dt, block·seconds */
  int64_t kv_peak;         /* of one replica, in this slice alone */
  int64_t restarts;        /* requests that failures have sent elsewhere */
  int64_t replica_area_ns; /* ∫ replicas that have GPUs dt up to the slice's end, clipped there */
  int64_t replica_peak;    /* in this slice alone */
} tdm_pool_note;

/* Tokens of requests that were done in a slice, of a stage or a tenant of an LLM server. */
typedef struct {
  int64_t prompt_tokens, output_tokens;
} tdm_taker_slice;

typedef struct {
  double held_area;      /* ∫ bytes held dt, byte·seconds */
  int64_t queue_area_ns; /* ∫ requests waiting dt */
} tdm_memory_note;

typedef struct {
  size_t batch;   /* latencies per mean: 5·2^k */
  size_t filled;  /* of the current batch */
  int64_t sum_ns; /* of the current batch */
  size_t count;
  int64_t *sums_ns;     /* TDM_SERIES_LIMIT of them */
  int64_t *arrivals_ns; /* arrival of each batch's last request */
} tdm_series;

#define TDM_EXACT_LIMIT 16384 /* up to so many latencies a class, quantiles are exact */

/* The first completions of a class, in order. One more than TDM_EXACT_LIMIT, and all of them move
 * into the histograms of their slices, which do not exist before. */
typedef struct {
  int64_t *latency_ns;
  uint8_t *slice; /* of arrival */
  uint64_t count; /* all completions, kept or not */
} tdm_exact;

typedef struct {
  int64_t slice_ns;
  int64_t end_ns; /* time of the last event */
  int64_t last_arrival_ns;
  int64_t window_ns; /* end of the observed window: the arrival window, or end_ns when unknown */
  int64_t bounds_ns[TDM_SLICES + 1]; /* slice k is [bounds[k], bounds[k+1]) */
  uint64_t events;
  uint64_t open;        /* requests still inside at the end */
  uint64_t round_left;  /* closed loops: requests of their first round that have not ended */
  int64_t round_end_ns; /* when the last of them ended: all users begin at once, see warmup.c */
  size_t class_count, stage_count, station_count, memory_count, link_count, pool_count, taker_count;
  size_t
      times_count; /* rows of `classes` and `exact`: classes, then times of LLM stages and tenants,
                    * see tdm_llm_server, whose slices say nothing of who left otherwise */
  tdm_class_slice *classes;   /* [class][TDM_SLICES] */
  tdm_stage_note *stages;     /* [stage][TDM_SLICES + 1]; the last: at the very end; see lean */
  tdm_station_note *stations; /* [station][TDM_SLICES + 1] */
  tdm_memory_note *memories;  /* [memory][TDM_SLICES + 1] */
  tdm_pool_note *pools;       /* [pool of all servers][TDM_SLICES + 1] */
  tdm_taker_slice *takers;    /* [taker][TDM_SLICES] */
  double *links;              /* [link][TDM_SLICES + 1]: bytes moved so far */
  int64_t *in_system_ns;      /* [TDM_SLICES + 1]: ∫ requests inside dt */
  uint64_t *finished;         /* [TDM_SLICES + 1]: completions so far, by time of completion */
  tdm_exact *exact;           /* [class] */
  tdm_series series;
  uint32_t gpus_peak;   /* GPUs of groups that come and go, held at a time */
  tdm_windows *windows; /* NULL: nothing is told by window */
  bool interrupted;
  bool lean;     /* of each stage two notes alone: what is left out, and the end, whose longest wait
                  * is that of all slices kept */
  uint32_t from; /* lean: the first slice kept */
} tdm_tally;

#define TDM_TALLY_WHOLE (-1) /* all notes are kept: how much is left out is found afterwards */

/* expected_ns: planned length of the arrival window (the slices' grid). warmup_ns: what is left out
 * where that is known and stages are too many to keep all their notes, else TDM_TALLY_WHOLE. */
tdm_status tdm_tally_new(const tdm_model *model, int64_t expected_ns, int64_t warmup_ns,
                         tdm_tally **out, tdm_error *error);
void tdm_tally_free(tdm_tally *tally);
void tdm_tally_thin(tdm_tally *tally); /* all that the warm-up is not found by goes */

/* First slice that is kept. What is found is never more than half; what was asked for may be. */
uint32_t tdm_tally_from(const tdm_tally *tally, int64_t warmup_ns);

/* Notes what a stage has done by the end of slice `k`; TDM_SLICES: at the very end. In order. */
static inline void tdm_tally_note_stage(tdm_tally *tally, size_t stage, uint32_t k,
                                        const tdm_stage_note *note) {
  if (!tally->lean) {
    tally->stages[stage * (TDM_SLICES + 1) + k] = *note;
    return;
  }
  tdm_stage_note *kept = &tally->stages[2 * stage + (k >= tally->from)];
  int64_t longest_ns = kept->max_wait_ns;
  *kept = *note;
  if (longest_ns > kept->max_wait_ns) kept->max_wait_ns = longest_ns;
}

/* Does a run's window last until its last request leaves? So where a number of requests ends the
 * arrivals; a duration alone is the window. */
bool tdm_tally_open_ended(const tdm_model *model);

/* The length to expect from a model: its duration, or what its rates say about its requests. */
int64_t tdm_tally_expected_ns(const tdm_model *model);

/* Closed loops and Lua arrivals do not say how long so many requests take: their slices start
 * small and are merged in pairs whenever the run outgrows them. Only the event engine does that. */
bool tdm_tally_grows(const tdm_model *model);
void tdm_tally_widen(tdm_tally *tally); /* slices 2k and 2k+1 become k; the grid doubles */

static inline tdm_class_slice *tdm_tally_slice(tdm_tally *tally, uint32_t class_index,
                                               uint32_t slice) {
  return &tally->classes[(size_t)class_index * TDM_SLICES + slice];
}
/* Makes a slice's histogram for the latency after the first TDM_EXACT_LIMIT; the first call moves
 * those into theirs. False: out of memory. */
bool tdm_tally_touch(tdm_tally *tally, uint32_t class_index, uint32_t slice);

/* The latency of a request that arrived in `slice`, for quantiles; false: out of memory. */
static inline bool tdm_tally_latency(tdm_tally *tally, uint32_t class_index, uint32_t slice,
                                     int64_t latency_ns) {
  tdm_exact *exact = &tally->exact[class_index];
  if (exact->count < TDM_EXACT_LIMIT) {
    exact->latency_ns[exact->count] = latency_ns;
    exact->slice[exact->count] = (uint8_t)slice;
  } else {
    tdm_class_slice *into = tdm_tally_slice(tally, class_index, slice);
    if (into->counts == NULL && !tdm_tally_touch(tally, class_index, slice)) return false;
    into->counts[tdm_histogram_bucket(latency_ns)]++;
  }
  exact->count++;
  return true;
}

/* The same, counted and summed up, of `times` equal ones. */
bool tdm_tally_times(tdm_tally *tally, size_t row, uint32_t slice, int64_t time_ns, int64_t times);

/* One latency, in order of completion. */
void tdm_series_close_batch(tdm_series *series, int64_t arrival_ns);
static inline void tdm_series_add(tdm_series *series, int64_t latency_ns, int64_t arrival_ns) {
  series->sum_ns += latency_ns;
  if (++series->filled == series->batch) tdm_series_close_batch(series, arrival_ns);
}

#endif
