/* The wrappers of the driver's calls, exported under the driver's names: programs that link to the
 * driver find them first, others are given them by driver.c. Each asks interpose.c before and
 * after, and returns what the driver did. */
#include <stddef.h>

#include "capture/interpose.h"

enum { NOT_FOUND = 500 /* what the driver says of calls that it lacks */ };

#define DECLARE_0  void
#define DECLARE_1  tdm_word a
#define DECLARE_2  DECLARE_1, tdm_word b
#define DECLARE_3  DECLARE_2, tdm_word c
#define DECLARE_4  DECLARE_3, tdm_word d
#define DECLARE_5  DECLARE_4, tdm_word e
#define DECLARE_6  DECLARE_5, tdm_word f
#define DECLARE_7  DECLARE_6, tdm_word g
#define DECLARE_8  DECLARE_7, tdm_word h
#define DECLARE_9  DECLARE_8, tdm_word i
#define DECLARE_10 DECLARE_9, tdm_word j
#define DECLARE_11 DECLARE_10, tdm_word k
#define PASS_0
#define PASS_1  a
#define PASS_2  PASS_1, b
#define PASS_3  PASS_2, c
#define PASS_4  PASS_3, d
#define PASS_5  PASS_4, e
#define PASS_6  PASS_5, f
#define PASS_7  PASS_6, g
#define PASS_8  PASS_7, h
#define PASS_9  PASS_8, i
#define PASS_10 PASS_9, j
#define PASS_11 PASS_10, k

#define WRAPPER(symbol, count)                                                                     \
  __attribute__((visibility("default"))) int symbol(DECLARE_##count);                              \
  int symbol(DECLARE_##count) {                                                                    \
    int (*real)(DECLARE_##count) = (int (*)(DECLARE_##count))tdm_driver_real(TDM_CALL_##symbol);   \
    if (!real) return NOT_FOUND;                                                                   \
    const tdm_word arguments[] = {PASS_##count};                                                   \
    tdm_call call;                                                                                 \
    if (!tdm_interpose_before(&call, TDM_CALL_##symbol, arguments)) return real(PASS_##count);     \
    int result = real(PASS_##count);                                                               \
    tdm_interpose_after(&call, TDM_CALL_##symbol, arguments, result);                              \
    return result;                                                                                 \
  }
#define CALL(symbol, count, ...) WRAPPER(symbol, count)
#define HELPER(symbol)
#include "capture/driver_calls.def"
