/* What a replication holds while it runs: requests, stations' queues, timers, pending events; of
 * LLM servers llm.h says more. Shared by the engine's files and nobody else: engine.c (clock,
 * arrivals), route.c (a request's next step), station.c (queues and servers), share.c (processor
 * sharing, links), batch.c, router.c, failure.c, slices.c (the tally), record.c (spans). */
#ifndef TDM_ENGINE_EVENTS_STATE_H
#define TDM_ENGINE_EVENTS_STATE_H

#include "base/exponential.h"
#include "engine/events/engine.h"
#include "engine/events/event_set.h"
#include "engine/events/request.h"
#include "engine/serving/serving.h"

#define TDM_DRAW_BLOCKS 4

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
  uint32_t servers, busy, waiting, queue_limit;
  tdm_list queue[TDM_PRIORITIES];         /* only [0] unless by priority */
  uint64_t active_sum;                    /* ps: time with any job at all, as the sums below */
  uint64_t queue_sum, busy_sum, down_sum; /* ±time sums: area(t) = sum + count·t, see slices.c */
  const tdm_station *station;
  uint32_t *batchers; /* those that feed it */
  uint32_t batcher_count;
  uint32_t outages; /* failure sources that are down now */
  uint64_t picks;   /* random discipline: draws used */
  tdm_stream stream;
  tdm_share_job *jobs; /* ps */
  size_t job_count, job_capacity;
  size_t flows;      /* that it has on its link */
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

typedef enum { TDM_GPU_OFF, TDM_GPU_STARTING, TDM_GPU_READY, TDM_GPU_DRAINING } tdm_gpu_state;

typedef struct {
  uint32_t outstanding;
  tdm_gpu_state state; /* ready, unless its group comes and goes */
  bool held;           /* ... and whether somebody pays for it */
  uint64_t held_sum;   /* as in stations */
  uint64_t busy_ns;    /* when its group was looked at last */
  uint32_t timer;      /* until it is ready */
} tdm_gpu_run;

/* What a scaling rule remembers from look to look. */
typedef struct {
  int64_t looked_ns;
  int64_t more_ns, fewer_ns;       /* since when more, or fewer, are wanted; -1: they are not */
  uint32_t more_least, fewer_most; /* the most cautious number of that time */
} tdm_scaler;

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
  const tdm_dist *mtbf, *mttr; /* NULL of a GPU with outages */
  uint32_t gpu, station;       /* one is TDM_NO_INDEX */
  tdm_stream stream;
  uint64_t cycles;
} tdm_failure;

/* What the inner loop needs of an op. SERVE: one fixed plain station without batch or limit, for a
 * class nobody can lose patience in. END: leaving takes no bookkeeping but the tally's. */
typedef enum { TDM_PLAIN_NOT, TDM_PLAIN_SERVE, TDM_PLAIN_END } tdm_plain_kind;
typedef struct {
  tdm_plain_kind kind;
  uint32_t station, stage;
} tdm_plain_op;

/* LLM servers: engine/events/llm.h. */
typedef struct tdm_server_run tdm_server_run;
typedef struct tdm_replica_run tdm_replica_run;
typedef struct tdm_pool_run tdm_pool_run;
typedef struct tdm_roster tdm_roster;
typedef struct tdm_handover tdm_handover;

