/* What a replication holds while it runs: requests, stations' queues, timers, pending events.
 * Shared by the engine's files and nobody else: engine.c (clock, arrivals), route.c (a request's
 * next step), station.c (queues and servers), share.c (processor sharing, links), batch.c,
 * generate.c (LLM servers), dispatch.c, roster.c and scaling.c (their replicas), prefix.c (what
 * their requests share), router.c, failure.c, record.c (tally and spans). */
#ifndef TDM_ENGINE_STATE_H
#define TDM_ENGINE_STATE_H

#include "base/exponential.h"
#include "engine/engine.h"
#include "engine/event_set.h"
#include "engine/serving/serving.h"

#define TDM_DRAW_BLOCKS 4
#define TDM_VISIT_SHIFT 40 /* draws of a request's k-th round in a loop: ordinal + k·2^40 */

/* Where a request is, for those who must take it out early. */
typedef enum {
  TDM_AT_MOVE, /* between places, or being served: leaves at its next step */
  TDM_AT_QUEUE,
  TDM_AT_BATCHER,
  TDM_AT_MEMORY
} tdm_place;

enum { TDM_FLAG_TIMED_OUT = 1, TDM_FLAG_DROPPED = 2, TDM_FLAG_MEMBER = 4 };

/* One request, or one branch of a forked one: one cache line. */
typedef struct {
  int64_t arrival_ns;
  int64_t enter_ns;    /* into the present queue */
  int64_t start_ns;    /* of the present service */
  uint64_t ordinal;    /* names its draws: within the class, plus rounds << TDM_VISIT_SHIFT */
  uint32_t next, prev; /* in a queue, or in a batch (next only); free list */
  uint32_t op;         /* the op it takes next */
  uint32_t stage, station;
  uint32_t gpu;
  uint16_t class_index;
  uint8_t slice; /* of its arrival */
  uint8_t flags;
  uint8_t place;
  uint8_t priority;
} tdm_request;

#define TDM_PROCESS_HOLDS 4 /* memories one process may hold at once */

/* What only some requests need. */
typedef struct {
  uint32_t parent;  /* TDM_NO_INDEX: a whole request */
  uint32_t pending; /* branches not yet joined */
  uint32_t attempt;
  uint32_t patience, timeout, done; /* timers, TDM_NO_INDEX: none */
  uint32_t handle;                  /* coroutine, 0: none */
  uint32_t members;                 /* of the batch it leads; 1 otherwise */
  uint32_t chain;   /* interrupted batch: its second member, while `next` serves a queue */
  uint32_t serving; /* its place in the station's `serving` */
  uint32_t uses;    /* process: stations used so far */
  struct {
    uint32_t memory; /* + 1; 0: free place */
    double bytes;
  } holds[TDM_PROCESS_HOLDS]; /* process: what it has seized and not released */
  double amount;              /* process: cost of the present use; share: work or bytes left */
  int64_t left_ns;            /* preempted or failed: service still due; -1: none */
  uint64_t speaker;           /* who goes on with the conversation before a fork; 0: no branch */
  bool late;                  /* an LLM stage has missed its objective: no goodput */
  uint32_t restarts, tenant;  /* of its present LLM stage */
} tdm_request_more;

typedef enum {
  TDM_TIMER_FREE,
  TDM_TIMER_SERVED,   /* request: cancellable completion */
  TDM_TIMER_PATIENCE, /* request */
  TDM_TIMER_TIMEOUT,  /* request */
  TDM_TIMER_RETRY,    /* request */
  TDM_TIMER_BATCH,    /* batcher */
  TDM_TIMER_SHARE,    /* station: next job of a ps station */
  TDM_TIMER_LINK,     /* link: next transfer done */
  TDM_TIMER_FAIL,     /* failure source */
  TDM_TIMER_REPAIR,
  TDM_TIMER_THINK,     /* class */
  TDM_TIMER_TOKENIZED, /* request: goes to the replicas of its LLM server */
  TDM_TIMER_STREAMED,  /* request: its last token is with the client */
  TDM_TIMER_SCALE,     /* pool: its rule is looked at */
  TDM_TIMER_READY,     /* replica: it can serve */
  TDM_TIMER_TICK
} tdm_timer_kind;

