/* Who of an LLM server's replicas takes requests: replicas that start, drain, go, fail and come
 * back; requests that wait because nobody takes any.
 *
 * A replica is in its roster's `live` while it is ready and its station is up. One that fails loses
 * all that it has: its requests begin anew elsewhere, from their prompts, and its cache is cold
 * when it comes back. Called by the clock, failure.c, scaling.c and generate.c. */
#include <string.h>

#include "base/memory.h"
#include "engine/events/llm.h"

bool tdm_roster_open(tdm_roster *roster) {
  roster->parked = (tdm_list){TDM_NO_INDEX, TDM_NO_INDEX};
  roster->live = tdm_array_new(roster->count, sizeof *roster->live);
  return roster->live != NULL;
}

/* ---- requests that wait for somebody: they count at the first replica's station */

static void changes_parked(tdm_engine *e, tdm_roster *roster, int change) {
  tdm_station_run *st = &e->stations[e->replicas[roster->first].station];
  roster->parked_count += (uint32_t)change;
  st->waiting += (uint32_t)change;
  st->queue_sum -= (uint64_t)e->now_ns * (uint64_t)change;
}

void tdm_roster_park(tdm_engine *e, tdm_roster *roster, uint32_t index) {
  e->requests[index].station = e->replicas[roster->first].station;
  tdm_list_push(e, &roster->parked, index);
  changes_parked(e, roster, 1);
}

static void unpark(tdm_engine *e, tdm_roster *roster) {
  while (roster->live_count > 0 && roster->parked_count > 0 && e->status == TDM_OK) {
    uint32_t index = tdm_list_pop(e, &roster->parked);
    changes_parked(e, roster, -1);
    if (e->requests[index].flags != 0)
      tdm_route_advance(e, index); /* timed out meanwhile */
    else
      tdm_generate_send(e, index);
  }
}

/* ---- who takes requests */

