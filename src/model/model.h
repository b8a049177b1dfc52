/* What a workload is: stations, links, memories, GPUs, classes with their routes.
 *
 * A model is filled once (by the binding, from the model table that lua/tandem/lower makes), closed
 * by tdm_model_finish, then immutable and shared by every thread. Indices are dense and stay valid.
 * Owns all it points to. Knows neither time's flow (engine) nor Lua. */
#ifndef TDM_MODEL_MODEL_H
#define TDM_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/exponential.h"
#include "base/lane.h"
#include "model/arrivals.h"
#include "model/cost.h"
#include "model/llm/llm.h"

#define TDM_NO_INDEX   UINT32_MAX
#define TDM_UNLIMITED  UINT32_MAX /* servers of a delay station, limit of an open queue */
#define TDM_PRIORITIES 16         /* priority levels, 0 served first */

typedef enum { TDM_ROLE_H2D, TDM_ROLE_GPU, TDM_ROLE_D2H, TDM_ROLES } tdm_role;

typedef struct {
  char *name, *kind;
  uint32_t stations[TDM_ROLES]; /* TDM_NO_INDEX: this GPU has no such engine */
  uint32_t memory;              /* index or TDM_NO_INDEX */
  double *params;               /* by model.params */
  tdm_dist *mtbf, *mttr;        /* seconds; NULL: never fails */
  double *outages; /* or these: seconds up, down, up, … from 0; then it stays as it is */
  size_t outage_count;
} tdm_gpu;

static inline bool tdm_gpu_fails(const tdm_gpu *gpu) {
  return gpu->mtbf != NULL || gpu->outage_count > 0;
}

typedef enum {
  TDM_FIFO,
  TDM_LIFO,     /* non-preemptive */
  TDM_RANDOM,   /* next in service drawn at random */
  TDM_PRIORITY, /* non-preemptive head of the line */
  TDM_PREEMPT,  /* preemptive resume */
  TDM_PS        /* processor sharing among at most `servers` jobs, total speed 1 */
} tdm_discipline;

/* What becomes of requests that are at a station when it fails. */
typedef enum {
  TDM_FAILED_WAIT,    /* they wait for the repair; service goes on where it was */
  TDM_FAILED_RESTART, /* they begin anew where they were given their GPU; else with this step */
  TDM_FAILED_LOST     /* they are dropped */
} tdm_failed;

typedef struct {
  char *name;
  tdm_lane lane;
  uint32_t gpu;     /* index or TDM_NO_INDEX */
  uint32_t servers; /* TDM_UNLIMITED: a pure delay */
  tdm_discipline discipline;
  bool replica;          /* of an LLM server, which serves it alone; else false */
  uint32_t queue_limit;  /* waiting requests, TDM_UNLIMITED: no rejection */
  uint32_t link;         /* TDM_NO_INDEX, or: jobs are bytes that share this link */
  double rate;           /* bytes/s its jobs can move together, 0: only the link limits */
  tdm_dist *mtbf, *mttr; /* seconds; NULL: never fails */
  tdm_failed on_failure; /* a replica, which loses what it has, lets them restart unless LOST */
} tdm_station;

typedef struct {
  char *name;
  double bandwidth; /* bytes/s, shared max-min fairly */
} tdm_link;

typedef struct {
  char *name;
  uint32_t gpu;
  double bytes;
} tdm_memory;

typedef enum {
  TDM_ROUTE_ROUND_ROBIN,
  TDM_ROUTE_RANDOM,
  TDM_ROUTE_LEAST_OUTSTANDING,
  TDM_ROUTE_SHORTEST_QUEUE,
  TDM_ROUTE_POWER_OF_TWO,
  TDM_ROUTE_WEIGHTED,
  TDM_ROUTE_AFFINITY,
  TDM_ROUTE_FUNCTION
} tdm_router;

typedef struct {
  char *name;
  uint32_t *members; /* GPU indices */
  size_t count;
  tdm_router router;
  double *weights;   /* cumulative, ending at 1; NULL: equal */
  uint32_t key_attr; /* affinity: attribute slot, or TDM_NO_INDEX: the class */
  uint32_t function;
  tdm_scaling_rule scaling; /* how many of them there are */
  bool steady;              /* by tdm_model_finish: none of them fails, comes or goes */
} tdm_group;

