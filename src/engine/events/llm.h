/* What a replication holds of its LLM servers: replicas, pools of them, those that a router chooses
 * from, requests on their way from one to another. Shared by the files that serve the stages and by
 * the clock: front.c (the API server), dispatch.c, roster.c and scaling.c (who serves, how many),
 * generate.c (when replicas wake), decide.c, books.c, served.c, handover.c,
 * prefix.c. */
#ifndef TDM_ENGINE_EVENTS_LLM_H
#define TDM_ENGINE_EVENTS_LLM_H

#include "engine/events/state.h"
#include "engine/serving/serving.h"

typedef enum {
  TDM_REPLICA_OFF,      /* it has no GPUs */
  TDM_REPLICA_STARTING, /* has GPUs, cannot serve yet */
  TDM_REPLICA_READY,    /* takes requests unless its station is down */
  TDM_REPLICA_DRAINING  /* takes no more, goes when it is empty */
} tdm_replica_state;

/* Where a request of a server with prefill and decode replicas is. */
typedef enum {
  TDM_HANDOVER_NONE,
  TDM_HANDOVER_PREFILL,  /* in a prefill replica */
  TDM_HANDOVER_COMPUTED, /* its first token is there, its KV kept; it is given a decode replica */
  TDM_HANDOVER_QUEUED,   /* for blocks of that */
  TDM_HANDOVER_RESERVED,
  TDM_HANDOVER_LATENCY,
  TDM_HANDOVER_MOVING, /* on the link, or in the queue for it */
  TDM_HANDOVER_DECODE  /* in a decode replica, all of it */
} tdm_handover_phase;

/* Blocks at a replica, while that lives. */
typedef struct {
  uint32_t replica, life, handle;
} tdm_handover_end_point;

struct tdm_handover {
  tdm_handover_phase phase;
  tdm_handover_end_point source, target;
  int64_t prompt_tokens, output_tokens;
  tdm_serving_outcome first; /* of the prompt */
  int64_t enter_ns;          /* into the stage */
  int64_t reserved_ns;
  int64_t wait_ns, service_ns; /* so far, without the transfer */
  double bytes;
};

/* A replica of an LLM server: what it is to the clock. */
struct tdm_replica_run {
  tdm_engine *engine;
  tdm_serving *serving;
  const tdm_llm_step *step; /* the pool's, or the next */
  tdm_llm_step *own_step;   /* that asks this replication's script; NULL: none does */
  const tdm_replica_pool *pool;
  tdm_pool_note *note;
  uint32_t server, station;
  uint32_t roster, pool_number; /* of e->rosters, e->pools */
  tdm_replica_state state;
  uint32_t timer;                                               /* while it starts */
  int64_t preemptions;                                          /* so far */
  int64_t tier_stored[TDM_KV_TIERS], tier_loaded[TDM_KV_TIERS]; /* blocks that are booked */
  int64_t tier_blocks[TDM_KV_TIERS];                            /* that the trace says they have */
  int64_t due_ns;       /* when it is to be woken; INT64_MAX: idle */
  uint64_t outstanding; /* requests that are here */
  uint64_t keeping;     /* requests elsewhere whose KV is still here */
  uint32_t life;        /* counts up when all that it holds is lost */
  int64_t idle_ns;      /* while it has no step: since when its blocks are counted */
  int64_t idle_blocks;  /* in use since then */
  tdm_list inside;      /* those, as they came */
  uint64_t busy_ns;     /* with steps, when its pool's rule was looked at last */
  uint32_t *done;       /* requests that go on when the present call is over */
  size_t done_count, done_capacity;
  /* Of its present steps, at a slice's end; INT64_MIN: nothing. */
  int64_t booked_ns, booked_steps, booked_tokens;
  double booked_j;
};

/* Workers of an API server. */
typedef struct {
  int64_t *free_ns; /* when each is free: a heap, the first before all others */
  int64_t work_ns;  /* that they were given */
} tdm_front_run;

/* Replicas that a router chooses from, and who of them takes requests. */
struct tdm_roster {
  const tdm_dispatch_rule *dispatch;
  uint32_t server, first, count; /* of e->replicas */
  uint32_t *live;                /* numbers of those that take requests, rising */
  uint32_t live_count;
  uint64_t turn; /* round robin */
  tdm_stream stream;
  tdm_list parked; /* requests that came when nobody took any */
  uint32_t parked_count;
};

