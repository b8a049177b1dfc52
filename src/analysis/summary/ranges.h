/* Ranges that programs mark on their threads (NVTX, user annotations) by name, as
 * `nsys stats -r nvtx_sum` has them; and the tables of ranges that summaries share. */
#ifndef TDM_ANALYSIS_SUMMARY_RANGES_H
#define TDM_ANALYSIS_SUMMARY_RANGES_H

#include "analysis/analysis.h"

/* Options: style = "pushpop" (ranges that nest on their thread, annotations of PyTorch with them),
 * "startend" (those that need not); both unless told. each = "process", "rank", "thread". */
tdm_status tdm_answer_ranges(tdm_run_view *view, const tdm_options *options, tdm_answer *out,
                             tdm_error *error);

/* Ranges that nest (push and pop), those that need not (start and end). Argument 0: the domain. */
extern const tdm_wanted tdm_nested_ranges, tdm_free_ranges;
enum { TDM_RANGE_NVTX, TDM_RANGE_ANNOTATION }; /* categories */
enum { TDM_RANGE_DOMAIN };

/* What an answer says when there are none, after tdm_run_view_lacking. */
#define TDM_NO_RANGES "%s no ranges (no rows of category nvtx or user_annotation)"

/* "PushPop", "StartEnd" as Nsight Systems has it; "annotation". */
const char *tdm_range_style(int64_t category, bool nests);

#endif
