/* Words of a Perfetto trace that mean something to tandem: categories, and what tandem itself
 * wrote. Called by read/pftrace*. */
#ifndef TDM_READ_PFTRACE_WORDS_H
#define TDM_READ_PFTRACE_WORDS_H

#include "read/pftrace_state.h"

/* A category by tandem's word for it, where it has one ("gpu_memcpy" is "memcpy"). */
uint32_t pf_category(tdm_recorder *recorder, uint32_t category);

/* Which TDM_READ_NO_… leave a category out. */
uint64_t pf_kind_of(const char *category);

int pf_is_tandem(const tdm_recorder *recorder, uint32_t category);

/* An event of tandem's about the whole trace, whose arguments are in s->args. */
void pf_tandem_event(pf_state *s, uint32_t name);

#endif
