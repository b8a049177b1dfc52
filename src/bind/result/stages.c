/* What stages, stations, memories and links did, and which of them is offered more than it can do.
 * Called by result. */
#include <math.h>

#include "bind/result/inside.h"

#define OVERLOAD_LONE   1.02 /* one replication has no interval: ask for a clear excess */
#define OVERLOAD_GROWTH 1.4  /* a steadily growing queue gives 2.3, a steady one 1 */
#define OVERLOAD_LEAST  100  /* requests below which an excess is chance */

typedef tdm_result_writer writer;
typedef tdm_result_reading reading;

/* ---- readings */

static double read_wait(const tdm_measure *m, size_t i, size_t which) {
  (void)which;
  return m->stages[i].wait_s;
}
static double read_service(const tdm_measure *m, size_t i, size_t which) {
  (void)which;
  return m->stages[i].service_s;
}
static double read_batch(const tdm_measure *m, size_t i, size_t which) {
  (void)which;
  return m->stages[i].batch_size;
}
static double read_wait_error(const tdm_measure *m, size_t i, size_t which) {
  (void)which;
  return m->stages[i].wait_error;
}
static double read_queue_error(const tdm_measure *m, size_t i, size_t which) {
  (void)which;
  return m->stations[i].queue_error;
}
enum { STATION_UTILIZATION, STATION_QUEUE, STATION_DOWN, STATION_OFFERED };
static double pick_station(const tdm_station_measure *station, size_t which) {
  switch (which) {
  case STATION_UTILIZATION: return station->utilization;
  case STATION_QUEUE: return station->queue;
  case STATION_DOWN: return station->down;
  default: return station->offered;
  }
}
static double read_station(const tdm_measure *m, size_t i, size_t which) {
  return pick_station(&m->stations[i], which);
}
static double read_memory(const tdm_measure *m, size_t i, size_t which) {
  return pick_station(&m->memories[i], which);
}
static double read_link(const tdm_measure *m, size_t i, size_t which) {
  return pick_station(&m->links[i], which);
}
static double read_growth(const tdm_measure *m, size_t index, size_t which) {
  (void)index, (void)which;
  return m->growth;
}

/* ---- parts */

static const char *station_name(const tdm_model *m, const tdm_stage *stage) {
  if (stage->station != TDM_NO_INDEX) return m->stations[stage->station].name;
  if (stage->server != TDM_NO_INDEX) return m->servers[stage->server].name;
  return stage->group != TDM_NO_INDEX ? m->groups[stage->group].name : NULL;
}

void tdm_result_stages(const writer *w) {
  lua_State *L = w->L;
  lua_Integer row = 0;
  lua_newtable(L);
  for (size_t i = 0; i < w->model->stage_count; i++) {
    const tdm_stage *stage = &w->model->stages[i];
    uint64_t visits = 0, delayed = 0;
    double longest = 0;
    for (size_t r = 0; r < w->count; r++) {
      visits += w->measures[r].stages[i].visits;
      delayed += w->measures[r].stages[i].delayed;
      longest = fmax(longest, w->measures[r].stages[i].max_wait_s);
    }
    /* A process has a stage on every station; only those it uses are shown. */
    if (visits == 0 && stage->cost.kind == TDM_COST_GIVEN) continue;
    lua_createtable(L, 0, 9);
    tdm_result_text(L, "name", stage->name);
    tdm_result_text(L, "class", w->model->classes[stage->class_index].name);
    tdm_result_text(L, "lane", tdm_lane_name(stage->lane));
    if (station_name(w->model, stage) != NULL)
      tdm_result_text(L, "station", station_name(w->model, stage));
    tdm_result_integer(L, "visits", visits);
    lua_createtable(L, 0, 2);
    tdm_estimate wait = tdm_result_over_time(w, read_wait, i, 0, SIZE_MAX, false);
    tdm_result_push(w, tdm_result_no_surer(w, wait, read_wait_error, i, 0));
    lua_setfield(L, -2, "mean");
    tdm_result_number(L, "max", longest);
    lua_setfield(L, -2, "wait");
    lua_createtable(L, 0, 1);
    tdm_result_push(w, tdm_result_estimate(w, read_service, i, 0));
    lua_setfield(L, -2, "mean");
    lua_setfield(L, -2, "service");
    if (stage->batch.max > 1) tdm_result_set(w, "batch", read_batch, i, 0);
    tdm_result_number(L, "delayed", visits > 0 ? (double)delayed / (double)visits : NAN);
    lua_rawseti(L, -2, ++row);
  }
  lua_setfield(L, -2, "stages");
}

