/* Whether two sets of observations differ: Welch's t test of their means, and the false discovery
 * rate (Benjamini and Hochberg) over many such tests; see diff.h. B. L. Welch, Biometrika 34
 * (1947); Y. Benjamini and Y. Hochberg, J. R. Stat. Soc. B 57 (1995). */
#include "analysis/diff/diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"

tdm_welch_result tdm_welch(tdm_observed a, tdm_observed b) {
  if (a.count < 2 || b.count < 2) return (tdm_welch_result){NAN, NAN};
  double of_a = a.variance / a.count, of_b = b.variance / b.count, sum = of_a + of_b;
  double difference = b.mean - a.mean;
  if (!(sum > 0)) return (tdm_welch_result){difference == 0 ? 1 : 0, 0};
  double df = sum * sum / (of_a * of_a / (a.count - 1) + of_b * of_b / (b.count - 1));
  double error = sqrt(sum);
  return (tdm_welch_result){2 * tdm_student_cdf(-fabs(difference) / error, df),
                            tdm_student_quantile(0.975, df) * error};
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
