/* How many replicas a pool of an LLM server has: looked at in intervals, decided by its rule or by
 * the user's function, done by roster.c.
 *
 * More come in order of their numbers, each after its delay. Fewer: who is starting goes first,
 * then the emptiest, of equals the last; it finishes what it has, and its GPUs are held until then.
 * Who is down does not count, and is replaced where there is room. Called by the clock. */
#include <math.h>

#include "engine/state.h"

typedef struct {
  uint32_t live, starting, down, draining;
  double outstanding, waiting, kv, busy; /* sums over those that are live */
} pool_load;

static pool_load look(tdm_engine *e, const tdm_pool_run *pool) {
  double elapsed_ns = (double)(e->now_ns - pool->looked_ns);
  bool asked = pool->rule->metric == TDM_SCALE_BY_FUNCTION;
  double blocks = (double)e->model->servers[pool->server].config.blocks;
  pool_load load = {0};
  for (uint32_t i = pool->first; i < pool->first + pool->count; i++) {
    tdm_replica_run *replica = &e->replicas[i];
    const tdm_station_run *st = &e->stations[replica->station];
    uint64_t busy_ns = st->busy_sum + st->busy * (uint64_t)e->now_ns;
    double busy = elapsed_ns > 0 ? (double)(busy_ns - replica->busy_ns) / elapsed_ns : 0;
    replica->busy_ns = busy_ns;
    load.starting += replica->state == TDM_REPLICA_STARTING && !st->down;
    load.draining += replica->state == TDM_REPLICA_DRAINING;
    load.down += st->down && replica->state != TDM_REPLICA_OFF;
    if (replica->state != TDM_REPLICA_READY || st->down) continue;
    load.live++;
    load.outstanding += (double)replica->outstanding;
    load.waiting += st->waiting;
    load.busy += busy;
    if (asked || pool->rule->metric == TDM_SCALE_BY_KV)
      load.kv += (double)tdm_serving_load_at(replica->serving, e->now_ns).kv_blocks / blocks;
  }
  return load;
}

static double sum_of(const tdm_scaling_rule *rule, const pool_load *load) {
  switch (rule->metric) {
  case TDM_SCALE_BY_OUTSTANDING: return load->outstanding;
  case TDM_SCALE_BY_QUEUE: return load->waiting;
  case TDM_SCALE_BY_KV: return load->kv;
  case TDM_SCALE_BY_UTILIZATION: return load->busy;
  case TDM_SCALE_BY_FUNCTION: break;
  }
  return 0;
}

static double ask(tdm_engine *e, const tdm_pool_run *pool, const pool_load *load) {
  double wanted = 0, live = load->live > 0 ? load->live : 1;
  tdm_scaling_view view = {.now_ns = e->now_ns,
                           .server = e->model->servers[pool->server].name,
                           .replicas = load->live,
                           .starting = load->starting,
                           .down = load->down,
                           .draining = load->draining,
                           .least = pool->rule->least,
                           .most = pool->count,
                           .outstanding = load->outstanding,
                           .waiting = load->waiting,
                           .kv = load->kv / live,
                           .utilization = load->busy / live};
  if (e->hooks == NULL || e->hooks->scale == NULL) {
    tdm_engine_fail(e, TDM_INVALID, "a scaling policy is a Lua function, and no Lua is at hand");
    return 0;
  }
  tdm_status status =
      e->hooks->scale(e->hooks->context, pool->rule->function, &view, &wanted, e->error);
  if (status != TDM_OK) e->status = status;
  return wanted;
}

/* How many the rule wants, having `size`. */
static uint32_t wanted_of(tdm_engine *e, const tdm_pool_run *pool, uint32_t size) {
  const tdm_scaling_rule *rule = pool->rule;
  uint32_t parked = e->rosters[pool->roster].parked_count;
  pool_load load = look(e, pool);
  load.outstanding += parked;
  load.waiting += parked;
  double wanted;
  if (rule->metric == TDM_SCALE_BY_FUNCTION) {
    wanted = ceil(ask(e, pool, &load) - 1e-9);
  } else {
    double sum = sum_of(rule, &load), just = rule->target * size;
    wanted = fabs(sum - just) <= rule->tolerance * just ? size : ceil(sum / rule->target - 1e-9);
  }
  if (parked > 0 && wanted < 1) wanted = 1;
  if (!(wanted > rule->least)) return rule->least;
  return wanted < pool->count ? (uint32_t)wanted : pool->count;
}