/* The longest wait of each station: of its own stages, of those of its GPU's groups, of its LLM
 * server's. One pass over the stages. On the stack, for as long as it is needed. */
static const double *push_longest_waits(const writer *w) {
  const tdm_model *m = w->model;
  double *longest = lua_newuserdatauv(w->L, (m->station_count + 1) * sizeof *longest, 0);
  for (size_t i = 0; i < m->station_count; i++) longest[i] = 0;
  for (size_t i = 0; i < m->stage_count; i++) {
    const tdm_stage *stage = &m->stages[i];
    double wait = 0;
    for (size_t r = 0; r < w->count; r++) wait = fmax(wait, w->measures[r].stages[i].max_wait_s);
    if (stage->station != TDM_NO_INDEX)
      longest[stage->station] = fmax(longest[stage->station], wait);
    const tdm_group *group = stage->station == TDM_NO_INDEX && stage->group != TDM_NO_INDEX
                                 ? &m->groups[stage->group]
                                 : NULL;
    for (size_t k = 0; group != NULL && k < group->count; k++) {
      uint32_t at = m->gpus[group->members[k]].stations[stage->role];
      if (at != TDM_NO_INDEX) longest[at] = fmax(longest[at], wait);
    }
    const tdm_llm_server *server =
        stage->server != TDM_NO_INDEX ? &m->servers[stage->server] : NULL;
    for (size_t p = 0; server != NULL && p < server->pool_count; p++)
      for (size_t k = 0; k < server->pools[p].count; k++) {
        uint32_t at = server->pools[p].stations[k];
        longest[at] = fmax(longest[at], wait);
      }
  }
  return longest;
}

static void set_resource_facts(const writer *w, const char *name, const char *lane, uint32_t gpu,
                               double servers) {
  lua_createtable(w->L, 0, 11);
  tdm_result_text(w->L, "name", name);
  tdm_result_text(w->L, "lane", lane);
  if (gpu != TDM_NO_INDEX) {
    tdm_result_text(w->L, "gpu", w->model->gpus[gpu].name);
    if (w->model->gpus[gpu].kind != NULL) tdm_result_text(w->L, "kind", w->model->gpus[gpu].kind);
  }
  tdm_result_number(w->L, "servers", servers);
}

/* Between failures of the station, by itself or with its GPU; NULL: it never fails. */
static const tdm_dist *mtbf_of(const tdm_model *model, const tdm_station *station) {
  if (station->mtbf != NULL || station->gpu == TDM_NO_INDEX) return station->mtbf;
  return model->gpus[station->gpu].mtbf;
}

