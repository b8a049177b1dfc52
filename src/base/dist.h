/* Probability distributions: built once, then immutable and shared by threads.
 *
 * A draw is a pure function of (stream, n), see base/rng.h. Wherever one exists the inverse of the
 * distribution function is applied to one uniform, and all families turn in the direction of
 * tdm_exponential: two families, or two parameters of one, driven by the same stream rise and fall
 * together, which is what makes common random numbers reduce the variance of a difference. The
 * exceptions (gamma, Erlang, and the choice of part in a mixture) are no worse than independent.
 *
 * Owns its tables and parts. Constructors are called by the binding and by tests; draws by the
 * engine, its kernels and model/expr. Construction is dist.c and dist_table.c, sampling
 * dist_draw.c. */
#ifndef TDM_BASE_DIST_H
#define TDM_BASE_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "base/script.h"

typedef struct tdm_dist tdm_dist;

/* Constructors. On failure *out is NULL and *error (may be NULL) holds one line that names the
 * parameter and its range. Parameters are plain numbers in whatever unit the draws shall have.
 * Arrays are copied. */
tdm_status tdm_dist_constant(double value, tdm_dist **out, tdm_error *error);
tdm_status tdm_dist_uniform(double min, double max, tdm_dist **out, tdm_error *error);
tdm_status tdm_dist_exponential(double mean, tdm_dist **out, tdm_error *error);
/* mean and sd are those before truncation to [min, max]; -INFINITY and INFINITY do not truncate. */
tdm_status tdm_dist_normal(double mean, double sd, double min, double max, tdm_dist **out,
                           tdm_error *error);
/* cv: standard deviation ÷ mean. */
tdm_status tdm_dist_lognormal(double mean, double cv, tdm_dist **out, tdm_error *error);
/* Fixed by two percentiles: `percent` in (0, 100), for example (50, 0.02, 99, 0.11). */
tdm_status tdm_dist_lognormal_percentiles(double percent_a, double value_a, double percent_b,
                                          double value_b, tdm_dist **out, tdm_error *error);
tdm_status tdm_dist_gamma(double mean, double cv, tdm_dist **out, tdm_error *error);
tdm_status tdm_dist_erlang(double k, double mean, tdm_dist **out, tdm_error *error);
tdm_status tdm_dist_hyperexponential(const double *weights, const double *means, size_t count,
                                     tdm_dist **out, tdm_error *error);
tdm_status tdm_dist_weibull(double mean, double cv, tdm_dist **out, tdm_error *error);
tdm_status tdm_dist_weibull_shape(double shape, double scale, tdm_dist **out, tdm_error *error);
/* Bounded Pareto; max may be INFINITY. */
tdm_status tdm_dist_pareto(double min, double max, double alpha, tdm_dist **out, tdm_error *error);
/* Values 1…n with probability proportional to value^-s. */
tdm_status tdm_dist_zipf(double n, double s, tdm_dist **out, tdm_error *error);
/* weights may be NULL: all equal. */
tdm_status tdm_dist_empirical(const double *values, const double *weights, size_t count,
                              tdm_dist **out, tdm_error *error);
/* edges has bins + 1 rising items; uniform inside a bin. */
tdm_status tdm_dist_histogram(const double *edges, const double *counts, size_t bins,
                              tdm_dist **out, tdm_error *error);
/* Takes the parts over when it succeeds; on failure they stay the caller's. */
tdm_status tdm_dist_mixture(const double *weights, tdm_dist *const *parts, size_t count,
                            tdm_dist **out, tdm_error *error);
/* Each draw is script->call(function, u) with one u uniform in (0, 1). */
tdm_status tdm_dist_lua(uint32_t function, tdm_dist **out, tdm_error *error);

void tdm_dist_free(tdm_dist *dist); /* parts too; NULL is fine */

/* Draw n of the stream. script is needed only when tdm_dist_needs_script: without one, NaN. */
double tdm_dist_draw(const tdm_dist *dist, tdm_stream stream, uint64_t n, const tdm_script *script);

/* out[i] = tdm_dist_draw(dist, stream, n[i], script), bit for bit, at loop speed. */
void tdm_dist_fill(const tdm_dist *dist, tdm_stream stream, const uint64_t *n, size_t count,
                   const tdm_script *script, double *out);

bool tdm_dist_is_constant(const tdm_dist *dist, double *value);   /* value may be NULL */
bool tdm_dist_is_exponential(const tdm_dist *dist, double *mean); /* mean may be NULL */
bool tdm_dist_needs_script(const tdm_dist *dist);

/* NaN when unknown (Lua), INFINITY when infinite. */
double tdm_dist_mean(const tdm_dist *dist);
double tdm_dist_variance(const tdm_dist *dist);

/* Smallest value a draw can take; -INFINITY when unbounded or unknown. */
double tdm_dist_minimum(const tdm_dist *dist);

/* One phrase, "exponential, mean 0.8"; always terminated, cut at size. Returns buffer. */
char *tdm_dist_describe(const tdm_dist *dist, char *buffer, size_t size);

#endif
