/* Memory: what was allocated over time, the peak and what was alive then, what was never freed, and
 * how much of what the allocator reserved lay unused. */
#ifndef TDM_ANALYSIS_MEMORY_MEMORY_H
#define TDM_ANALYSIS_MEMORY_MEMORY_H

#include "analysis/analysis.h"

/* Options: bins (parts of the timeline, 120), top (rows of what was alive and of leaks for each
 * device, 50; 0: all). */
tdm_status tdm_answer_memory(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error);

#endif
