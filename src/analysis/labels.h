/* What answers call ranges, operators and other records of the host: names folded (tdm_name_fold),
 * so that those of all steps and layers are one, or whole with the option names = "whole".
 *
 * Owns the folded texts; each name is looked at once. Used by summaries, gaps and the critical
 * path; a diff and a flame graph fold by the same function, with texts of their own. */
#ifndef TDM_ANALYSIS_LABELS_H
#define TDM_ANALYSIS_LABELS_H

#include "analysis/analysis.h"

typedef struct {
  tdm_run_view *view;
  bool whole;
  tdm_base_names folded;
} tdm_labels;

/* tdm_labels_close ends it. */
tdm_labels tdm_labels_of(tdm_run_view *view, const tdm_options *options);
void tdm_labels_close(tdm_labels *labels);

int64_t tdm_label_of(tdm_labels *labels, int64_t name); /* TDM_NONE: out of memory */
void tdm_label_put(const tdm_labels *labels, tdm_frame *frame, size_t field, int64_t label);

/* The same in a frame that has the field "names" behind it: for how many names the label stands. */
#define TDM_LABEL_FIELDS(NAME)                                                                     \
  {(NAME), TDM_FIELD_TEXT}, {                                                                      \
    "names", TDM_FIELD_INT                                                                         \
  }
void tdm_label_put_counted(const tdm_labels *labels, tdm_frame *frame, size_t field, int64_t label);

#endif
