/* What replicas of LLM servers do, told to the sink as their own metrics would see it.
 *
 * Only where the sink asks for it: steps are then made one by one, which changes no figure.
 * Requests are known by their numbers in the engine, which are used again. Called by books.c and
 * generate.c.
 */
#include "engine/events/llm.h"

bool tdm_served_wanted(const tdm_engine *e) {
  return e->options.sink != NULL && e->options.sink->served != NULL;
}

static uint32_t number_of(const tdm_replica_run *replica) {
  return (uint32_t)(replica - replica->engine->replicas);
}

static void tell(tdm_replica_run *replica, tdm_served *event) {
  tdm_engine *e = replica->engine;
  const tdm_served_sink *sink = e->options.sink->served;
  event->replica = number_of(replica);
  if (e->status == TDM_OK) e->status = sink->event(sink->context, event, e->error);
}

tdm_status tdm_served_open(tdm_engine *e) {
  tdm_status status = TDM_OK;
  if (!tdm_served_wanted(e)) return TDM_OK;
  const tdm_served_sink *sink = e->options.sink->served;
  uint32_t server = UINT32_MAX, number = 0;
  for (uint32_t i = 0; i < e->replica_count && status == TDM_OK; i++) {
    const tdm_replica_run *run = &e->replicas[i];
    const tdm_serving_config *config = &run->pool->config;
    number = run->server == server ? number + 1 : 0;
    server = run->server;
    tdm_served_replica replica = {.id = i,
                                  .server = e->model->servers[server].name,
                                  .number = number,
                                  .blocks = config->blocks,
                                  .block_tokens = config->block_tokens,
                                  .caches = config->prefix_caching,
                                  .offloads = config->tier_count > 0};
    status = sink->replica(sink->context, &replica, e->error);
  }
  return status;
}

void tdm_served_came(tdm_replica_run *replica, const tdm_serving_request *request) {
  tell(replica, &(tdm_served){.kind = TDM_SERVED_CAME,
                              .request = (uint32_t)request->id,
                              .at_ns = replica->engine->now_ns,
                              .prompt_tokens = request->prompt_tokens});
}

void tdm_served_scheduled(tdm_replica_run *replica, uint64_t id, int64_t cached_tokens,
                          int64_t below_tokens, bool again) {
  tell(replica, &(tdm_served){.kind = TDM_SERVED_SCHEDULED,
                              .request = (uint32_t)id,
                              .at_ns = replica->engine->now_ns,
                              .cached_tokens = cached_tokens,
                              .below_tokens = below_tokens,
                              .again = again});
}

void tdm_served_preempted(tdm_replica_run *replica, uint64_t id) {
  tell(replica, &(tdm_served){.kind = TDM_SERVED_PREEMPTED,
                              .request = (uint32_t)id,
                              .at_ns = replica->engine->now_ns});
}

static int64_t streamed_ns(const tdm_replica_run *replica) {
  return tdm_llm_server_streamed_ns(&replica->engine->model->servers[replica->server]);
}

void tdm_served_first(void *context, uint64_t id, int64_t now_ns) {
  tdm_replica_run *replica = context;
  int64_t enter_ns = replica->engine->requests[id].enter_ns;
  tell(replica, &(tdm_served){.kind = TDM_SERVED_FIRST,
                              .request = (uint32_t)id,
                              .at_ns = now_ns,
                              .ttft_ns = now_ns - enter_ns + streamed_ns(replica)});
}

void tdm_served_done(tdm_replica_run *replica, const tdm_serving_outcome *o) {
  int64_t below_tokens = 0;
  for (size_t k = 0; k < TDM_KV_TIERS; k++) below_tokens += o->below_tokens[k];
  int64_t enter_ns = replica->engine->requests[o->id].enter_ns;
  tell(replica, &(tdm_served){.kind = TDM_SERVED_DONE,
                              .request = (uint32_t)o->id,
                              .at_ns = replica->engine->now_ns,
                              .prompt_tokens = o->prompt_tokens,
                              .output_tokens = o->output_tokens,
                              .cached_tokens = o->cached_tokens,
                              .below_tokens = below_tokens,
                              .ttft_ns = o->first_token_ns - enter_ns + streamed_ns(replica),
                              .e2e_ns = o->finished_ns - enter_ns + streamed_ns(replica),
                              .queued_ns = o->queued_ns,
                              .scheduled_ns = o->scheduled_ns,
                              .first_ns = o->first_token_ns,
                              .done_ns = o->finished_ns});
}

void tdm_served_aborted(tdm_replica_run *replica, uint64_t id, bool waiting) {
  tell(replica, &(tdm_served){.kind = TDM_SERVED_ABORTED,
                              .request = (uint32_t)id,
                              .at_ns = replica->engine->now_ns,
                              .waiting = waiting});
}

/* Bytes that have come from its tiers so far, and gone into the first. */
static void moved(const tdm_replica_run *replica, double *stored_bytes, double *loaded_bytes) {
  int64_t stored, loaded;
  for (size_t k = 0; k < replica->pool->config.tier_count; k++) {
    double bytes = replica->pool->config.tiers[k].block_bytes;
    tdm_serving_moved(replica->serving, k, &stored, &loaded);
    if (k == 0) *stored_bytes = (double)stored * bytes;
    *loaded_bytes += (double)loaded * bytes;
  }
}

void tdm_served_step(tdm_replica_run *replica, const tdm_serving_step *step) {
  double stored_bytes = 0, loaded_bytes = 0;
  moved(replica, &stored_bytes, &loaded_bytes);
  tell(replica, &(tdm_served){.kind = TDM_SERVED_STEP,
                              .at_ns = step->end_ns,
                              .begin_ns = step->begin_ns,
                              .count = step->tokens,
                              .kv_blocks = step->kv_blocks,
                              .stored_bytes = stored_bytes,
                              .loaded_bytes = loaded_bytes});
}

void tdm_served_gaps(tdm_replica_run *replica, int64_t begin_ns, int64_t end_ns, int64_t count) {
  tell(replica,
       &(tdm_served){
           .kind = TDM_SERVED_GAPS, .at_ns = end_ns, .begin_ns = begin_ns, .count = count});
}
