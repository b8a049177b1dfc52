/* Failures and repairs: GPUs (all their stations) and single stations that go down and come back.
 * What becomes of the requests that are there is the station's to say: they wait, begin anew or are
 * lost; routers pass over what is down. A replica of an LLM server goes down with any of its GPUs,
 * and loses what it has: see roster.c. Called by the clock. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "engine/events/llm.h"

static void set_timer(tdm_engine *e, uint32_t index, double seconds, bool failing) {
  tdm_timer_set(e, e->now_ns + tdm_round_ns(seconds * 1e9),
                failing ? TDM_TIMER_FAIL : TDM_TIMER_REPAIR, index);
}

static void plan(tdm_engine *e, uint32_t index, bool failing) {
  tdm_failure *f = &e->failures[index];
  if (f->mtbf == NULL) { /* times that are known */
    const tdm_gpu *gpu = &e->model->gpus[f->gpu];
    if (f->cycles < gpu->outage_count) set_timer(e, index, gpu->outages[f->cycles++], failing);
    return;
  }
  double seconds = tdm_dist_draw(failing ? f->mtbf : f->mttr, f->stream, f->cycles++,
                                 e->hooks != NULL ? e->hooks->script : NULL);
  set_timer(e, index, seconds, failing);
}

#define PHASE_TIMES 64

/* The first failure is that of what has run for long: else all that are alike would fail together
 * when the time between failures varies little, or never in a run shorter than that. Time begins
 * anywhere within many times in a row; a constant is met anywhere, and an exponential time, which
 * has no memory, needs none of this. */
static void plan_first(tdm_engine *e, uint32_t index) {
  tdm_failure *f = &e->failures[index];
  double mean_s = f->mtbf != NULL ? tdm_dist_mean(f->mtbf) : 0;
  if (f->mtbf == NULL || tdm_dist_is_exponential(f->mtbf, NULL) || !(mean_s > 0) || isinf(mean_s)) {
    plan(e, index, true);
    return;
  }
  const tdm_script *script = e->hooks != NULL ? e->hooks->script : NULL;
  double left_s = tdm_stream_unit(tdm_stream_child(f->stream, 2), 0) * PHASE_TIMES * mean_s;
  tdm_stream times = tdm_stream_child(f->stream, 1);
  for (uint64_t n = 0; left_s > 0 && n < PHASE_TIMES * PHASE_TIMES; n++)
    left_s -= tdm_dist_draw(f->mtbf, times, n, script);
  set_timer(e, index, left_s < 0 ? -left_s : 0, true);
}

static void add(tdm_engine *e, tdm_failure failure, const char *name) {
  char stream[256];
  snprintf(stream, sizeof stream, "failure/%s", name);
  failure.stream = tdm_stream_named(e->options.seed, e->options.replication, stream);
  e->failures[e->failure_count] = failure;
  plan_first(e, (uint32_t)e->failure_count++);
}

tdm_status tdm_failure_open(tdm_engine *e) {
  const tdm_model *m = e->model;
  e->failures = tdm_array_new(m->gpu_count + m->station_count, sizeof *e->failures);
  if (e->failures == NULL) return tdm_error_memory(e->error, "failures", sizeof *e->failures);
  for (uint32_t i = 0; i < m->gpu_count; i++)
    if (tdm_gpu_fails(&m->gpus[i]))
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

static bool hits_station(const tdm_engine *e, const tdm_failure *f, uint32_t station) {
  const tdm_station *s = &e->model->stations[station];
  return !s->replica && (f->station != TDM_NO_INDEX ? f->station == station : s->gpu == f->gpu);
}

/* ---- requests that are there, taken out in the order in which they were to be served */

static void take(tdm_engine *e, uint32_t index, tdm_list *out) {
  e->requests[index].at = TDM_AT_MOVE;
  tdm_timer_cancel(e, &e->more[index].patience);
  tdm_list_push(e, out, index);
}

/* One that waited: its wait so far counts. */
static void take_waiting(tdm_engine *e, uint32_t station, uint32_t index, tdm_list *out) {
  const tdm_request *r = &e->requests[index];
  int64_t wait_ns = e->now_ns - r->enter_ns;
  e->stages[r->stage].note.wait_ns += wait_ns;
  if (e->tracing && wait_ns > 0)
    tdm_record_span(e, station, true, r->stage, index, r->enter_ns, wait_ns, 1);
  take(e, index, out);
}

/* Who was in service stands in the queue since the station stopped, a batch as its leader. */
static void take_queued(tdm_engine *e, uint32_t station, uint32_t index, tdm_list *out) {
  tdm_request_more *more = &e->more[index];
  uint32_t members = more->members;
  uint32_t next = more->chain;
  tdm_station_unqueue(e, station, index);
  more->members = 1;
  take_waiting(e, station, index, out);
  for (; members > 1; members--) {
    uint32_t member = next;
    next = e->requests[member].next;
    take(e, member, out);
  }
}

static void take_out(tdm_engine *e, uint32_t station, tdm_list *out) {
  tdm_station_run *st = &e->stations[station];
  tdm_share_evict(e, station, out);
  for (int level = 0; level < TDM_PRIORITIES; level++)
    while (st->queue[level].head != TDM_NO_INDEX)
      take_queued(e, station, st->queue[level].head, out);
  for (uint32_t i = 0; i < st->batcher_count; i++) {
    const tdm_batcher *batcher = &e->batchers[st->batchers[i]];
    while (batcher->waiting > 0) {
      uint32_t index = batcher->queue.head;
      tdm_batch_unqueue(e, index);
      take_waiting(e, station, index, out);
    }
  }
}

static void dispose(tdm_engine *e, tdm_list *list, tdm_failed rule) {
  while (list->head != TDM_NO_INDEX && e->status == TDM_OK) {
    uint32_t index = tdm_list_pop(e, list);
    if (rule == TDM_FAILED_RESTART || e->requests[index].flags != 0)
      tdm_route_restart(e, index);
    else
      tdm_route_end(e, index, TDM_OUTCOME_DROPPED);
  }
}

/* All stations of the GPU are down before anybody is sent elsewhere. */
static void stop_stations(tdm_engine *e, const tdm_failure *f) {
  tdm_list out[] = {[TDM_FAILED_RESTART] = {TDM_NO_INDEX, TDM_NO_INDEX},
                    [TDM_FAILED_LOST] = {TDM_NO_INDEX, TDM_NO_INDEX}};
  for (uint32_t i = 0; i < e->model->station_count; i++) {
    if (!hits_station(e, f, i)) continue;
    bool before = e->stations[i].down;
    tdm_failed rule = e->model->stations[i].on_failure;
    tdm_station_stop(e, i);
    if (!before && rule != TDM_FAILED_WAIT) take_out(e, i, &out[rule]);
  }
  dispose(e, &out[TDM_FAILED_RESTART], TDM_FAILED_RESTART);
  dispose(e, &out[TDM_FAILED_LOST], TDM_FAILED_LOST);
}

/* ---- the clock */

void tdm_failure_begin(tdm_engine *e, uint32_t index) {
  if (!tdm_engine_alive(e)) return; /* nobody left to notice: let the run end */
  stop_stations(e, &e->failures[index]);
  each_replica(e, &e->failures[index], true);
  plan(e, index, false);
}

void tdm_failure_end(tdm_engine *e, uint32_t index) {
  for (uint32_t i = 0; i < e->model->station_count; i++)
    if (hits_station(e, &e->failures[index], i)) tdm_station_resume(e, i);
  each_replica(e, &e->failures[index], false);
  if (tdm_engine_alive(e)) plan(e, index, true);
}
