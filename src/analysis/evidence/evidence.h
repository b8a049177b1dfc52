/* What the pieces of evidence share: when each device ran which work, and the longest rows of a
 * selection. Each piece is an analysis without a command (view:count in Lua); advice rules
 * (lib/advice) judge them. Owns no state. */
#ifndef TDM_ANALYSIS_EVIDENCE_EVIDENCE_H
#define TDM_ANALYSIS_EVIDENCE_EVIDENCE_H

#include "analysis/analysis.h"
#include "analysis/intervals.h"
#include "analysis/run_view/gpu_work.h"

#define TDM_CLASS_BIT(class) (1u << (class))
#define TDM_CLASS_ANY        0xffu

/* One set a device: when it ran work of the classes in `mask`. *sets has as many as there are
 * devices; close each, then free it. */
tdm_status tdm_evidence_cover(tdm_run_view *view, const tdm_table *work, const uint8_t *classes,
                              unsigned mask, tdm_intervals **sets, tdm_error *error);
void tdm_evidence_free(tdm_run_view *view, tdm_intervals *sets);

/* One set a device: when it ran anything, at all times of the run. */
tdm_status tdm_evidence_busy(tdm_run_view *view, tdm_intervals **sets, tdm_error *error);
/* The time that counts of a device, from its first start to its last end or what the filter leaves,
 * and what of it is idle. Both come in zeroed; none counts of a device that never ran anything. */
tdm_status tdm_evidence_gaps(const tdm_run_view *view, const tdm_intervals *busy,
                             tdm_intervals *counted, tdm_intervals *gaps, tdm_error *error);

/* Arranges row numbers so that the first `limit` are those of the longest rows, longest first, ties
 * by row; returns how many there are then. */
size_t tdm_evidence_longest(const tdm_table *table, uint32_t *row, size_t count, size_t limit);
/* The same of the longest intervals. */
size_t tdm_evidence_longest_of(const tdm_intervals *set, uint32_t *row, size_t count, size_t limit);

/* An option that counts: users' rules may give any number. */
size_t tdm_evidence_count(const tdm_options *options, const char *key, size_t otherwise);

/* Fields "device" and "rank" of a frame's last row, in this order from `first`. */
#define TDM_EVIDENCE_DEVICE                                                                        \
  {"device", TDM_FIELD_TEXT}, {                                                                    \
    "rank", TDM_FIELD_INT                                                                          \
  }
void tdm_evidence_put_device(tdm_run_view *view, uint32_t device, tdm_frame *frame, size_t first);

#endif
