/* What the engine may ask of a user's script, without knowing Lua.
 *
 * The binding fills one tdm_hooks per Lua state. A member that is NULL is never asked, and an
 * absent hook costs nothing: the engine looks once per run. Functions are numbered by the model.
 * Each returns TDM_OK, or TDM_HOOK with the user's line in *error, which stops the run. */
#ifndef TDM_ENGINE_HOOKS_H
#define TDM_ENGINE_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dist/dist.h"
#include "base/error.h"
#include "base/script.h"
#include "engine/serving/serving.h"
#include "model/llm/llm.h"

typedef enum {
  TDM_HOOK_ARRIVAL,
  TDM_HOOK_START,
  TDM_HOOK_COMPLETE,
  TDM_HOOK_DROP,
  TDM_HOOK_TICK,
  TDM_HOOK_EVENTS
} tdm_hook_event;

/* A request as a script sees it; valid during the call. Most calls read little of it, so the engine
 * may hand over one that is still empty: who reads a field calls tdm_view_look before. */
typedef struct tdm_view {
  void (*look)(struct tdm_view *view); /* fills the rest from `engine` and `request`; NULL: done */
  void *engine;
  int64_t now_ns, arrival_ns;
  int64_t wait_ns;  /* START: just waited; 0 elsewhere */
  uint64_t ordinal; /* within its class */
  uint32_t class_index;
  uint32_t stage;       /* TDM_NO_INDEX outside a stage */
  uint32_t gpu;         /* TDM_NO_INDEX before routing */
  uint32_t request;     /* slot: tells live requests apart */
  double batch;         /* members, 1 when not batched */
  const double *attrs;  /* by slot; in a batch (events/batch.c) the members' largest */
  const double *sums;   /* by slot, or NULL when not batched */
  const double *params; /* of the GPU, or NULL */
  const char *outcome;  /* DROP: "dropped", "refused", "abandoned", "timed out" */
} tdm_view;

static inline void tdm_view_look(tdm_view *view) {
  if (view->look != NULL) view->look(view);
}

/* One GPU of a group, or one replica of an LLM server, as a router sees it. */
typedef struct {
  uint32_t gpu;              /* TDM_NO_INDEX: a replica */
  uint32_t station;          /* of a replica */
  uint32_t outstanding;      /* routed here and not finished */
  uint32_t waiting, running; /* at its GPU station */
  bool down;
  double kv;      /* replica: share of its KV blocks in use */
  int64_t cached; /* replica: leading prompt tokens of the request in its prefix cache */
} tdm_candidate;

/* An LLM server as a scaling rule sees it. */
typedef struct {
  int64_t now_ns;
  const char *server;
  uint32_t replicas, starting, down, draining; /* replicas: those that take requests */
  uint32_t least, most;
  double outstanding, waiting; /* requests, those that no replica takes among them */
  double kv, utilization;      /* mean of the replicas: share of blocks, of time since the last */
} tdm_scaling_view;

/* A replica of an LLM server asks what to do. */
typedef struct {
  tdm_decision decision;
  const tdm_serving_view *requests; /* one, or to preempt: those that run */
  const uint32_t *classes;          /* of each */
  size_t count;
  const tdm_serving_situation *now;
  int64_t left; /* CHUNK: tokens of the step */
} tdm_decision_view;

typedef enum {
  TDM_ACT_USE,     /* station, seconds (bytes on a link): queue, hold, leave */
  TDM_ACT_HOLD,    /* seconds */
  TDM_ACT_SEIZE,   /* memory, amount */
  TDM_ACT_RELEASE, /* memory, amount */
  TDM_ACT_DONE
} tdm_act;

typedef struct {
  tdm_act act;
  uint32_t subject; /* station or memory */
  double amount;    /* seconds or bytes; ignored when dist is given */
  const tdm_dist *dist;
} tdm_action;

typedef struct {
  void *context;
  const tdm_script *script;
  uint32_t events; /* bit per tdm_hook_event: which are wanted */
  tdm_status (*event)(void *context, tdm_hook_event event, tdm_view *view, tdm_error *error);
  tdm_status (*admit)(void *context, tdm_view *view, bool *yes, tdm_error *error);
  tdm_status (*cost)(void *context, uint32_t function, tdm_view *view, double *amount,
                     tdm_error *error);
  tdm_status (*choose)(void *context, uint32_t function, tdm_view *view,
                       const tdm_candidate *candidates, size_t count, uint32_t *index,
                       tdm_error *error);
  tdm_status (*scale)(void *context, uint32_t function, const tdm_scaling_view *view,
                      double *wanted, tdm_error *error);
  /* ORDER: a key; ADMIT: tokens to have room for, −1: not now; PREEMPT: an index; CHUNK: tokens. */
  tdm_status (*decide)(void *context, uint32_t function, const tdm_decision_view *view,
                       double *answer, tdm_error *error);
  /* Next gap of an arrival process; *more = false ends it. */
  tdm_status (*gap)(void *context, uint32_t function, bool coroutine, uint64_t n, double t_s,
                    double *gap_s, bool *more, tdm_error *error);
  /* How long a step of an LLM server takes. */
  tdm_status (*step)(void *context, uint32_t function, const tdm_llm_batch *batch, double *seconds,
                     tdm_error *error);
  /* Runs a request's coroutine to its next action. *handle is 0 before the first call and after
   * TDM_ACT_DONE; the binding pools what it stands for. */
  tdm_status (*resume)(void *context, uint32_t function, tdm_view *view, uint32_t *handle,
                       tdm_action *action, tdm_error *error);
  /* A request ended early: forget its coroutine. */
  void (*forget)(void *context, uint32_t handle);
} tdm_hooks;

#endif