struct tdm_engine {
  const tdm_model *model;
  tdm_engine_options options;
  const tdm_hooks *hooks; /* NULL: none */
  uint32_t hook_events;
  int64_t now_ns;
  int64_t bound_ns; /* the next of these two: */
  int64_t slice_end_ns, window_end_ns;
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
  bool restarts;  /* a station's failure lets requests begin anew */
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
  tdm_scaler *fleets; /* [group] */
  uint32_t gpus_held; /* of groups that come and go */
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
size_t tdm_request_row(const tdm_engine *e, uint32_t index); /* recorded, of its present round */
void tdm_request_turn(tdm_engine *e, uint32_t index); /* what is recorded of its present round */
void tdm_engine_think(tdm_engine *e, uint32_t class_index, uint64_t draw);
void tdm_engine_open_classes(tdm_engine *e);
void tdm_engine_start_classes(tdm_engine *e); /* their first arrivals are pending */

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

/* ---- branches.c */
void tdm_branch_fork(tdm_engine *e, const tdm_op *op, uint32_t index);
/* A round of a loop begins, and with it its turn's sub-agents. False: it waits for some. */
bool tdm_branch_turn(tdm_engine *e, uint32_t index);
/* Before it ends. False: its sub-agents are not done, it comes back. */
bool tdm_branch_await(tdm_engine *e, uint32_t index);
void tdm_branch_ended(tdm_engine *e, uint32_t parent);
void tdm_branch_remove_all(tdm_engine *e, uint32_t parent);
/* It ends before its branches do: they are removed, then it ends. */
void tdm_branch_withdraw(tdm_engine *e, uint32_t index, tdm_outcome outcome);

/* ---- route.c */
void tdm_route_advance(tdm_engine *e, uint32_t index);
void tdm_route_end(tdm_engine *e, uint32_t index, tdm_outcome outcome);
void tdm_route_remove(tdm_engine *e, uint32_t index, tdm_outcome outcome); /* from where it waits */
/* Its station has failed and it was taken out: it begins anew. */
void tdm_route_restart(tdm_engine *e, uint32_t index);

/* ---- fleet.c */
tdm_status tdm_fleet_open(tdm_engine *e); /* those that are there from the beginning */
void tdm_fleet_fire(tdm_engine *e, uint32_t group);
void tdm_fleet_ready(tdm_engine *e, uint32_t gpu);
void tdm_fleet_left(tdm_engine *e, uint32_t gpu); /* a request has left it */

/* ---- scaling.c, for fleet.c too */
/* How many a rule with a target wants, having `size`, of at most `most`. */
uint32_t tdm_scaling_by_target(const tdm_scaling_rule *rule, double sum, uint32_t size,
                               uint32_t most);
/* How many are to come now, or to go: a number is acted upon when it has been wanted long enough,
 * by its most cautious value; which failures and repairs may have reached or passed meanwhile. */
int64_t tdm_scaler_decide(tdm_scaler *scaler, const tdm_scaling_rule *rule, int64_t now_ns,
                          uint32_t size, uint32_t wanted);

/* ---- router.c */
uint32_t tdm_router_choose(tdm_engine *e, uint32_t group,
                           uint32_t index); /* GPU, TDM_NO_INDEX: failed */

/* ---- station.c */
void tdm_station_enter(tdm_engine *e, uint32_t station, uint32_t stage, uint32_t index);
void tdm_station_complete(tdm_engine *e, uint32_t index); /* its service has ended */
/* Tells whoever watches that a service has started; cost_ns < 0: its end is not known yet. */
void tdm_station_started(tdm_engine *e, uint32_t station, uint32_t index, int64_t cost_ns);
void tdm_station_next(tdm_engine *e, uint32_t station); /* fill free servers */
void tdm_station_unqueue(tdm_engine *e, uint32_t station, uint32_t index);
/* Waits again for a station that is down, whatever its limit; it was taken out there. */
void tdm_station_return(tdm_engine *e, uint32_t station, uint32_t index);
void tdm_station_stop(tdm_engine *e, uint32_t station); /* an outage begins */
void tdm_station_resume(tdm_engine *e, uint32_t station);
/* Draws that are in no block. */
int64_t tdm_stage_draw(tdm_stage_run *run, uint64_t n);
double tdm_stage_jitter(tdm_stage_run *run, uint64_t n);
int64_t tdm_stage_cost_ns(tdm_engine *e, uint32_t stage, uint32_t index);
double tdm_cost_value(tdm_engine *e, const tdm_cost *cost, tdm_stream stream, uint32_t index);

/* ---- share.c */
bool tdm_share_add(tdm_engine *e, uint32_t station, uint32_t index, double work_ns);
void tdm_share_fire(tdm_engine *e, uint32_t station);
void tdm_share_freeze(tdm_engine *e, uint32_t station); /* bring up to date, stop or restart */
/* Takes out all that a station shares or moves over its link, in order. */
void tdm_share_evict(tdm_engine *e, uint32_t station, tdm_list *out);
bool tdm_link_add(tdm_engine *e, uint32_t link, uint32_t index, double bytes);
void tdm_link_fire(tdm_engine *e, uint32_t link);
void tdm_link_refresh(tdm_engine *e, uint32_t link); /* rates changed from outside (outages) */

/* ---- batch.c */
tdm_status tdm_batch_open(tdm_engine *e);
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

/* ---- failure.c */
tdm_status tdm_failure_open(tdm_engine *e);
void tdm_failure_begin(tdm_engine *e, uint32_t failure);
void tdm_failure_end(tdm_engine *e, uint32_t failure);

/* ---- slices.c */
tdm_status tdm_slices_open(tdm_engine *e);
void tdm_slices_next(tdm_engine *e); /* the present slice has ended: note and move on */
void tdm_slices_close(tdm_engine *e);
void tdm_slices_departures(tdm_engine *e); /* counts those that wait for it */

/* ---- record.c */
tdm_status tdm_record_open(tdm_engine *e);
void tdm_record_flush(tdm_engine *e); /* hands over what the sink has not seen */
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
