/* Routers: which replica of an LLM server gets a request, of those that take any. A decision costs
 * a few operations a replica, two draws where it is random; a cache is asked for the request's
 * blocks and never searched. Draws are named by the request. Called by generate.c. */
#include <string.h>

#include "engine/events/llm.h"

static double kv_share(const tdm_engine *e, const tdm_replica_run *replica) {
  tdm_serving_load load = tdm_serving_load_at(replica->serving, e->now_ns);
  return (double)load.kv_blocks / (double)replica->pool->config.blocks;
}

/* ---- least loaded: the first from `turn` on, so that an idle server uses all replicas */

static uint64_t load_of(const tdm_engine *e, const tdm_replica_run *replica,
                        tdm_replica_router router) {
  if (router != TDM_REPLICA_LEAST_KV) return replica->outstanding;
  return (uint64_t)tdm_serving_load_at(replica->serving, e->now_ns).kv_blocks;
}

static uint32_t least(const tdm_engine *e, const tdm_roster *roster, uint32_t turn,
                      tdm_replica_router router) {
  uint32_t best = turn;
  uint64_t best_load = UINT64_MAX;
  for (uint32_t k = 0, i = turn; k < roster->live_count; k++, i++) {
    if (i == roster->live_count) i = 0;
    uint64_t load = load_of(e, &e->replicas[roster->live[i]], router);
    if (load < best_load) {
      best_load = load;
      best = i;
    }
  }
  return best;
}

/* ---- prefixes and scores */

/* As gateways do it: most cached tokens, of equals the least loaded; the least loaded of all when
 * caches know too little of the prompt, or while loads are too far apart. */
static uint32_t prefix_aware(const tdm_engine *e, const tdm_roster *roster, uint32_t turn,
                             const tdm_serving_request *request) {
  const tdm_dispatch_rule *rule = roster->dispatch;
  uint32_t lightest = least(e, roster, turn, TDM_REPLICA_LEAST_OUTSTANDING);
  double fewest = (double)e->replicas[roster->live[lightest]].outstanding, most = fewest;
  int64_t best_tokens = 0;
  uint64_t best_load = 0;
  uint32_t best = lightest;
  if (request->hash_count == 0) return lightest;
  for (uint32_t k = 0, i = turn; k < roster->live_count; k++, i++) {
    if (i == roster->live_count) i = 0;
    const tdm_replica_run *replica = &e->replicas[roster->live[i]];
    int64_t tokens = tdm_serving_cached_tokens(replica->serving, e->now_ns, request);
    if ((double)replica->outstanding > most) most = (double)replica->outstanding;
    if (tokens < best_tokens || (tokens == best_tokens && replica->outstanding >= best_load))
      continue;
    best = i;
    best_tokens = tokens;
    best_load = replica->outstanding;
  }
  bool apart = most - fewest > rule->load_gap && most > rule->load_ratio * fewest;
  bool known = (double)best_tokens >= rule->cached_min * (double)request->prompt_tokens;
  return known && best_tokens > 0 && !apart ? best : lightest;
}

static uint32_t weighted(const tdm_engine *e, const tdm_roster *roster, uint32_t turn,
                         const tdm_serving_request *request) {
  const tdm_dispatch_rule *rule = roster->dispatch;
  uint32_t shortest = UINT32_MAX, longest = 0, best = turn;
  double best_score = -1;
  for (uint32_t i = 0; i < roster->live_count; i++) {
    uint32_t waiting = e->stations[e->replicas[roster->live[i]].station].waiting;
    if (waiting < shortest) shortest = waiting;
    if (waiting > longest) longest = waiting;
  }
  double queues = longest > shortest ? longest - shortest : 1;
  for (uint32_t k = 0, i = turn; k < roster->live_count; k++, i++) {
    if (i == roster->live_count) i = 0;
    const tdm_replica_run *replica = &e->replicas[roster->live[i]];
    /* All queues alike: 1 for all. */
    double above = e->stations[replica->station].waiting - shortest;
    double score = rule->queue_weight * (1 - above / queues);
    if (rule->kv_weight > 0) score += rule->kv_weight * (1 - kv_share(e, replica));
    if (rule->prefix_weight > 0 && request->hash_count > 0)
      score += rule->prefix_weight *
               (double)tdm_serving_cached_tokens(replica->serving, e->now_ns, request) /
               (double)request->prompt_tokens;
    if (score <= best_score) continue;
    best = i;
    best_score = score;
  }
  return best;
}

/* ---- affinity: highest random weight (Thaler & Ravishankar 1998): a key moves only when its
 * replica goes, or to one that comes */

