/* Work that is shared instead of queued for: processor sharing on a station, and transfers that
 * share a link max-min fairly. Both keep a small set of present jobs and one timer for the next to
 * end; a change of the set brings everybody up to date first. Called by station.c and the clock. */
#include <math.h>

#include "base/memory.h"
#include "engine/events/state.h"

/* A span of time until work at a rate is done, never early: whole ns, rounded up. */
static int64_t due_ns(const tdm_engine *e, double ns) {
  if (!(ns > 0)) return e->now_ns;
  if (ns > TDM_MAX_DURATION_NS) ns = TDM_MAX_DURATION_NS;
  return e->now_ns + (int64_t)ceil(ns);
}

/* ---- processor sharing: in virtual time every present job is served at speed 1 */

static void share_update(tdm_engine *e, tdm_station_run *st) {
  if (st->job_count > 0 && !st->down)
    st->virtual_ns += (double)(e->now_ns - st->share_ns) / (double)st->job_count;
  st->share_ns = e->now_ns;
}

static size_t share_first(const tdm_station_run *st) {
  size_t first = 0;
  for (size_t i = 1; i < st->job_count; i++)
    if (st->jobs[i].finish < st->jobs[first].finish) first = i;
  return first;
}

static void share_plan(tdm_engine *e, uint32_t station) {
  tdm_station_run *st = &e->stations[station];
  tdm_timer_cancel(e, &st->timer);
  if (st->job_count == 0 || st->down) return;
  double left = st->jobs[share_first(st)].finish - st->virtual_ns;
  st->timer = tdm_timer_set(e, due_ns(e, left * (double)st->job_count), TDM_TIMER_SHARE, station);
}

bool tdm_share_add(tdm_engine *e, uint32_t station, uint32_t index, double work_ns) {
  tdm_station_run *st = &e->stations[station];
  share_update(e, st);
  if (!tdm_array_grow(&st->jobs, &st->job_capacity, st->job_count + 1, sizeof *st->jobs))
    return tdm_engine_fail(e, TDM_MEMORY, "out of memory: shared jobs") == TDM_OK;
  if (st->job_count == 0) {
    st->virtual_ns = 0; /* nobody is present: start afresh, keep the numbers small */
    st->active_sum -= (uint64_t)e->now_ns;
  }
  st->jobs[st->job_count++] = (tdm_share_job){.request = index, .finish = st->virtual_ns + work_ns};
  share_plan(e, station);
  return true;
}

void tdm_share_fire(tdm_engine *e, uint32_t station) {
  tdm_station_run *st = &e->stations[station];
  st->timer = TDM_NO_INDEX;
  share_update(e, st);
  size_t first = share_first(st);
  uint32_t index = st->jobs[first].request;
  /* Keep the order of arrival: it decides among jobs that finish together. */
  for (size_t i = first + 1; i < st->job_count; i++) st->jobs[i - 1] = st->jobs[i];
  st->job_count--;
  if (st->job_count == 0) st->active_sum += (uint64_t)e->now_ns;
  share_plan(e, station);
  tdm_station_complete(e, index);
}

void tdm_share_freeze(tdm_engine *e, uint32_t station) {
  tdm_station_run *st = &e->stations[station];
  /* Called after `down` has changed: account for the time before the change. */
  bool down = st->down;
  st->down = !down;
  share_update(e, st);
  st->down = down;
  share_plan(e, station);
}

/* It had some of its service, which is lost. */
static void evict_one(tdm_engine *e, uint32_t station, uint32_t index, tdm_list *out) {
  tdm_station_run *st = &e->stations[station];
  const tdm_request *r = &e->requests[index];
  int64_t served_ns = e->now_ns - r->start_ns;
  e->stages[r->stage].note.service_ns += served_ns;
  if (e->tracing && served_ns > 0)
    tdm_record_span(e, station, false, r->stage, index, r->start_ns, served_ns, 1);
  st->busy--;
  st->busy_sum += (uint64_t)e->now_ns;
  tdm_list_push(e, out, index);
}

static void evict_shared(tdm_engine *e, uint32_t station, tdm_list *out) {
  tdm_station_run *st = &e->stations[station];
  if (st->job_count == 0) return;
  for (size_t i = 0; i < st->job_count; i++) evict_one(e, station, st->jobs[i].request, out);
  st->job_count = 0;
  st->active_sum += (uint64_t)e->now_ns;
  tdm_timer_cancel(e, &st->timer);
}

/* ---- links: max-min fair shares, the flows of a GPU capped together by its own rate */

