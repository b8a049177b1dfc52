/* Probability distributions: built once, then immutable and shared by threads.
 *
 * A draw is a pure function of (stream, n), see base/rng.h. Wherever one exists the inverse of the
 * distribution function is applied to one uniform, and all families turn in the direction of
 * tdm_exponential: two families, or two parameters of one, driven by the same stream rise and fall
 * together, which is what makes common random numbers reduce the variance of a difference. The
 * exceptions (gamma, Erlang, and the choice of part in a mixture) are no worse than independent.
 *
 * Owns its tables and parts. Constructors are called by the binding and by tests; draws by the
 * engine, its kernels and model/expr. Construction is dist.c and table.c, sampling draw.c, moments
 * beyond the second moments.c, what a family is called and takes family.c. */
#ifndef TDM_BASE_DIST_DIST_H
#define TDM_BASE_DIST_DIST_H

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

bool tdm_dist_is_exponential(const tdm_dist *dist, double *mean); /* mean may be NULL */
bool tdm_dist_needs_script(const tdm_dist *dist);

/* NaN when unknown (Lua), INFINITY when infinite. */
double tdm_dist_mean(const tdm_dist *dist);
double tdm_dist_variance(const tdm_dist *dist);
/* E[X^k], k up to TDM_DIST_MOMENTS; likewise. */
#define TDM_DIST_MOMENTS 4u
double tdm_dist_moment(const tdm_dist *dist, unsigned k);

/* ---- Families as data. The language's constructors, their checks, help and examples, and the
 * binding's reading of the model table are all made from this: what a family takes is written
 * beside its constructor, once. */

typedef enum {
  TDM_DIST_QUANTITY,    /* in the unit of the draws */
  TDM_DIST_NUMBER,      /* without a unit */
  TDM_DIST_WEIGHTS,     /* how likely each is, relative to the others */
  TDM_DIST_QUANTITIES,  /* as many as the weights, where there are any */
  TDM_DIST_EDGES,       /* rising quantities, one more than the weights */
  TDM_DIST_PARTS,       /* distributions, as many as the weights */
  TDM_DIST_PERCENTILES, /* pNN = quantity, two of them */
  TDM_DIST_FUNCTION     /* the user's, of u in (0, 1) */
} tdm_dist_sort;

typedef enum {
  TDM_DIST_NOT_NEGATIVE,
  TDM_DIST_POSITIVE,
  TDM_DIST_AS_ALLOWED, /* negative where what is drawn may be */
  TDM_DIST_ANY_SIGN
} tdm_dist_sign;

typedef struct {
  const char *key, *doc;
  tdm_dist_sort sort;
  tdm_dist_sign sign;
  unsigned form; /* 0: of every form; else only with the others of this form */
  bool optional, whole;
  double least, most;   /* of a number; both 0: as the sign says */
  const double *preset; /* of an optional one that is not given; NULL: none */
  const char *above;    /* a parameter that this one must exceed … */
  const char *at_least; /* … or at least equal */
} tdm_dist_parameter;

/* One parameter as it was given, in the order of the family's parameters. */
typedef struct {
  bool given;
  double number;
  double *list; /* percentiles: percent, value, percent, value, rising */
  size_t count; /* of the list, or of parts */
  tdm_dist **parts;
  uint32_t function;
} tdm_dist_argument;

#define TDM_DIST_PARAMETERS 4

typedef struct {
  const char *name;    /* in the model table, and of the constructor … */
  const char *spelled; /* … unless this is another */
  const char *doc;     /* one line */
  const char *example; /* a call that works */
  const char *pairs;   /* the language takes the two lists as { {weight, this}, … } */
  const char *items;   /* the parameter that a plain list stands for */
  const char *forms;   /* what it wants where there are several forms: "mean and cv, or …" */
  unsigned positional; /* so many first parameters may be given without their keys */
  tdm_status (*make)(const tdm_dist_argument *given, tdm_dist **out, tdm_error *error);
  tdm_dist_parameter parameters[TDM_DIST_PARAMETERS]; /* the first without a key ends them */
} tdm_dist_family;

extern const tdm_dist_family *const tdm_dist_families[];        /* NULL ends them */
const tdm_dist_family *tdm_dist_family_named(const char *name); /* NULL: there is none */

/* One phrase, "exponential, mean 0.8"; always terminated, cut at size. Returns buffer. */
char *tdm_dist_describe(const tdm_dist *dist, char *buffer, size_t size);

#endif