/* Replicas of one kind, whose number a rule may change. Schedulers that are one replica come and go
 * together. */
struct tdm_pool_run {
  const tdm_replica_pool *model;
  const tdm_scaling_rule *rule;
  uint32_t server, roster;
  uint32_t first, count;    /* schedulers, of e->replicas */
  uint32_t held, held_peak; /* replicas that have GPUs; most of them in this slice */
  uint64_t held_sum;        /* as in stations */
  tdm_scaler scaler;
};

struct tdm_server_run {
  tdm_front_run front;
  uint32_t entry, decode;    /* rosters: of those that requests come to; of decode pools */
  bool drafts;               /* some replica does, which asks for a request's luck */
  tdm_kv_store *store;       /* that its replicas share; NULL: none yet */
  const tdm_kv_tier *stored; /* what it is */
  uint64_t *hashes;          /* of the prefix of the request that comes in */
  size_t hash_capacity;
};

/* ---- front.c */
bool tdm_front_open(const tdm_api_costs *api, tdm_front_run *front); /* false: no memory */
void tdm_front_close(tdm_front_run *front);
/* When work that is there at now_ns will be done; there are workers. */
int64_t tdm_front_take(const tdm_api_costs *api, tdm_front_run *front, int64_t now_ns,
                       int64_t work_ns);

/* ---- dispatch.c */
/* The replica that is to serve a request; TDM_NO_INDEX: none takes any, or the run has failed. */
uint32_t tdm_dispatch_choose(tdm_engine *e, tdm_roster *roster, uint32_t index,
                             const tdm_serving_request *request);

/* ---- roster.c */
bool tdm_roster_open(tdm_roster *roster); /* nobody takes requests yet; false: no memory */
/* A request waits until somebody takes requests. */
void tdm_roster_park(tdm_engine *e, tdm_roster *roster, uint32_t index);
/* A replica may be several schedulers in a row: the first of those that this one belongs to. */
uint32_t tdm_roster_whole(const tdm_engine *e, uint32_t replica);
void tdm_roster_start(tdm_engine *e, uint32_t whole, int64_t delay_ns);
void tdm_roster_ready(tdm_engine *e, uint32_t whole); /* it has started */
/* Takes no more requests; goes now, or when it is empty. */
void tdm_roster_dismiss(tdm_engine *e, uint32_t whole);
void tdm_roster_emptied(tdm_engine *e, uint32_t replica); /* has nobody inside now */
/* A request that lost its replica goes where it is sent next, unless it has done so too often. */
void tdm_roster_restart(tdm_engine *e, uint32_t index, uint32_t replica);
/* A scheduler's station has gone down, or has come up again. */
void tdm_roster_lose(tdm_engine *e, uint32_t replica);
void tdm_roster_regain(tdm_engine *e, uint32_t replica);

/* ---- scaling.c */
void tdm_scaling_open(tdm_engine *e, uint32_t pool); /* those that are there from the beginning */
void tdm_scaling_fire(tdm_engine *e, uint32_t pool);

/* ---- generate.c */
tdm_status tdm_generate_open(tdm_engine *e);
void tdm_generate_close(tdm_engine *e);
void tdm_generate_enter(tdm_engine *e, uint32_t stage, uint32_t index);
void tdm_generate_tokenized(tdm_engine *e, uint32_t index); /* the API server has taken it in */
/* Gives a request that is at its LLM stage, and in no replica, a replica. */
void tdm_generate_send(tdm_engine *e, uint32_t index);
void tdm_generate_fire(tdm_engine *e, uint32_t replica); /* it may want to be woken now */
/* A request has timed out: its replica, if one has it, need not finish it. */
void tdm_generate_abort(tdm_engine *e, uint32_t index);
/* An empty replica with a cold cache; those that were inside are nowhere. */
void tdm_generate_renew(tdm_engine *e, uint32_t replica);

/* ---- decide.c: the user's functions in a replica's scheduler */

void tdm_decide_open(tdm_replica_run *replica);

/* For handover.c: gives a request to a replica; tells its prefix, luck and adapter; wakes one when
 * it wants to be; counts the blocks that one holds without a step, up to now. */
