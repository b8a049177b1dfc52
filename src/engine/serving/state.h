/* What an instance holds; shared by the files of this folder, seen by nobody else.
 *
 * A request is a job, a number into `jobs`. Running jobs are in one list in order of admission. A
 * job decodes implicitly (a member of `decoders`, its numbers as of `joined`) or explicitly: it is
 * in `explicit_jobs`, in the list's order, with the tokens that this step computes for it. */
#ifndef TDM_ENGINE_SERVING_STATE_H
#define TDM_ENGINE_SERVING_STATE_H

#include "engine/serving/decoders.h"
#include "engine/serving/kv_hold.h"
#include "engine/serving/serving.h"

#define TDM_NO_JOB UINT32_MAX

typedef enum {
  TDM_JOB_WAITING,
  TDM_JOB_EXPLICIT,
  TDM_JOB_DECODING,
  TDM_JOB_DONE,  /* has all its tokens, still holds its place and its blocks */
  TDM_JOB_PARKED /* holds blocks and takes no part: kept, or reserved and not yet filled */
} tdm_job_state;

typedef struct {
  tdm_job_state state;
  uint32_t prev, next; /* in the one list it is in */
  uint64_t ordinal;    /* of submission */
  uint64_t order;      /* of admission */
  int64_t prompt, output, given;
  int64_t generated, computed; /* tokens it has got; tokens that have KV */
  int64_t joined;              /* decoders' clock at which these were so */
  int64_t chunk;               /* explicit: tokens computed in this step */
  int64_t swapped;             /* waiting: blocks in host memory with all that is computed */
  tdm_kv_hold hold;
  uint64_t id;
  int64_t arrival_ns, queued_ns;
  int64_t scheduled_ns, first_token_ns, last_token_ns; /* -1: not yet */
  int64_t cached_tokens;
  uint32_t preemptions, tenant;
  int32_t priority;
  bool remote; /* what is given is not here yet */
  bool ready;  /* waiting: holds the blocks of what is given */
  bool keeps;
} tdm_job;

typedef struct {
  uint32_t head, tail;
  int64_t count;
} tdm_job_list;

/* A row of equal decode steps: the ends of all follow from its begin. */
typedef struct {
  bool valid;
  int64_t begin_ns;
  tdm_llm_batch batch; /* of its first step */
  int64_t steps;       /* that are over */
} tdm_decode_run;

/* What a plan has asked for beside computing; the next step waits for it. */
typedef struct {
  int64_t swapped_out, swapped_in; /* blocks */
  double pause_s;
} tdm_serving_moves;

struct tdm_serving {
  tdm_serving_config config;
  const tdm_llm_step *model;
  tdm_serving_events events;
  tdm_kv_shape shape;

  tdm_job *jobs;
  size_t job_count, job_capacity;
  uint32_t unused_jobs;
  uint64_t submitted, admitted;

  tdm_job_list inbox;   /* arrived, not yet seen by a plan */
  tdm_job_list waiting; /* FCFS */
  tdm_heap by_priority; /* or this */
  tdm_job_list running;
  tdm_job_list parked;
  uint32_t *explicit_jobs;
  size_t explicit_count, explicit_capacity;
  uint32_t *done; /* jobs in state DONE */
  size_t done_count, done_capacity;
  tdm_decoders decoders;
  tdm_kv_pool pool;
  int64_t host_free;       /* blocks */
  tdm_serving_moves moves; /* since the last step began */

  bool stepping; /* a step, or several, from begin_ns to end_ns */
  int64_t begin_ns, end_ns, steps;
  tdm_llm_batch batch;
  tdm_decode_run run;
  tdm_serving_held held; /* by the latest plan */
  int64_t wake_ns;       /* while not stepping: INT64_MAX, or when to plan */
  int64_t last_ns;       /* of the last call */
  bool draining, failed;
};

/* ---- jobs.c: lists, the queue, and what happens to a request */

void tdm_job_append(tdm_serving *s, tdm_job_list *list, uint32_t job);
void tdm_job_prepend(tdm_serving *s, tdm_job_list *list, uint32_t job);
void tdm_job_unlink(tdm_serving *s, tdm_job_list *list, uint32_t job);

uint32_t tdm_job_new(tdm_serving *s); /* TDM_NO_JOB: out of memory */
void tdm_job_free(tdm_serving *s, uint32_t job);

int64_t tdm_job_waiting_count(const tdm_serving *s); /* without the inbox */
uint32_t tdm_job_first_waiting(const tdm_serving *s);
void tdm_job_wait(tdm_serving *s, uint32_t job, bool in_front);
void tdm_job_leave_queue(tdm_serving *s, uint32_t job);

void tdm_job_go_explicit(tdm_serving *s, uint32_t job);   /* behind all explicit ones */
void tdm_job_make_explicit(tdm_serving *s, uint32_t job); /* it decodes implicitly */
void tdm_job_preempt(tdm_serving *s, uint32_t job, int64_t now_ns);
void tdm_job_swap_in(tdm_serving *s, uint32_t job); /* it has blocks to come back to */
/* The chunk is computed: maybe a token, maybe the last one. */
void tdm_job_step_done(tdm_serving *s, uint32_t job, int64_t now_ns);
void tdm_job_finish(tdm_serving *s, uint32_t job, int64_t now_ns);
void tdm_job_release_parked(tdm_serving *s, uint32_t job);
void tdm_job_release_done(tdm_serving *s, int64_t now_ns); /* those in state DONE leave */

/* ---- scheduler.c, batching.c: who computes what in the step that begins now. Requests that came
 * before `seen_ns` are seen. */
void tdm_scheduler_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns);
void tdm_scheduler_accept(tdm_serving *s, int64_t seen_ns);
void tdm_batching_plan(tdm_serving *s, int64_t now_ns, int64_t seen_ns);
int64_t tdm_batching_wake_ns(const tdm_serving *s); /* when an idle one begins if nobody comes */
/* The job takes what was found and room for `tokens` tokens, and runs. */
void tdm_scheduler_admit(tdm_serving *s, uint32_t job, const tdm_kv_hit *hit, int64_t tokens,
                         int64_t chunk, int64_t now_ns);

/* ---- jump.c: how long steps take, and how many there are in one go */

void tdm_jump_begin(tdm_serving *s, int64_t now_ns);
/* The end of the j-th step from begin_ns on. */
int64_t tdm_jump_end_ns(const tdm_serving *s, int64_t j);
/* Whole steps over at now_ns, at most steps − 1. */
int64_t tdm_jump_steps_over(const tdm_serving *s, int64_t now_ns);
/* Somebody has come at now_ns whom a plan must look at. */
void tdm_jump_cut(tdm_serving *s, int64_t now_ns);

/* Tokens without KV that are known. */
static inline int64_t tdm_job_todo(const tdm_job *job) {
  return job->prompt + job->generated - job->computed;
}

#endif
