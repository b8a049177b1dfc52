/* The requests of a capture by the rule of a map, as windows of time; see window.h.
 *
 * Called by mapped.c. */
#ifndef TDM_ANALYSIS_VISITS_REQUESTS_H
#define TDM_ANALYSIS_VISITS_REQUESTS_H

#include "analysis/process/phases.h"
#include "analysis/visits/tables.h"
#include "analysis/visits/window.h"

/* What the rule took that is no request, by why. */
typedef struct {
  uint64_t inside;  /* matches inside a match: part of it */
  uint64_t before;  /* rows before the first request of their group */
  uint64_t open;    /* requests that had not ended when the capture did, or lack a step */
  uint64_t partial; /* matches cut off by the end of the capture */
} tdm_not_requests;

/* The stages of requests that are phases; none of other rules. The request of each is a number of
 * its window. */
typedef struct {
  tdm_phases all;
  uint32_t *window; /* by phase; TDM_NO_WINDOW: of none */
} tdm_request_phases;
void tdm_request_phases_close(tdm_request_phases *phases);

/* *on_gpu: the windows were found among GPU work, whose own start tells its request. Sorted; empty
 * when nothing was found. */
tdm_status tdm_visit_requests(const tdm_visit_tables *tables, tdm_visit_map *map, tdm_windows *out,
                              bool *on_gpu, tdm_not_requests *missed, tdm_request_phases *phases,
                              tdm_error *error);

#endif
