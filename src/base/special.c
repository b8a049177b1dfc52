/* Special functions: normal quantile (AS 241), ψ and ψ′, incomplete gamma and beta (series, Lentz),
 * Weibull shape from a coefficient of variation. Owns no state. Called by base/dist and base/stats.
 */
#include "base/special.h"

#include <math.h>

/* Degree-7 polynomial by Horner's rule, constant term first. */
static inline double poly7(const double c[8], double x) {
  return ((((((c[7] * x + c[6]) * x + c[5]) * x + c[4]) * x + c[3]) * x + c[2]) * x + c[1]) * x +
         c[0];
}

/* Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988): rational approximations for
 * |p − ½| ≤ 0.425, and for r = √(−log tail) below and above 5. */
static const double central_top[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                      1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                      4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                      3.3430575583588128105e+4, 2.5090809287301226727e+3};
static const double central_bottom[8] = {1.0,
                                         4.2313330701600911252e+1,
                                         6.8718700749205790830e+2,
                                         5.3941960214247511077e+3,
                                         2.1213794301586595867e+4,
                                         3.9307895800092710610e+4,
                                         2.8729085735721942674e+4,
                                         5.2264952788528545610e+3};
static const double middle_top[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                     5.76949722146069140550e0,  3.64784832476320460504e0,
                                     1.27045825245236838258e0,  2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
static const double middle_bottom[8] = {1.0,
                                        2.05319162663775882187e0,
                                        1.67638483018380384940e0,
                                        6.89767334985100004550e-1,
                                        1.48103976427480074590e-1,
                                        1.51986665636164571966e-2,
                                        5.47593808499534494600e-4,
                                        1.05075007164441684324e-9};
static const double far_top[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                  1.78482653991729133580e0,  2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
static const double far_bottom[8] = {1.0,
                                     5.99832206555887937690e-1,
                                     1.36929880922735805310e-1,
                                     1.48753612908506148525e-2,
                                     7.86869131145613259100e-4,
                                     1.84631831751005468180e-5,
                                     1.42151175831644588870e-7,
                                     2.04426310338993978564e-15};

double tdm_normal_quantile(double p) {
  double q = p - 0.5;
  if (fabs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * poly7(central_top, r) / poly7(central_bottom, r);
  }
  double tail = q < 0 ? p : 1.0 - p;
  if (!(tail > 0)) return tail == 0 ? (q < 0 ? -INFINITY : INFINITY) : NAN;
  double r = sqrt(-log(tail));
  double z;
  if (r <= 5.0) {
    r -= 1.6;
    z = poly7(middle_top, r) / poly7(middle_bottom, r);
  } else {
    r -= 5.0;
    z = poly7(far_top, r) / poly7(far_bottom, r);
  }
  return q < 0 ? -z : z;
}

double tdm_normal_cdf(double x) {
  return 0.5 * erfc(-x * 0.70710678118654752440);
}

double tdm_log_gamma(double x) {
  int sign; /* lgamma() would write the global signgam, a race between threads */
  return lgamma_r(x, &sign);
}

/* Both by their asymptotic series beyond 10, reached with ψ(x) = ψ(x + 1) − 1/x. */
double tdm_digamma(double x) {
  double below = 0;
  for (; x < 10; x++) below += 1 / x;
  double y = 1 / (x * x);
  double series = y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
  return log(x) - 0.5 / x - series - below;
}

double tdm_trigamma(double x) {
  double below = 0;
  for (; x < 10; x++) below += 1 / (x * x);
  double y = 1 / (x * x);
  double series = y * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y * (1.0 / 30 - y * (5.0 / 66)))));
  return 1 / x + 0.5 * y + series / x + below;
}

#define GAMMA_TERMS 100000

/* Σ x^n Γ(a)/Γ(a + 1 + n), for x below a + 1. */
static double gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < GAMMA_TERMS && term > sum * 1e-17; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/* The upper tail's continued fraction, modified Lentz, for x above a + 1. */
static double gamma_fraction(double a, double x) {
  const double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, result = d;
  for (int n = 1; n < GAMMA_TERMS; n++) {
    double top = -n * (n - a);
    b += 2;
    d = top * d + b;
    if (fabs(d) < tiny) d = tiny;
    c = b + top / c;
    if (fabs(c) < tiny) c = tiny;
    d = 1 / d;
    result *= c * d;
    if (fabs(c * d - 1) < 1e-16) break;
  }
  return result;
}

double tdm_gamma_p(double a, double x) {
  if (isnan(x) || !(a > 0)) return NAN;
  if (x <= 0) return 0;
  if (isinf(x)) return 1;
  double scale = exp(a * log(x) - x - tdm_log_gamma(a));
  return x < a + 1 ? scale * gamma_series(a, x) : 1 - scale * gamma_fraction(a, x);
}

double tdm_poisson_most(double seen, double confidence) {
  double low = seen, high = 2 * seen + 20;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    if (tdm_gamma_p(seen + 1, middle) < confidence)
      low = middle;
    else
      high = middle;
  }
  return high;
}

/* Continued fraction of the incomplete beta, modified Lentz; converges in O(√max(a, b)) steps for
 * x < (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1.0;
  double d = 1.0 - (a + b) * x / (a + 1.0);
  if (fabs(d) < tiny) d = tiny;
  d = 1.0 / d;
  double result = d;
  for (int m = 1; m <= 100000; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0));
    double change = 1.0;
    for (int half = 0; half < 2; half++) {
      double term = half == 0 ? even : odd;
      d = 1.0 + term * d;
      if (fabs(d) < tiny) d = tiny;
      d = 1.0 / d;
      c = 1.0 + term / c;
      if (fabs(c) < tiny) c = tiny;
      change = c * d;
      result *= change;
    }
    if (fabs(change - 1.0) < 1e-16) break;
  }
  return result;
}

double tdm_beta_i(double a, double b, double x) {
  if (isnan(x)) return NAN;
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  double scale =
      exp(tdm_log_gamma(a + b) - tdm_log_gamma(a) - tdm_log_gamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return scale * beta_fraction(a, b, x) / a;
  return 1 - scale * beta_fraction(b, a, 1 - x) / b;
}

/* log(1 + cv²) of a Weibull with shape 1/x; rises with x. */
static double weibull_spread(double x) {
  return tdm_log_gamma(1 + 2 * x) - 2 * tdm_log_gamma(1 + x);
}

double tdm_weibull_shape_for_cv(double cv) {
  double target = log1p(cv * cv);
  double low = 1e-5, high = 50; /* bracket 1/shape for every cv of the stated range */
  for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
    double x = sqrt(low * high);
    if (weibull_spread(x) < target)
      low = x;
    else
      high = x;
  }
  return 1 / sqrt(low * high);
}
