/* Which ranges lie in which on their threads, and which calls in them: one sweep over both in order
 * of time with a stack of open ranges a thread.
 *
 * A range that ends after one that was open when it began does not nest; it is kept apart ("loose")
 * and nothing lies in it. Owns its arrays. Used by projections of ranges onto GPUs, by operators.
 */
#ifndef TDM_ANALYSIS_NESTING_H
#define TDM_ANALYSIS_NESTING_H

#include "analysis/correlation.h"

typedef struct {
  uint32_t *parent;    /* by range: the one around it on its thread; TDM_NO_ROW: none, or loose */
  uint32_t *innermost; /* by call: the innermost range with the whole call in it; TDM_NO_ROW */
  uint32_t *loose;     /* the ranges that do not nest, in order */
  size_t looses, loose_room;
} tdm_nesting;

/* A range ends before one begins at the same time. A call lies in a range whose ends it touches,
 * but one without duration (a simulation's) in what begins with it, not in what ends there. */
tdm_status tdm_nesting_open(tdm_run_view *view, const tdm_table *ranges, const tdm_table *calls,
                            tdm_nesting *out, tdm_error *error);
void tdm_nesting_close(tdm_nesting *nesting);

/* By range: whether one of its name is around it on its thread, so that a sum over the name has its
 * time already. NULL: out of memory. The caller frees it. */
bool *tdm_nesting_recursive(const tdm_nesting *nesting, const tdm_table *ranges);

#endif