typedef struct {
  uint32_t kind;
  bool live;
  uint32_t subject;
  uint32_t next_free;
} tdm_timer;

/* A stage as it runs: its cost in hot form, and its counters. */
typedef struct {
  tdm_stage_note note; /* cumulative; max_wait_ns of the present slice */
  const tdm_stage *stage;
  tdm_cost_kind kind;
  uint32_t fixed_station; /* TDM_NO_INDEX: by the request's GPU */
  int64_t constant_ns;
  double mean_ns;
  double jitter_mean; /* of an exponential jitter on another cost; else -1 */
  tdm_stream draws;   /* of the exponential, or of the jitter */
  tdm_stream stream;
  bool batched;
  uint64_t block_tag[TDM_DRAW_BLOCKS]; /* ordinal / 64 + 1 of the cached block, 0: none */
  uint64_t asked_tag[TDM_DRAW_BLOCKS]; /* the same of the last block that was missed */
  union {
    int64_t block_ns[TDM_DRAW_BLOCKS][64];    /* TDM_COST_EXPONENTIAL */
    double block_jitter[TDM_DRAW_BLOCKS][64]; /* others */
  };
} tdm_stage_run;

typedef struct {
  uint32_t head, tail;
} tdm_list;

typedef struct {
  uint32_t request;
  double finish; /* ps: virtual time at which it is done; link: bytes left */
  double rate;   /* link: present rate, bytes/s */
} tdm_share_job;

typedef struct {
  bool plain;         /* FIFO, never fails, no link: the fast path */
  bool simple;        /* plain, and no batches: its completions are plain.h's */
  bool interruptible; /* service may be cut short: completion by timer */
  bool down;
  tdm_discipline discipline;
  uint32_t servers, busy, waiting, places;
  tdm_list queue[TDM_PRIORITIES];         /* only [0] unless by priority */
  uint64_t active_sum;                    /* ps: time with any job at all, as the sums below */
  uint64_t queue_sum, busy_sum, down_sum; /* ±time sums: area(t) = sum + count·t, see record.c */
  const tdm_station *station;
  uint32_t *batchers; /* those that feed it */
  uint32_t batcher_count;
  uint32_t outages; /* failure sources that are down now */
  uint64_t picks;   /* random discipline: draws used */
  tdm_stream stream;
  tdm_share_job *jobs; /* ps */
  size_t job_count, job_capacity;
  uint32_t *serving; /* requests in service where they may be interrupted */
  size_t serving_count, serving_capacity;
  double virtual_ns; /* ps: service each present job has had */
  int64_t share_ns;  /* when virtual_ns was brought up to date */
  uint32_t timer;    /* ps */
} tdm_station_run;

typedef struct {
  tdm_list queue;
  uint32_t waiting;
  uint32_t timer;
  uint32_t stage; /* whose rule it follows */
  uint32_t station;
} tdm_batcher;

typedef struct {
  const tdm_link *link;
  tdm_share_job *flows;
  size_t count, capacity;
  int64_t at_ns;
  double moved; /* bytes up to at_ns */
  uint32_t timer;
} tdm_link_run;

typedef struct {
  const tdm_memory *memory;
  double held;
  tdm_list queue;
  uint32_t waiting;
  uint64_t queue_sum; /* as in stations */
  double area;        /* ∫ held dt up to at_ns, byte·ns */
  int64_t at_ns;
} tdm_memory_run;

typedef struct {
  uint32_t outstanding;
} tdm_gpu_run;

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

typedef struct {
  tdm_handover_phase phase;
  tdm_handover_end_point source, target;
  int64_t prompt_tokens, output_tokens;
  tdm_serving_outcome first; /* of the prompt */
  int64_t enter_ns;          /* into the stage */
  int64_t reserved_ns;
  int64_t wait_ns, service_ns; /* so far, without the transfer */
  double bytes;
} tdm_handover;

