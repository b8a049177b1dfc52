/* AVX2 kernels of base/exponential.c: four at a time, the same bits as the scalar code. */
#include "base/exponential_simd.h"

#include <immintrin.h>

#include "base/exponential.h"

/* Low 64 bits of the lane products, from 32-bit multiplies. */
static inline __m256i multiply(__m256i a, __m256i b) {
  __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b),
                                   _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32)));
  return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(cross, 32));
}

static inline __m256i mix4(__m256i z) {
  z = multiply(_mm256_xor_si256(z, _mm256_srli_epi64(z, 30)),
               _mm256_set1_epi64x((long long)0xbf58476d1ce4e5b9u));
  z = multiply(_mm256_xor_si256(z, _mm256_srli_epi64(z, 27)),
               _mm256_set1_epi64x((long long)0x94d049bb133111ebu));
  return _mm256_xor_si256(z, _mm256_srli_epi64(z, 31));
}

/* 0 ≤ x ≤ 2^53 to double, exactly: high and low halves in the mantissas of 2^84 and 2^52. */
static inline __m256d convert(__m256i x) {
  const __m256d high_one = _mm256_set1_pd(0x1p84);
  const __m256d low_one = _mm256_set1_pd(0x1p52);
  __m256i high = _mm256_or_si256(_mm256_srli_epi64(x, 32), _mm256_castpd_si256(high_one));
  __m256i low =
      _mm256_blend_epi32(x, _mm256_castpd_si256(low_one), 0xaa); /* low word of x, top of 2^52 */
  __m256d h = _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(0x1p84 + 0x1p52));
  return _mm256_add_pd(h, _mm256_castsi256_pd(low));
}

static inline __m256d exponential4(__m256i bits) {
  __m256d u = convert(_mm256_add_epi64(_mm256_srli_epi64(bits, 11), _mm256_set1_epi64x(1)));
  __m256i raw = _mm256_castpd_si256(u);
  /* exponent + 1 < 2^11: as a double through the mantissa of 2^52 */
  __m256d exponent =
      _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(
                        _mm256_srli_epi64(raw, 52), _mm256_castpd_si256(_mm256_set1_pd(0x1p52)))),
                    _mm256_set1_pd(0x1p52 + 1023.0 + 53.0));
  __m256i slot = _mm256_and_si256(_mm256_srli_epi64(raw, 48), _mm256_set1_epi64x(15));
  __m256d m = _mm256_castsi256_pd(
      _mm256_or_si256(_mm256_and_si256(raw, _mm256_set1_epi64x(0x000fffffffffffff)),
                      _mm256_set1_epi64x(0x3ff0000000000000)));
  __m256d inverse = _mm256_i64gather_pd(tdm_log_inverse, slot, 8);
  __m256d middle = _mm256_i64gather_pd(tdm_log_middle, slot, 8);
  __m256d r = _mm256_sub_pd(_mm256_mul_pd(m, inverse), _mm256_set1_pd(1.0));
  __m256d p = _mm256_add_pd(_mm256_mul_pd(r, _mm256_set1_pd(-1.0 / 6.0)), _mm256_set1_pd(0.2));
  p = _mm256_add_pd(_mm256_mul_pd(p, r), _mm256_set1_pd(-0.25));
  p = _mm256_add_pd(_mm256_mul_pd(p, r), _mm256_set1_pd(1.0 / 3.0));
  p = _mm256_add_pd(_mm256_mul_pd(p, r), _mm256_set1_pd(-0.5));
  p = _mm256_add_pd(_mm256_mul_pd(p, r), _mm256_set1_pd(1.0));
  __m256d high =
      _mm256_sub_pd(_mm256_mul_pd(exponent, _mm256_set1_pd(-0x1.62e42fefa39efp-1)), middle);
  return _mm256_max_pd(_mm256_sub_pd(high, _mm256_mul_pd(p, r)), _mm256_setzero_pd());
}

static inline __m256i duration4(__m256i bits, __m256d mean_ns) {
  __m256d e = exponential4(bits);
  __m256d ns = _mm256_min_pd(_mm256_mul_pd(e, mean_ns), _mm256_set1_pd(TDM_MAX_DURATION_NS));
  return _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(ns, _mm256_set1_pd(TDM_ROUND_MAGIC))),
                          _mm256_set1_epi64x(0x4338000000000000));
}

void tdm_exponential_fill_avx2(uint64_t key, const uint64_t *n, size_t count, double mean_ns,
                               int64_t *out) {
  const __m256i gamma = _mm256_set1_epi64x((long long)TDM_GAMMA);
  const __m256i base = _mm256_set1_epi64x((long long)(key + TDM_GAMMA));
  const __m256d mean = _mm256_set1_pd(mean_ns);
  for (size_t i = 0; i < count; i += 4) {
    __m256i index = _mm256_loadu_si256((const __m256i *)(const void *)(n + i));
    __m256i bits = mix4(_mm256_add_epi64(base, multiply(index, gamma)));
    _mm256_storeu_si256((__m256i *)(void *)(out + i), duration4(bits, mean));
  }
}

/* What draws first … first + 3 are mixed from. */
static inline __m256i start4(uint64_t key, uint64_t first) {
  uint64_t z = key + (first + 1) * TDM_GAMMA;
  return _mm256_setr_epi64x((long long)z, (long long)(z + TDM_GAMMA),
                            (long long)(z + 2 * TDM_GAMMA), (long long)(z + 3 * TDM_GAMMA));
}

void tdm_exponential_run_avx2(uint64_t key, uint64_t first, size_t count, double mean_ns,
                              int64_t *out) {
  __m256i state = start4(key, first);
  const __m256i step = _mm256_set1_epi64x((long long)(4 * TDM_GAMMA));
  const __m256d mean = _mm256_set1_pd(mean_ns);
  for (size_t i = 0; i < count; i += 4) {
    _mm256_storeu_si256((__m256i *)(void *)(out + i), duration4(mix4(state), mean));
    state = _mm256_add_epi64(state, step);
  }
}

void tdm_exponential_numbers_avx2(uint64_t key, uint64_t first, size_t count, double mean,
                                  double *out) {
  __m256i state = start4(key, first);
  const __m256i step = _mm256_set1_epi64x((long long)(4 * TDM_GAMMA));
  const __m256d factor = _mm256_set1_pd(mean);
  for (size_t i = 0; i < count; i += 4) {
    _mm256_storeu_pd(out + i, _mm256_mul_pd(factor, exponential4(mix4(state))));
    state = _mm256_add_epi64(state, step);
  }
}
