/* Whether two sets of observations differ: Welch's t test of their means, and the false discovery
 * rate (Benjamini and Hochberg) over many such tests; see diff.h. B. L. Welch, Biometrika 34
 * (1947); Y. Benjamini and Y. Hochberg, J. R. Stat. Soc. B 57 (1995). */
#include "analysis/diff/diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

#define FEWEST_CORRELATED 12 /* of fewer, a correlation is a guess */

tdm_welch_result tdm_welch(tdm_observed a, tdm_observed b) {
  if (a.count < 2 || b.count < 2) return (tdm_welch_result){NAN, NAN, NAN};
  double of_a = a.variance / a.count, of_b = b.variance / b.count, sum = of_a + of_b;
  double difference = b.mean - a.mean;
  if (!(sum > 0)) return (tdm_welch_result){difference == 0 ? 1 : 0, 0, INFINITY};
  double df = sum * sum / (of_a * of_a / (a.count - 1) + of_b * of_b / (b.count - 1));
  double error = sqrt(sum);
  return (tdm_welch_result){2 * tdm_student_cdf(-fabs(difference) / error, df),
                            tdm_student_quantile(0.975, df) * error, df};
}

double tdm_observed_drift(const tdm_observed *o, double next) {
  if (o->count < FEWEST_CORRELATED || !(o->variance > 0)) return 1;
  double found = next / ((o->count - 1) * o->variance);
  double correlation = found + (1 + 3 * found) / o->count; /* less its bias, to the first order */
  if (correlation <= 0) return 1;
  double most = 1 - 4 / o->count; /* more cannot be told from a trend */
  if (correlation > most) correlation = most;
  return (1 + correlation) / (1 - correlation);
}

static int ascending(const void *x, const void *y) {
  const double *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

double tdm_false_discovery_limit(double *p, size_t count, double rate) {
  if (count > 1) qsort(p, count, sizeof *p, ascending);
  for (size_t i = count; i > 0; i--)
    if (p[i - 1] <= rate * (double)i / (double)count) return p[i - 1];
  return -1;
}