typedef struct {
  uint32_t max;        /* 1: not batched */
  int64_t wait_ns;     /* longest wait of the oldest member; INT64_MAX: for ever (static) */
  uint32_t *preferred; /* rising sizes dispatched at once, or NULL */
  size_t preferred_count;
  uint32_t function; /* decide(waiting, oldest wait in s, max) → members now; TDM_NO_INDEX: none */
} tdm_batch_rule;

typedef enum { TDM_POOL_WHOLE, TDM_POOL_PREFILL, TDM_POOL_DECODE } tdm_pool_role;

/* Replicas of one LLM server that are alike. */
typedef struct {
  char *name;
  tdm_pool_role role;
  uint32_t *stations; /* one a scheduler: its queue and how busy it is */
  size_t count;
  uint32_t lanes; /* stations in a row that are one replica: its schedulers */
  uint32_t gpus;  /* of one replica; 0: on none */
  tdm_serving_config config;
  tdm_llm_step *step;   /* shared by its replicas and all threads */
  tdm_llm_step *draft;  /* NULL: no model drafts; config.draft */
  tdm_llm_power *power; /* NULL: nobody knows what its GPUs draw */
  tdm_scaling_rule scaling;
  uint32_t decide[TDM_DECISIONS]; /* functions, TDM_NO_INDEX: none */
  double *shares;                 /* by tenant, config.tenant_count of them */
} tdm_replica_pool;

/* What talking to clients takes of the processes that do it, seconds. */
typedef struct {
  uint32_t workers; /* 0: nothing */
  double request_s, prompt_token_s, output_token_s;
} tdm_api_costs;

/* Tenants below TDM_TENANTS_TOLD have figures of their own, all others one row together. */
#define TDM_TENANTS_TOLD 32
#define TDM_TENANT_ROWS  (TDM_TENANTS_TOLD + 1)

static inline size_t tdm_tenant_row(uint32_t tenant) {
  return tenant < TDM_TENANTS_TOLD ? tenant : TDM_TENANTS_TOLD;
}

/* Those that requests come to stand first: whole or prefill pools, then decode pools. */
typedef struct {
  char *name;
  tdm_replica_pool *pools;
  size_t pool_count;
  tdm_dispatch_rule dispatch;
  /* Between prefill and decode replicas: a station, TDM_NO_INDEX without those. */
  uint32_t link_station;
  double link_rate; /* bytes/s of one transfer; 0: the station is served in bytes */
  double link_latency_s;
  double kv_token_bytes, kv_sequence_bytes; /* of a request, on all GPUs of a replica together */
  uint32_t restarts; /* times a request begins anew after failures; then it is dropped */
  tdm_api_costs api;
  double request_s; /* by which a request's tokens come later, whoever else is served */
  /* By tdm_model_finish: replicas of all pools and of those that requests come to; its pools among
   * those of all servers. */
  size_t count, entries, first_pool;
  /* By tdm_model_finish: the stages that it serves, and where their times are in a tally. */
  uint32_t *stages;
  size_t stage_count, first_times;
  size_t first_window; /* where the first TDM_LLM_WINDOW_TIMES of them are in windows of time */
  /* By tdm_model_finish: rows of figures by tenant, TDM_TENANT_ROWS or none; where their times are
   * and, behind those of its stages, the tokens they got. */
  size_t tenant_count, tenant_times, first_taker;
  bool by_tenant; /* a stage names tenants; else its classes are what `fair` is fair to */
} tdm_llm_server;

/* From the step of a token until its client has it. */
static inline int64_t tdm_llm_server_streamed_ns(const tdm_llm_server *server) {
  return tdm_round_ns((server->api.output_token_s + server->request_s) * 1e9);
}

/* What is measured of each stage that an LLM server serves, in this order. Times count from the
 * request's arrival at the stage. */
