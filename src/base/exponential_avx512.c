/* AVX-512 kernels of base/exponential.c. */
#include "base/exponential_simd.h"

#include "base/exponential_avx512.h"

void tdm_exponential_fill_avx512(uint64_t key, const uint64_t *n, size_t count, double mean_ns,
                                 int64_t *out) {
  const __m512i gamma = _mm512_set1_epi64((long long)TDM_GAMMA);
  const __m512i base = _mm512_set1_epi64((long long)(key + TDM_GAMMA));
  const __m512d mean = _mm512_set1_pd(mean_ns);
  for (size_t i = 0; i < count; i += 8) {
    __m512i index = _mm512_loadu_si512(n + i);
    __m512i bits = tdm_mix8(_mm512_add_epi64(base, _mm512_mullo_epi64(index, gamma)));
    _mm512_storeu_si512(out + i, tdm_exponential8(bits, mean));
  }
}

/* What draws first … first + 7 are mixed from. */
static inline __m512i start8(uint64_t key, uint64_t first) {
  uint64_t z = key + (first + 1) * TDM_GAMMA;
  return _mm512_add_epi64(_mm512_set1_epi64((long long)z),
                          _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                                             _mm512_set1_epi64((long long)TDM_GAMMA)));
}

void tdm_exponential_run_avx512(uint64_t key, uint64_t first, size_t count, double mean_ns,
                                int64_t *out) {
  __m512i state = start8(key, first);
  const __m512i step = _mm512_set1_epi64((long long)(8 * TDM_GAMMA));
  const __m512d mean = _mm512_set1_pd(mean_ns);
  for (size_t i = 0; i < count; i += 8) {
    _mm512_storeu_si512(out + i, tdm_exponential8(tdm_mix8(state), mean));
    state = _mm512_add_epi64(state, step);
  }
}

void tdm_exponential_numbers_avx512(uint64_t key, uint64_t first, size_t count, double mean,
                                    double *out) {
  __m512i state = start8(key, first);
  const __m512i step = _mm512_set1_epi64((long long)(8 * TDM_GAMMA));
  const __m512d factor = _mm512_set1_pd(mean);
  for (size_t i = 0; i < count; i += 8) {
    _mm512_storeu_pd(out + i, _mm512_mul_pd(factor, tdm_number8(tdm_mix8(state))));
    state = _mm512_add_epi64(state, step);
  }
}