void tdm_result_resources(const writer *w) {
  lua_State *L = w->L;
  lua_Integer row = 0;
  const double *longest = push_longest_waits(w);
  lua_newtable(L);
  for (size_t i = 0; i < w->model->station_count; i++) {
    const tdm_station *s = &w->model->stations[i];
    set_resource_facts(w, s->name, tdm_lane_name(s->lane), s->gpu,
                       s->servers == TDM_UNLIMITED ? HUGE_VAL : (double)s->servers);
    if (s->replica) {
      lua_pushboolean(L, true);
      lua_setfield(L, -2, "replica");
    }
    size_t series = TDM_SERIES_SYSTEM + 2 * i;
    tdm_result_push(w, tdm_result_over_time(w, read_station, i, STATION_UTILIZATION, series, true));
    lua_setfield(L, -2, "utilization");
    tdm_estimate queue = tdm_result_over_time(w, read_station, i, STATION_QUEUE, series + 1, false);
    tdm_result_push(w, tdm_result_no_surer(w, queue, read_queue_error, i, 0));
    lua_setfield(L, -2, "queue");
    tdm_result_number(L, "max_wait", longest[i]);
    double down = tdm_result_mean(w, read_station, i, STATION_DOWN);
    const tdm_dist *mtbf = mtbf_of(w->model, s);
    if (down > 0 || (down >= 0 && mtbf != NULL)) tdm_result_number(L, "down", down);
    if (mtbf != NULL && tdm_dist_mean(mtbf) > 0) tdm_result_number(L, "mtbf", tdm_dist_mean(mtbf));
    lua_rawseti(L, -2, ++row);
  }
  for (size_t i = 0; i < w->model->memory_count; i++) {
    const tdm_memory *memory = &w->model->memories[i];
    set_resource_facts(w, memory->name, "MEMORY", memory->gpu, 1);
    tdm_result_number(L, "bytes", memory->bytes);
    tdm_result_set(w, "utilization", read_memory, i, STATION_UTILIZATION);
    tdm_result_set(w, "queue", read_memory, i, STATION_QUEUE);
    lua_rawseti(L, -2, ++row);
  }
  for (size_t i = 0; i < w->model->link_count; i++) {
    set_resource_facts(w, w->model->links[i].name, "LINK", TDM_NO_INDEX, 1);
    tdm_result_number(L, "bandwidth", w->model->links[i].bandwidth);
    tdm_result_set(w, "utilization", read_link, i, STATION_UTILIZATION);
    tdm_result_set(w, "queue", read_link, i, STATION_QUEUE);
    lua_rawseti(L, -2, ++row);
  }
  lua_remove(L, -2); /* the longest waits */
  lua_setfield(L, -2, "resources");
}

/* The name of the resource that is offered most beyond what it can serve while it is not being
 * repaired, NULL: none is, beyond doubt. */
static const char *most_offered(const writer *w, reading read, size_t count, bool links,
                                double *worst) {
  const char *name = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!links && w->model->stations[i].servers == TDM_UNLIMITED) continue;
    if (!links && w->model->stations[i].replica) continue; /* busy whatever the load */
    tdm_estimate e = tdm_result_estimate(w, read, i, STATION_OFFERED);
    double up = links ? 1 : 1 - tdm_result_mean(w, read_station, i, STATION_DOWN);
    bool sure = isnan(e.half) ? e.value > OVERLOAD_LONE * up : e.value - e.half > up;
    if (!sure || !(up > 0) || e.value / up <= *worst) continue;
    *worst = e.value / up;
    name = links ? w->model->links[i].name : w->model->stations[i].name;
  }
  return name;
}

bool tdm_result_overload(const writer *w) {
  lua_State *L = w->L;
  double worst = 0;
  uint64_t arrived = 0;
  bool open = false;
  for (size_t c = 0; c < w->model->class_count; c++)
    open |= w->model->classes[c].arrivals->kind != TDM_ARRIVE_CLOSED;
  for (size_t r = 0; r < w->count; r++) arrived += w->measures[r].all.arrived;
  if (!open || arrived < OVERLOAD_LEAST) return false;
  if (tdm_result_saturation(w)) return true;
  if (!(tdm_result_mean(w, read_growth, 0, 0) > OVERLOAD_GROWTH)) return false;
  const char *name = most_offered(w, read_station, w->model->station_count, false, &worst);
  const char *link = most_offered(w, read_link, w->model->link_count, true, &worst);
  if (link != NULL) name = link;
  if (name == NULL) return false;
  lua_createtable(L, 0, 3);
  tdm_result_text(L, "resource", name);
  tdm_result_number(L, "load", worst);
  lua_pushfstring(L,
                  "%s is offered %d %% of what it can serve: its queue grows as long as the "
                  "load lasts, so latencies say more about the run's length than the system",
                  name, (int)(worst * 100 + 0.5));
  lua_setfield(L, -2, "reason");
  lua_setfield(L, -2, "overload");
  return true;
}
