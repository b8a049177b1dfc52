/* What the model knows of the error of a mean wait before the largest requests have come
 * (tdm_tail), of each class.
 *
 * It speaks of open classes that wait first come, first served or by priority in a queue without a
 * limit: there a request of size S keeps others waiting for S² together, whatever the load, unless
 * other servers carry it. Where servers are shared, work comes in batches, is bytes on a link or a
 * user's function, nothing is known. Owns nothing. Called by measure.c, once the waits are there.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/measure/inside.h"

static bool plain_station(const tdm_station *s) {
  return s->discipline != TDM_PS && s->servers != TDM_UNLIMITED && s->link == TDM_NO_INDEX &&
         !s->replica && s->queue_limit == TDM_UNLIMITED;
}

/* The station of a stage on the first GPU of its group; NULL: it has none. */
static const tdm_station *station_of(const tdm_model *model, const tdm_stage *stage,
                                     const tdm_gpu **gpu) {
  uint32_t station = stage->station;
  *gpu = NULL;
  if (station == TDM_NO_INDEX && stage->group != TDM_NO_INDEX) {
    *gpu = &model->gpus[model->groups[stage->group].members[0]];
    station = (*gpu)->stations[stage->role];
  }
  if (station >= model->station_count) return NULL; /* TDM_NO_INDEX, too */
  if (*gpu == NULL && model->stations[station].gpu != TDM_NO_INDEX)
    *gpu = &model->gpus[model->stations[station].gpu];
  return &model->stations[station];
}

static bool same_place(const tdm_stage *a, const tdm_stage *b) {
  if (a->station != TDM_NO_INDEX || b->station != TDM_NO_INDEX) return a->station == b->station;
  return a->group == b->group && a->role == b->role;
}

static bool waits_to_the_end(const tdm_class *class) {
  return class->arrivals->kind != TDM_ARRIVE_CLOSED && class->patience == NULL &&
         class->timeout == NULL;
}

/* Moments of a stage's service times, not known where a mean wait does not go by their squares. */
static tdm_moments service_of(const tdm_model *model, const tdm_stage *stage) {
  const tdm_class *class = &model->classes[stage->class_index];
  const tdm_gpu *gpu;
  const tdm_station *station = station_of(model, stage, &gpu);
  tdm_moments attrs[TDM_EXPR_ATTRS_MAX];
  if (station == NULL || !plain_station(station) || stage->server != TDM_NO_INDEX ||
      stage->batch.max > 1 || !waits_to_the_end(class))
    return tdm_moments_unknown();
  for (uint32_t slot = 0; slot < model->attr_count; slot++) {
    bool drawn = class->attr_set[slot] && !tdm_rows_have(&class->arrivals->rows, slot);
    attrs[slot] =
        drawn ? tdm_cost_moments(&class->attrs[slot], attrs, NULL) : tdm_moments_unknown();
    attrs[slot].draws = 0;
    attrs[slot].attrs |= (uint64_t)1 << slot;
  }
  return tdm_cost_moments(&stage->cost, attrs, gpu != NULL ? gpu->params : NULL);
}

/* All stages of one station, or of one engine of a group's GPUs. */
typedef struct {
  double visits, of[TDM_DIST_MOMENTS + 1]; /* sums over visits */
} place;

static place place_of(const tdm_model *model, const tdm_measure *m, const tdm_stage *at,
                      const tdm_moments *moments) {
  place p = {0};
  for (size_t i = 0; i < model->stage_count; i++) {
    double visits = (double)m->stages[i].visits;
    if (visits == 0 || !same_place(&model->stages[i], at)) continue;
    p.visits += visits;
    for (unsigned k = 1; k <= TDM_DIST_MOMENTS; k++) p.of[k] += visits * moments[i].of[k];
  }
  return p;
}

static bool sends_to_the_freest(tdm_router router) {
  return router == TDM_ROUTE_LEAST_OUTSTANDING || router == TDM_ROUTE_SHORTEST_QUEUE ||
         router == TDM_ROUTE_POWER_OF_TWO;
}

/* Can the servers that are left carry the load while one of them has a huge request? Then nobody
 * waits for it. */
