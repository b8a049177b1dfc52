/* Two sets of runs put beside one another by name, and in all.
 *
 * Frame "totals": GPU time, busy time, elapsed time, pieces of GPU work, peak memory. Frame
 * "names": a row for each name that either has, by option "by" (inside.h), the largest change
 * first. Views are borrowed. Called by the binding; figures of simulated runs are
 * lua/tandem/diff's. */
#ifndef TDM_ANALYSIS_DIFF_DIFF_H
#define TDM_ANALYSIS_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/analysis.h"

typedef struct {
  tdm_run_view *const *view;
  size_t count;       /* runs; with two or more on each side differences are held against the
                         spread between runs, else between units of work or instances */
  const char *within; /* inside.h; NULL: everything */
  size_t unit;        /* over units: only this one, from 1; 0: all */
} tdm_diff_side;

/* Options: by (inside.h; "total", "alike"); over = "windows" (what was recorded, as it is: the
 * default) or "units" (whole units of work, warm-up left out; every view must have some). */
tdm_status tdm_answer_diff(const tdm_diff_side *a, const tdm_diff_side *b,
                           const tdm_options *options, tdm_answer *out, tdm_error *error);

/* Frame "totals". */
tdm_status tdm_diff_totals(const tdm_diff_side *a, const tdm_diff_side *b, bool in_units,
                           tdm_answer *out, tdm_error *error);

/* Frame "alike": one row on whether both sides do the same work, and in units of it. */
tdm_status tdm_diff_alike(const tdm_diff_side *a, const tdm_diff_side *b, tdm_answer *out,
                          tdm_error *error);

/* Whether two sets of observations differ: Welch's t test of their means, and the false discovery
 * rate (Benjamini and Hochberg) over many such tests. Pure functions. Used by diffs. */

typedef struct {
  double count, mean, variance; /* of the sample, n − 1 */
} tdm_observed;

/* What follows each other may be alike: by how much the variance of their mean is above that of
 * independent ones, from the correlation of each with the next. `next`: Σ of the products of the
 * deviations from the mean of each and the next. At least 1. */
double tdm_observed_drift(const tdm_observed *o, double next);

/* Of b's mean minus a's. All NaN where one side has fewer than two observations. */
typedef struct {
  double p;    /* two-sided */
  double half; /* of the 95 % interval */
  double df;   /* of Student's t behind it; infinite where nothing varies */
} tdm_welch_result;

tdm_welch_result tdm_welch(tdm_observed a, tdm_observed b);

/* The largest p that is significant when at most `rate` of what is called so may be by chance; −1:
 * none is. Rearranges the p values. */
double tdm_false_discovery_limit(double *p, size_t count, double rate);

#endif