/* A replica of an LLM server: what it is to the clock. */
typedef struct {
  tdm_engine *engine;
  tdm_serving *serving;
  const tdm_llm_step *step; /* the pool's, or the next */
  tdm_llm_step *own_step;   /* that asks this replication's script; NULL: none does */
  const tdm_replica_pool *pool;
  tdm_pool_note *note;
  uint32_t server, station;
  uint32_t roster, pool_number; /* of e->rosters, e->pools */
  tdm_replica_state state;
  uint32_t timer;       /* while it starts */
  int64_t preemptions;  /* so far */
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
} tdm_replica_run;

/* Workers of an API server. */
typedef struct {
  int64_t *free_ns; /* when each is free: a heap, the first before all others */
  int64_t work_ns;  /* that they were given */
} tdm_front_run;

/* Replicas that a router chooses from, and who of them takes requests. */
typedef struct {
  const tdm_dispatch_rule *dispatch;
  uint32_t server, first, count; /* of e->replicas */
  uint32_t *live;                /* numbers of those that take requests, rising */
  uint32_t live_count;
  uint64_t turn; /* round robin */
  tdm_stream stream;
  tdm_list parked; /* requests that came when nobody took any */
  uint32_t parked_count;
} tdm_roster;

/* Replicas of one kind, whose number a rule may change. Schedulers that are one replica come and go
 * together. */
typedef struct {
  const tdm_replica_pool *model;
  const tdm_scaling_rule *rule;
  uint32_t server, roster;
  uint32_t first, count;           /* schedulers, of e->replicas */
  uint32_t held, held_peak;        /* replicas that have GPUs; most of them in this slice */
  uint64_t held_sum;               /* as in stations */
  int64_t looked_ns;               /* when the rule was looked at last */
  int64_t more_ns, fewer_ns;       /* since when more, or fewer, are wanted; -1: they are not */
  uint32_t more_least, fewer_most; /* the most cautious number of that time */
} tdm_pool_run;

typedef struct {
  tdm_front_run front;
  uint32_t entry, decode; /* rosters: of those that requests come to; of decode pools */
  bool drafts;            /* some replica does, which asks for a request's luck */
  uint64_t *hashes;       /* of the prefix of the request that comes in */
  size_t hash_capacity;
} tdm_server_run;

typedef struct {
  tdm_arrival_cursor cursor;
  uint32_t entry; /* first op */
  bool limited;   /* has an end or limit of its own */
  uint8_t priority;
  bool plain;      /* arrivals need nothing but a slot: no attributes, hooks, limits */
  uint64_t issued; /* requests so far */
  uint32_t burst;  /* requests of the pending arrival event */
  tdm_stream attrs, routing, patience, timeouts, think, retry, picks;
  const tdm_op *process; /* whose draws the next is the stream of, NULL: none yet */
  tdm_stream process_draws;
} tdm_class_run;

/* A GPU or a station that fails. */
typedef struct {
  const tdm_dist *mtbf, *mttr;
  uint32_t gpu, station; /* one is TDM_NO_INDEX */
  tdm_stream stream;
  uint64_t cycles;
} tdm_failure;

/* A completed request on its way into the tally: counted in blocks, which is faster than one by
 * one between events. */
typedef struct {
  int64_t latency_ns, arrival_ns;
  uint16_t class_index;
  uint8_t slice;
  bool late;
} tdm_departure;
#define TDM_DEPARTURES 256

/* What the inner loop needs of an op. SERVE: one fixed plain station without batch or limit, for a
 * class nobody can lose patience in. END: leaving takes no bookkeeping but the tally's. */
typedef enum { TDM_PLAIN_NOT, TDM_PLAIN_SERVE, TDM_PLAIN_END } tdm_plain_kind;
typedef struct {
  tdm_plain_kind kind;
  uint32_t station, stage;
} tdm_plain_op;