static uint32_t position_of(const tdm_roster *roster, uint32_t replica) {
  uint32_t low = 0, high = roster->live_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (roster->live[middle] < replica)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void join(tdm_engine *e, uint32_t replica) {
  tdm_roster *roster = &e->rosters[e->replicas[replica].roster];
  uint32_t at = position_of(roster, replica);
  memmove(roster->live + at + 1, roster->live + at,
          (roster->live_count - at) * sizeof *roster->live);
  roster->live[at] = replica;
  roster->live_count++;
  unpark(e, roster);
}

/* Nothing, where it took none. */
static void leave(tdm_engine *e, uint32_t replica) {
  tdm_roster *roster = &e->rosters[e->replicas[replica].roster];
  uint32_t at = position_of(roster, replica);
  if (at == roster->live_count || roster->live[at] != replica) return;
  roster->live_count--;
  memmove(roster->live + at, roster->live + at + 1,
          (roster->live_count - at) * sizeof *roster->live);
}

static bool is_down(const tdm_engine *e, uint32_t replica) {
  return e->stations[e->replicas[replica].station].down;
}

/* ---- life of a replica: schedulers that are one come and go together */

uint32_t tdm_roster_whole(const tdm_engine *e, uint32_t replica) {
  const tdm_pool_run *pool = &e->pools[e->replicas[replica].pool_number];
  return replica - (replica - pool->first) % pool->model->lanes;
}

static uint32_t end_of(const tdm_engine *e, uint32_t whole) {
  return whole + e->replicas[whole].pool->lanes;
}

static void hold(tdm_engine *e, uint32_t whole, int change) {
  tdm_pool_run *pool = &e->pools[e->replicas[whole].pool_number];
  pool->held += (uint32_t)change;
  pool->held_sum -= (uint64_t)e->now_ns * (uint64_t)change;
  if (pool->held > pool->held_peak) pool->held_peak = pool->held;
}

void tdm_roster_start(tdm_engine *e, uint32_t whole, int64_t delay_ns) {
  tdm_replica_run *r = &e->replicas[whole];
  hold(e, whole, 1);
  for (uint32_t i = whole; i < end_of(e, whole); i++) e->replicas[i].state = TDM_REPLICA_STARTING;
  if (delay_ns > 0)
    r->timer = tdm_timer_set(e, e->now_ns + delay_ns, TDM_TIMER_READY, whole);
  else
    tdm_roster_ready(e, whole);
}

void tdm_roster_ready(tdm_engine *e, uint32_t whole) {
  e->replicas[whole].timer = TDM_NO_INDEX;
  for (uint32_t i = whole; i < end_of(e, whole); i++) e->replicas[i].state = TDM_REPLICA_READY;
  for (uint32_t i = whole; i < end_of(e, whole); i++)
    if (!is_down(e, i)) join(e, i);
  tdm_record_pool(e, e->replicas[whole].pool_number);
}

/* Goes, when it is leaving and has nobody inside. */
static void leave_for_good(tdm_engine *e, uint32_t whole) {
  if (e->replicas[whole].state != TDM_REPLICA_DRAINING) return;
  for (uint32_t i = whole; i < end_of(e, whole); i++)
    if (e->replicas[i].outstanding > 0 || e->replicas[i].keeping > 0) return;
  hold(e, whole, -1);
  for (uint32_t i = whole; i < end_of(e, whole); i++) {
    e->replicas[i].state = TDM_REPLICA_OFF;
    tdm_generate_renew(e, i);
  }
  tdm_record_pool(e, e->replicas[whole].pool_number);
}

void tdm_roster_dismiss(tdm_engine *e, uint32_t whole) {
  tdm_timer_cancel(e, &e->replicas[whole].timer);
  for (uint32_t i = whole; i < end_of(e, whole); i++) {
    leave(e, i);
    e->replicas[i].state = TDM_REPLICA_DRAINING;
  }
  tdm_record_pool(e, e->replicas[whole].pool_number);
  leave_for_good(e, whole);
}

void tdm_roster_emptied(tdm_engine *e, uint32_t replica) {
  if (e->replicas[replica].state == TDM_REPLICA_DRAINING)
    leave_for_good(e, tdm_roster_whole(e, replica));
}

/* ---- failures */

void tdm_roster_restart(tdm_engine *e, uint32_t index, uint32_t replica) {
  tdm_replica_run *r = &e->replicas[replica];
  tdm_request *request = &e->requests[index];
  e->more[index].job = 0;
  e->pool_notes[e->model->servers[r->server].first_pool].asked.left++;
  if (e->tracing && request->start_ns >= 0)
    tdm_record_span(e, r->station, false, request->stage, index, request->start_ns,
                    e->now_ns - request->start_ns, 1);
  if (request->flags != 0) { /* timed out meanwhile */
    tdm_route_advance(e, index);
    return;
  }
  bool lost = e->model->stations[r->station].on_failure == TDM_FAILED_LOST;
  if (lost || e->more[index].restarts++ >= e->model->servers[r->server].restarts) {
    tdm_route_end(e, index, TDM_OUTCOME_DROPPED);
    return;
  }
  r->note->restarts++;
  tdm_generate_send(e, index);
}

void tdm_roster_lose(tdm_engine *e, uint32_t replica) {
  tdm_replica_run *r = &e->replicas[replica];
  tdm_list inside = r->inside;
  leave(e, replica);
  tdm_generate_renew(e, replica);
  if (e->tracing) tdm_record_idle(e, replica);
  tdm_record_pool(e, r->pool_number);
  while (inside.head != TDM_NO_INDEX && e->status == TDM_OK)
    tdm_roster_restart(e, tdm_list_pop(e, &inside), replica);
  tdm_roster_emptied(e, replica);
}

void tdm_roster_regain(tdm_engine *e, uint32_t replica) {
  if (e->replicas[replica].state != TDM_REPLICA_READY) return;
  join(e, replica);
  tdm_record_pool(e, e->replicas[replica].pool_number);
}