void tdm_generate_submit(tdm_engine *e, uint32_t replica, const tdm_serving_request *request);
void tdm_generate_identify(tdm_engine *e, uint32_t index, tdm_serving_request *request);
void tdm_generate_arm(tdm_engine *e, uint32_t replica);
void tdm_generate_settle(tdm_engine *e, uint32_t replica);
/* Static batches of LLM servers start incomplete; false: none waits. */
bool tdm_generate_drain(tdm_engine *e);

/* ---- served.c: what replicas do told to the sink, where it wants that */

tdm_status tdm_served_open(tdm_engine *e); /* tells of the replicas */
bool tdm_served_wanted(const tdm_engine *e);
void tdm_served_came(tdm_replica_run *replica, const tdm_serving_request *request);
void tdm_served_scheduled(tdm_replica_run *replica, uint64_t id, int64_t cached_tokens,
                          int64_t below_tokens, bool again);
void tdm_served_preempted(tdm_replica_run *replica, uint64_t id);
void tdm_served_first(void *replica, uint64_t id, int64_t now_ns); /* an event of the replica's */
void tdm_served_done(tdm_replica_run *replica, const tdm_serving_outcome *outcome);
void tdm_served_aborted(tdm_replica_run *replica, uint64_t id, bool waiting);
void tdm_served_step(tdm_replica_run *replica, const tdm_serving_step *step);
void tdm_served_gaps(tdm_replica_run *replica, int64_t begin_ns, int64_t end_ns, int64_t count);

/* ---- books.c: what is noted of replicas */

tdm_serving_events tdm_books_listen(tdm_replica_run *replica);
/* So many more wait in the replica's queue, or fewer. */
void tdm_books_queued(tdm_replica_run *replica, int change);
/* What went into its tiers, and came from there, since the last time. */
void tdm_books_tiers(tdm_replica_run *replica);
/* How long a request's KV cache was on its way. */
void tdm_books_moved(tdm_engine *e, uint32_t index, int64_t time_ns);
void tdm_books_note(tdm_engine *e, uint32_t slice, int64_t at_ns); /* a slice ends */
/* Waits until a batch is full, however long. */
static inline bool tdm_serving_is_static(const tdm_serving_config *config) {
  return config->batching == TDM_SERVING_BATCH && config->batch_wait_ns == INT64_MAX;
}

/* ---- handover.c */
/* Turns a request that comes into its first part, where its server has prefill replicas. */
void tdm_handover_begin(tdm_engine *e, uint32_t index, tdm_serving_request *request);
bool tdm_handover_under_way(tdm_engine *e, uint32_t index); /* it goes on to another replica */
/* A part is done. True: the request goes on; false: it was all, its outcome is made whole. */
bool tdm_handover_finished(tdm_engine *e, tdm_replica_run *replica, tdm_serving_outcome *outcome,
                           int64_t *wait_ns, int64_t *service_ns);
void tdm_handover_reserved(tdm_engine *e, tdm_replica_run *replica, uint32_t index, uint32_t handle,
                           int64_t missing_tokens);
/* It comes to its stage again; false: it is not on its way. */
bool tdm_handover_resume(tdm_engine *e, uint32_t stage, uint32_t index);
bool tdm_handover_waits(const tdm_engine *e, uint32_t index); /* for a decode replica */
void tdm_handover_send(tdm_engine *e, uint32_t index);        /* to one */
/* It ends, or begins anew: what is held for it is released. */
void tdm_handover_forget(tdm_engine *e, uint32_t index);
void tdm_handover_close(tdm_engine *e);

/* ---- prefix.c */
uint64_t tdm_prefix_session(const tdm_engine *e, uint32_t index); /* of all branches of a request */
/* Of a branch that begins at an op: another in each round. Never 0. */
uint64_t tdm_prefix_branch(const tdm_engine *e, uint32_t parent, uint32_t target);
/* A turn of a conversation: all that was said comes first. It counts as said once answered. */
void tdm_prefix_ask(tdm_engine *e, uint32_t index, int64_t prefix, tdm_serving_request *request);
void tdm_prefix_answered(tdm_engine *e, uint32_t index);
void tdm_prefix_forget(tdm_engine *e, uint32_t index);
/* Names the blocks of a request's prompt that others may share; none where nobody could. */
void tdm_prefix_name(tdm_engine *e, const tdm_stage *stage, uint32_t index, int64_t prefix,
                     uint64_t group, tdm_serving_request *request);

#endif
