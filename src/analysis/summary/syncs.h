/* Synchronization: as CUPTI recorded it, by kind; and the API calls in which the host waited. */
#ifndef TDM_ANALYSIS_SUMMARY_SYNCS_H
#define TDM_ANALYSIS_SUMMARY_SYNCS_H

#include "analysis/analysis.h"

/* Options: each = "device", "stream", "process", "rank", "thread"; calls are split by the last
 * three only. */
tdm_status tdm_answer_syncs(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                            tdm_error *error);

#endif
