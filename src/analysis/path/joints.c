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
    uint32_t p = dag->order[i], before = dag->before[p];
    if (before != TDM_NO_POINT && (!(marks[before] & SEEN) || tdm_dag_lag_ns(dag, p) < 0))
      return false;
    if (before != TDM_NO_POINT) marks[before] |= marks[before] & FOLLOWED ? KEPT : FOLLOWED;
    marks[p] |= SEEN;
    if (before == TDM_NO_POINT || dag->first[p] < dag->first[p + 1]) marks[p] |= KEPT;
    for (uint32_t e = dag->first[p]; e < dag->first[p + 1]; e++) marks[dag->edge[e].from] |= KEPT;
  }
  for (size_t i = 0; i <= last; i++)
    if (!(marks[dag->order[i]] & FOLLOWED)) marks[dag->order[i]] |= KEPT;
  return true;
}

/* The stretches from the kept point before to this one. */
static void join(const tdm_dag *dag, const uint8_t *marks, const uint32_t *position,
                 tdm_joints *joints, size_t at) {
  uint32_t p = joints->point[at];
  uint32_t next = joints->first[at];
  joints->before[at] = TDM_NO_POINT;
  while (dag->before[p] != TDM_NO_POINT) {
    int64_t lag_ns = tdm_dag_lag_ns(dag, p);
    if (dag->row[p] == TDM_NO_ROW)
      joints->fixed_ns[at] += lag_ns;
    else if (lag_ns > 0)
      joints->stretch[next++] =
          (tdm_stretch){p, lag_ns < TDM_LONG_NS ? (uint32_t)lag_ns : TDM_LONG_NS};
    p = dag->before[p];
    if (!(marks[p] & KEPT)) continue;
    joints->before[at] = position[p];
    break;
  }
  joints->first[at + 1] = next;
}

static void fill(const tdm_dag *dag, size_t last, const uint8_t *marks, uint32_t *position,
                 tdm_joints *joints) {
  size_t count = 0;
  for (size_t i = 0; i <= last; i++) {
    uint32_t p = dag->order[i];
    if (!(marks[p] & KEPT)) continue;
    position[p] = (uint32_t)count;
    joints->point[count] = p;
    join(dag, marks, position, joints, count);
    for (uint32_t e = dag->first[p]; e < dag->first[p + 1]; e++)
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
    joints->first = tdm_array_new(count + 1, sizeof *joints->first);
    joints->stretch = malloc((last + 2) * sizeof *joints->stretch);
    joints->fixed_ns = tdm_array_new(count + 1, sizeof *joints->fixed_ns);
    joints->from = malloc((dag->edges + 1) * sizeof *joints->from);
  }
  bool lacking =
      marks == NULL || position == NULL ||
      (forward && (joints->point == NULL || joints->before == NULL || joints->first == NULL ||
                   joints->stretch == NULL || joints->fixed_ns == NULL || joints->from == NULL));
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
  free(joints->first);
  free(joints->stretch);
  free(joints->fixed_ns);
  free(joints->from);
  *joints = (tdm_joints){0};
}
