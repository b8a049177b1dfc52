/* Special functions that libm lacks, in plain double precision.
 * Own no state and are safe in any thread. Called by base/dist, base/stats and analysis/estimate.
 */
#ifndef TDM_BASE_SPECIAL_H
#define TDM_BASE_SPECIAL_H

/* Inverse of the standard normal distribution function, Wichura's AS 241 (relative error about
 * 1e-16). -INFINITY at 0, INFINITY at 1, NaN outside. */
double tdm_normal_quantile(double p);

/* Standard normal distribution function, accurate in the lower tail. */
double tdm_normal_cdf(double x);

/* log Γ(x) for x > 0, without libm's global sign. */
double tdm_log_gamma(double x);

/* Digamma ψ(x) = d log Γ(x)/dx, and its derivative ψ′(x), for x > 0. */
double tdm_digamma(double x);
double tdm_trigamma(double x);

/* Regularised lower incomplete gamma P(a, x): the distribution function of a gamma variable with
 * shape a and scale 1. */
double tdm_gamma_p(double a, double x);

/* The largest mean of a Poisson number that is `seen` or less with probability 1 - confidence. */
double tdm_poisson_most(double seen, double confidence);

/* Regularised incomplete beta I_x(a, b). */
double tdm_beta_i(double a, double b, double x);

/* Shape k of the Weibull distribution whose standard deviation ÷ mean is cv, for cv within
 * TDM_WEIBULL_CV_MIN … TDM_WEIBULL_CV_MAX. */
#define TDM_WEIBULL_CV_MIN 0.001
#define TDM_WEIBULL_CV_MAX 100.0
double tdm_weibull_shape_for_cv(double cv);

#endif
