/* Numbers 0 … count − 1 in order of their keys, equal ones as they are: a radix sort, whose cost
 * grows with the number of bits in which keys differ. Owns no state. Used by what looks
 * at streams and threads one by one. */
#ifndef TDM_ANALYSIS_ORDER_H
#define TDM_ANALYSIS_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

tdm_status tdm_order_by(const uint64_t *key, uint32_t *order, size_t count, tdm_error *error);

/* Rows of each track side by side, in their order: first [tracks + 2]; `row` [count]. Rows of
 * tracks outside 0 … tracks − 1 come last. */
void tdm_order_by_track(const int64_t *track, size_t count, uint32_t tracks, uint32_t *first,
                        uint32_t *row);

#endif
