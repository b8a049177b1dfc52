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
 * (capability.h): each part's load is another sample. Overload is a queue of waiting requests that
 * grows beyond doubt, or a load above 1 beyond doubt and ever more inside. Where ever more are
 * inside and the load does not say why, the run is too short to tell.
 *
 * Owns nothing. Called by engine/measure; the verdict is asked for by bind/result_llm, over all
 * replications. */
#ifndef TDM_ENGINE_BACKLOG_H
#define TDM_ENGINE_BACKLOG_H

#include "engine/tally.h"

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

#endif
