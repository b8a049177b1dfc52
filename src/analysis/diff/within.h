/* Which rows belong to a range by who asked for them: GPU work counts where its API call began, as
 * profilers attribute kernels to steps; anything else where it began itself. Owns no state. Used by
 * samples.c and totals.c. */
#ifndef TDM_ANALYSIS_DIFF_WITHIN_H
#define TDM_ANALYSIS_DIFF_WITHIN_H

#include "analysis/run_view.h"

/* A flag a row. TDM_INVALID: the run has no such range. GPU work whose call was not recorded does
 * not belong. Free *belongs. */
tdm_status tdm_within(tdm_run_view *view, const tdm_table *table, bool is_gpu_work,
                      const char *range, bool **belongs, tdm_error *error);

#endif
