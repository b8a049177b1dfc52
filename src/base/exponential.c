/* Fills arrays with exponential durations, by the widest kernel the machine has.
 * Owns no state; the kernels are in exponential_avx2.c and exponential_avx512.c. */
#include "base/exponential.h"

#include "base/exponential_simd.h"
#include "base/simd.h"

void tdm_exponential_fill(tdm_stream stream, const uint64_t *n, size_t count, double mean_ns,
                          int64_t *out) {
  size_t i = 0;
#if defined(__x86_64__)
  tdm_simd level = tdm_simd_level();
  if (level == TDM_SIMD_AVX512) {
    i = count & ~(size_t)7;
    tdm_exponential_fill_avx512(stream.key, n, i, mean_ns, out);
  } else if (level == TDM_SIMD_AVX2) {
    i = count & ~(size_t)3;
    tdm_exponential_fill_avx2(stream.key, n, i, mean_ns, out);
  }
#endif
  for (; i < count; i++)
    out[i] = tdm_round_ns(tdm_exponential(tdm_stream_bits(stream, n[i])) * mean_ns);
}

void tdm_exponential_run(tdm_stream stream, uint64_t first, size_t count, double mean_ns,
                         int64_t *out) {
  size_t i = 0;
#if defined(__x86_64__)
  tdm_simd level = tdm_simd_level();
  if (level == TDM_SIMD_AVX512) {
    i = count & ~(size_t)7;
    tdm_exponential_run_avx512(stream.key, first, i, mean_ns, out);
  } else if (level == TDM_SIMD_AVX2) {
    i = count & ~(size_t)3;
    tdm_exponential_run_avx2(stream.key, first, i, mean_ns, out);
  }
#endif
  for (; i < count; i++)
    out[i] = tdm_round_ns(tdm_exponential(tdm_stream_bits(stream, first + i)) * mean_ns);
}

void tdm_exponential_numbers(tdm_stream stream, uint64_t first, size_t count, double mean,
                             double *out) {
  size_t i = 0;
#if defined(__x86_64__)
  tdm_simd level = tdm_simd_level();
  if (level == TDM_SIMD_AVX512) {
    i = count & ~(size_t)7;
    tdm_exponential_numbers_avx512(stream.key, first, i, mean, out);
  } else if (level == TDM_SIMD_AVX2) {
    i = count & ~(size_t)3;
    tdm_exponential_numbers_avx2(stream.key, first, i, mean, out);
  }
#endif
  for (; i < count; i++) out[i] = mean * tdm_exponential(tdm_stream_bits(stream, first + i));
}