struct tdm_engine {
  const tdm_model *model;
  tdm_engine_options options;
  const tdm_hooks *hooks; /* NULL: none */
  uint32_t hook_events;
  int64_t now_ns;
  int64_t bound_ns; /* end of the present slice */
  uint32_t slice;
  uint64_t sequence;
  tdm_event_set events;
  tdm_request *requests;
  tdm_request_more *more;
  double *state; /* [request][model->state_slots] */
  size_t request_count, request_capacity;
  size_t more_capacity, state_capacity;
  uint32_t free_request;
  bool uses_more; /* false: every `more` stays fresh */
  tdm_timer *timers;
  size_t timer_count, timer_capacity;
  uint32_t free_timer;
  tdm_stage_run *stages;
  tdm_station_run *stations;
  tdm_batcher *batchers; /* [batcher × station] by need, see batch.c */
  size_t batcher_count;
  uint64_t batch_waiting; /* in all batchers */
  bool flushing;          /* batches start whatever their size */
  tdm_link_run *links;
  tdm_memory_run *memories;
  tdm_gpu_run *gpus;
  tdm_server_run *servers;
  tdm_replica_run *replicas; /* server by server, pool by pool */
  tdm_pool_note *pool_notes; /* cumulative; kv_peak of the present slice */
  size_t replica_count;
  tdm_handover *handovers; /* by request */
  size_t handover_count, handover_capacity;
  uint32_t *decision_classes; /* work space of decide.c */
  size_t decision_capacity;
  tdm_roster *rosters;
  size_t roster_count;
  tdm_pool_run *pools;
  size_t pool_count;
  tdm_class_run *classes;
  tdm_failure *failures;
  size_t failure_count;
  uint64_t *turns; /* per group: round robin */
  tdm_stream *group_streams;
  uint64_t issued;   /* requests of all classes */
  uint64_t finished; /* completions */
  int64_t arrival_slice_end_ns;
  uint32_t arrival_slice;
  uint64_t pending_arrivals;         /* scheduled: arrival events and thinking users */
  uint64_t in_system, in_system_sum; /* as in stations */
  tdm_tally *tally;
  double *sums; /* batch scratch: largest and sums by attribute slot */
  double *largest;
  tdm_candidate *candidates;
  tdm_view view;         /* of the call that runs */
  tdm_span_block *spans; /* NULL: not tracing */
  tdm_request_record *records;
  double *values; /* the records' attributes, [record][model->attr_count]; NULL: not asked for */
  size_t record_count;
  bool tracing;
  bool watched; /* a start of service is somebody's news: spans, a hook, a patience timer */
  tdm_plain_op *plain_ops;   /* by op */
  bool grows;                /* tdm_tally_grows */
  tdm_departure *departures; /* completions not yet counted, TDM_DEPARTURES of them */
  size_t departure_count;
  tdm_status status; /* first failure; the loop stops at it */
  tdm_error *error;
  uint64_t same_instant; /* checks in a row that found the clock where it was */
  int64_t last_check_ns;
};

/* ---- engine.c */
tdm_status tdm_engine_fail(tdm_engine *e, tdm_status status, const char *message);
void tdm_engine_schedule(tdm_engine *e, int64_t time_ns, tdm_event_rank rank, uint32_t payload);
uint32_t tdm_timer_set(tdm_engine *e, int64_t time_ns, tdm_timer_kind kind, uint32_t subject);
void tdm_timer_cancel(tdm_engine *e, uint32_t *timer); /* sets it to TDM_NO_INDEX */
uint32_t tdm_request_new(tdm_engine *e);               /* TDM_NO_INDEX: failed, status set */
void tdm_request_free(tdm_engine *e, uint32_t index);
void tdm_request_turn(tdm_engine *e, uint32_t index); /* what is recorded of its present round */
void tdm_engine_think(tdm_engine *e, uint32_t class_index, uint64_t draw);

