/* The inside of a tdm_dist, shared by its construction (dist.c, table.c), its sampling
 * (draw.c), its moments (moments.c) and what is known of every family (family.c). Nobody else
 * includes this. */
#ifndef TDM_BASE_DIST_INSIDE_H
#define TDM_BASE_DIST_INSIDE_H

#include "base/dist/dist.h"

/* The families, by the names of their descriptions (`family_NAME`, beside the constructor). */
#define DIST_FAMILIES(X)                                                                           \
  X(constant)                                                                                      \
  X(uniform)                                                                                       \
  X(exponential)                                                                                   \
  X(normal)                                                                                        \
  X(lognormal)                                                                                     \
  X(gamma)                                                                                         \
  X(erlang)                                                                                        \
  X(hyperexponential)                                                                              \
  X(weibull)                                                                                       \
  X(pareto)                                                                                        \
  X(zipf)                                                                                          \
  X(empirical)                                                                                     \
  X(histogram)                                                                                     \
  X(mixture)                                                                                       \
  X(lua)

/* Kinds of which a draw is a function of its bits alone: draw_NAME in draw.c. */
#define DIST_DRAWN(X)                                                                              \
  X(UNIFORM, uniform)                                                                              \
  X(EXPONENTIAL, exponential)                                                                      \
  X(NORMAL, normal)                                                                                \
  X(LOGNORMAL, lognormal)                                                                          \
  X(GAMMA, gamma)                                                                                  \
  X(ERLANG, erlang)                                                                                \
  X(WEIBULL, weibull)                                                                              \
  X(PARETO, pareto)                                                                                \
  X(ZIPF, zipf)                                                                                    \
  X(EMPIRICAL_EQUAL, empirical_equal)                                                              \
  X(EMPIRICAL, empirical)                                                                          \
  X(HISTOGRAM, histogram)

typedef enum {
  KIND_CONSTANT,
#define KIND(NAME, name) KIND_##NAME,
  DIST_DRAWN(KIND)
#undef KIND
      KIND_HYPEREXPONENTIAL,
  KIND_MIXTURE,
  KIND_LUA
} dist_kind;

/* Chooses index i with probability cumulative[i] − cumulative[i−1] from one uniform: the guide says
 * where to start looking, the expected walk is below two steps. */
typedef struct {
  double *cumulative; /* count items, from the last possible one on exactly 1 */
  uint32_t *guide;    /* guides items: first index whose cumulative reaches j ÷ guides */
  uint32_t count;
  uint32_t guides; /* a power of two, so that u × guides is exact */
} dist_table;

struct tdm_dist {
  dist_kind kind;
  union {
    struct {
      double value;
    } constant;
    struct {
      double min, width, max;
    } uniform;
    struct {
      double mean;
    } exponential;
    /* Draws Φ⁻¹ on [low, low + width]; mirrored (negated) when the kept part is the upper tail,
     * where Φ has no precision. */
    struct {
      double mean, sd, min, max, low, width;
      bool mirrored;
    } normal;
    struct {
      double mu, sigma;
    } lognormal;
    /* Marsaglia & Tsang constants for the shape, or for shape + 1 when boost = 1/shape > 0. */
    struct {
      double d, c, boost, scale;
    } gamma;
    struct {
      uint32_t k;
      double scale;
    } erlang;
    struct {
      double exponent, scale;
    } weibull; /* exponent = 1/shape */
    struct {
      double min, max, floor, exponent;
    } pareto; /* floor = (min/max)^α, exponent = −1/α */
    /* Values up to table.count by table, whose last entry is `head`; beyond, by the integral of
     * x^−s from `from` to n + ½. */
    struct {
      double head, from, n, power, log_span, span;
    } zipf;
    struct {
      uint32_t function;
    } lua;
  } as;
  dist_table table;
  double *values;   /* sorted values, means of phases, or bin edges */
  size_t count;     /* of values (empirical) or parts */
  tdm_dist **parts; /* mixture */
  double mean, variance;
  bool needs_script;
  char text[120];
};

#define DECLARE(name) extern const tdm_dist_family tdm_dist_family_##name;
DIST_FAMILIES(DECLARE)
#undef DECLARE

/* The beginning of a tdm_dist_parameter, and those that several families have. */
#define PARAMETER(KEY, SORT, SIGN, DOC)                                                            \
  .key = (KEY), .sort = TDM_DIST_##SORT, .sign = TDM_DIST_##SIGN, .doc = (DOC)
#define MEAN PARAMETER("mean", QUANTITY, POSITIVE, "mean")
#define CV   PARAMETER("cv", NUMBER, POSITIVE, "coefficient of variation: sd over mean")
#define WEIGHTS                                                                                    \
  PARAMETER("weights", WEIGHTS, NOT_NEGATIVE, "how likely each is, relative to the others")

/* Σ k^−power for k from first to n, both large. */
double tdm_dist_zipf_rest(double power, double first, double n);

tdm_dist *tdm_dist_shell(dist_kind kind, tdm_error *error); /* all else is zero */

#endif
