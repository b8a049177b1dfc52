/* A worker's inside, shared by the files of this room. A worker is one Lua state that runs the
 * user's functions for one replication after another, on one thread at a time. */
#ifndef TDM_BIND_WORKER_INSIDE_H
#define TDM_BIND_WORKER_INSIDE_H

#include <lua.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bind/worker/worker.h"

/* Fixed positions on the state's own stack; after them the names of a request's fields, then each
 * function and its request table. What lies there is pushed without a table look-up. */
enum {
  TDM_AT_HANDLER = 1, /* message handler of every call */
  TDM_AT_FUNCTIONS,   /* list of the functions; longer than the shipment's once a process draws
                         from td.sample */
  TDM_AT_NUMBERS,     /* function → number, for those */
  TDM_AT_CLASSES,     /* class names */
  TDM_AT_STAGES,      /* stage names */
  TDM_AT_GPUS,        /* GPU tables, made when first asked for */
  TDM_AT_SUMS,        /* by function: the table r.sum */
  TDM_AT_FIELDS,      /* field name → code */
  TDM_AT_ROUTERS,     /* by function: { elements, list } */
  TDM_AT_THREADS,     /* coroutines: processes by handle; arrival processes by -function */
  TDM_AT_PROCESS,     /* the object p */
  TDM_AT_KNOWN,       /* what the entries of `known` stand for, so that it lives on */
  TDM_AT_DISTS,       /* description of a distribution → its light userdata */
  TDM_AT_SECONDS,     /* what a process gave as an amount → number or light userdata */
  TDM_AT_BYTES,       /* the same on links and for memory */
  TDM_AT_RECORDED,    /* name → position in `series` */
  TDM_AT_KEYS,        /* field names by code */
  TDM_AT_STEP,        /* the batch that functions of steps see */
  TDM_AT_END
};

/* Inside a C function that Lua called, stack indices are that function's own: there the same
 * tables are reached by this. [-0, +1, -] */
void tdm_worker_push_fixed(lua_State *L, int key);
/* Makes them reachable so, from the frame that holds them at their positions. */
void tdm_worker_set_fixed(lua_State *L);

/* Fields of a request: attributes by slot, then these. */
typedef enum {
  TDM_FIELD_ID,
  TDM_FIELD_TIME,
  TDM_FIELD_NOW, /* the same; both words are understood */
  TDM_FIELD_ARRIVAL,
  TDM_FIELD_WAITED,
  TDM_FIELD_CLASS,
  TDM_FIELD_STAGE,
  TDM_FIELD_GPU,
  TDM_FIELD_BATCH,
  TDM_FIELD_SUM,
  TDM_FIELD_OUTCOME,
  TDM_FIELDS
} tdm_field;

extern const char *const tdm_view_fields[TDM_FIELDS]; /* their names */

#define TDM_LENS_FIELDS 24

/* A request table and the fields its function is known to read: those are filled before each call,
 * the rest is answered by __index. A table belongs to one function, so that no stale field of
 * another function's call is ever seen. */
typedef struct {
  tdm_worker *worker;
  bool sums;     /* this is an r.sum */
  bool prefetch; /* false: every read is a miss, and every assignment is caught */
  bool taken;    /* the function has a parameter for it */
  uint32_t function;
  uint32_t count;
  uint32_t codes[TDM_LENS_FIELDS];
} tdm_lens;

typedef struct {
  lua_State *thread;
  uint32_t function;
  uint32_t next_free; /* handle, 0: none */
  bool fresh;         /* not started: the next resume hands it its function */
} tdm_coroutine;

/* What a process wrote, by the address of the Lua object, which is kept alive: found without a
 * table look-up. One array for each meaning that a word may have. */
typedef enum {
  TDM_KNOWN_STATION,
  TDM_KNOWN_MEMORY,
  TDM_KNOWN_SECONDS,
  TDM_KNOWN_BYTES,
  TDM_KNOWN_MEANINGS
} tdm_known_meaning;

enum { TDM_KNOWN_ENTRIES = 64 };

typedef struct {
  const void *object;
  const tdm_dist *dist; /* SECONDS, BYTES; NULL: the number */
  union {
    double amount;
    lua_Integer subject; /* STATION, MEMORY */
  };
} tdm_known;

typedef struct {
  char *name;
  double *values;
  size_t kept, capacity;
  uint64_t count;
  double sum, min, max;
} tdm_recorded_series;

struct tdm_worker {
  /* What every call touches. */
  lua_State *L;
  tdm_view *view;        /* of the call that runs; NULL: none */
  uint64_t instructions; /* of the present call, counted in steps */
  uint32_t called;       /* its function */
  bool limited;          /* inside a protected call: the memory limit may raise */
  int first_function;    /* stack index: function n is at + 2n, its request table at + 2n + 1 */
  tdm_lens *lenses;      /* by function */
  lua_State *running;    /* thread of the process that runs; NULL: none */
  bool acted;            /* the process said what it wants */
  tdm_action action;
  tdm_error failure; /* first failure of a call that cannot return one (distributions) */

  const tdm_shipment *shipment;
  const tdm_model *model;
  tdm_bind_functions functions;
  tdm_worker_options options;
  tdm_hooks hooks;
  tdm_script script;
  uint32_t replication;
  uint64_t seed;

  uint32_t function_count; /* of the shipment */
  uint32_t all_functions;  /* with those that processes added */
  int first_key;           /* stack index: the name of field code c is at + c */
  uint32_t attr_count;
  tdm_lens *sum_lenses; /* by function */
  tdm_lens process_lens;
  int first_router_key;
  int first_step_key;
  uint64_t *draws; /* by function: distributions that its cost returned so far */

