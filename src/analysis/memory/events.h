/* Changes of memory, whatever tool told them: allocations, frees and counters as one list in time.
 *
 * Told by rows of category "memory" (PyTorch's profiler, its memory timelines and snapshots, Nsight
 * Systems), by calls of the CUDA API that tracers saw, or by counters alone (coalesced timelines).
 * Owns its list and its places; names stay the view's. Called by memory/blocks and the answer. */
#ifndef TDM_ANALYSIS_MEMORY_EVENTS_H
#define TDM_ANALYSIS_MEMORY_EVENTS_H

#include "analysis/run_view.h"

typedef enum {
  TDM_MEMORY_ALLOC,   /* a block begins; `bytes` is its size */
  TDM_MEMORY_FREE,    /* it ends; `bytes` is its size or 0 when the source does not say */
  TDM_MEMORY_COUNTER, /* no blocks are known: `bytes` more or less of a kind */
  TDM_MEMORY_RESERVE, /* the allocator's segments grow or shrink by `bytes` */
  TDM_MEMORY_OOM      /* an allocation of `bytes` failed */
} tdm_memory_action;

enum {
  TDM_MEMORY_BEFORE = 1, /* allocated before the trace */
  TDM_MEMORY_MOVES = 2   /* a block of another kind from now on: freed and allocated again */
};

typedef struct {
  int64_t time_ns, bytes;
  int64_t address;     /* TDM_NONE: not said; blocks of equal size and kind stand for one another */
  int64_t kind, owner; /* name ids or TDM_NONE: category; operator, call, frame or variable */
  int64_t stack;       /* name id or TDM_NONE */
  int64_t total, reserved; /* of its place after it, as the source says; TDM_NONE */
  uint32_t place;
  uint8_t action, flags;
} tdm_memory_event;

/* A device, or the host, of one source. */
typedef struct {
  uint32_t source;
  int64_t number, pid; /* TDM_NONE: not said */
  int64_t rank;
  bool host;                   /* memory of the CPU */
  bool sized;                  /* false: some allocations did not say their bytes */
  bool addressed;              /* every block has an address */
  bool counted;                /* counters alone */
  int64_t base, reserved_base; /* bytes that lived before the first event; TDM_NONE: not said */
  char name[96];
} tdm_memory_place;

typedef struct {
  tdm_memory_event *event; /* in order of time, then as stored */
  size_t count, room;
  tdm_memory_place *place;
  size_t places, place_room;
  int64_t first_ns; /* of the run */
  uint64_t unsized; /* calls that allocate and do not say how much */
  uint64_t failed;  /* calls that returned an error */
} tdm_memory_events;

/* Sums and differences stay within 64 bits: only files that lie reach their ends. */
static inline int64_t tdm_memory_add(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? INT64_MIN + 1 : INT64_MAX;
}
static inline int64_t tdm_memory_less(int64_t a, int64_t b) {
  int64_t rest;
  if (!__builtin_sub_overflow(a, b, &rest)) return rest;
  return b > 0 ? INT64_MIN + 1 : INT64_MAX;
}

/* All that the view's tracks and its device leave, at all times. */
tdm_status tdm_memory_events_load(tdm_run_view *view, tdm_memory_events *events, tdm_error *error);
void tdm_memory_events_close(tdm_memory_events *events);

#endif
