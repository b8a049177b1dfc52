/* How an LLM server's replicas are chosen, and how many there are, from the model table. */
#ifndef TDM_BIND_DISPATCH_H
#define TDM_BIND_DISPATCH_H

#include "bind/value.h"

/* From `router` (a name or a function) and `routing` of the value. */
void tdm_bind_dispatch(tdm_reader *r, tdm_dispatch_rule *rule);
/* From `scaling` of the value, absent: always all of its `count` replicas. */
void tdm_bind_scaling(tdm_reader *r, size_t count, tdm_scaling_rule *rule);

#endif