static bool others_carry(const tdm_model *model, const tdm_measure *m, const tdm_stage *stage) {
  uint32_t alone = stage->station;
  const tdm_group *group = alone == TDM_NO_INDEX ? &model->groups[stage->group] : NULL;
  double servers = 0, busy = 0;
  for (size_t k = 0; k < (group != NULL ? group->count : 1); k++) {
    uint32_t at = group != NULL ? model->gpus[group->members[k]].stations[stage->role] : alone;
    if (at == TDM_NO_INDEX) continue;
    servers += (double)model->stations[at].servers;
    busy += (double)model->stations[at].servers * m->stations[at].utilization;
  }
  if (group != NULL && !sends_to_the_freest(group->router)) { /* each by itself */
    busy /= (double)group->count;
    servers /= (double)group->count;
  }
  return busy < servers - 1;
}

/* Relative error of a sum of n squares (or other powers): by their mean square. */
static double error_of(double sum, double of_squares, double n) {
  return sqrt(fmax(0, of_squares / (sum * sum) - 1 / n));
}

/* E[S⁴] ÷ E[S²]² of exponential times, and a little: of those a sample shows enough. */
static const double EXPONENTIAL = 6.0001;

static bool is_heavy(const place *p) {
  return p->of[4] * p->visits > EXPONENTIAL * p->of[2] * p->of[2];
}

/* Adds what a class's stage waits at its place. */
static void add_place(const place *p, const tdm_stage_measure *stage, double completed,
                      double *largest, tdm_tail *tail) {
  double wait_s = stage->wait_s * (double)stage->visits / completed;
  double error_s = stage->wait_error * wait_s;
  tail->error_s += error_s; /* what is large at one place is often large at the next */
  tail->rest_s -= wait_s + stage->service_s * (double)stage->visits / completed;
  if (error_s <= *largest) return;
  *largest = error_s;
  tail->size_s = p->of[1] / p->visits;
  tail->big_s = p->of[2] / p->of[1];
  tail->sums = error_of(p->of[1], p->of[2], p->visits);
  tail->squares = stage->wait_error;
  tail->skew = p->of[3] / pow(p->of[2], 1.5); /* of sums of random numbers of times */
}

static tdm_tail tail_of(const tdm_model *model, const tdm_measure *m, const tdm_moments *moments,
                        const tdm_class_measure *of, size_t class_index) {
  tdm_tail tail = {0};
  double largest = 0, completed = (double)of->completed;
  if (completed == 0) return tail;
  tail.rest_s = of->mean_s;
  for (size_t i = 0; i < model->stage_count; i++) {
    const tdm_stage *stage = &model->stages[i];
    if (class_index != SIZE_MAX && stage->class_index != class_index) continue;
    if (!(m->stages[i].wait_error > 0)) continue;
    place p = place_of(model, m, stage, moments);
    add_place(&p, &m->stages[i], completed, &largest, &tail);
  }
  tail.rest_s = fmax(0, tail.rest_s);
  return tail;
}

/* A group's GPUs have a part of the visits each. */
static void set_errors(const tdm_model *model, tdm_measure *m, size_t i, const place *p) {
  const tdm_stage *stage = &model->stages[i];
  double error = error_of(p->of[2], p->of[4], p->visits);
  m->stages[i].wait_error = error;
  if (stage->station != TDM_NO_INDEX) {
    m->stations[stage->station].queue_error = error;
    return;
  }
  const tdm_group *group = &model->groups[stage->group];
  for (size_t k = 0; k < group->count; k++) {
    uint32_t station = model->gpus[group->members[k]].stations[stage->role];
    if (station != TDM_NO_INDEX)
      m->stations[station].queue_error = error * sqrt((double)group->count);
  }
}

tdm_status tdm_measure_tails(const tdm_model *model, tdm_measure *m, tdm_error *error) {
  tdm_moments *moments = tdm_array_new(model->stage_count + 1, sizeof *moments);
  if (moments == NULL)
    return tdm_error_memory(error, "moments", model->stage_count * sizeof *moments);
  for (size_t i = 0; i < model->stage_count; i++) moments[i] = service_of(model, &model->stages[i]);
  for (size_t i = 0; i < model->stage_count; i++) {
    if (m->stages[i].visits == 0 || !(moments[i].of[4] > 0)) continue;
    place p = place_of(model, m, &model->stages[i], moments);
    if (is_heavy(&p) && !others_carry(model, m, &model->stages[i])) set_errors(model, m, i, &p);
  }
  for (size_t c = 0; c < m->class_count; c++)
    m->classes[c].sections.tail = tail_of(model, m, moments, &m->classes[c], c);
  m->all.sections.tail = m->class_count == 1 ? m->classes[0].sections.tail
                                             : tail_of(model, m, moments, &m->all, SIZE_MAX);
  free(moments);
  return TDM_OK;
}
