/* Two sets of runs put beside one another by name, and in all.
 *
 * Frame "totals": GPU time, busy time, elapsed time, pieces of GPU work, peak memory. Frame
 * "names": a row for each name that either has, by option "by" (samples.h), the largest change
 * first. Views are borrowed. Called by the binding; figures of simulated runs are
 * lua/tandem/diff's. */
#ifndef TDM_ANALYSIS_DIFF_DIFF_H
#define TDM_ANALYSIS_DIFF_DIFF_H

#include "analysis/analysis.h"

typedef struct {
  tdm_run_view *const *view;
  size_t count;       /* runs; with two or more on each side differences are held against the
                         spread between runs, with one against that between instances */
  const char *within; /* samples.h; NULL: everything */
} tdm_diff_side;

/* Options: by. */
tdm_status tdm_answer_diff(const tdm_diff_side *a, const tdm_diff_side *b,
                           const tdm_options *options, tdm_answer *out, tdm_error *error);

/* Frame "totals". */
tdm_status tdm_diff_totals(const tdm_diff_side *a, const tdm_diff_side *b, tdm_answer *out,
                           tdm_error *error);

#endif
