/* What the caching allocator reserved of a device against what was in use: fragmentation. Called by
 * memory.c. */
#ifndef TDM_ANALYSIS_MEMORY_RESERVED_H
#define TDM_ANALYSIS_MEMORY_RESERVED_H

#include "analysis/answer.h"
#include "analysis/memory/blocks.h"

/* A row for each place's peak and end where reserved bytes are known, and for each device of a
 * memory snapshot, whose segments say how the free bytes lie. *segments: there was such a one. */
tdm_status tdm_memory_put_reserved(const tdm_memory_blocks *blocks, bool *segments, tdm_answer *out,
                                   tdm_error *error);

#endif
