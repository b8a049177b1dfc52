/* Blocks of memory from events: which free ends which allocation, and what each place held over
 * time: its peak, its end. Owns its arrays; the events stay the caller's. Called by the answer. */
#ifndef TDM_ANALYSIS_MEMORY_BLOCKS_H
#define TDM_ANALYSIS_MEMORY_BLOCKS_H

#include "analysis/memory/events.h"

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
  tdm_memory_sum *sum; /* by place */
} tdm_memory_blocks;

/* Times that `view` does not look at count for what is held, and are not asked for peaks. */
tdm_status tdm_memory_blocks_open(tdm_run_view *view, const tdm_memory_events *events,
                                  tdm_memory_blocks *blocks, tdm_error *error);
void tdm_memory_blocks_close(tdm_memory_blocks *blocks);

/* Bytes that an event adds to what its place holds, for sources that do not say the total. */
int64_t tdm_memory_delta(const tdm_memory_blocks *blocks, uint32_t event);
/* What the place holds after an event that leads on from `live`. */
int64_t tdm_memory_live(const tdm_memory_blocks *blocks, uint32_t event, int64_t live);
/* Whether the event counts: calls of a place that do not say sizes give way to its counter. */
bool tdm_memory_counts(const tdm_memory_blocks *blocks, uint32_t event);
/* Whether an allocation lives right after an event of its place. */
bool tdm_memory_lives(const tdm_memory_blocks *blocks, uint32_t allocation, uint32_t after);

#endif
