/* A stable sort of numbers by what they stand for, where long stretches are in order already.
 *
 * Such stretches are found and merged two and two; a merge touches only what overlaps. So it is as
 * good as linear for what was put together of a few sorted parts, and takes eight bytes a number.
 * Owns nothing. Used by tables of rows and by the graph of the critical path. */
#ifndef TDM_BASE_NATURAL_ORDER_H
#define TDM_BASE_NATURAL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether b must stand before a, a number below it. */
typedef bool tdm_is_wrong(const void *context, uint32_t a, uint32_t b);

/* 0 … count - 1 in order, at most UINT32_MAX - 1 of them; the caller frees them. NULL: out of
 * memory; or, with *sorted, they were in order. */
uint32_t *tdm_natural_order(size_t count, tdm_is_wrong *is_wrong, const void *context,
                            bool *sorted);

#endif
