/* The vector kernels behind base/exponential.c, one file per instruction set, compiled with that
 * set's flags; call only when tdm_simd_level() allows. Nobody else includes this. */
#ifndef TDM_BASE_EXPONENTIAL_SIMD_H
#define TDM_BASE_EXPONENTIAL_SIMD_H

#include <stddef.h>
#include <stdint.h>

/* count is a multiple of 8 (AVX-512) or 4 (AVX2). */
void tdm_exponential_fill_avx512(uint64_t key, const uint64_t *n, size_t count, double mean_ns,
                                 int64_t *out);
void tdm_exponential_run_avx512(uint64_t key, uint64_t first, size_t count, double mean_ns,
                                int64_t *out);
void tdm_exponential_fill_avx2(uint64_t key, const uint64_t *n, size_t count, double mean_ns,
                               int64_t *out);
void tdm_exponential_run_avx2(uint64_t key, uint64_t first, size_t count, double mean_ns,
                              int64_t *out);
void tdm_exponential_numbers_avx512(uint64_t key, uint64_t first, size_t count, double mean,
                                    double *out);
void tdm_exponential_numbers_avx2(uint64_t key, uint64_t first, size_t count, double mean,
                                  double *out);

#endif
