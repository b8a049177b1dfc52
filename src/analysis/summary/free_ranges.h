/* Projections of ranges that do not nest on their thread: those from start to end, and those that
 * cross others. Each has the calls that its thread began while it was open.
 *
 * Many may be open at once, so that none can be handed to the one around it: a tree over each
 * thread's calls gives the first and last time of any run of them. Owns its list. Used by
 * projected. */
#ifndef TDM_ANALYSIS_SUMMARY_FREE_RANGES_H
#define TDM_ANALYSIS_SUMMARY_FREE_RANGES_H

#include "analysis/summary/range_work.h"

typedef struct {
  uint32_t range, ops;
  bool nests; /* a row of work->nested (it crosses another), otherwise of work->free */
  int64_t part, first_ns, last_ns;
} tdm_free_projection;

typedef struct {
  tdm_free_projection *projection;
  size_t count, room;
} tdm_free_projections;

/* `part_of`: by track of the GPUs, what each is projected onto apart; NULL: all as one. */
tdm_status tdm_free_projections_open(tdm_run_view *view, const tdm_range_work *work,
                                     const int64_t *part_of, tdm_free_projections *out,
                                     tdm_error *error);
void tdm_free_projections_close(tdm_free_projections *projections);

#endif
