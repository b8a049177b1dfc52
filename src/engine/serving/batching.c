/* Static and dynamic batching: a batch is filled from the queue, computes its prompts in one step
 * and decodes until its last member is done. A member has blocks for all its tokens from the
 * begin, so nobody is preempted. Called by serving. */
#include "engine/serving/inside.h"

/* When the oldest one has waited long enough. */
static int64_t due_ns(const tdm_serving *s, uint32_t oldest) {
  int64_t arrival_ns = s->jobs[oldest].arrival_ns, wait_ns = s->config.batch_wait_ns;
  return wait_ns > INT64_MAX - arrival_ns ? INT64_MAX : arrival_ns + wait_ns;
}

int64_t tdm_batching_wake_ns(const tdm_serving *s) {
  uint32_t oldest = tdm_queue_oldest(s); /* preference goes by the queue, patience by arrival */
  if (oldest == TDM_NO_JOB) oldest = s->inbox.head;
  return oldest == TDM_NO_JOB ? INT64_MAX : due_ns(s, oldest);
}

static bool ready(const tdm_serving *s, int64_t now_ns) {
  int64_t waiting = tdm_queue_count(s);
  if (waiting == 0) return false;
  if (waiting >= s->config.max_seqs || s->draining) return true;
  return due_ns(s, tdm_queue_oldest(s)) <= now_ns;
}

void tdm_batching_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns) {
  tdm_scheduler_accept(s, seen_ns);
  if (s->decoders.count > 0 || s->explicit_count > 0) return;
  tdm_job_release_done(s, now_ns);
  if (!ready(s, now_ns)) return;
  s->held = TDM_SERVING_RULE; /* whoever comes later waits for the batch */
  while (s->running.count < s->config.max_seqs) {
    uint32_t job = tdm_queue_first(s);
    if (job == TDM_NO_JOB) break;
    const tdm_job *j = &s->jobs[job];
    int64_t tokens = j->prompt + j->output - 1; /* the last one's KV is never computed */
    if (tdm_kv_blocks(&s->shape, tokens) > s->pool.free) {
      s->held = TDM_SERVING_BLOCKS;
      return;
    }
    tdm_candidate c = {
        .job = job, .known = j->prompt, .computed = j->given, .chunk = j->prompt - j->given};
    s->policy.leave(s, job);
    tdm_scheduler_admit(s, &c, tdm_kv_blocks(&s->shape, tokens), now_ns);
  }
  if (tdm_queue_count(s) > 0) s->held = TDM_SERVING_SEQS;
}
