/* Which distribution times have: maximum likelihood in the families that scenarios know, with
 * standard errors from Fisher's information and the distance that is left. Pure functions of a
 * sample. Called by the binding and by tests. */
#ifndef TDM_ANALYSIS_ESTIMATE_FAMILY_H
#define TDM_ANALYSIS_ESTIMATE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  TDM_FAMILY_CONSTANT,
  TDM_FAMILY_NORMAL,
  TDM_FAMILY_LOGNORMAL,
  TDM_FAMILY_GAMMA,
  TDM_FAMILY_EXPONENTIAL,
  TDM_FAMILY_WEIBULL,
  TDM_FAMILY_COUNT
} tdm_family;

/* Parameters as the literature has them: normal µ, σ; lognormal µ, σ of the logarithm; gamma mean,
 * shape; exponential mean; Weibull shape, scale; constant the value. */
typedef struct {
  tdm_family family;
  int parameters;
  double at[2], error[2];
  double mean, cv; /* of the fitted distribution */
  double log_likelihood;
  double distance; /* Kolmogorov–Smirnov, sample against the fitted distribution */
} tdm_family_fit;

/* NULL for a number that is none; TDM_FAMILY_COUNT for a name that is none. */
const char *tdm_family_name(tdm_family family);
tdm_family tdm_family_named(const char *name);

/* False where the family cannot have made the sample: values ≤ 0 for those of positive numbers,
 * values that differ for a constant, none that differ for the others, fewer than two. */
bool tdm_family_fit_sorted(tdm_family family, const double *sorted, size_t count,
                           tdm_family_fit *out);

double tdm_family_cdf(const tdm_family_fit *fit, double x);

/* Chance of a distance as large when the family is right and its parameters were estimated, as they
 * were: `draws` samples of at most 500 values, always the same ones. NaN for a constant, and when
 * memory is short. */
double tdm_family_p(const tdm_family_fit *fit, size_t count, unsigned draws);

#endif
