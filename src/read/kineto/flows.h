/* Flow events (phases s, t, f) paired into edges.
 *
 * The ends of one flow share category, name and id, and come in any order; one beginning may have
 * many ends, as a launched CUDA graph has. Ends are looked for among the last half million to
 * million flows, so that memory is bounded. Owns what waits. Called by the reader "kineto". */
#ifndef TDM_READ_KINETO_FLOWS_H
#define TDM_READ_KINETO_FLOWS_H

#include "read/kineto/tracks.h"

typedef struct tdm_kineto_flows tdm_kineto_flows;

typedef struct {
  uint32_t kind;           /* a name id: the edge's name */
  uint32_t category, name; /* what must be equal, as numbers */
  int64_t id;
  int64_t number; /* the id that the edge is given; TDM_NONE: it is no number */
} tdm_kineto_flow;

/* NULL: out of memory. The tracks, which learn what flows lead to, live longer. */
tdm_kineto_flows *tdm_kineto_flows_new(tdm_recorder *recorder, tdm_kineto_tracks *tracks);
void tdm_kineto_flows_free(tdm_kineto_flows *flows);

/* Phase 's' begins, 't' ends one edge and begins the next, 'f' ends. */
void tdm_kineto_flow_event(tdm_kineto_flows *flows, const tdm_kineto_flow *flow, char phase,
                           int64_t time_ns, uint32_t track);

/* Counts what has no other end. */
void tdm_kineto_flows_finish(tdm_kineto_flows *flows);

#endif
