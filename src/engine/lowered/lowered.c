/* Decides whether a model can be lowered and drives chains to their end.
 * The kernels are chain.c (one replication) and wide_avx512.c (eight). */
#include "engine/lowered/lowered.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/simd.h"
#include "engine/lowered/inside.h"

static const char *refuse_class(const tdm_class *class, size_t attr_count) {
  if (class->arrivals->kind == TDM_ARRIVE_CLOSED) return "a closed loop feeds back";
  if (class->arrivals->kind == TDM_ARRIVE_FUNCTION) return "arrivals come from a Lua function";
  if (class->arrivals->gap != NULL && tdm_dist_needs_script(class->arrivals->gap))
    return "arrivals use a Lua function";
  if (class->arrivals->batch != NULL &&
      (tdm_dist_needs_script(class->arrivals->batch) || class->arrivals->rows.count > 0))
    return "arrivals in groups use a Lua function or columns";
  if (class->patience != NULL || class->timeout != NULL)
    return "requests may leave before they are served";
  for (size_t slot = 0; slot < attr_count; slot++)
    if (class->attr_set[slot] && !tdm_cost_is_state_free(&class->attrs[slot]))
      return "an attribute needs Lua";
  return NULL;
}

static const char *refuse_station(const tdm_model *model, uint32_t index) {
  const tdm_station *s = &model->stations[index];
  if (s->discipline != TDM_FIFO) return "a station is not FIFO";
  if (s->link != TDM_NO_INDEX) return "transfers share a link";
  if (s->queue_limit != TDM_UNLIMITED) return "a queue is limited";
  if (s->mtbf != NULL || (s->gpu != TDM_NO_INDEX && tdm_gpu_fails(&model->gpus[s->gpu])))
    return "something fails";
  return NULL;
}

/* `visited`: by station; marks this step's. */
static const char *refuse_step(const tdm_model *model, uint32_t op_index, bool *visited) {
  const tdm_op *op = &model->ops[op_index];
  if (op->code == TDM_OP_GENERATE) return "an LLM server schedules its requests together";
  if (op->code != TDM_OP_SERVE && op->code != TDM_OP_DELAY)
    return "the route branches, loops, forks, holds memory, or is routed to GPUs";
  const tdm_stage *stage = &model->stages[op->a];
  if (stage->batch.max > 1) return "a stage is batched";
  if (!tdm_cost_is_state_free(&stage->cost) ||
      (stage->moves_bytes && !tdm_cost_is_state_free(&stage->bytes)))
    return "a cost needs Lua or the state";
  if (op->code == TDM_OP_DELAY) return NULL;
  if (stage->station == TDM_NO_INDEX) return "a stage runs on whichever GPU is chosen";
  if (visited[stage->station] && model->stations[stage->station].servers != TDM_UNLIMITED)
    return "a station is visited twice";
  visited[stage->station] = true;
  return refuse_station(model, stage->station);
}

const char *tdm_lowered_refuses(const tdm_model *model) {
  if (model->class_count != 1) return "several classes meet";
  if (model->tick_s > 0) return "a tick hook watches";
  if (model->window_ns > 0) return "it is told by windows of time";
  const char *why = refuse_class(&model->classes[0], model->attr_count);
  bool *visited = tdm_array_new(model->station_count + 1, sizeof *visited);
  if (visited == NULL) return "memory is short";
  for (uint32_t i = model->classes[0].entry; why == NULL && model->ops[i].code != TDM_OP_END; i++)
    why = refuse_step(model, i, visited);
  free(visited);
  return why;
}

bool tdm_lowered_is_wide(const tdm_model *model) {
#if defined(__x86_64__)
  if (tdm_simd_level() != TDM_SIMD_AVX512) return false;
  const tdm_class *class = &model->classes[0];
  if (class->arrivals->kind != TDM_ARRIVE_RENEWAL || class->arrivals->batch != NULL ||
      !tdm_dist_is_exponential(class->arrivals->gap, NULL))
    return false;
  for (uint32_t i = class->entry; model->ops[i].code != TDM_OP_END; i++) {
    const tdm_stage *stage = &model->stages[model->ops[i].a];
    uint32_t servers = model->ops[i].code == TDM_OP_DELAY ? TDM_UNLIMITED
                                                          : model->stations[stage->station].servers;
    if (servers == TDM_UNLIMITED ? stage->cost.kind != TDM_COST_CONSTANT : servers > TDM_WIDE_MAX_C)
      return false;
  }
  return true;
#else
  (void)model;
  return false;
#endif
}

static bool stop_asked(const atomic_int *stop) {
  return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed) != 0;
}

/* Runs a chain from where it is to the end and takes its tally. */
static tdm_status finish(tdm_chain *chain, const atomic_int *stop, tdm_tally **out,
                         tdm_error *error) {
  bool interrupted = false;
  while (chain->status == TDM_OK && tdm_chain_chunk(chain, TDM_CHUNK))
    if ((interrupted = stop_asked(stop))) break;
  if (chain->status == TDM_OK && !interrupted) tdm_chain_drain(chain);
  if (chain->status == TDM_OK) tdm_chain_settle(chain, interrupted);
  if (chain->status != TDM_OK) return chain->status;
  *out = chain->tally;
  chain->tally = NULL;
  return interrupted ? tdm_error_set(error, TDM_INTERRUPTED, "interrupted") : TDM_OK;
}

tdm_status tdm_lowered_run(const tdm_model *model, uint64_t seed, uint32_t replication,
                           int64_t lean_ns, const tdm_sink *sink, const atomic_int *stop,
                           tdm_tally **out, tdm_error *error) {
  tdm_chain *chain = NULL;
  *out = NULL;
  tdm_status status = tdm_chain_open(model, seed, replication, lean_ns, sink, &chain, error);
  if (status == TDM_OK) status = finish(chain, stop, out, error);
  tdm_chain_close(chain);
  return status;
}

tdm_status tdm_lowered_run_wide(const tdm_model *model, uint64_t seed, uint32_t first,
                                const atomic_int *stop, tdm_tally *out[TDM_LANES_WIDE],
                                tdm_error *error) {
  tdm_chain *chains[TDM_LANES_WIDE] = {0};
  tdm_status status = TDM_OK;
  for (uint32_t lane = 0; lane < TDM_LANES_WIDE && status == TDM_OK; lane++) {
    out[lane] = NULL;
    status = tdm_chain_open(model, seed, first + lane, TDM_TALLY_WHOLE, NULL, &chains[lane], error);
  }
#if defined(__x86_64__)
  if (status == TDM_OK) tdm_chain_wide(chains, stop);
#endif
  for (uint32_t lane = 0; lane < TDM_LANES_WIDE && status == TDM_OK; lane++)
    status = finish(chains[lane], stop, &out[lane], error);
  for (uint32_t lane = 0; lane < TDM_LANES_WIDE; lane++) {
    tdm_chain_close(chains[lane]);
    if (status == TDM_OK) continue;
    tdm_tally_free(out[lane]);
    out[lane] = NULL;
  }
  return status;
}