/* The GPU whose parameters a request's costs see: the one it was routed to, the only one, or its
 * station's. */
static inline uint32_t tdm_request_gpu(const tdm_engine *e, const tdm_request *r) {
  if (r->gpu != TDM_NO_INDEX) return r->gpu;
  if (e->model->gpu_count == 1) return 0; /* it needs no choosing */
  return r->station < e->model->station_count ? e->model->stations[r->station].gpu : TDM_NO_INDEX;
}

static inline bool tdm_engine_alive(const tdm_engine *e) {
  return e->pending_arrivals > 0 || e->in_system > 0;
}

/* ---- route.c */
void tdm_route_advance(tdm_engine *e, uint32_t index);
void tdm_route_end(tdm_engine *e, uint32_t index, tdm_outcome outcome);
void tdm_route_remove(tdm_engine *e, uint32_t index, tdm_outcome outcome); /* from where it waits */
void tdm_memory_release(tdm_engine *e, uint32_t memory, double bytes);

/* ---- router.c */
uint32_t tdm_router_choose(tdm_engine *e, uint32_t group,
                           uint32_t index); /* GPU, TDM_NO_INDEX: failed */

/* ---- station.c */
void tdm_station_enter(tdm_engine *e, uint32_t station, uint32_t stage, uint32_t index);
void tdm_station_complete(tdm_engine *e, uint32_t index); /* its service has ended */
/* Tells whoever watches that a service has started; cost_ns < 0: its end is not known yet. */
void tdm_station_started(tdm_engine *e, uint32_t station, uint32_t index, int64_t cost_ns);
void tdm_station_next(tdm_engine *e, uint32_t station); /* fill free servers */
void tdm_station_start(tdm_engine *e, uint32_t station, uint32_t index);
void tdm_station_unqueue(tdm_engine *e, uint32_t station, uint32_t index);
void tdm_station_stop(tdm_engine *e, uint32_t station); /* an outage begins */
void tdm_station_resume(tdm_engine *e, uint32_t station);
double tdm_stage_amount(tdm_engine *e, uint32_t stage, uint32_t index); /* seconds or bytes */
/* Draws that are in no block. */
int64_t tdm_stage_draw(tdm_stage_run *run, uint64_t n);
double tdm_stage_jitter(tdm_stage_run *run, uint64_t n);
int64_t tdm_stage_cost_ns(tdm_engine *e, uint32_t stage, uint32_t index);
double tdm_cost_value(tdm_engine *e, const tdm_cost *cost, tdm_stream stream, uint32_t index);

/* ---- share.c */
bool tdm_share_add(tdm_engine *e, uint32_t station, uint32_t index, double work_ns);
void tdm_share_fire(tdm_engine *e, uint32_t station);
void tdm_share_freeze(tdm_engine *e, uint32_t station); /* bring up to date, stop or restart */
bool tdm_link_add(tdm_engine *e, uint32_t link, uint32_t index, double bytes);
void tdm_link_fire(tdm_engine *e, uint32_t link);
void tdm_link_refresh(tdm_engine *e, uint32_t link); /* rates changed from outside (outages) */

/* ---- batch.c */
tdm_status tdm_batch_open(tdm_engine *e);
uint32_t tdm_batcher_of(tdm_engine *e, uint32_t stage, uint32_t station);
void tdm_batch_enter(tdm_engine *e, uint32_t stage, uint32_t station, uint32_t index);
/* Forms a batch that may start on the station now: its leader, or TDM_NO_INDEX. *oldest_ns is the
 * enter time by which it competes with the plain queue. take = false only looks. */
uint32_t tdm_batch_ready(tdm_engine *e, uint32_t station, bool take, int64_t *oldest_ns);
void tdm_batch_fire(tdm_engine *e, uint32_t batcher);
/* Starts incomplete batches when everybody inside waits in one and nobody is to come. */
void tdm_batch_flush(tdm_engine *e);
bool tdm_batch_force(tdm_engine *e); /* starts them in any case; false: none could start */
void tdm_batch_unqueue(tdm_engine *e, uint32_t index);
void tdm_batch_aggregate(tdm_engine *e, uint32_t leader); /* fills e->largest and e->sums */

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