typedef enum {
  TDM_LLM_TTFT,  /* to the first token */
  TDM_LLM_TPOT,  /* a token after the first, mean of a request */
  TDM_LLM_ITL,   /* gap between tokens, each; of all stages of a server together: in the first's */
  TDM_LLM_E2E,   /* to the last token */
  TDM_LLM_QUEUE, /* until it was first scheduled */
  TDM_LLM_NORM,  /* to the last token, by the number of output tokens */
  TDM_LLM_TRANSFER, /* of its KV cache from a prefill to a decode replica, once that had blocks */
  TDM_LLM_TIMES
} tdm_llm_time;

#define TDM_LLM_WINDOW_TIMES 3 /* TTFT, TPOT, ITL: these are told by windows of time, too */

typedef struct {
  char *name;
  uint32_t class_index;
  tdm_lane lane;
  uint32_t station; /* index, or TDM_NO_INDEX: `role` on the request's GPU, or a pure delay */
  tdm_role role;    /* when station is TDM_NO_INDEX and group is not */
  uint32_t group;   /* group whose GPUs serve it, TDM_NO_INDEX: none */
  tdm_cost cost;
  bool moves_bytes; /* a transfer whose `bytes` can be told again for the trace */
  tdm_cost bytes;
  tdm_batch_rule batch;
  uint32_t server;               /* LLM server, TDM_NO_INDEX: none */
  uint32_t transfer;             /* stage of its KV cache's way, where the server has a link */
  bool hands_over;               /* it is that of another stage */
  uint32_t member;               /* among the server's stages; by tdm_model_finish */
  tdm_cost prompt, output;       /* tokens, where there is a server */
  tdm_cost prefix, prefix_group; /* leading prompt tokens that all requests of one group share */
  bool remembers;   /* prompts begin with what the request has asked and been answered so far */
  tdm_cost adapter; /* name of a LoRA adapter, 0: none */
  bool by_tenant;   /* requests are a tenant's; else each class is a tenant */
  tdm_cost tenant, max_output, predicted; /* 0: its output */
  bool keyed;                             /* affinity goes by `key`; else by prefix_group */
  tdm_cost key;
  uint32_t batcher; /* stages of one name on one station fill one batch: dense id */
  char *stream;     /* name of its random stream: "class/stage" or "class/stage#2" */
} tdm_stage;

typedef enum {
  TDM_OP_SERVE,    /* a: stage */
  TDM_OP_DELAY,    /* a: stage */
  TDM_OP_ROUTE,    /* a: group */
  TDM_OP_SEIZE,    /* a: memory or TDM_NO_INDEX (the GPU's), b: state slot, cost: bytes */
  TDM_OP_RELEASE,  /* a: memory or TDM_NO_INDEX, b: state slot of the seize */
  TDM_OP_BRANCH,   /* a: first choice, b: count; draws child `stream` */
  TDM_OP_JUMP,     /* a: target */
  TDM_OP_LOOP,     /* a: target when another round follows, b: state slot; again/times/max */
  TDM_OP_ENTER,    /* b: state slot of a loop to clear */
  TDM_OP_FORK,     /* a: first choice (targets), b: count */
  TDM_OP_JOIN,     /* end of a fork's branch */
  TDM_OP_PROCESS,  /* a: function */
  TDM_OP_GENERATE, /* a: stage, which has a server */
  TDM_OP_END
} tdm_opcode;

typedef struct {
  tdm_opcode code;
  uint32_t a, b;
  double again;    /* LOOP: probability of another round; < 0: `times` decides */
  uint32_t max;    /* LOOP: most rounds; FORK: where the parent goes on; SEIZE: its stage */
  tdm_cost cost;   /* SEIZE: bytes; LOOP: times */
  uint32_t stream; /* BRANCH, LOOP, SEIZE: child of the class's routing stream */
} tdm_op;

typedef struct {
  double cumulative; /* BRANCH: probability up to and with this choice */
  uint32_t target;   /* op index */
} tdm_choice;

typedef struct {
  uint32_t max;   /* attempts after the first; 0: none */
  double backoff; /* seconds before the first retry */
  double factor;  /* growth of each further one */
  double jitter;  /* 0…1: backoff × (1 ± jitter·u) */
} tdm_retry;

