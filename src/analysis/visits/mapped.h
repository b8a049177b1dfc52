/* A capture through a map: its requests, their visits and sizes, and what the map leaves.
 *
 * Owns its arrays; names are ids of the view's run. Called by the binding. */
#ifndef TDM_ANALYSIS_VISITS_MAPPED_H
#define TDM_ANALYSIS_VISITS_MAPPED_H

#include "analysis/visits/requests.h"

/* Time of one name that no stage has, or that belongs to no request. */
typedef struct {
  int64_t name;
  bool on_gpu;
  uint64_t rows;
  int64_t total_ns;
} tdm_unmapped;

/* Rows of a stage that belong to no request. */
typedef struct {
  uint64_t rows;
  int64_t total_ns;
} tdm_outside;

typedef struct {
  tdm_visits visits;
  int64_t *name;          /* by request: of its range; TDM_NONE */
  double *size;           /* [sizes * requests]: the map's, one after the other; NaN: not there */
  tdm_outside *outside;   /* by stage */
  tdm_unmapped *unmapped; /* GPU work that no stage takes; host time in requests, the outermost that
                             no stage takes; the longest first */
  size_t unmappeds, unmapped_room;
  uint64_t by_launch, by_time, unclear; /* GPU work: how it found its request; more than one open */
  tdm_not_requests missed;
} tdm_mapped;

/* TDM_INVALID: nothing is a request. */
tdm_status tdm_mapped_open(tdm_run_view *view, tdm_visit_map *map, tdm_mapped *out,
                           tdm_error *error);
void tdm_mapped_close(tdm_mapped *mapped);

#endif
