/* Which lane of which group a row belongs to: the inside of lane_set.c.
 *
 * Owns what it remembers of names and tracks while it lives. */
#ifndef TDM_ANALYSIS_OVERLAY_LANE_ROWS_H
#define TDM_ANALYSIS_OVERLAY_LANE_ROWS_H

#include "analysis/name_marks.h"
#include "analysis/overlay/lane_set.h"

/* Categories that lie on lanes, and of their arguments the kind of copies. */
extern const tdm_wanted tdm_lane_work;
/* All of them, for runs that have none of these. */
extern const tdm_wanted tdm_lane_anything;

typedef struct {
  tdm_run_view *view;
  const tdm_table *table;
  bool plain;
  tdm_name_marks kernel, kind, call;
  uint8_t *track_lane; /* by track */
  uint32_t tracks;
} tdm_lane_rules;

tdm_status tdm_lane_rules_open(tdm_run_view *view, tdm_lane_rules *out, tdm_error *error);
void tdm_lane_rules_close(tdm_lane_rules *rules);

#define TDM_NO_LANE TDM_LANES
/* The lane of a row; TDM_NO_LANE: it keeps nothing busy. */
tdm_lane tdm_lane_of_row(tdm_lane_rules *rules, size_t row);

#endif
