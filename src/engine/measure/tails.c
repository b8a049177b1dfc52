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
  const tdm_stage *stage;                  /* one of them; NULL: there is none */
  double visits, of[TDM_DIST_MOMENTS + 1]; /* sums over visits */
  double error; /* relative, of their waits; 0: nothing is known that a sample does not show */
} place;

/* What the model knows, by stage and by place: stations, then the engines of each group. */
typedef struct {
  const tdm_model *model;
  tdm_measure *m;
  tdm_moments *moments;
  place *places;
  size_t place_count;
} knowledge;

static bool has_place(const tdm_stage *stage) {
  return stage->station != TDM_NO_INDEX || stage->group != TDM_NO_INDEX;
}

static place *place_of(const knowledge *k, const tdm_stage *stage) {
  size_t group = k->model->station_count + stage->group * TDM_ROLES + stage->role;
  return &k->places[stage->station != TDM_NO_INDEX ? stage->station : group];
}

static void add_stage(const knowledge *k, size_t i) {
  place *p = place_of(k, &k->model->stages[i]);
  double visits = (double)k->m->stages[i].visits;
  p->stage = &k->model->stages[i];
  p->visits += visits;
  for (unsigned n = 1; n <= TDM_DIST_MOMENTS; n++) p->of[n] += visits * k->moments[i].of[n];
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

/* A group's GPUs have a part of the visits each. */
static void set_error(const knowledge *k, place *p) {
  const tdm_model *model = k->model;
  if (p->stage == NULL || !is_heavy(p) || others_carry(model, k->m, p->stage)) return;
  p->error = error_of(p->of[2], p->of[4], p->visits);
  if (p->stage->station != TDM_NO_INDEX) {
    k->m->stations[p->stage->station].queue_error = p->error;
    return;
  }
  const tdm_group *group = &model->groups[p->stage->group];
  for (size_t i = 0; i < group->count; i++) {
    uint32_t station = model->gpus[group->members[i]].stations[p->stage->role];
    if (station != TDM_NO_INDEX)
      k->m->stations[station].queue_error = p->error * sqrt((double)group->count);
  }
}

/* Adds what a class's stage waits at its place. The place with the largest error speaks. */
static void add_place(const place *p, const tdm_stage_measure *stage, tdm_class_measure *class,
                      double *largest) {
  tdm_tail *tail = &class->sections.tail;
  double each = (double)stage->visits / (double)class->completed;
  double error_s = p->error * stage->wait_s * each;
  tail->error_s += error_s; /* what is large at one place is often large at the next */
  tail->rest_s = fmax(0, tail->rest_s - (stage->wait_s + stage->service_s) * each);
  if (error_s <= *largest) return;
  *largest = error_s;
  tail->size_s = p->of[1] / p->visits;
  tail->big_s = p->of[2] / p->of[1];
  tail->sums = error_of(p->of[1], p->of[2], p->visits);
  tail->squares = p->error;
  tail->skew = p->of[3] / pow(p->of[2], 1.5); /* of sums of random numbers of times */
}

/* largest: of each class, and of all. */
static void set_tails(const knowledge *k, double *largest) {
  tdm_measure *m = k->m;
  m->all.sections.tail.rest_s = m->all.completed > 0 ? m->all.mean_s : 0;
  for (size_t c = 0; c < m->class_count; c++)
    m->classes[c].sections.tail.rest_s = m->classes[c].completed > 0 ? m->classes[c].mean_s : 0;
  for (size_t i = 0; i < k->model->stage_count; i++) {
    const tdm_stage *stage = &k->model->stages[i];
    uint32_t c = stage->class_index;
    if (m->stages[i].visits == 0 || !(k->moments[i].of[4] > 0)) continue;
    const place *p = place_of(k, stage);
    m->stages[i].wait_error = p->error;
    if (!(p->error > 0)) continue;
    if (m->classes[c].completed > 0) add_place(p, &m->stages[i], &m->classes[c], &largest[c]);
    if (m->all.completed > 0) add_place(p, &m->stages[i], &m->all, &largest[m->class_count]);
  }
  if (m->class_count == 1) m->all.sections.tail = m->classes[0].sections.tail;
}

tdm_status tdm_measure_tails(const tdm_model *model, tdm_measure *m, tdm_error *error) {
  knowledge k = {.model = model, .m = m};
  k.place_count = model->station_count + model->group_count * TDM_ROLES;
  k.moments = tdm_array_new(model->stage_count + 1, sizeof *k.moments);
  k.places = tdm_array_new(k.place_count + 1, sizeof *k.places);
  double *largest = tdm_array_new(m->class_count + 1, sizeof *largest);
  tdm_status status = TDM_OK;
  if (k.moments == NULL || k.places == NULL || largest == NULL) {
    status = tdm_error_memory(error, "moments", model->stage_count * sizeof *k.moments);
  } else {
    for (size_t i = 0; i < model->stage_count; i++) {
      k.moments[i] = service_of(model, &model->stages[i]);
      if (m->stages[i].visits > 0 && has_place(&model->stages[i])) add_stage(&k, i);
    }
    for (size_t i = 0; i < k.place_count; i++) set_error(&k, &k.places[i]);
    set_tails(&k, largest);
  }
  free(k.moments);
  free(k.places);
  free(largest);
  return status;
}
