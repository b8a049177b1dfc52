/* Exponential variates, the same bits from scalar, AVX2 and AVX-512 code.
 *
 * E = -ln u by one table look-up and a degree-6 polynomial: no libm, no fused operations, so that
 * every compiler and vector width rounds alike. Absolute error below 1e-11, far under what any
 * test of a distribution can see. Whole nanoseconds come from the 2^52 addition trick, which
 * vectors can do too; hence the cap of 2^51 ns (26 days) on a single duration.
 *
 * Owns no state. Called by base/dist, the engine's service draws and the lowered kernels. */
#ifndef TDM_BASE_EXPONENTIAL_H
#define TDM_BASE_EXPONENTIAL_H

#include <stddef.h>
#include <string.h>

#include "base/rng.h"

#define TDM_MAX_DURATION_NS 0x1p51
#define TDM_ROUND_MAGIC     0x1.8p52

/* Split [1, 2) in 16: reciprocals of the middles, and the logarithms of the middles. */
static const double tdm_log_inverse[16] = {
    0x1.f07c1f07c1f08p-1, 0x1.d41d41d41d41dp-1, 0x1.bacf914c1bad0p-1, 0x1.a41a41a41a41ap-1,
    0x1.8f9c18f9c18fap-1, 0x1.7d05f417d05f4p-1, 0x1.6c16c16c16c17p-1, 0x1.5c9882b931057p-1,
    0x1.4e5e0a72f0539p-1, 0x1.4141414141414p-1, 0x1.3521cfb2b78c1p-1, 0x1.29e4129e4129ep-1,
    0x1.1f7047dc11f70p-1, 0x1.15b1e5f75270dp-1, 0x1.0c9714fbcda3bp-1, 0x1.0410410410410p-1};
static const double tdm_log_middle[16] = {
    0x1.f829b0e7832f8p-6, 0x1.6f0d28ae56b4ep-4, 0x1.29552f81ff521p-3, 0x1.9525a9cf456b6p-3,
    0x1.fb9186d5e3e29p-3, 0x1.2e8e2bae11d31p-2, 0x1.5d1bdbf5809cap-2, 0x1.89a3386c1425bp-2,
    0x1.b44f77bcc8f64p-2, 0x1.dd46a04c1c4a1p-2, 0x1.02552a5a5d0ffp-1, 0x1.154c3d2f4d5eap-1,
    0x1.2795e1289b11bp-1, 0x1.393e0d3562a1ap-1, 0x1.4a4f85db03ebbp-1, 0x1.5ad404c359f2dp-1};

/* -ln u for u = tdm_unit(bits); mean 1. */
static inline double tdm_exponential(uint64_t bits) {
  double u = tdm_unit(bits);
  uint64_t raw;
  memcpy(&raw, &u, sizeof raw);
  int64_t exponent = (int64_t)(raw >> 52) - 1023;
  uint64_t slot = (raw >> 48) & 15;
  raw = (raw & 0x000fffffffffffffu) | 0x3ff0000000000000u;
  double m;
  memcpy(&m, &raw, sizeof m);
  double r = m * tdm_log_inverse[slot] - 1.0;
  double p = r * (-1.0 / 6.0) + 0.2;
  p = p * r + -0.25;
  p = p * r + 1.0 / 3.0;
  p = p * r + -0.5;
  p = p * r + 1.0;
  double high = (double)exponent * -0x1.62e42fefa39efp-1 - tdm_log_middle[slot];
  double e = high - p * r;
  return e > 0.0 ? e : 0.0;
}

/* Seconds or any duration scaled to nanoseconds, rounded to nearest even, clamped to
 * [0, TDM_MAX_DURATION_NS]; NaN becomes 0 (callers reject NaN before, where it can arise). */
static inline int64_t tdm_round_ns(double ns) {
  if (!(ns > 0.0)) return 0;
  if (ns > TDM_MAX_DURATION_NS) ns = TDM_MAX_DURATION_NS;
  double shifted = ns + TDM_ROUND_MAGIC;
  int64_t raw;
  memcpy(&raw, &shifted, sizeof raw);
  return raw - 0x4338000000000000;
}

/* out[i] = tdm_round_ns(mean_ns · exponential of draw n[i]); 0 ≤ mean_ns. */
void tdm_exponential_fill(tdm_stream stream, const uint64_t *n, size_t count, double mean_ns,
                          int64_t *out);

/* The same for draws first, first+1, … */
void tdm_exponential_run(tdm_stream stream, uint64_t first, size_t count, double mean_ns,
                         int64_t *out);

/* The same as numbers: out[i] = mean · exponential of draw first + i. */
void tdm_exponential_numbers(tdm_stream stream, uint64_t first, size_t count, double mean,
                             double *out);

#endif
