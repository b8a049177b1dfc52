/* What a summary calls a range; see inside.h. */
#include <string.h>

#include "analysis/summary/inside.h"

tdm_range_labels tdm_range_labels_of(tdm_run_view *view, const tdm_options *options) {
  bool whole = strcmp(tdm_option_text(options, "names", "folded"), "whole") == 0;
  return (tdm_range_labels){.view = view, .whole = whole, .folded = {.base_of = tdm_name_fold}};
}

int64_t tdm_range_label(tdm_range_labels *labels, int64_t name) {
  return labels->whole ? name : tdm_base_names_id(&labels->folded, labels->view, name);
}

void tdm_range_label_put(const tdm_range_labels *labels, tdm_frame *frame, size_t field,
                         int64_t label) {
  if (labels->whole) {
    tdm_frame_name(frame, field, tdm_run_view_name(labels->view, label));
    return;
  }
  tdm_frame_text(frame, field, tdm_base_names_text(&labels->folded, label));
  tdm_frame_int(frame, field + 1, tdm_base_names_count(&labels->folded, label));
}
