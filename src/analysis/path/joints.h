/* A graph without the points that only follow another: what replays go through.
 *
 * Most points of a thread have no edge: what happens there only adds to the next that has one. A
 * joint, which is kept, follows the joint before it in its chain after the sum of the stretches
 * between, whatever they cost: those of the points from one to the other. Owns its arrays; the
 * graph is borrowed. Used by replays of a whole run (windows.c, change.c). */
#ifndef TDM_ANALYSIS_PATH_JOINTS_H
#define TDM_ANALYSIS_PATH_JOINTS_H

#include "analysis/path/dag.h"

typedef struct {
  size_t count;     /* of points that are kept, in the graph's order; 0: not made */
  uint32_t *point;  /* which they are */
  uint32_t *before; /* the joint before in the chain, by its position here; TDM_NO_POINT */
  uint32_t *from;   /* by edge of the graph: the position here of where it comes from */
} tdm_joints;

/* Of the points up to the last one; the graph need not be sorted. None are made (count 0) where a
 * chain runs backwards. */
tdm_status tdm_joints_open(const tdm_dag *dag, uint32_t last, tdm_joints *joints, tdm_error *error);
void tdm_joints_close(tdm_joints *joints);

#endif
