/* How long a model takes to settle: MSER-5 (White, Cobb & Spratt 2000; Hoad et al. 2010) on the
 * series of batch means averaged over replications. One cut for all: letting each replication cut
 * where it happens to be calmest would bias what is left.
 * Called by parallel/replicate on the first replications; owns nothing. */
#ifndef TDM_ENGINE_WARMUP_H
#define TDM_ENGINE_WARMUP_H

#include "engine/tally.h"

/* Nanoseconds to leave out, 0 when there are too few requests to tell. *unsettled: half the run
 * would have to go, so it is too short or has no steady state. Fails only for want of memory. */
tdm_status tdm_warmup_find(tdm_tally *const *tallies, size_t count, int64_t *warmup_ns,
                           bool *unsettled, tdm_error *error);

#endif