/* ---- books.c: what is noted of replicas */

tdm_serving_events tdm_books_listen(tdm_replica_run *replica);
/* So many more wait in the replica's queue, or fewer. */
void tdm_books_queued(tdm_replica_run *replica, int change);
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

/* ---- failure.c */
tdm_status tdm_failure_open(tdm_engine *e);
void tdm_failure_begin(tdm_engine *e, uint32_t failure);
void tdm_failure_end(tdm_engine *e, uint32_t failure);

/* ---- record.c */
tdm_status tdm_record_open(tdm_engine *e);
void tdm_record_slice(tdm_engine *e); /* the present slice has ended: note and move on */
void tdm_record_close(tdm_engine *e);
void tdm_record_span(tdm_engine *e, uint32_t station, bool queued, uint32_t stage, uint32_t index,
                     int64_t start_ns, int64_t dur_ns, uint32_t members);
/* The service of one request, or of the batch it leads, that is or will be complete. */
void tdm_record_service(tdm_engine *e, uint32_t station, uint32_t index, int64_t start_ns,
                        int64_t dur_ns);
/* Steps of a replica that are over, each with its span, and what it held; that it holds nothing. */
void tdm_record_steps(tdm_engine *e, uint32_t replica, const tdm_llm_step *model,
                      const tdm_serving_step *step);
void tdm_record_idle(tdm_engine *e, uint32_t replica);
void tdm_record_pool(tdm_engine *e, uint32_t pool); /* how many replicas it has now */
void tdm_record_request(tdm_engine *e, uint32_t index, tdm_outcome outcome);
void tdm_record_flush(tdm_engine *e);
void tdm_record_departures(tdm_engine *e); /* counts those that wait for it */
void tdm_record_hook(tdm_engine *e, tdm_hook_event event, uint32_t index, const char *outcome);
void tdm_record_view(tdm_engine *e, uint32_t index, tdm_view *view);
void tdm_record_look(tdm_view *view);

/* The same, filled when somebody looks; there is one, good until the next is asked for. */
static inline tdm_view *tdm_record_glance(tdm_engine *e, uint32_t index) {
  e->view.look = tdm_record_look;
  e->view.engine = e;
  e->view.request = index;
  return &e->view;
}

/* ---- lists of requests, inline because they are everywhere */
static inline void tdm_list_push(tdm_engine *e, tdm_list *list, uint32_t index) {
  tdm_request *r = &e->requests[index];
  r->next = TDM_NO_INDEX;
  r->prev = list->tail;
  if (list->tail != TDM_NO_INDEX)
    e->requests[list->tail].next = index;
  else
    list->head = index;
  list->tail = index;
}

static inline void tdm_list_push_front(tdm_engine *e, tdm_list *list, uint32_t index) {
  tdm_request *r = &e->requests[index];
  r->prev = TDM_NO_INDEX;
  r->next = list->head;
  if (list->head != TDM_NO_INDEX)
    e->requests[list->head].prev = index;
  else
    list->tail = index;
  list->head = index;
}

static inline void tdm_list_remove(tdm_engine *e, tdm_list *list, uint32_t index) {
  tdm_request *r = &e->requests[index];
  if (r->prev != TDM_NO_INDEX)
    e->requests[r->prev].next = r->next;
  else
    list->head = r->next;
  if (r->next != TDM_NO_INDEX)
    e->requests[r->next].prev = r->prev;
  else
    list->tail = r->prev;
}

static inline uint32_t tdm_list_pop(tdm_engine *e, tdm_list *list) {
  uint32_t index = list->head;
  list->head = e->requests[index].next;
  if (list->head != TDM_NO_INDEX)
    e->requests[list->head].prev = TDM_NO_INDEX;
  else
    list->tail = TDM_NO_INDEX;
  return index;
}

#endif
