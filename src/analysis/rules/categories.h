/* Categories of GPU work by rules: how long each took, which rule said so, and the time in which
 * the GPU had nothing to do.
 *
 * Two times stand side by side. `total_ns` sums durations; work that overlaps counts each.
 * `elapsed_ns` counts each nanosecond of a device once, for the work that began first: what a row
 * adds to the time that its device was already covered. Devices are swept apart. */
#ifndef TDM_ANALYSIS_RULES_CATEGORIES_H
#define TDM_ANALYSIS_RULES_CATEGORIES_H

#include "analysis/analysis.h"

/* Options: rules (an object, tdm_rule_set; without it nothing is matched), elapsed (ns of wall
 * clock; the recorded time unless told), each = "device" (default), "rank", "all". */
tdm_status tdm_answer_categories(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                                 tdm_error *error);

#endif
