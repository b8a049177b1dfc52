/* What GPUs did over time, in equal bins: how busy they were, what their copies moved. */
#ifndef TDM_ANALYSIS_BREAKDOWN_OVER_TIME_H
#define TDM_ANALYSIS_BREAKDOWN_OVER_TIME_H

#include "analysis/analysis.h"

/* A row for each GPU and bin. Options: bins (30), those of tdm_gpu_rows_open. */
tdm_status tdm_answer_utilization(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                  tdm_error *error);

/* Frames: bandwidth (a row for each GPU and kind of copy: HolisticTraceAnalysis' memory bandwidth
 * summary), over_time. Options: bins (30), those of tdm_gpu_rows_open. */
tdm_status tdm_answer_bandwidth(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                tdm_error *error);

#endif
