/* Ranges on threads, the calls inside them, and the GPU work that those launched: what projections
 * of ranges begin with.
 *
 * Owns its joins; the tables are the view's. Used by projected and range_kernels. */
#ifndef TDM_ANALYSIS_SUMMARY_RANGE_WORK_H
#define TDM_ANALYSIS_SUMMARY_RANGE_WORK_H

#include "analysis/analysis.h"
#include "analysis/nesting.h"

typedef struct {
  const tdm_table *nested, *free, *calls, *work; /* summary/ranges.h, gpu_work.h */
  tdm_correlation launched;                      /* calls → work */
  tdm_nesting nesting;                           /* of `nested` and `calls` */
} tdm_range_work;

tdm_status tdm_range_work_open(tdm_run_view *view, tdm_range_work *out, tdm_error *error);
void tdm_range_work_close(tdm_range_work *work);

/* Says in the answer which records are missing, and how much of the work has no recorded call. */
void tdm_range_work_explain(const tdm_range_work *work, tdm_answer *out);

#endif
