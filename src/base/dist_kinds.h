/* The inside of a tdm_dist, shared by its construction (dist.c) and its sampling (dist_draw.c).
 * Nobody else includes this. */
#ifndef TDM_BASE_DIST_KINDS_H
#define TDM_BASE_DIST_KINDS_H

#include "base/dist.h"

typedef enum {
  KIND_CONSTANT,
  KIND_UNIFORM,
  KIND_EXPONENTIAL,
  KIND_NORMAL,
  KIND_LOGNORMAL,
  KIND_GAMMA,
  KIND_ERLANG,
  KIND_HYPEREXPONENTIAL,
  KIND_WEIBULL,
  KIND_PARETO,
  KIND_ZIPF,
  KIND_EMPIRICAL_EQUAL,
  KIND_EMPIRICAL,
  KIND_HISTOGRAM,
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
  double mean, variance, minimum;
  bool needs_script;
  char text[120];
};

#endif
