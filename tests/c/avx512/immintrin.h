/* AVX-512 in plain C: what our kernels use of it, lane by lane, so that any machine tests them.
 * Found before the compiler's own header when this directory is on the include path, and passes the
 * rest on to that. Used by `make test-vectors`; never part of the program. */
#ifndef TDM_TESTS_AVX512_IMMINTRIN_H
#define TDM_TESTS_AVX512_IMMINTRIN_H
#pragma GCC system_header

#include_next <immintrin.h>
#include <stdint.h>
#include <string.h>

typedef int64_t stand_in_i __attribute__((vector_size(64)));
typedef uint64_t stand_in_u __attribute__((vector_size(64)));
typedef double stand_in_d __attribute__((vector_size(64)));
#define __m512i  stand_in_i
#define __m512d  stand_in_d
#define __mmask8 uint8_t
#define LANE     static inline __attribute__((always_inline, unused))

LANE uint8_t stand_in_mask(stand_in_i truth) {
  uint8_t mask = 0;
  for (int i = 0; i < 8; i++) mask |= (uint8_t)((truth[i] & 1) << i);
  return mask;
}
LANE stand_in_i stand_in_spread(uint8_t mask) {
  stand_in_i truth;
  for (int i = 0; i < 8; i++) truth[i] = mask >> i & 1 ? -1 : 0;
  return truth;
}
LANE stand_in_i stand_in_blend(stand_in_i truth, stand_in_i a, stand_in_i b) {
  return (a & ~truth) | (b & truth);
}
LANE stand_in_d stand_in_convert(stand_in_i a) {
  stand_in_d out;
  for (int i = 0; i < 8; i++) out[i] = (double)a[i];
  return out;
}
LANE stand_in_d stand_in_permute(stand_in_d a, stand_in_i from, stand_in_d b) {
  stand_in_d out;
  for (int i = 0; i < 8; i++) out[i] = from[i] & 8 ? b[from[i] & 7] : a[from[i] & 7];
  return out;
}
LANE stand_in_i stand_in_all(int64_t x) {
  return (stand_in_i){x, x, x, x, x, x, x, x};
}
LANE stand_in_d stand_in_all_d(double x) {
  return (stand_in_d){x, x, x, x, x, x, x, x};
}
LANE stand_in_i stand_in_read(const void *from) {
  stand_in_i out;
  memcpy(&out, from, sizeof out);
  return out;
}
LANE void stand_in_write(void *to, stand_in_i value) {
  memcpy(to, &value, sizeof value);
}

/* Integers wrap, as the instructions do. */
#define _mm512_add_epi64(a, b)   ((stand_in_i)((stand_in_u)(a) + (stand_in_u)(b)))
#define _mm512_sub_epi64(a, b)   ((stand_in_i)((stand_in_u)(a) - (stand_in_u)(b)))
#define _mm512_mullo_epi64(a, b) ((stand_in_i)((stand_in_u)(a) * (stand_in_u)(b)))
#define _mm512_srli_epi64(a, n)  ((stand_in_i)((stand_in_u)(a) >> (n)))
#define _mm512_xor_si512(a, b)   ((a) ^ (b))
/* Only the truth table that exponential_avx512.h asks for. */
#define _mm512_ternarylogic_epi64(a, b, c, table) (((a) & (b)) | (c))
#define _mm512_max_epi64(a, b)                    stand_in_blend((stand_in_i)((a) > (b)), b, a)
#define _mm512_min_epi64(a, b)                    stand_in_blend((stand_in_i)((a) < (b)), b, a)

#define _mm512_add_pd(a, b) ((a) + (b))
#define _mm512_sub_pd(a, b) ((a) - (b))
#define _mm512_mul_pd(a, b) ((a) * (b))
#define _mm512_max_pd(a, b)                                                                        \
  ((stand_in_d)stand_in_blend((stand_in_i)((a) > (b)), (stand_in_i)(b), (stand_in_i)(a)))
#define _mm512_min_pd(a, b)                                                                        \
  ((stand_in_d)stand_in_blend((stand_in_i)((a) < (b)), (stand_in_i)(b), (stand_in_i)(a)))
#define _mm512_cvtepi64_pd     stand_in_convert
#define _mm512_permutex2var_pd stand_in_permute
#define _mm512_castpd_si512(a) ((stand_in_i)(a))
#define _mm512_castsi512_pd(a) ((stand_in_d)(a))
#define _mm512_set1_epi64      stand_in_all
#define _mm512_set1_pd         stand_in_all_d
#define _mm512_setzero_pd()    stand_in_all_d(0)
#define _mm512_setzero_si512() stand_in_all(0)
#define _mm512_setr_epi64(...) ((stand_in_i){__VA_ARGS__})
#define _mm512_load_si512      stand_in_read
#define _mm512_loadu_si512     stand_in_read
#define _mm512_loadu_pd(p)     ((stand_in_d)stand_in_read(p))
#define _mm512_store_si512     stand_in_write
#define _mm512_storeu_si512    stand_in_write
#define _mm512_storeu_pd(p, v) stand_in_write(p, (stand_in_i)(v))

#define _mm512_cmpge_epi64_mask(a, b)    stand_in_mask((stand_in_i)((a) >= (b)))
#define _mm512_cmpgt_epi64_mask(a, b)    stand_in_mask((stand_in_i)((a) > (b)))
#define _mm512_cmple_epi64_mask(a, b)    stand_in_mask((stand_in_i)((a) <= (b)))
#define _mm512_cmplt_epi64_mask(a, b)    stand_in_mask((stand_in_i)((a) < (b)))
#define _mm512_test_epi64_mask(a, b)     stand_in_mask((stand_in_i)(((a) & (b)) != 0))
#define _mm512_mask_blend_epi64(k, a, b) stand_in_blend(stand_in_spread(k), a, b)
#define _mm512_mask_add_epi64(s, k, a, b)                                                          \
  stand_in_blend(stand_in_spread(k), s, _mm512_add_epi64(a, b))
#define _mm512_maskz_mov_epi64(k, a) ((a)&stand_in_spread(k))

#endif
