/* Failures and repairs: GPUs (all their stations) and single stations that go down and come back.
 * Work in service is kept and goes on after the repair; routers pass over what is down.
 * Called by the clock. */
#include <stdio.h>

#include "base/memory.h"
#include "engine/state.h"

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

static void each_station(tdm_engine *e, const tdm_failure *f,
                         void (*act)(tdm_engine *e, uint32_t station)) {
  if (f->station != TDM_NO_INDEX) {
    act(e, f->station);
    return;
  }
  for (uint32_t i = 0; i < e->model->station_count; i++)
    if (e->model->stations[i].gpu == f->gpu) act(e, i);
}

void tdm_failure_begin(tdm_engine *e, uint32_t index) {
  if (!tdm_engine_alive(e)) return; /* nobody left to notice: let the run end */
  each_station(e, &e->failures[index], tdm_station_stop);
  plan(e, index, false);
}

void tdm_failure_end(tdm_engine *e, uint32_t index) {
  each_station(e, &e->failures[index], tdm_station_resume);
  if (tdm_engine_alive(e)) plan(e, index, true);
}
