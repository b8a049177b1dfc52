/* See joints.h. */
#include "analysis/path/joints.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analysis/path/picks.h"
#include "base/memory.h"
#include "base/natural_order.h"

/* Of the points up to `last`. Kept ones are numbered as they are, then put in order. */
typedef struct {
  const tdm_dag *dag;
  uint32_t last;
  tdm_picks kept;
  uint32_t *point; /* of those that are kept */
  uint32_t *place; /* by kept point, in the order of all */
} joining;

static bool is_within(const joining *j, uint32_t point) {
  return point == j->last || tdm_dag_comes_before(j->dag, point, j->last);
}

/* Keeps what begins or ends a chain or has an edge; false: a chain runs backwards. */
static bool choose(joining *j) {
  const tdm_dag *dag = j->dag;
  bool was_within = false;
  for (uint32_t p = 0; p < dag->points; p++) {
    bool follows = tdm_dag_before(dag, p) != TDM_NO_POINT, within = is_within(j, p);
    if (within && follows && !tdm_dag_comes_before(dag, p - 1, p)) return false;
    if (was_within && !(within && follows)) tdm_picks_add(&j->kept, p - 1);
    if (within && (!follows || (dag->marks[p] & TDM_POINT_EDGES))) tdm_picks_add(&j->kept, p);
    was_within = within;
  }
  if (was_within) tdm_picks_add(&j->kept, (uint32_t)dag->points - 1);
  for (size_t e = 0; e < dag->edges; e++)
    if (is_within(j, dag->edge[e].to)) tdm_picks_add(&j->kept, dag->edge[e].from);
  return true;
}

static bool is_wrong(const void *context, uint32_t a, uint32_t b) {
  const joining *j = context;
  return !tdm_dag_comes_before(j->dag, j->point[a], j->point[b]); /* a is the lower number */
}

/* A chain's first is kept, so that the kept point before another in its chain is the number before.
 */
static bool fill(joining *j, tdm_joints *joints) {
  const tdm_dag *dag = j->dag;
  bool sorted;
  size_t count = j->kept.count;
  j->point = tdm_array_raw(count + 1, sizeof *j->point);
  if (j->point == NULL) return false;
  tdm_picks_list(&j->kept, j->point);
  uint32_t *order = tdm_natural_order(count, is_wrong, j, &sorted);
  j->place = tdm_array_raw(count + 1, sizeof *j->place);
  joints->point = tdm_array_raw(count + 1, sizeof *joints->point);
  joints->before = tdm_array_raw(count + 1, sizeof *joints->before);
  joints->from = tdm_array_raw(dag->edges + 1, sizeof *joints->from);
  bool fine = (order != NULL || sorted) && j->place != NULL && joints->point != NULL &&
              joints->before != NULL && joints->from != NULL;
  for (uint32_t i = 0; fine && i < count; i++) j->place[sorted ? i : order[i]] = i;
  for (uint32_t i = 0; fine && i < count; i++) {
    uint32_t number = sorted ? i : order[i], p = j->point[number];
    joints->point[i] = p;
    joints->before[i] =
        tdm_dag_before(dag, p) == TDM_NO_POINT ? TDM_NO_POINT : j->place[number - 1];
  }
  for (size_t e = 0; fine && e < dag->edges; e++)
    joints->from[e] = is_within(j, dag->edge[e].to)
                          ? j->place[tdm_picks_place(&j->kept, dag->edge[e].from)]
                          : TDM_NO_POINT;
  joints->count = fine ? count : 0;
  free(order);
  return fine;
}

tdm_status tdm_joints_open(const tdm_dag *dag, uint32_t last, tdm_joints *joints,
                           tdm_error *error) {
  *joints = (tdm_joints){0};
  if (last >= dag->points) return TDM_OK;
  joining j = {.dag = dag, .last = last};
  bool fine = tdm_picks_open(&j.kept, dag->points);
  if (fine && choose(&j)) {
    tdm_picks_count(&j.kept);
    fine = fill(&j, joints);
  }
  tdm_picks_close(&j.kept);
  free(j.point);
  free(j.place);
  if (fine) return TDM_OK;
  tdm_joints_close(joints);
  return tdm_error_memory(error, "the critical path", dag->points * sizeof *j.point);
}

void tdm_joints_close(tdm_joints *joints) {
  free(joints->point);
  free(joints->before);
  free(joints->from);
  *joints = (tdm_joints){0};
}
