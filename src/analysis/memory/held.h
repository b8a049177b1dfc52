/* Which blocks were held: at the peak, or never freed; alike ones as one row. Called by memory.c.
 */
#ifndef TDM_ANALYSIS_MEMORY_HELD_H
#define TDM_ANALYSIS_MEMORY_HELD_H

#include "analysis/answer.h"
#include "analysis/memory/blocks.h"

/* A row for each place, category, owner, stack and size, the largest first; `top` of each place, 0:
 * all. Shares are of the place's peak. What is not of the blocks is a row of its own. */
tdm_status tdm_memory_put_alive(const tdm_memory_blocks *blocks, size_t top, tdm_answer *out,
                                tdm_error *error);
/* Allocated in the window and not freed by the end of the run; shares are of all such bytes of the
 * place. */
tdm_status tdm_memory_put_leaks(const tdm_memory_blocks *blocks, size_t top, tdm_answer *out,
                                tdm_error *error);

/* Bytes and blocks of a place that `put_leaks` tells. */
int64_t tdm_memory_leaked(const tdm_memory_blocks *blocks, uint32_t place, int64_t *count);

/* A category as people read it: counters of timelines are named "memory: parameter". */
const char *tdm_memory_category(tdm_run_view *view, int64_t kind);

#endif
