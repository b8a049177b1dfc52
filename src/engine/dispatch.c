/* Which replica of an LLM server gets a request. Owns nothing: counters and streams are the
 * server's. Called by generate.c. */
#include "engine/state.h"

static uint64_t load_of(const tdm_engine *e, const tdm_replica_run *replica,
                        tdm_replica_router router) {
  if (router != TDM_REPLICA_LEAST_KV) return replica->outstanding;
  return (uint64_t)tdm_serving_load_at(replica->serving, e->now_ns).kv_blocks;
}

/* The first of the least loaded from `turn` on, so that an idle server uses all replicas. */
static size_t least(const tdm_engine *e, const tdm_replica_run *replicas, size_t count, size_t turn,
                    tdm_replica_router router) {
  size_t best = turn;
  uint64_t best_load = UINT64_MAX;
  for (size_t k = 0; k < count; k++) {
    size_t i = (turn + k) % count;
    uint64_t load = load_of(e, &replicas[i], router);
    if (load < best_load) {
      best_load = load;
      best = i;
    }
  }
  return best;
}

uint32_t tdm_dispatch_choose(tdm_engine *e, uint32_t server, uint32_t index,
                             const tdm_serving_request *request) {
  (void)request; /* no router asks what the request is, yet */
  const tdm_llm_server *model = &e->model->servers[server];
  tdm_server_run *run = &e->servers[server];
  const tdm_replica_run *replicas = &e->replicas[run->first];
  const tdm_request *r = &e->requests[index];
  size_t count = model->entries, turn = (size_t)(run->turn++ % count), pick = turn;
  if (count == 1) return run->first;
  /* As routers of GPUs: requests of all classes share the stream. */
  uint64_t bits = tdm_stream_bits(run->stream, r->ordinal ^ (uint64_t)r->class_index << 56);
  switch (model->router) {
  case TDM_REPLICA_ROUND_ROBIN: break;
  case TDM_REPLICA_LEAST_OUTSTANDING:
  case TDM_REPLICA_LEAST_KV: pick = least(e, replicas, count, turn, model->router); break;
  case TDM_REPLICA_RANDOM: pick = (size_t)tdm_index_below(bits, count); break;
  case TDM_REPLICA_POWER_OF_TWO: {
    size_t a = (size_t)tdm_index_below(bits, count);
    size_t b = (size_t)tdm_index_below(tdm_mix(bits + TDM_GAMMA), count - 1);
    b += b >= a;
    pick = replicas[b].outstanding < replicas[a].outstanding ? b : a;
    break;
  }
  }
  return run->first + (uint32_t)pick;
}
