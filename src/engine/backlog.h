/* Whether the queue of an LLM server keeps growing while requests come: a sample for a test, and
 * what kept requests out of its steps.
 *
 * A server that keeps up has a queue that goes up and down; one that is offered more than it can
 * take has a queue with a drift. So the second half of the time in which requests came is cut into
 * equal parts, and the increments of the mean queue from part to part are the sample: their sum
 * telescopes where there is no drift, which makes a t test of their mean a careful one, and under a
 * critical load, where the queue is a random walk, an exact one in the limit.
 *
 * Owns nothing. Called by engine/measure; the test is bind/result_llm's, over all replications. */
#ifndef TDM_ENGINE_BACKLOG_H
#define TDM_ENGINE_BACKLOG_H

#include "engine/tally.h"

typedef struct {
  size_t count;                    /* of increments; 0: too few slices */
  double sum, squares;             /* of them: requests, requests² */
  double part_s;                   /* from part to part */
  double waiting;                  /* mean of the last part */
  double served_per_s;             /* in the second half, requests */
  double asked_per_s, given_per_s; /* likewise, output tokens */
} tdm_backlog;

/* Of server `index`. */
tdm_backlog tdm_backlog_of(const tdm_model *model, const tdm_tally *tally, size_t index);

/* The chance that a server that keeps up shows such a sample or a larger one, all replications'
 * samples taken together; 1 where they do not suffice. */
double tdm_backlog_chance(const tdm_backlog *sum);
/* Adds a replication's sample; means are weighted alike by the caller's count of them. */
void tdm_backlog_add(tdm_backlog *sum, const tdm_backlog *one);

#endif
