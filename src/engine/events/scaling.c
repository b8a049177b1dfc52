/* How many replicas a pool of an LLM server has: looked at in intervals, decided by its rule or by
 * the user's function, done by roster.c.
 *
 * More come in order of their numbers, each after its delay. Fewer: who is starting goes first,
 * then the emptiest, of equals the last; it finishes what it has, and its GPUs are held until then.
 * Who is down does not count, and is replaced where there is room. Called by the clock. */
#include <math.h>

#include "engine/events/llm.h"

typedef struct {
  uint32_t live, starting, down, draining;
  double outstanding, waiting, kv, busy; /* sums over those that are live */
} pool_load;

static bool is_ready(const tdm_engine *e, const tdm_replica_run *replica) {
  return replica->state == TDM_REPLICA_READY && !e->stations[replica->station].down;
}

static pool_load look(tdm_engine *e, const tdm_pool_run *pool) {
  double elapsed_ns = (double)(e->now_ns - pool->scaler.looked_ns);
  bool asked = pool->rule->metric == TDM_SCALE_BY_FUNCTION;
  double lanes = pool->model->lanes, blocks = (double)pool->model->config.blocks * lanes;
  pool_load load = {0};
  for (uint32_t i = pool->first; i < pool->first + pool->count; i++) {
    tdm_replica_run *replica = &e->replicas[i];
    const tdm_station_run *st = &e->stations[replica->station];
    bool whole = (i - pool->first) % pool->model->lanes == 0, ready = is_ready(e, replica);
    uint64_t busy_ns = st->busy_sum + st->busy * (uint64_t)e->now_ns;
    double busy = elapsed_ns > 0 ? (double)(busy_ns - replica->busy_ns) / elapsed_ns : 0;
    replica->busy_ns = busy_ns;
    load.live += whole && ready;
    load.starting += whole && replica->state == TDM_REPLICA_STARTING && !st->down;
    load.draining += whole && replica->state == TDM_REPLICA_DRAINING;
    load.down += whole && st->down && replica->state != TDM_REPLICA_OFF;
    if (!ready) continue;
    load.outstanding += (double)replica->outstanding;
    load.waiting += st->waiting;
    load.busy += busy / lanes;
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
                           .most = pool->count / pool->model->lanes,
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

static uint32_t within(const tdm_scaling_rule *rule, double wanted, uint32_t most) {
  if (!(wanted > rule->least)) return rule->least;
  return wanted < most ? (uint32_t)wanted : most;
}

uint32_t tdm_scaling_by_target(const tdm_scaling_rule *rule, double sum, uint32_t size,
                               uint32_t most) {
  double just = rule->target * size;
  bool enough = fabs(sum - just) <= rule->tolerance * just;
  return within(rule, enough ? size : ceil(sum / rule->target - 1e-9), most);
}

/* How many the rule wants, having `size`. */
static uint32_t wanted_of(tdm_engine *e, const tdm_pool_run *pool, uint32_t size) {
  const tdm_scaling_rule *rule = pool->rule;
  uint32_t parked = e->rosters[pool->roster].parked_count;
  pool_load load = look(e, pool);
  load.outstanding += parked;
  load.waiting += parked;
  uint32_t most = pool->count / pool->model->lanes;
  if (rule->metric != TDM_SCALE_BY_FUNCTION) {
    uint32_t wanted = tdm_scaling_by_target(rule, sum_of(rule, &load), size, most);
    return parked > 0 && wanted < 1 && most > 0 ? 1 : wanted;
  }
  double wanted = ceil(ask(e, pool, &load) - 1e-9);
  if (parked > 0 && wanted < 1) wanted = 1;
  return within(rule, wanted, most);
}

/* ---- more, fewer */

static void grow(tdm_engine *e, uint32_t index, uint32_t more) {
  const tdm_pool_run *pool = &e->pools[index];
  uint32_t lanes = pool->model->lanes;
  for (uint32_t i = pool->first; i < pool->first + pool->count && more > 0; i += lanes) {
    if (e->replicas[i].state != TDM_REPLICA_OFF || e->stations[e->replicas[i].station].down)
      continue;
    tdm_roster_start(e, i, pool->rule->delay_ns);
    more--;
  }
  tdm_record_pool(e, index);
}

/* Serves or will. */
static bool counts(const tdm_engine *e, const tdm_replica_run *replica) {
  bool starts = replica->state == TDM_REPLICA_STARTING;
  return is_ready(e, replica) || (starts && !e->stations[replica->station].down);
}

/* Lower goes sooner. */
static uint64_t rank_of(const tdm_engine *e, uint32_t whole) {
  const tdm_replica_run *replica = &e->replicas[whole];
  uint64_t rank = 1;
  if (replica->state == TDM_REPLICA_STARTING) return 0;
  for (uint32_t lane = 0; lane < replica->pool->lanes; lane++) rank += replica[lane].outstanding;
  return rank;
}

static void shrink(tdm_engine *e, const tdm_pool_run *pool, uint32_t fewer) {
  for (; fewer > 0; fewer--) {
    uint32_t first = TDM_NO_INDEX;
    uint64_t first_rank = UINT64_MAX;
    for (uint32_t i = pool->first; i < pool->first + pool->count; i += pool->model->lanes) {
      uint64_t rank = rank_of(e, i);
      if (!counts(e, &e->replicas[i]) || rank > first_rank) continue;
      first = i;
      first_rank = rank;
    }
    if (first == TDM_NO_INDEX) return;
    tdm_roster_dismiss(e, first);
  }
}

static uint32_t size_of(const tdm_engine *e, const tdm_pool_run *pool) {
  uint32_t size = 0;
  for (uint32_t i = pool->first; i < pool->first + pool->count; i += pool->model->lanes)
    size += counts(e, &e->replicas[i]);
  return size;
}

int64_t tdm_scaler_decide(tdm_scaler *scaler, const tdm_scaling_rule *rule, int64_t now_ns,
                          uint32_t size, uint32_t wanted) {
  if (wanted <= size) scaler->more_ns = -1;
  if (wanted >= size) scaler->fewer_ns = -1;
  if (wanted > size) {
    if (scaler->more_ns < 0 || wanted < scaler->more_least) scaler->more_least = wanted;
    if (scaler->more_ns < 0) scaler->more_ns = now_ns;
    if (now_ns - scaler->more_ns < rule->up_ns) return 0;
    scaler->more_ns = -1;
    return scaler->more_least > size ? (int64_t)scaler->more_least - size : 0;
  }
  if (wanted < size) {
    if (scaler->fewer_ns < 0 || wanted > scaler->fewer_most) scaler->fewer_most = wanted;
    if (scaler->fewer_ns < 0) scaler->fewer_ns = now_ns;
    if (now_ns - scaler->fewer_ns < rule->down_ns) return 0;
    scaler->fewer_ns = -1;
    return size > scaler->fewer_most ? (int64_t)scaler->fewer_most - size : 0;
  }
  return 0;
}

void tdm_scaling_fire(tdm_engine *e, uint32_t index) {
  tdm_pool_run *pool = &e->pools[index];
  uint32_t size = size_of(e, pool), wanted = wanted_of(e, pool, size);
  pool->scaler.looked_ns = e->now_ns;
  if (e->status != TDM_OK) return;
  int64_t change = tdm_scaler_decide(&pool->scaler, pool->rule, e->now_ns, size, wanted);
  if (change > 0) grow(e, index, (uint32_t)change);
  if (change < 0) shrink(e, pool, (uint32_t)-change);
  if (tdm_engine_alive(e))
    tdm_timer_set(e, e->now_ns + pool->rule->every_ns, TDM_TIMER_SCALE, index);
}

void tdm_scaling_open(tdm_engine *e, uint32_t index) {
  tdm_pool_run *pool = &e->pools[index];
  uint32_t lanes = pool->model->lanes;
  uint32_t start = pool->rule->on ? pool->rule->start : pool->count / lanes;
  pool->scaler.more_ns = pool->scaler.fewer_ns = -1;
  for (uint32_t i = 0; i < start; i++) tdm_roster_start(e, pool->first + i * lanes, 0);
  if (pool->rule->on) tdm_timer_set(e, pool->rule->every_ns, TDM_TIMER_SCALE, index);
}
