/* Sets of times: disjoint intervals in order. A nanosecond counts once, however many rows cover it;
 * touching intervals do not overlap; empty ones are nothing.
 *
 * Owns its arrays. Used by breakdowns, overlap, gaps. */
#ifndef TDM_ANALYSIS_INTERVALS_H
#define TDM_ANALYSIS_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Lengths and sums; of damaged times what exceeds 64 bits is as much as they can tell. */
static inline int64_t tdm_sum_ns(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
static inline int64_t tdm_length_ns(int64_t start_ns, int64_t end_ns) {
  int64_t length;
  return __builtin_sub_overflow(end_ns, start_ns, &length) ? INT64_MAX : length;
}

typedef struct {
  size_t count, room;
  int64_t *start_ns, *end_ns; /* end_ns[i] < start_ns[i + 1] */
} tdm_intervals;              /* zeroed: the empty set */

void tdm_intervals_close(tdm_intervals *set);

/* Joins one interval in; starts must come in order. 0: out of memory. */
int tdm_intervals_add(tdm_intervals *set, int64_t start_ns, int64_t end_ns);

int64_t tdm_intervals_total_ns(const tdm_intervals *set);

/* The first interval that ends after a time; their count: none does. */
size_t tdm_intervals_after(const tdm_intervals *set, int64_t at_ns);

/* How long it is between two times. */
int64_t tdm_intervals_within_ns(const tdm_intervals *set, int64_t from_ns, int64_t to_ns);

/* How long both are. */
int64_t tdm_intervals_common_ns(const tdm_intervals *a, const tdm_intervals *b);

/* *out is a or b; a and b; a without b. *out must be zeroed before and may not be one of them. */
tdm_status tdm_intervals_union(const tdm_intervals *a, const tdm_intervals *b, tdm_intervals *out,
                               tdm_error *error);
tdm_status tdm_intervals_intersect(const tdm_intervals *a, const tdm_intervals *b,
                                   tdm_intervals *out, tdm_error *error);
tdm_status tdm_intervals_subtract(const tdm_intervals *a, const tdm_intervals *b,
                                  tdm_intervals *out, tdm_error *error);

#endif
