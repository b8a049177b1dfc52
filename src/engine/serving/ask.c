/* Decisions that a user's function makes. After one has failed none is asked again, and answers
 * that let a plan come to its end are given instead. Called through the policy. */
#include "base/memory.h"
#include "engine/serving/inside.h"

void tdm_serving_decide(tdm_serving *s, const tdm_serving_functions *functions) {
  s->functions = *functions;
}

static tdm_serving_view view_of(const tdm_serving *s, const tdm_job *j, int64_t computed) {
  int64_t steps = j->state == TDM_JOB_DECODING ? s->decoders.clock - j->joined : 0;
  bool waits = j->state == TDM_JOB_WAITING;
  return (tdm_serving_view){.id = j->id,
                            .arrival_ns = j->arrival_ns,
                            .prompt_tokens = j->prompt,
                            .max_output = j->max_output,
                            .predicted_output = j->predicted,
                            .generated_tokens = j->generated + steps,
                            .computed_tokens = waits ? computed : j->computed + steps,
                            .kv_blocks = waits       ? j->hold.blocks
                                         : steps > 0 ? tdm_kv_blocks(&s->shape, j->computed + steps)
                                                     : j->hold.blocks,
                            .preemptions = j->preemptions,
                            .tenant = j->tenant,
                            .priority = j->priority};
}

static tdm_serving_situation situation(const tdm_serving *s) {
  return (tdm_serving_situation){.now_ns = s->plan_ns,
                                 .running = s->running.count - (int64_t)s->done_count,
                                 .waiting = tdm_queue_count(s),
                                 .free_blocks = s->pool.free - s->pending_blocks,
                                 .blocks = s->config.blocks,
                                 .block_tokens = s->config.block_tokens};
}

static bool failed(const tdm_serving *s) {
  return s->error.status != TDM_OK;
}

double tdm_ask_order(tdm_serving *s, uint32_t job) {
  double key = 0;
  if (s->functions.order == NULL || failed(s)) return key;
  tdm_serving_view view = view_of(s, &s->jobs[job], 0);
  tdm_serving_situation now = situation(s);
  s->error.status = s->functions.order(s->functions.context, &view, &now, &key, &s->error);
  return key;
}

/* Room for all known tokens is the least that a user's function is given: else a prompt in parts
 * could stop half way, with nobody to preempt. */
int64_t tdm_ask_admit(tdm_serving *s, const tdm_candidate *c) {
  int64_t blocks = tdm_kv_blocks(&s->shape, c->known), tokens = c->known;
  int64_t room = blocks + c->hit.free - c->hit.blocks - c->held + s->pending_blocks;
  if (room > s->pool.free) return -1;
  bool chunks = s->config.steps != TDM_STEPS_DECODE_FIRST;
  int64_t taken = chunks ? tdm_kv_blocks(&s->shape, c->computed + c->chunk) : blocks;
  if (s->functions.admit == NULL || failed(s)) return taken;
  tdm_serving_view view = view_of(s, &s->jobs[c->job], c->computed);
  tdm_serving_situation now = situation(s);
  s->error.status = s->functions.admit(s->functions.context, &view, &now, &tokens, &s->error);
  if (tokens < 0) return -1;
  int64_t more = tdm_kv_blocks(&s->shape, tokens) - blocks;
  return more > 0 && room + more > s->pool.free ? -1 : taken;
}

int64_t tdm_ask_chunk(tdm_serving *s, uint32_t job, int64_t todo, int64_t left) {
  int64_t tokens = todo;
  const tdm_job *j = &s->jobs[job];
  bool decodes = todo == 1 && j->generated > 0 && j->state != TDM_JOB_WAITING;
  if (s->functions.chunk == NULL || decodes || left <= 0 || failed(s)) return todo;
  tdm_serving_view view = view_of(s, j, j->prompt + j->generated - todo);
  tdm_serving_situation now = situation(s);
  s->error.status = s->functions.chunk(s->functions.context, &view, left, &now, &tokens, &s->error);
  return tokens < 1 ? 1 : tokens < todo ? tokens : todo;
}

uint32_t tdm_ask_victim(tdm_serving *s) {
  size_t count = (size_t)s->running.count, index = count - 1, i = 0;
  if (s->functions.preempt == NULL || failed(s)) return s->running.tail;
  if (!tdm_array_grow(&s->views, &s->view_capacity, count, sizeof *s->views)) {
    s->failed = true;
    return s->running.tail;
  }
  for (uint32_t job = s->running.head; job != TDM_NO_JOB; job = s->jobs[job].next)
    s->views[i++] = view_of(s, &s->jobs[job], 0);
  tdm_serving_situation now = situation(s);
  s->error.status =
      s->functions.preempt(s->functions.context, s->views, count, &now, &index, &s->error);
  uint32_t job = s->running.head;
  for (i = 0; i < index && s->jobs[job].next != TDM_NO_JOB; i++) job = s->jobs[job].next;
  return job;
}
