/* Which vector instructions this machine has; asked once. Kernels exist as scalar, AVX2 and
 * AVX-512 code that gives the same bits; TANDEM_SIMD=scalar|avx2|avx512 lowers the choice (tests
 * compare them). Called by base/exponential and the lowered engine. */
#ifndef TDM_BASE_SIMD_H
#define TDM_BASE_SIMD_H

typedef enum { TDM_SIMD_SCALAR, TDM_SIMD_AVX2, TDM_SIMD_AVX512 } tdm_simd;

tdm_simd tdm_simd_level(void);

#endif
