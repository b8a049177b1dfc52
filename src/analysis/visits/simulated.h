/* A simulated run as requests and visits: its rows say which request they are of, so it needs no
 * map, and its waits are told.
 *
 * Owns its arrays. Called by the binding. */
#ifndef TDM_ANALYSIS_VISITS_SIMULATED_H
#define TDM_ANALYSIS_VISITS_SIMULATED_H

#include "analysis/run_view.h"
#include "analysis/visits/visits.h"
#include "engine/sink.h"

typedef struct {
  tdm_visits visits;
  int64_t *id;           /* by request: as the simulation numbers it */
  tdm_outcome *outcome;  /* by request */
  uint64_t open;         /* requests that had not ended when the run did */
  uint64_t untraced;     /* requests that ended after the trace was full */
  uint64_t lost_members; /* of batches, that the trace does not tell: their time is rest or tail */
  uint64_t outside_rows; /* rows of stages and waits of those */
} tdm_simulated_visits;

/* TDM_INVALID: the run has no requests, or no rows of them. */
tdm_status tdm_simulated_visits_open(tdm_run_view *view, tdm_simulated_visits *out,
                                     tdm_error *error);
void tdm_simulated_visits_close(tdm_simulated_visits *simulated);

#endif