static double cap_of(const tdm_engine *e, const tdm_share_job *flow) {
  const tdm_station_run *st = &e->stations[e->requests[flow->request].station];
  if (st->down) return 0;
  return st->station->rate > 0 ? st->station->rate / (double)st->flows : INFINITY;
}

static void link_update(tdm_engine *e, tdm_link_run *link) {
  double seconds = (double)(e->now_ns - link->at_ns) * 1e-9;
  for (size_t i = 0; i < link->count; i++) {
    link->flows[i].finish -= link->flows[i].rate * seconds;
    link->moved += link->flows[i].rate * seconds;
  }
  link->at_ns = e->now_ns;
}

/* Water filling: flows capped below the fair share keep their cap, the rest divide what is left. */
static void link_share(tdm_engine *e, tdm_link_run *link) {
  double left = link->link->bandwidth;
  size_t open = link->count;
  for (size_t i = 0; i < link->count; i++) link->flows[i].rate = -1;
  for (bool changed = true; changed && open > 0;) {
    double fair = left / (double)open;
    changed = false;
    for (size_t i = 0; i < link->count; i++) {
      if (link->flows[i].rate >= 0) continue;
      double cap = cap_of(e, &link->flows[i]);
      if (cap > fair) continue;
      link->flows[i].rate = cap;
      left -= cap;
      open--;
      changed = true;
    }
  }
  for (size_t i = 0; i < link->count; i++)
    if (link->flows[i].rate < 0) link->flows[i].rate = left / (double)open;
}

static void link_plan(tdm_engine *e, uint32_t index) {
  tdm_link_run *link = &e->links[index];
  tdm_timer_cancel(e, &link->timer);
  double first_s = INFINITY;
  for (size_t i = 0; i < link->count; i++) {
    const tdm_share_job *flow = &link->flows[i];
    double seconds = flow->finish > 0 ? flow->finish / flow->rate : 0;
    if (flow->rate > 0 && seconds < first_s) first_s = seconds;
  }
  if (first_s < INFINITY)
    link->timer = tdm_timer_set(e, due_ns(e, first_s * 1e9), TDM_TIMER_LINK, index);
}

bool tdm_link_add(tdm_engine *e, uint32_t index, uint32_t request, double bytes) {
  tdm_link_run *link = &e->links[index];
  link_update(e, link);
  if (!tdm_array_grow(&link->flows, &link->capacity, link->count + 1, sizeof *link->flows))
    return tdm_engine_fail(e, TDM_MEMORY, "out of memory: transfers") == TDM_OK;
  link->flows[link->count++] = (tdm_share_job){.request = request, .finish = bytes};
  e->stations[e->requests[request].station].flows++;
  link_share(e, link);
  link_plan(e, index);
  return true;
}

void tdm_link_fire(tdm_engine *e, uint32_t index) {
  tdm_link_run *link = &e->links[index];
  link->timer = TDM_NO_INDEX;
  link_update(e, link);
  /* The timer was rounded up to a whole ns, so the first is done; rounding may leave crumbs. */
  size_t first = link->count;
  for (size_t i = 0; i < link->count; i++)
    if (link->flows[i].rate > 0 &&
        (first == link->count || link->flows[i].finish / link->flows[i].rate <
                                     link->flows[first].finish / link->flows[first].rate))
      first = i;
  if (first == link->count) return;
  uint32_t request = link->flows[first].request;
  for (size_t i = first + 1; i < link->count; i++) link->flows[i - 1] = link->flows[i];
  link->count--;
  e->stations[e->requests[request].station].flows--;
  link_share(e, link);
  link_plan(e, index);
  tdm_station_complete(e, request);
}

static void evict_flows(tdm_engine *e, uint32_t station, tdm_list *out) {
  tdm_link_run *link = &e->links[e->stations[station].station->link];
  size_t kept = 0;
  link_update(e, link);
  for (size_t i = 0; i < link->count; i++) {
    if (e->requests[link->flows[i].request].station == station)
      evict_one(e, station, link->flows[i].request, out);
    else
      link->flows[kept++] = link->flows[i];
  }
  link->count = kept;
  e->stations[station].flows = 0;
  link_share(e, link);
  link_plan(e, e->stations[station].station->link);
}

void tdm_share_evict(tdm_engine *e, uint32_t station, tdm_list *out) {
  const tdm_station_run *st = &e->stations[station];
  if (st->station->link != TDM_NO_INDEX)
    evict_flows(e, station, out);
  else if (st->discipline == TDM_PS)
    evict_shared(e, station, out);
}

void tdm_link_refresh(tdm_engine *e, uint32_t index) {
  tdm_link_run *link = &e->links[index];
  link_update(e, link);
  link_share(e, link);
  link_plan(e, index);
}
