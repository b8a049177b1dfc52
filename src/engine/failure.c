/* Failures and repairs: GPUs (all their stations) and single stations that go down and come back.
 * Work in service is kept and goes on after the repair; routers pass over what is down. A replica
 * of an LLM server goes down with any of its GPUs, and loses what it has: see roster.c. Called by
 * the clock. */
#include <stdio.h>

#include "base/memory.h"
#include "engine/llm.h"

static void plan(tdm_engine *e, uint32_t index, bool failing) {
  tdm_failure *f = &e->failures[index];
  double seconds = tdm_dist_draw(failing ? f->mtbf : f->mttr, f->stream, f->cycles++,
                                 e->hooks != NULL ? e->hooks->script : NULL);
  tdm_timer_set(e, e->now_ns + tdm_round_ns(seconds * 1e9),
                failing ? TDM_TIMER_FAIL : TDM_TIMER_REPAIR, index);
}

static void add(tdm_engine *e, tdm_failure failure, const char *name) {
  char stream[256];
  snprintf(stream, sizeof stream, "failure/%s", name);
  failure.stream = tdm_stream_named(e->options.seed, e->options.replication, stream);
  e->failures[e->failure_count] = failure;
  plan(e, (uint32_t)e->failure_count++, true);
}

tdm_status tdm_failure_open(tdm_engine *e) {
  const tdm_model *m = e->model;
  e->failures = tdm_array_new(m->gpu_count + m->station_count, sizeof *e->failures);
  if (e->failures == NULL) return tdm_error_memory(e->error, "failures", sizeof *e->failures);
  for (uint32_t i = 0; i < m->gpu_count; i++)
    if (m->gpus[i].mtbf != NULL && m->gpus[i].mttr != NULL)
      add(e, (tdm_failure){m->gpus[i].mtbf, m->gpus[i].mttr, i, TDM_NO_INDEX, {0}, 0},
          m->gpus[i].name);
  for (uint32_t i = 0; i < m->station_count; i++)
    if (m->stations[i].mtbf != NULL)
      add(e, (tdm_failure){m->stations[i].mtbf, m->stations[i].mttr, TDM_NO_INDEX, i, {0}, 0},
          m->stations[i].name);
  return e->status;
}

static bool hits(const tdm_engine *e, const tdm_failure *f, uint32_t replica) {
  const tdm_replica_run *r = &e->replicas[replica];
  const tdm_replica_run *whole = &e->replicas[tdm_roster_whole(e, replica)];
  uint32_t first = e->model->stations[whole->station].gpu;
  if (f->station != TDM_NO_INDEX) return f->station == r->station;
  return first != TDM_NO_INDEX && f->gpu >= first && f->gpu - first < r->pool->gpus;
}

static void each_replica(tdm_engine *e, const tdm_failure *f, bool failing) {
  for (uint32_t i = 0; i < e->replica_count && e->status == TDM_OK; i++) {
    if (!hits(e, f, i)) continue;
    uint32_t station = e->replicas[i].station;
    bool before = e->stations[station].down;
    if (failing)
      tdm_station_stop(e, station);
    else
      tdm_station_resume(e, station);
    if (e->stations[station].down == before) continue; /* another of its GPUs is down */
    if (failing)
      tdm_roster_lose(e, i);
    else
      tdm_roster_regain(e, i);
  }
}

static void each_station(tdm_engine *e, const tdm_failure *f,
                         void (*act)(tdm_engine *e, uint32_t station)) {
  for (uint32_t i = 0; i < e->model->station_count; i++) {
    bool hit = f->station != TDM_NO_INDEX ? f->station == i : e->model->stations[i].gpu == f->gpu;
    if (hit && !e->model->stations[i].replica) act(e, i);
  }
}

void tdm_failure_begin(tdm_engine *e, uint32_t index) {
  if (!tdm_engine_alive(e)) return; /* nobody left to notice: let the run end */
  each_station(e, &e->failures[index], tdm_station_stop);
  each_replica(e, &e->failures[index], true);
  plan(e, index, false);
}

void tdm_failure_end(tdm_engine *e, uint32_t index) {
  each_station(e, &e->failures[index], tdm_station_resume);
  each_replica(e, &e->failures[index], false);
  if (tdm_engine_alive(e)) plan(e, index, true);
}
