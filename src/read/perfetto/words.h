/* Words of a Perfetto trace that mean something to tandem: categories, and what tandem itself
 * wrote. Called by read/pftrace*. */
#ifndef TDM_READ_PERFETTO_WORDS_H
#define TDM_READ_PERFETTO_WORDS_H

#include "read/perfetto/state.h"

/* A category by tandem's word for it, where it has one ("gpu_memcpy" is "memcpy"). */
uint32_t tdm_pftrace_category(tdm_recorder *recorder, uint32_t category);

/* An argument key by tandem's word for it ("registers per thread"). */
uint32_t tdm_pftrace_key(tdm_pftrace_state *s, uint32_t key);

/* Whether rows of a category are to be recorded. */
int tdm_pftrace_is_wanted(const tdm_pftrace_state *s, uint32_t category);

int tdm_pftrace_is_tandem(const tdm_recorder *recorder, uint32_t category);

/* An event of tandem's about the whole trace, whose arguments are in s->args. */
void tdm_pftrace_tandem_event(tdm_pftrace_state *s, uint32_t name);

#endif
