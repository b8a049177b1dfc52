/* Asks the processor once which vector kernels may run. Owns the cached answer only. */
#include "base/simd.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(tdm_simd level) {
  static const char *const names[] = {"scalar", "avx2", "avx512"};
  return names[level];
}

static tdm_simd detect(void) {
  tdm_simd best = TDM_SIMD_SCALAR;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) best = TDM_SIMD_AVX2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    best = TDM_SIMD_AVX512;
#endif
#if defined(TDM_AVX512_STANDS_IN) /* `make test-vectors`: the kernels are plain C there */
  best = TDM_SIMD_AVX512;
#endif
  const char *wish = getenv("TANDEM_SIMD");
  for (tdm_simd level = TDM_SIMD_SCALAR; wish != NULL && level < best; level++)
    if (strcmp(wish, name_of(level)) == 0) best = level;
  return best;
}

tdm_simd tdm_simd_level(void) {
  static atomic_int cached = -1;
  int level = atomic_load_explicit(&cached, memory_order_relaxed);
  if (level < 0) {
    level = (int)detect();
    atomic_store_explicit(&cached, level, memory_order_relaxed);
  }
  return (tdm_simd)level;
}