/* ---- more, fewer */

static void grow(tdm_engine *e, uint32_t pool_index, uint32_t more) {
  const tdm_pool_run *pool = &e->pools[pool_index];
  for (uint32_t i = pool->first; i < pool->first + pool->count && more > 0; i++) {
    if (e->replicas[i].state != TDM_REPLICA_OFF || e->stations[e->replicas[i].station].down)
      continue;
    tdm_roster_start(e, i, pool->rule->delay_ns);
    more--;
  }
  tdm_record_pool(e, pool_index);
}

static bool counts(const tdm_engine *e, const tdm_replica_run *replica) {
  bool stays = replica->state == TDM_REPLICA_READY || replica->state == TDM_REPLICA_STARTING;
  return stays && !e->stations[replica->station].down;
}

static void shrink(tdm_engine *e, const tdm_pool_run *pool, uint32_t fewer) {
  for (; fewer > 0; fewer--) {
    uint32_t first = TDM_NO_INDEX;
    uint64_t first_rank = UINT64_MAX;
    for (uint32_t i = pool->first; i < pool->first + pool->count; i++) {
      const tdm_replica_run *replica = &e->replicas[i];
      uint64_t rank = replica->state == TDM_REPLICA_STARTING ? 0 : 1 + replica->outstanding;
      if (!counts(e, replica) || rank > first_rank) continue;
      first = i;
      first_rank = rank;
    }
    if (first == TDM_NO_INDEX) return;
    tdm_roster_dismiss(e, first);
  }
}

static uint32_t size_of(const tdm_engine *e, const tdm_pool_run *pool) {
  uint32_t size = 0;
  for (uint32_t i = pool->first; i < pool->first + pool->count; i++)
    size += counts(e, &e->replicas[i]);
  return size;
}

/* A number is acted upon when it has been wanted long enough, by its most cautious value. */
static void decide(tdm_engine *e, uint32_t index, uint32_t size, uint32_t wanted) {
  tdm_pool_run *pool = &e->pools[index];
  int64_t now_ns = e->now_ns;
  if (wanted <= size) pool->more_ns = -1;
  if (wanted >= size) pool->fewer_ns = -1;
  if (wanted > size) {
    if (pool->more_ns < 0 || wanted < pool->more_least) pool->more_least = wanted;
    if (pool->more_ns < 0) pool->more_ns = now_ns;
    if (now_ns - pool->more_ns < pool->rule->up_ns) return;
    pool->more_ns = -1;
    grow(e, index, pool->more_least - size);
  } else if (wanted < size) {
    if (pool->fewer_ns < 0 || wanted > pool->fewer_most) pool->fewer_most = wanted;
    if (pool->fewer_ns < 0) pool->fewer_ns = now_ns;
    if (now_ns - pool->fewer_ns < pool->rule->down_ns) return;
    pool->fewer_ns = -1;
    shrink(e, pool, size - pool->fewer_most);
  }
}

void tdm_scaling_fire(tdm_engine *e, uint32_t index) {
  tdm_pool_run *pool = &e->pools[index];
  uint32_t size = size_of(e, pool), wanted = wanted_of(e, pool, size);
  pool->looked_ns = e->now_ns;
  if (e->status != TDM_OK) return;
  decide(e, index, size, wanted);
  if (tdm_engine_alive(e))
    tdm_timer_set(e, e->now_ns + pool->rule->every_ns, TDM_TIMER_SCALE, index);
}

void tdm_scaling_open(tdm_engine *e, uint32_t index) {
  tdm_pool_run *pool = &e->pools[index];
  uint32_t start = pool->rule->on ? pool->rule->start : pool->count;
  pool->more_ns = pool->fewer_ns = -1;
  for (uint32_t i = 0; i < start; i++) tdm_roster_start(e, pool->first + i, 0);
  if (pool->rule->on) tdm_timer_set(e, pool->rule->every_ns, TDM_TIMER_SCALE, index);
}
