/* GPU work under the stacks that launched it: kernels, copies, memsets and graphs as leaves below
 * the host frames that were open when they were asked for, GPU by GPU.
 *
 * Work whose call is not known lies under its stream. Owns no state. Called by the flame analysis.
 */
#ifndef TDM_ANALYSIS_FLAME_LAUNCHED_H
#define TDM_ANALYSIS_FLAME_LAUNCHED_H

#include "analysis/flame/stacks.h"

typedef struct {
  size_t rows, without_call;
  int64_t total_ns, without_call_ns;
} tdm_flame_launched;

/* `stacks` has been read without weights; its tree is that of the host. Fills `tree`. */
tdm_status tdm_flame_launched_read(const tdm_flame_stacks *stacks, tdm_flame_tree *tree,
                                   tdm_flame_launched *seen, tdm_error *error);

#endif
