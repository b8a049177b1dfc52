/* Rows of tables summed by a key of theirs: what the plain summaries (API calls, copies, ranges …)
 * have in common.
 *
 * Owns no state beyond a call. A frame's fields are those of a summary, of a split, then the key's
 * own. */
#ifndef TDM_ANALYSIS_SUMMARY_ROW_SUMMARY_H
#define TDM_ANALYSIS_SUMMARY_ROW_SUMMARY_H

#include "analysis/summary/summary.h"

enum {
  TDM_ROW_SUMMARY_SPLIT = TDM_SUMMARY_FIELD_COUNT, /* where the fields of the split begin */
  TDM_ROW_SUMMARY_OWN = TDM_ROW_SUMMARY_SPLIT + TDM_SPLIT_FIELD_COUNT /* where the key's do */
};

typedef enum { TDM_ROW_LEFT_OUT, TDM_ROW_TAKEN, TDM_ROW_FAILED /* out of memory */ } tdm_row_taken;

typedef struct {
  tdm_run_view *view;
  tdm_split split;
  size_t keys; /* of its own, less than TDM_GROUP_KEYS */
  void *context;
  tdm_row_taken (*key)(void *context, const tdm_table *table, size_t row, int64_t *key);
  /* What is summed; NULL: durations. TDM_NONE leaves the row out. */
  int64_t (*value)(const tdm_table *table, size_t row);
  void (*put)(void *context, const int64_t *key, tdm_frame *frame); /* the key's own fields */
} tdm_row_summary;

/* All rows of the tables as one summary, the largest total first. */
tdm_status tdm_row_summary_put(const tdm_row_summary *summary, const tdm_table *const *tables,
                               size_t count, tdm_frame *frame, tdm_error *error);

#endif
