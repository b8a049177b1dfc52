/* Ranges on threads, the calls inside them, and the GPU work that those launched: what projections
 * of ranges begin with.
 *
 * The view owns it and keeps it. Used by projected and range_kernels. */
#ifndef TDM_ANALYSIS_SUMMARY_RANGE_WORK_H
#define TDM_ANALYSIS_SUMMARY_RANGE_WORK_H

#include "analysis/analysis.h"
#include "analysis/gpu_work.h"
#include "analysis/nesting.h"

typedef struct {
  const tdm_table *nested, *free;  /* summary/ranges.h */
  const tdm_table *calls, *work;   /* gpu_work.h */
  const tdm_correlation *launched; /* calls → work */
  tdm_nesting nesting;             /* of `nested` and `calls` */
} tdm_range_work;

/* Made at the first call. */
tdm_status tdm_range_work_of(tdm_run_view *view, const tdm_range_work **out, tdm_error *error);

/* Says in the answer which records are missing, and how much of the work has no recorded call. */
void tdm_range_work_explain(const tdm_run_view *view, const tdm_range_work *work, tdm_answer *out);

#endif
