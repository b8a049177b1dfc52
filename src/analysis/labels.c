/* Names of the host's records as answers tell them; see labels.h. */
#include "analysis/labels.h"

#include <string.h>

tdm_labels tdm_labels_of(tdm_run_view *view, const tdm_options *options) {
  bool whole = strcmp(tdm_option_text(options, "names", "folded"), "whole") == 0;
  return (tdm_labels){.view = view, .whole = whole, .folded = {.base_of = tdm_name_fold}};
}

void tdm_labels_close(tdm_labels *labels) {
  tdm_base_names_close(&labels->folded);
}

int64_t tdm_label_of(tdm_labels *labels, int64_t name) {
  return labels->whole ? name : tdm_base_names_id(&labels->folded, labels->view, name);
}

void tdm_label_put(const tdm_labels *labels, tdm_frame *frame, size_t field, int64_t label) {
  if (labels->whole)
    tdm_frame_name(frame, field, tdm_run_view_name(labels->view, label));
  else
    tdm_frame_text(frame, field, tdm_base_names_text(&labels->folded, label));
}

void tdm_label_put_counted(const tdm_labels *labels, tdm_frame *frame, size_t field,
                           int64_t label) {
  tdm_label_put(labels, frame, field, label);
  if (!labels->whole) tdm_frame_int(frame, field + 1, tdm_base_names_count(&labels->folded, label));
}
