/* Rows gathered by key: which group each row is in, and its rows side by side; and rows put in
 * order of a number.
 *
 * A key is up to TDM_GROUP_KEYS numbers (name id, device, grid …). Groups are numbered in the order
 * in which their first row comes. Owns its arrays. Used by summaries and breakdowns. */
#ifndef TDM_ANALYSIS_GROUPS_H
#define TDM_ANALYSIS_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash_map.h"
#include "trace/kept_rows.h"

#define TDM_GROUP_KEYS 12

typedef struct {
  size_t keys;
  size_t count;    /* groups */
  int64_t *key;    /* [count * keys] */
  uint32_t *group; /* by row in the order of adding */
  size_t rows;
  size_t *first; /* [count + 1] where each group's rows begin in `row`; after tdm_groups_gather */
  uint32_t *row; /* [rows] numbers of rows, group by group, in their order */
  /* private */
  tdm_hash_map map; /* groups by key */
  size_t key_room;
} tdm_groups;

/* Room for `rows` rows at most. */
tdm_status tdm_groups_open(tdm_groups *groups, size_t keys, size_t rows, tdm_error *error);
void tdm_groups_close(tdm_groups *groups);

/* The group of the next row. UINT32_MAX: out of memory. */
uint32_t tdm_groups_add(tdm_groups *groups, const int64_t *key);
/* The same of no row, for who keeps the groups of rows itself: room for none is enough. */
uint32_t tdm_groups_of(tdm_groups *groups, const int64_t *key);

/* Lays the rows of each group side by side; call it once, after the last row. */
tdm_status tdm_groups_gather(tdm_groups *groups, tdm_error *error);

/* Numbers 0 … count − 1 in order of their keys, equal ones as they are: a radix sort, whose cost
 * grows with the number of bits in which keys differ. Owns no state. Used by what looks at streams
 * and threads one by one. */

tdm_status tdm_order_by(const uint64_t *key, uint32_t *order, size_t count, tdm_error *error);

/* Rows of each track side by side, in their order: first [tracks + 2]; `row` [count]. Rows of
 * tracks outside 0 … tracks − 1 come last. */
void tdm_order_by_track(const int32_t *track, size_t count, uint32_t tracks, uint32_t *first,
                        uint32_t *row);
/* The same of a table's column. */
void tdm_order_by_kept_track(const tdm_kept_block *track, size_t count, uint32_t tracks,
                             uint32_t *first, uint32_t *row);

#endif
