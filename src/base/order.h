/* Which of two comes first, and the lesser of them. */
#ifndef TDM_BASE_ORDER_H
#define TDM_BASE_ORDER_H

#include <stdint.h>

/* As comparators of qsort say it: −1, 0 or 1. Each is read twice. */
#define TDM_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static inline int64_t tdm_least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static inline double tdm_least_real(double a, double b) {
  return a < b ? a : b;
}

#endif
