/* See joints.h. */
#include "analysis/path/joints.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/natural_order.h"

enum { WORD = 64 };

/* Of the points up to `last`. Kept ones are numbered as they are, then put in order. */
typedef struct {
  const tdm_dag *dag;
  uint32_t last;
  uint64_t *keeps; /* a bit by point */
  uint32_t *first; /* by word of these: how many are kept before it */
  uint32_t *point; /* of those that are kept */
  size_t count;
  uint32_t *place; /* by kept point, in the order of all */
} joining;

static bool is_within(const joining *j, uint32_t point) {
  return point == j->last || tdm_dag_comes_before(j->dag, point, j->last);
}

static void keep(joining *j, uint32_t point) {
  j->keeps[point / WORD] |= (uint64_t)1 << point % WORD;
}

/* Keeps what begins or ends a chain or has an edge; false: a chain runs backwards. */
static bool choose(joining *j) {
  const tdm_dag *dag = j->dag;
  bool was_within = false;
  for (uint32_t p = 0; p < dag->points; p++) {
    bool follows = tdm_dag_before(dag, p) != TDM_NO_POINT, within = is_within(j, p);
    if (within && follows && !tdm_dag_comes_before(dag, p - 1, p)) return false;
    if (was_within && !(within && follows)) keep(j, p - 1);
    if (within && (!follows || (dag->marks[p] & TDM_POINT_EDGES))) keep(j, p);
    was_within = within;
  }
  if (was_within) keep(j, (uint32_t)dag->points - 1);
  for (size_t e = 0; e < dag->edges; e++)
    if (is_within(j, dag->edge[e].to)) keep(j, dag->edge[e].from);
  return true;
}

/* The number of a kept point among them. */
static uint32_t number_of(const joining *j, uint32_t point) {
  uint64_t before = j->keeps[point / WORD] & (((uint64_t)1 << point % WORD) - 1);
  return j->first[point / WORD] + (uint32_t)__builtin_popcountll(before);
}

static bool number(joining *j, size_t words) {
  for (size_t w = 0; w < words; w++) {
    j->first[w] = (uint32_t)j->count;
    j->count += (size_t)__builtin_popcountll(j->keeps[w]);
  }
  j->point = malloc((j->count + 1) * sizeof *j->point);
  if (j->point == NULL) return false;
  size_t count = 0;
  for (size_t w = 0; w < words; w++)
    for (uint64_t left = j->keeps[w]; left != 0; left &= left - 1)
      j->point[count++] = (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(left);
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
  uint32_t *order = tdm_natural_order(j->count, is_wrong, j, &sorted);
  j->place = malloc((j->count + 1) * sizeof *j->place);
  joints->point = malloc((j->count + 1) * sizeof *joints->point);
  joints->before = malloc((j->count + 1) * sizeof *joints->before);
  joints->from = malloc((dag->edges + 1) * sizeof *joints->from);
  bool fine = (order != NULL || sorted) && j->place != NULL && joints->point != NULL &&
              joints->before != NULL && joints->from != NULL;
  for (uint32_t i = 0; fine && i < j->count; i++) j->place[sorted ? i : order[i]] = i;
  for (uint32_t i = 0; fine && i < j->count; i++) {
    uint32_t number = sorted ? i : order[i], p = j->point[number];
    joints->point[i] = p;
    joints->before[i] =
        tdm_dag_before(dag, p) == TDM_NO_POINT ? TDM_NO_POINT : j->place[number - 1];
  }
  for (size_t e = 0; fine && e < dag->edges; e++)
    joints->from[e] =
        is_within(j, dag->edge[e].to) ? j->place[number_of(j, dag->edge[e].from)] : TDM_NO_POINT;
  joints->count = fine ? j->count : 0;
  free(order);
  return fine;
}

tdm_status tdm_joints_open(const tdm_dag *dag, uint32_t last, tdm_joints *joints,
                           tdm_error *error) {
  *joints = (tdm_joints){0};
  if (last >= dag->points) return TDM_OK;
  size_t words = dag->points / WORD + 1;
  joining j = {.dag = dag,
               .last = last,
               .keeps = tdm_array_new(words, sizeof *j.keeps),
               .first = malloc(words * sizeof *j.first)};
  bool fine = j.keeps != NULL && j.first != NULL;
  if (fine && choose(&j)) fine = number(&j, words) && fill(&j, joints);
  free(j.keeps);
  free(j.first);
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
