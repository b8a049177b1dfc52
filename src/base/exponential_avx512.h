/* Eight exponential durations at a time; included by kernels compiled for AVX-512 only. */
#ifndef TDM_BASE_EXPONENTIAL_AVX512_H
#define TDM_BASE_EXPONENTIAL_AVX512_H

#include <immintrin.h>

#include "base/exponential.h"

static inline __m512i tdm_mix8(__m512i z) {
  z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 30)),
                         _mm512_set1_epi64((long long)0xbf58476d1ce4e5b9u));
  z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 27)),
                         _mm512_set1_epi64((long long)0x94d049bb133111ebu));
  return _mm512_xor_si512(z, _mm512_srli_epi64(z, 31));
}

/* tdm_exponential(bits), operation for operation. */
static inline __m512d tdm_number8(__m512i bits) {
  __m512i shifted = _mm512_add_epi64(_mm512_srli_epi64(bits, 11), _mm512_set1_epi64(1));
  __m512d u = _mm512_cvtepi64_pd(shifted); /* the factor 2^-53 only moves the exponent */
  __m512i raw = _mm512_castpd_si512(u);
  __m512i exponent = _mm512_sub_epi64(_mm512_srli_epi64(raw, 52), _mm512_set1_epi64(1023 + 53));
  __m512i slot = _mm512_srli_epi64(raw, 48); /* permutex2var uses the low 4 bits */
  __m512d m = _mm512_castsi512_pd(
      _mm512_ternarylogic_epi64(raw, _mm512_set1_epi64(0x000fffffffffffff),
                                _mm512_set1_epi64(0x3ff0000000000000), 0xea /* (a & b) | c */));
  __m512d inverse = _mm512_permutex2var_pd(_mm512_loadu_pd(tdm_log_inverse), slot,
                                           _mm512_loadu_pd(tdm_log_inverse + 8));
  __m512d middle = _mm512_permutex2var_pd(_mm512_loadu_pd(tdm_log_middle), slot,
                                          _mm512_loadu_pd(tdm_log_middle + 8));
  __m512d r = _mm512_sub_pd(_mm512_mul_pd(m, inverse), _mm512_set1_pd(1.0));
  __m512d p = _mm512_add_pd(_mm512_mul_pd(r, _mm512_set1_pd(-1.0 / 6.0)), _mm512_set1_pd(0.2));
  p = _mm512_add_pd(_mm512_mul_pd(p, r), _mm512_set1_pd(-0.25));
  p = _mm512_add_pd(_mm512_mul_pd(p, r), _mm512_set1_pd(1.0 / 3.0));
  p = _mm512_add_pd(_mm512_mul_pd(p, r), _mm512_set1_pd(-0.5));
  p = _mm512_add_pd(_mm512_mul_pd(p, r), _mm512_set1_pd(1.0));
  __m512d high = _mm512_sub_pd(
      _mm512_mul_pd(_mm512_cvtepi64_pd(exponent), _mm512_set1_pd(-0x1.62e42fefa39efp-1)), middle);
  return _mm512_max_pd(_mm512_sub_pd(high, _mm512_mul_pd(p, r)), _mm512_setzero_pd());
}

/* tdm_round_ns(mean_ns · tdm_exponential(bits)). */
static inline __m512i tdm_exponential8(__m512i bits, __m512d mean_ns) {
  __m512d e = tdm_number8(bits);
  __m512d ns = _mm512_min_pd(_mm512_mul_pd(e, mean_ns), _mm512_set1_pd(TDM_MAX_DURATION_NS));
  return _mm512_sub_epi64(_mm512_castpd_si512(_mm512_add_pd(ns, _mm512_set1_pd(TDM_ROUND_MAGIC))),
                          _mm512_set1_epi64(0x4338000000000000));
}

#endif
