/* What is known of memory, as the files of this room share it: changes as one list in time, where
 * they come from, blocks, then the parts of the answer. */
#ifndef TDM_ANALYSIS_MEMORY_INSIDE_H
#define TDM_ANALYSIS_MEMORY_INSIDE_H

#include "analysis/answer.h"
#include "analysis/run_view/run_view.h"

/* Changes of memory, whatever tool told them: allocations, frees and counters as one list in time.
 *
 * Told by rows of category "memory" (PyTorch's profiler, its memory timelines and snapshots, Nsight
 * Systems), by calls of the CUDA API that tracers saw, or by counters alone (coalesced timelines).
 * Owns its list and its spaces; names stay the view's. Called by memory/blocks and the answer. */

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
  int64_t total, reserved; /* of its space after it, as the source says; TDM_NONE */
  uint32_t space;
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
} tdm_memory_space;

typedef struct {
  tdm_memory_event *event; /* in order of time, then as stored */
  size_t count, room;
  tdm_memory_space *space;
  size_t spaces, space_room;
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

/* What the files beside this one share to make events: rows of category "memory", API calls, and
 * counters each have their own. Called by events.c. */

/* The space that answers to these, made when it is new. UINT32_MAX: out of memory. */
uint32_t tdm_memory_space_of(tdm_memory_events *events, tdm_run_view *view, int64_t track,
                             int64_t number, bool host, bool by_process);

/* Appends an event; a zeroed `action` is an allocation. 0: out of memory. */
int tdm_memory_put(tdm_memory_events *events, const tdm_memory_event *event);

tdm_status tdm_memory_from_rows(tdm_run_view *view, tdm_memory_events *events, tdm_error *error);
tdm_status tdm_memory_from_calls(tdm_run_view *view, tdm_memory_events *events, tdm_error *error);
/* After the others: counters give the beginnings of their spaces, and are events where a space has
 * no others. */
tdm_status tdm_memory_from_counters(tdm_run_view *view, tdm_memory_events *events,
                                    tdm_error *error);

/* Blocks of memory from events: which free ends which allocation, and what each space held over
 * time: its peak, its end. Owns its arrays; the events stay the caller's. Called by the answer. */

#define TDM_MEMORY_NO_EVENT UINT32_MAX

typedef struct {
  bool any;       /* events of it */
  bool by_kind;   /* some blocks have a kind */
  bool in_window; /* peak_ns is a moment that the view looks at */
  int64_t base;   /* bytes that lived before the first event */
  int64_t listed; /* of blocks that the source lists as older than the trace */
  bool base_told; /* by the source; else: what was freed and not allocated in the run */
  int64_t before; /* held when the times that the view looks at begin */
  bool begun;     /* events came before that */
  int64_t end;    /* held when they end */
  int64_t peak, peak_ns;
  uint32_t peak_event; /* the last one that counts for the peak; TDM_MEMORY_NO_EVENT: none */
  int64_t reserved_peak, reserved_at_peak, reserved_end;             /* TDM_NONE: not said */
  int64_t allocated;                                                 /* bytes of all allocations */
  uint64_t allocations, frees, frees_of_before, unfreed_reuse, ooms; /* within the window */
} tdm_memory_sum;

typedef struct {
  tdm_run_view *view;
  const tdm_memory_events *events;
  uint32_t *ends;      /* by allocation: the event that ends it */
  uint32_t *frees;     /* by event: the allocation that it ends */
  int64_t *since_ns;   /* by allocation: when its block began, whatever kind it was then */
  bool *before;        /* by allocation: the block was there before the trace */
  tdm_memory_sum *sum; /* by space */
} tdm_memory_blocks;

/* Times that `view` does not look at count for what is held, and are not asked for peaks. */
tdm_status tdm_memory_blocks_open(tdm_run_view *view, const tdm_memory_events *events,
                                  tdm_memory_blocks *blocks, tdm_error *error);
void tdm_memory_blocks_close(tdm_memory_blocks *blocks);

/* Bytes that an event adds to what its space holds, for sources that do not say the total. */
int64_t tdm_memory_delta(const tdm_memory_blocks *blocks, uint32_t event);
/* What the space holds after an event that leads on from `live`. */
int64_t tdm_memory_live(const tdm_memory_blocks *blocks, uint32_t event, int64_t live);
/* Whether the event counts: calls of a space that do not say sizes give way to its counter. */
bool tdm_memory_counts(const tdm_memory_blocks *blocks, uint32_t event);
/* Whether an allocation lives right after an event of its space. */
bool tdm_memory_lives(const tdm_memory_blocks *blocks, uint32_t allocation, uint32_t after);

/* Which blocks were held: at the peak, or never freed; alike ones as one row. Called by memory.c.
 */

/* A row for each space, category, owner, stack and size, the largest first; `top` of each space, 0:
 * all. Shares are of the space's peak. What is not of the blocks is a row of its own. */
tdm_status tdm_memory_put_alive(const tdm_memory_blocks *blocks, size_t top, tdm_answer *out,
                                tdm_error *error);
/* Allocated in the window and not freed by the end of the run; shares are of all such bytes of the
 * space. */
tdm_status tdm_memory_put_leaks(const tdm_memory_blocks *blocks, size_t top, tdm_answer *out,
                                tdm_error *error);

/* Bytes and blocks of a space that `put_leaks` tells. */
int64_t tdm_memory_leaked(const tdm_memory_blocks *blocks, uint32_t space, int64_t *count);

/* A category as people read it: counters of timelines are named "memory: parameter". */
const char *tdm_memory_category(tdm_run_view *view, int64_t kind);

/* What the caching allocator reserved of a device against what was in use: fragmentation. Called by
 * memory.c. A row for each space's peak and end where reserved bytes are known, and for each device
 * of a memory snapshot, whose segments say how the free bytes lie. *segments: there was such a one.
 */
tdm_status tdm_memory_put_reserved(const tdm_memory_blocks *blocks, bool *segments, tdm_answer *out,
                                   tdm_error *error);

/* What each space held over time, by category. Called by memory.c. `bins` equal parts of the view's
 * time. A part shows the moment in which the space held the most, so that the highest one is the
 * peak. Categories; owners where blocks have none. The largest are told apart, the others are one.
 */
tdm_status tdm_memory_put_timeline(const tdm_memory_blocks *blocks, size_t bins, tdm_answer *out,
                                   tdm_error *error);

#endif
