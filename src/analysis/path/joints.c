/* See joints.h. */
#include "analysis/path/joints.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

enum { SEEN = 1, KEPT = 2, FOLLOWED = 4 };

/* Marks points by what becomes of them; false: a chain runs backwards. What begins a chain, has an
 * edge, is followed by several or by none is kept. */
static bool mark(const tdm_dag *dag, size_t last, uint8_t *marks) {
  for (size_t i = 0; i <= last; i++) {
    uint32_t p = dag->order[i], before = tdm_dag_before(dag, p);
    size_t e = tdm_dag_edges_to(dag, p);
    if (before != TDM_NO_POINT && (!(marks[before] & SEEN) || tdm_dag_lag_ns(dag, p) < 0))
      return false;
    if (before != TDM_NO_POINT) marks[before] |= marks[before] & FOLLOWED ? KEPT : FOLLOWED;
    marks[p] |= SEEN;
    if (before == TDM_NO_POINT || e < dag->edges) marks[p] |= KEPT;
    for (; tdm_dag_leads(dag, e, p); e++) marks[dag->edge[e].from] |= KEPT;
  }
  for (size_t i = 0; i <= last; i++)
    if (!(marks[dag->order[i]] & FOLLOWED)) marks[dag->order[i]] |= KEPT;
  return true;
}

/* Positions of what is kept, and the joint before each in its chain. */
static void fill(const tdm_dag *dag, size_t last, const uint8_t *marks, uint32_t *position,
                 tdm_joints *joints) {
  size_t count = 0;
  for (size_t i = 0; i <= last; i++) {
    uint32_t p = dag->order[i], before = p;
    if (!(marks[p] & KEPT)) continue;
    position[p] = (uint32_t)count;
    joints->point[count] = p;
    while ((before = tdm_dag_before(dag, before)) != TDM_NO_POINT && !(marks[before] & KEPT)) {
    }
    joints->before[count] = before == TDM_NO_POINT ? TDM_NO_POINT : position[before];
    for (size_t e = tdm_dag_edges_to(dag, p); tdm_dag_leads(dag, e, p); e++)
      joints->from[e] = position[dag->edge[e].from];
    count++;
  }
  joints->count = count;
}

static size_t kept(const tdm_dag *dag, size_t last, const uint8_t *marks) {
  size_t count = 0;
  for (size_t i = 0; i <= last; i++) count += (marks[dag->order[i]] & KEPT) != 0;
  return count;
}

tdm_status tdm_joints_open(const tdm_dag *dag, size_t last, tdm_joints *joints, tdm_error *error) {
  *joints = (tdm_joints){0};
  if (last >= dag->points) return TDM_OK;
  uint8_t *marks = tdm_array_new(dag->points + 1, 1);
  uint32_t *position = malloc((dag->points + 1) * sizeof *position);
  bool forward = marks != NULL && position != NULL && mark(dag, last, marks);
  if (forward) {
    size_t count = kept(dag, last, marks);
    joints->point = malloc((count + 1) * sizeof *joints->point);
    joints->before = malloc((count + 1) * sizeof *joints->before);
    joints->from = malloc((dag->edges + 1) * sizeof *joints->from);
  }
  bool lacking =
      marks == NULL || position == NULL ||
      (forward && (joints->point == NULL || joints->before == NULL || joints->from == NULL));
  if (forward && !lacking) fill(dag, last, marks, position, joints);
  free(marks);
  free(position);
  if (!lacking) return TDM_OK;
  tdm_joints_close(joints);
  return tdm_error_memory(error, "the critical path", dag->points * sizeof *position);
}

void tdm_joints_close(tdm_joints *joints) {
  free(joints->point);
  free(joints->before);
  free(joints->from);
  *joints = (tdm_joints){0};
}
