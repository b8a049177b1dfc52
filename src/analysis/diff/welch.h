/* Whether two sets of observations differ: Welch's t test of their means, and the false discovery
 * rate (Benjamini and Hochberg) over many such tests. Pure functions. Used by diffs. */
#ifndef TDM_ANALYSIS_DIFF_WELCH_H
#define TDM_ANALYSIS_DIFF_WELCH_H

#include <stddef.h>

typedef struct {
  double count, mean, variance; /* of the sample, n − 1 */
} tdm_observed;

/* Of b's mean minus a's. Both NaN where one side has fewer than two observations. */
typedef struct {
  double p;    /* two-sided */
  double half; /* of the 95 % interval */
} tdm_welch_result;

tdm_welch_result tdm_welch(tdm_observed a, tdm_observed b);

/* The largest p that is significant when at most `rate` of what is called so may be by chance; −1:
 * none is. Rearranges the p values. */
double tdm_false_discovery_limit(double *p, size_t count, double rate);

#endif