  tdm_coroutine *coroutines; /* handle - 1 */
  size_t coroutine_count, coroutine_capacity;
  uint32_t *pool; /* by function: first free handle */
  tdm_known known[TDM_KNOWN_MEANINGS][TDM_KNOWN_ENTRIES];

  tdm_dist **dists; /* made from amounts; used at once, kept for when they come again */
  size_t dist_count, dist_capacity;

  tdm_recorded_series *series;
  size_t series_count, series_capacity;

  size_t memory_used;

  lua_State *volatile inner; /* the coroutine that runs in the present call; NULL: none */
  volatile bool interrupted; /* a call was stopped from outside */
  volatile bool overrun;     /* … because it did not end */
  _Atomic uint32_t calls;    /* begun so far: somebody else looks whether one does not end */
  uint32_t seen_calls;       /* by who looks, */
  double seen_s;             /* when its thread had taken so long */
  pthread_t thread;          /* that runs it, while it is taken from the pool */
  tdm_worker *next_busy;
};

/* ---- hooks.c, worker.c */

/* Fills `out` with "file:line: message" of the user's code: the frames of `from`, which failed with
 * `text`, tell the line where the text does not; failing that, the called function's own. */
void tdm_worker_describe(lua_State *from, const char *text, char *out, size_t size);

/* Fills w->hooks and w->script. */
void tdm_worker_bind_hooks(tdm_worker *w);

/* What a failed call means: TDM_HOOK, or TDM_INTERRUPTED when it was stopped from outside. */
static inline tdm_status tdm_worker_verdict(const tdm_worker *w) {
  return w->interrupted ? TDM_INTERRUPTED : TDM_HOOK;
}
/* Pops the message that a failed call left on w->L, as a status. */
tdm_status tdm_worker_failed(tdm_worker *w, tdm_error *error);
/* TDM_HOOK about what a function returned: "FILE:LINE: " of its definition, then the text. */
tdm_status tdm_worker_complain(tdm_worker *w, uint32_t function, tdm_error *error,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Back to what counts instructions, or to no hook at all. */
void tdm_worker_reset_hook(tdm_worker *w);
/* Around each call of user code: the view it sees, and the limits it is held to. */
static inline void tdm_worker_enter(tdm_worker *w, uint32_t function, tdm_view *view) {
  w->called = function;
  w->view = view;
  w->limited = true;
  w->instructions = 0;
  atomic_store_explicit(&w->calls, atomic_load_explicit(&w->calls, memory_order_relaxed) + 1,
                        memory_order_relaxed);
}
static inline void tdm_worker_leave(tdm_worker *w) {
  w->view = NULL;
  w->limited = false;
}
/* The worker of a state, or of a coroutine in it. */
static inline tdm_worker *tdm_worker_of(lua_State *L) {
  return *(tdm_worker **)lua_getextraspace(L);
}

/* Pushes the module tandem.worker's function `name`. May raise. */
void tdm_worker_push_helper(lua_State *L, const char *name);

/* Value at `index` as seconds (bytes): a number, a unit string or a distribution. Returns true with
 * *number, or false with *dist, which the worker owns. May raise. */
bool tdm_worker_amount(lua_State *L, int index, bool bytes, double *number, const tdm_dist **dist);

/* ---- view.c */

/* Sets up names, request tables and lenses; pushes them at their positions. May raise. */
void tdm_view_open(lua_State *L, tdm_worker *w);
/* Fills the prefetched fields of the table at `index`. */
void tdm_view_fill(tdm_worker *w, const tdm_lens *lens, int index);
/* Pushes the __index, __newindex metatable of a lens. May raise. */
void tdm_view_push_metatable(lua_State *L, tdm_lens *lens);
/* Raises "unknown field" with the nearest of the names in the table at `names`. */
int tdm_view_unknown(lua_State *L, int names, const char *what, const char *word);

/* ---- step.c */

/* Fills the table of the batch and pushes its keys at their positions. May raise. */
void tdm_step_open(lua_State *L, tdm_worker *w);
tdm_status tdm_step_ask(void *context, uint32_t function, const tdm_llm_batch *batch,
                        double *seconds, tdm_error *error);

/* ---- process.c */

void tdm_process_open(lua_State *L, tdm_worker *w); /* may raise */
tdm_status tdm_process_resume(void *context, uint32_t function, tdm_view *view, uint32_t *handle,
                              tdm_action *action, tdm_error *error);
void tdm_process_forget(void *context, uint32_t handle);
/* Resumes an arrival process; on success and *more its gap is on the stack of w->L. */
tdm_status tdm_process_gap(tdm_worker *w, uint32_t function, bool *more, tdm_error *error);
/* Drops all coroutines of the last replication. */
void tdm_process_clear(tdm_worker *w);
/* Forgets what words meant: distributions are about to be freed. */
void tdm_process_unlearn(tdm_worker *w);

/* ---- decide.c */

tdm_status tdm_worker_decide(void *context, uint32_t function, const tdm_decision_view *view,
                             double *answer, tdm_error *error);
tdm_status tdm_worker_scale(void *context, uint32_t function, const tdm_scaling_view *view,
                            double *wanted, tdm_error *error); /* the hook */

/* ---- record.c */

int tdm_record_value(lua_State *L); /* td.record */
void tdm_record_clear(tdm_worker *w);

#endif
