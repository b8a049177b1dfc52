/* What a replication keeps of a request, of its timers, and of it when it has left.
 * Types alone: state.h holds them, and its functions work on them. */
#ifndef TDM_ENGINE_EVENTS_REQUEST_H
#define TDM_ENGINE_EVENTS_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#define TDM_VISIT_SHIFT 40 /* draws of a request's k-th round in a loop: ordinal + k·2^40 */

/* Where a request is, for those who must take it out early. */
typedef enum {
  TDM_AT_MOVE, /* between stations, or being served: leaves at its next step */
  TDM_AT_QUEUE,
  TDM_AT_BATCHER,
  TDM_AT_MEMORY
} tdm_request_at;

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
  uint8_t at; /* tdm_request_at */
  uint8_t priority;
} tdm_request;

#define TDM_PROCESS_HOLDS 4 /* memories one process may hold at once */

/* What only some requests need. */
typedef struct {
  uint32_t parent;  /* TDM_NO_INDEX: a whole request */
  uint32_t pending; /* branches not yet joined, sub-agents not yet done */
  uint32_t unit;    /* a sub-agent: its conversation + 1; 0: none */
  uint32_t begun;   /* turns whose sub-agents have begun */
  bool waits;       /* for those that are pending */
  uint32_t attempt;
  uint32_t patience, timeout, done; /* timers, TDM_NO_INDEX: none */
  uint32_t handle;                  /* coroutine, 0: none */
  uint32_t members;                 /* of the batch it leads; 1 otherwise */
  uint32_t chain;   /* interrupted batch: its second member, while `next` serves a queue */
  uint32_t serving; /* its position in the station's `serving` */
  uint32_t uses;    /* process: stations used so far */
  struct {
    uint32_t memory; /* + 1; 0: free slot */
    double bytes;
  } holds[TDM_PROCESS_HOLDS]; /* process: what it has seized and not released */
  double amount;              /* process: cost of the present use; share: work or bytes left */
  int64_t left_ns;            /* preempted or failed: service still due; -1: none */
  uint64_t speaker;           /* who goes on with the conversation before a fork; 0: no branch */
  bool late;                  /* an LLM stage has missed its objective: no goodput */
  uint32_t restarts, tenant;  /* of its present LLM stage */
  uint32_t replica, job;      /* who has it there, and its handle + 1; 0: none has */
  uint32_t routed;            /* where it was given its GPU: the op + 1, 0: nowhere; kept only */
  uint64_t routed_ordinal;    /* ... where requests restart */
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
  TDM_TIMER_FLEET,     /* group: its rule is looked at */
  TDM_TIMER_GPU_READY, /* GPU: it can serve */
  TDM_TIMER_TICK
} tdm_timer_kind;

typedef struct {
  uint32_t kind;
  bool live;
  uint32_t subject;
  uint32_t next_free;
} tdm_timer;

/* Requests in a queue, by their `next` and `prev`. */
typedef struct {
  uint32_t head, tail;
} tdm_list;

/* A completed request on its way into the tally: counted in blocks, which is faster than one by
 * one between events. */
typedef struct {
  int64_t latency_ns, arrival_ns;
  uint16_t class_index;
  uint8_t slice;
  bool late;
} tdm_departure;
#define TDM_DEPARTURES 256

#endif
