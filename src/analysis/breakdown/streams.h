/* What each stream did, launch by launch: why it idled, how long its queue was, how late its work
 * began. */
#ifndef TDM_ANALYSIS_BREAKDOWN_STREAMS_H
#define TDM_ANALYSIS_BREAKDOWN_STREAMS_H

#include "analysis/analysis.h"

/* Idle time of each stream between its pieces of work, by cause (HolisticTraceAnalysis' idle
 * breakdown). Options: consecutive_kernel_delay (ns, 30 µs), those of tdm_gpu_rows_open. */
tdm_status tdm_answer_idle(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                           tdm_error *error);

/* Work launched and not yet begun, by stream. Options: full (1024 entries), no_graphs (graph
 * launches are left out), those of tdm_gpu_rows_open. */
tdm_status tdm_answer_queue(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error);

/* API calls against what they launched. Options: runtime_cutoff (ns, 50 µs), launch_delay_cutoff
 * (ns, 100 µs), kernels_only, those of tdm_gpu_rows_open. Frames: launch_delay, durations, kernels.
 */
tdm_status tdm_answer_launch_delay(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                   tdm_error *error);

#endif
