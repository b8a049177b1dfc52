/* What each place held over time, by category. Called by memory.c. */
#ifndef TDM_ANALYSIS_MEMORY_TIMELINE_H
#define TDM_ANALYSIS_MEMORY_TIMELINE_H

#include "analysis/answer.h"
#include "analysis/memory/blocks.h"

/* `bins` equal parts of the view's time. A part shows the moment in which the place held the most,
 * so that the highest one is the peak. Categories; owners where blocks have none. The largest are
 * told apart, the others are one. */
tdm_status tdm_memory_put_timeline(const tdm_memory_blocks *blocks, size_t bins, tdm_answer *out,
                                   tdm_error *error);

#endif