static uint64_t key_of(tdm_engine *e, uint32_t index) {
  uint32_t number = e->requests[index].stage;
  const tdm_stage *stage = &e->model->stages[number];
  if (stage->remembers && !stage->keyed) return tdm_prefix_session(e, index);
  const tdm_cost *cost = stage->keyed ? &stage->key : &stage->prefix_group;
  tdm_stream stream = tdm_stream_child(e->stages[number].stream, stage->keyed ? 5 : 4);
  double value = tdm_cost_value(e, cost, stream, index) + 0.0; /* no -0 */
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return tdm_mix(bits + TDM_GAMMA);
}

static uint32_t rendezvous(const tdm_roster *roster, uint64_t key) {
  uint32_t best = 0;
  uint64_t best_weight = 0;
  for (uint32_t i = 0; i < roster->live_count; i++) {
    uint64_t weight = tdm_mix(key ^ tdm_mix(roster->live[i] - roster->first + TDM_GAMMA));
    if (i > 0 && weight <= best_weight) continue;
    best = i;
    best_weight = weight;
  }
  return best;
}

/* ---- the user's function */

static uint32_t ask(tdm_engine *e, const tdm_roster *roster, uint32_t index,
                    const tdm_serving_request *request) {
  tdm_view view;
  uint32_t answer = 0;
  if (e->hooks == NULL || e->hooks->choose == NULL) {
    tdm_engine_fail(e, TDM_INVALID, "a router is a Lua function, and no Lua is at hand to call it");
    return TDM_NO_INDEX;
  }
  for (uint32_t i = 0; i < roster->live_count; i++) {
    const tdm_replica_run *replica = &e->replicas[roster->live[i]];
    uint32_t waiting = e->stations[replica->station].waiting;
    e->candidates[i] =
        (tdm_candidate){.gpu = TDM_NO_INDEX,
                        .station = replica->station,
                        .outstanding = (uint32_t)replica->outstanding,
                        .waiting = waiting,
                        .running = (uint32_t)replica->outstanding - waiting,
                        .kv = kv_share(e, replica),
                        .cached = tdm_serving_cached_tokens(replica->serving, e->now_ns, request)};
  }
  tdm_record_view(e, index, &view);
  tdm_status status = e->hooks->choose(e->hooks->context, roster->dispatch->function, &view,
                                       e->candidates, roster->live_count, &answer, e->error);
  if (status == TDM_OK) return answer;
  e->status = status;
  return TDM_NO_INDEX;
}

/* ---- all of them */

static uint32_t power_of_two(const tdm_engine *e, const tdm_roster *roster, uint64_t bits) {
  uint32_t a = (uint32_t)tdm_index_below(bits, roster->live_count);
  uint32_t b = (uint32_t)tdm_index_below(tdm_mix(bits + TDM_GAMMA), roster->live_count - 1);
  b += b >= a;
  const tdm_replica_run *one = &e->replicas[roster->live[a]];
  return e->replicas[roster->live[b]].outstanding < one->outstanding ? b : a;
}

uint32_t tdm_dispatch_choose(tdm_engine *e, tdm_roster *roster, uint32_t index,
                             const tdm_serving_request *request) {
  const tdm_request *r = &e->requests[index];
  tdm_replica_router router = roster->dispatch->router;
  if (roster->live_count == 0) return TDM_NO_INDEX;
  uint32_t turn = (uint32_t)(roster->turn++ % roster->live_count), pick = turn;
  if (roster->live_count == 1) return roster->live[0];
  /* As routers of GPUs: requests of all classes share the stream. */
  uint64_t bits = tdm_stream_bits(roster->stream, r->ordinal ^ (uint64_t)r->class_index << 56);
  switch (router) {
  case TDM_REPLICA_ROUND_ROBIN: break;
  case TDM_REPLICA_LEAST_OUTSTANDING:
  case TDM_REPLICA_LEAST_KV: pick = least(e, roster, turn, router); break;
  case TDM_REPLICA_RANDOM: pick = (uint32_t)tdm_index_below(bits, roster->live_count); break;
  case TDM_REPLICA_POWER_OF_TWO: pick = power_of_two(e, roster, bits); break;
  case TDM_REPLICA_WEIGHTED: pick = weighted(e, roster, turn, request); break;
  case TDM_REPLICA_PREFIX_AWARE: pick = prefix_aware(e, roster, turn, request); break;
  case TDM_REPLICA_AFFINITY: pick = rendezvous(roster, key_of(e, index)); break;
  case TDM_REPLICA_FUNCTION: pick = ask(e, roster, index, request); break;
  }
  return pick != TDM_NO_INDEX && e->status == TDM_OK ? roster->live[pick] : TDM_NO_INDEX;
}
