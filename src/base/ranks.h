/* Order statistics of times: sorting, and the k-th smallest. Owns nothing.
 * Called by engine/measure and by analyses. */
#ifndef TDM_BASE_RANKS_H
#define TDM_BASE_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts times ≥ 0, ascending; `spare` has room for as many. */
void tdm_ranks_sort(int64_t *ns, int64_t *spare, size_t count);
/* The same, each with a tag; equal times keep their order. */
void tdm_ranks_sort_tagged(int64_t *ns, int64_t *spare, uint8_t *tags, uint8_t *spare_tags,
                           size_t count);

/* Linear between order statistics of sorted times (Hyndman & Fan 1996, type 7); count ≥ 1. */
double tdm_ranks_quantile_ns(const int64_t *sorted, size_t count, double level);

/* The same of times in any order, which it rearranges. */
double tdm_ranks_select_ns(int64_t *ns, size_t count, double level);

/* Their median in whole nanoseconds, as near as there is one; 0 of none. Rearranges them. */
int64_t tdm_ranks_median_ns(int64_t *ns, size_t count);

#endif
