/* Which sub-lane of a track a span goes to: the spans that are open on each, as stacks.
 *
 * Over the stacks stands a tree of the least and greatest end on top of them, so that the lowest
 * fitting one is found in logarithmic time even where thousands overlap. Owns its arrays. Called by
 * trace/lanes only. */
#ifndef TDM_TRACE_LANE_STACKS_H
#define TDM_TRACE_LANE_STACKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t end_ns;
  uint32_t below; /* the node under it, + 1; of a free node: the next free one, + 1 */
  uint32_t depth;
} tdm_lane_node;

/* Zeroed is empty. */
typedef struct {
  tdm_lane_node *nodes;
  size_t node_count, node_room;
  uint32_t free_node;        /* + 1 */
  uint32_t *top;             /* [leaves] of each lane, + 1; 0: nothing is open on it */
  int64_t *least, *greatest; /* [2 * leaves]: ends on top; a lane with nothing open has no end */
  uint32_t leaves, lanes;
  uint32_t last; /* the lane of the span laid last */
} tdm_lane_stacks;

void tdm_lane_stacks_clear(tdm_lane_stacks *stacks); /* forgets all lanes, keeps the memory */
void tdm_lane_stacks_free(tdm_lane_stacks *stacks);

/* Lays a span that starts no earlier than those before it. `nests`: it may lie inside another. 0:
 * out of memory. */
int tdm_lane_stacks_put(tdm_lane_stacks *stacks, int64_t start_ns, int64_t end_ns, int nests,
                        uint32_t *lane, uint32_t *depth);

#endif
