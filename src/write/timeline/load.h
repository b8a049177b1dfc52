/* How many of something are active over time, in bins of equal width from the origin on.
 *
 * Owns its arrays. Called by the files of this room. */
#ifndef TDM_WRITE_TIMELINE_LOAD_H
#define TDM_WRITE_TIMELINE_LOAD_H

#include "trace/sweep.h"

typedef struct {
  size_t count;
  int64_t width_ns;
  double *mean; /* [count] active on average */
  double *busy; /* [count] share of the bin with any */
  int64_t *least, *most;
} tdm_load;

/* Walks through a sweep that is ready; at most bins_most + 1 bins. When it fails, nothing is left
 * to close. */
tdm_status tdm_load_open(tdm_load *load, tdm_sweep *sweep, int64_t length_ns, size_t bins_most,
                         tdm_error *error);
void tdm_load_close(tdm_load *load);

#endif