#define TDM_WINDOW_LIMITS 4

typedef struct {
  char *name;
  tdm_arrivals *arrivals;
  uint32_t priority; /* 0 … TDM_PRIORITIES-1 */
  tdm_cost *attrs; /* by attribute slot; evaluated at arrival unless the arrival process gives it */
  bool *attr_set;
  tdm_dist *patience; /* seconds in one queue; NULL: infinite */
  tdm_dist *timeout;  /* seconds since arrival; NULL: infinite */
  tdm_retry retry;
  int64_t slo_ns;           /* goodput threshold; INT64_MAX: none */
  int64_t ttft_ns, tpot_ns; /* further thresholds, of its LLM stages; INT64_MAX: none */
  double *slo_levels;       /* quantiles that objectives ask for, 0…1 */
  size_t slo_count;
  int64_t window_limits_ns[TDM_WINDOW_LIMITS]; /* that a share of each window has to keep */
  size_t window_limit_count;
  uint32_t entry; /* first op */
} tdm_class;

typedef struct {
  char *name;
  int64_t duration_ns; /* arrivals stop here; INT64_MAX: no bound */
  uint64_t requests;   /* … or after this many; UINT64_MAX: no bound */
  int64_t window_ns;   /* what is told by window: its length; 0: nothing is */
  char **attrs;        /* attribute names */
  size_t attr_count;
  char **params; /* GPU parameter names */
  size_t param_count;
  tdm_gpu *gpus;
  size_t gpu_count;
  tdm_station *stations;
  size_t station_count;
  tdm_link *links;
  size_t link_count;
  tdm_memory *memories;
  size_t memory_count;
  tdm_group *groups;
  size_t group_count;
  tdm_stage *stages;
  size_t stage_count;
  tdm_op *ops;
  size_t op_count;
  tdm_choice *choices;
  size_t choice_count;
  tdm_class *classes;
  size_t class_count;
  tdm_llm_server *servers;
  size_t server_count;
  size_t pool_count;     /* of all servers; by tdm_model_finish */
  size_t window_rows;    /* … and windows of time; by tdm_model_finish */
  size_t times_count;    /* kinds of times that a tally keeps; by tdm_model_finish */
  size_t taker_count;    /* stages and tenants of servers whose tokens it counts; likewise */
  size_t state_slots;    /* doubles a request carries: attributes, then loop counters and holds */
  uint32_t conversation; /* first slot of what a request has said and heard; TDM_NO_INDEX */
  size_t batcher_count;  /* by tdm_model_finish */
  double tick_s;         /* period of the tick hook, 0: none */
  size_t capacity[9];    /* of the growable arrays above, in order of declaration */
} tdm_model;

tdm_model *tdm_model_new(void); /* NULL: out of memory */
void tdm_model_free(tdm_model *model);

/* Whether requests of a class carry attribute `slot`; else it reads as 0. */
bool tdm_class_has_attribute(const tdm_class *class, uint32_t slot);

/* Append a zeroed item and return it, or NULL when out of memory. Pointers into the same array
 * become invalid. */
tdm_gpu *tdm_model_add_gpu(tdm_model *model);
tdm_station *tdm_model_add_station(tdm_model *model);
tdm_link *tdm_model_add_link(tdm_model *model);
tdm_memory *tdm_model_add_memory(tdm_model *model);
tdm_group *tdm_model_add_group(tdm_model *model);
tdm_stage *tdm_model_add_stage(tdm_model *model);
tdm_op *tdm_model_add_op(tdm_model *model, tdm_opcode code);
tdm_choice *tdm_model_add_choice(tdm_model *model);
tdm_llm_server *tdm_model_add_server(tdm_model *model);
/* Classes are fixed in number: their routes refer to them while being built. */
tdm_status tdm_model_set_classes(tdm_model *model, size_t count, tdm_error *error);

/* Checks references and ranges, numbers the batchers, names the stages' random streams. */
tdm_status tdm_model_finish(tdm_model *model, tdm_error *error);

/* Is it the station by which a GPU is counted whose group comes and goes? */
bool tdm_model_comes_and_goes(const tdm_model *model, size_t station);

#endif
