/* Members of simulated batches: a batch is one row of its first request; the others wait for the
 * same service and have no row of it.
 *
 * Called by simulated.c. */
#ifndef TDM_ANALYSIS_VISITS_BATCH_H
#define TDM_ANALYSIS_VISITS_BATCH_H

#include "analysis/run_view.h"
#include "analysis/visits/visits.h"

typedef struct {
  int64_t start_ns, end_ns;
  uint32_t stage, track;
  uint32_t wanted; /* members whose piece is not found yet */
} tdm_visit_batch;

typedef struct {
  tdm_visit_batch *batch;
  size_t count, room;
} tdm_visit_batches; /* zeroed: none */

/* Adds a piece for each member: one that waited is known by its wait, which ends when the batch
 * starts; one that did not, by the time of which it tells nothing, which begins and ends with the
 * batch. `pieces` are in order of start. *lost: members that are not found. */
tdm_status tdm_visit_batch_members(const tdm_run_view *view, tdm_visit_batches *batches,
                                   size_t requests, const int64_t *arrival_ns,
                                   const int64_t *end_ns, tdm_pieces *pieces, uint64_t *lost,
                                   tdm_error *error);

#endif
