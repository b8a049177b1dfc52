/* Blocks of memory from events: which free ends which allocation, and what each space held over
 * time: its peak, its end; see inside.h. Two passes: blocks are matched, then the bytes are added
 * up. */
#include "analysis/memory/inside.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/groups.h"
#include "base/memory.h"

enum { KEYS = 4 };

typedef struct {
  tdm_memory_blocks *blocks;
  tdm_groups groups; /* of blocks that stand for one another: one address, or one kind and size */
  uint32_t *top;     /* by group: its youngest living block; TDM_MEMORY_NO_EVENT */
  uint32_t *below;   /* by allocation: the one that was the youngest before */
  uint32_t *moved;   /* by space: the block that takes another kind */
} matching;

void tdm_memory_blocks_close(tdm_memory_blocks *blocks) {
  free(blocks->ends);
  free(blocks->frees);
  free(blocks->since_ns);
  free(blocks->before);
  free(blocks->sum);
  *blocks = (tdm_memory_blocks){0};
}

bool tdm_memory_counts(const tdm_memory_blocks *blocks, uint32_t event) {
  const tdm_memory_event *e = &blocks->events->event[event];
  return e->action > TDM_MEMORY_FREE || blocks->events->space[e->space].sized;
}

bool tdm_memory_lives(const tdm_memory_blocks *blocks, uint32_t allocation, uint32_t after) {
  return allocation <= after &&
         (blocks->ends[allocation] == TDM_MEMORY_NO_EVENT || blocks->ends[allocation] > after);
}

/* ---- blocks ---- */

static uint32_t group_of(matching *m, const tdm_memory_event *event) {
  const tdm_memory_space *space = &m->blocks->events->space[event->space];
  int64_t key[KEYS] = {event->space, space->addressed, event->address, 0};
  if (!space->addressed) {
    key[2] = event->kind;
    key[3] = event->bytes;
  }
  return tdm_groups_add(&m->groups, key);
}

static void begin(matching *m, uint32_t i, uint32_t group) {
  tdm_memory_blocks *b = m->blocks;
  const tdm_memory_event *event = &b->events->event[i];
  uint32_t old = m->top[group], moved = m->moved[event->space];
  if (old != TDM_MEMORY_NO_EVENT && b->events->space[event->space].addressed) {
    b->ends[old] = i; /* its end was not seen, and its address is another block's now */
    b->frees[i] = old;
    old = TDM_MEMORY_NO_EVENT;
  }
  m->below[i] = old;
  m->top[group] = i;
  b->since_ns[i] = event->time_ns;
  b->before[i] = (event->flags & TDM_MEMORY_BEFORE) != 0;
  if ((event->flags & TDM_MEMORY_MOVES) && moved != TDM_MEMORY_NO_EVENT) {
    b->since_ns[i] = b->since_ns[moved];
    b->before[i] = b->before[moved];
  }
  m->moved[event->space] = TDM_MEMORY_NO_EVENT;
}

static void end(matching *m, uint32_t i, uint32_t group) {
  tdm_memory_blocks *b = m->blocks;
  const tdm_memory_event *event = &b->events->event[i];
  uint32_t block = m->top[group];
  if (event->flags & TDM_MEMORY_MOVES) m->moved[event->space] = block;
  if (block == TDM_MEMORY_NO_EVENT) return;
  b->ends[block] = i;
  b->frees[i] = block;
  m->top[group] = m->below[block];
}

static tdm_status match(matching *m, tdm_error *error) {
  const tdm_memory_events *events = m->blocks->events;
  tdm_status status = tdm_groups_open(&m->groups, KEYS, events->count, error);
  for (uint32_t i = 0; status == TDM_OK && i < events->count; i++) {
    const tdm_memory_event *event = &events->event[i];
    uint32_t group = group_of(m, event); /* one for each row: groups number rows themselves */
    if (group == UINT32_MAX)
      status = tdm_error_memory(error, "blocks of memory", 0);
    else if (event->action == TDM_MEMORY_ALLOC)
      begin(m, i, group);
    else if (event->action == TDM_MEMORY_FREE)
      end(m, i, group);
  }
  return status;
}

/* ---- bytes ---- */

int64_t tdm_memory_delta(const tdm_memory_blocks *blocks, uint32_t event) {
  const tdm_memory_event *e = &blocks->events->event[event];
  uint32_t ended = blocks->frees[event];
  if (!tdm_memory_counts(blocks, event)) return 0;
  int64_t delta = e->action == TDM_MEMORY_ALLOC || e->action == TDM_MEMORY_COUNTER ? e->bytes : 0;
  if (ended != TDM_MEMORY_NO_EVENT)
    delta = tdm_memory_less(delta, blocks->events->event[ended].bytes);
  else if (e->action == TDM_MEMORY_FREE)
    delta = tdm_memory_less(delta, e->bytes);
  return delta;
}

int64_t tdm_memory_live(const tdm_memory_blocks *blocks, uint32_t event, int64_t live) {
  int64_t told = blocks->events->event[event].total;
  if (told != TDM_NONE) return told;
  return tdm_memory_add(live, tdm_memory_delta(blocks, event));
}

/* What was there before: told by the source, or at least what is freed without an allocation. */
static void find_bases(tdm_memory_blocks *b, int64_t *low) {
  const tdm_memory_events *events = b->events;
  int64_t *live = low + events->spaces;
  for (uint32_t i = 0; i < events->count; i++) {
    const tdm_memory_event *e = &events->event[i];
    tdm_memory_sum *sum = &b->sum[e->space];
    if (!sum->any) {
      sum->base = events->space[e->space].base;
      if (e->total != TDM_NONE)
        sum->base = e->action == TDM_MEMORY_FREE ? tdm_memory_add(e->total, e->bytes)
                                                 : tdm_memory_less(e->total, e->bytes);
      sum->base_told = sum->base != TDM_NONE;
    }
    sum->any = true;
    if (e->action == TDM_MEMORY_ALLOC && (e->flags & TDM_MEMORY_BEFORE)) {
      sum->listed = tdm_memory_add(sum->listed, e->bytes);
      sum->base_told = true;
    }
    if (e->action == TDM_MEMORY_ALLOC && e->kind != TDM_NONE) sum->by_kind = true;
    live[e->space] = tdm_memory_add(live[e->space], tdm_memory_delta(b, i));
    if (live[e->space] < low[e->space]) low[e->space] = live[e->space];
  }
  for (size_t p = 0; p < events->spaces; p++)
    if (b->sum[p].base == TDM_NONE) b->sum[p].base = -low[p];
}

typedef struct {
  int64_t live, reserved, time_ns;
  uint32_t last;       /* event */
  size_t window;       /* the first whose beginning was not judged */
  int64_t listed;      /* of blocks older than the trace whose rows have come */
  bool opened, closed; /* the times looked at have begun, have ended */
} standing;

/* From the first moment that the view looks at to the last. */
static void look_at(const tdm_run_view *view, int64_t *from_ns, int64_t *to_ns) {
  const tdm_intervals *times = tdm_run_view_times(view);
  bool cut = tdm_run_view_narrowed(view) && times->count > 0;
  *from_ns = cut ? times->start_ns[0] : INT64_MIN;
  *to_ns = cut ? times->end_ns[times->count - 1] : INT64_MAX;
}

/* Blocks older than the trace were there before, wherever the source lists them. */
static void open_times(tdm_memory_sum *sum, standing *at) {
  if (at->opened) return;
  at->opened = true;
  sum->before = tdm_memory_add(at->live, tdm_memory_less(sum->listed, at->listed));
  sum->begun = at->last != TDM_MEMORY_NO_EVENT;
}

static void close_times(tdm_memory_sum *sum, standing *at) {
  if (at->closed) return;
  at->closed = true;
  sum->end = at->live;
  sum->reserved_end = at->reserved;
}

/* A moment's last word: is it the peak? */
static void judge(tdm_memory_blocks *b, uint32_t space, const standing *now, int64_t time_ns) {
  tdm_memory_sum *sum = &b->sum[space];
  if (!tdm_run_view_looks_at(b->view, time_ns)) return;
  if (now->reserved != TDM_NONE && now->reserved > sum->reserved_peak)
    sum->reserved_peak = now->reserved;
  if (sum->in_window && now->live <= sum->peak) return;
  sum->in_window = true;
  sum->peak = now->live;
  sum->peak_ns = time_ns;
  sum->peak_event = now->last;
  sum->reserved_at_peak = now->reserved;
}

static void count(tdm_memory_blocks *b, uint32_t i) {
  const tdm_memory_event *e = &b->events->event[i];
  tdm_memory_sum *sum = &b->sum[e->space];
  if (!tdm_run_view_looks_at(b->view, e->time_ns)) return;
  bool plain = (e->flags & (TDM_MEMORY_BEFORE | TDM_MEMORY_MOVES)) == 0;
  if (e->action == TDM_MEMORY_ALLOC && plain) {
    sum->allocations++;
    sum->allocated = tdm_memory_add(sum->allocated, e->bytes);
    if (b->frees[i] != TDM_MEMORY_NO_EVENT) sum->unfreed_reuse++;
  } else if (e->action == TDM_MEMORY_FREE && plain) {
    sum->frees++;
    if (b->frees[i] == TDM_MEMORY_NO_EVENT) sum->frees_of_before++;
  } else if (e->action == TDM_MEMORY_OOM) {
    sum->ooms++;
  }
}

static void apply(const tdm_memory_blocks *b, uint32_t i, standing *now) {
  const tdm_memory_event *e = &b->events->event[i];
  now->live = tdm_memory_live(b, i, now->live);
  if (e->reserved != TDM_NONE) now->reserved = e->reserved;
  if (e->action == TDM_MEMORY_RESERVE)
    now->reserved = tdm_memory_add(now->reserved == TDM_NONE ? 0 : now->reserved, e->bytes);
  if (e->action == TDM_MEMORY_ALLOC && (e->flags & TDM_MEMORY_BEFORE))
    now->listed = tdm_memory_add(now->listed, e->bytes);
  now->time_ns = e->time_ns;
  now->last = i;
}

/* What windows begin with that begin behind the last event and before a time. */
static void judge_windows(tdm_memory_blocks *b, uint32_t space, standing *at, int64_t until_ns) {
  const tdm_intervals *times = tdm_run_view_times(b->view);
  for (; at->window < times->count; at->window++) {
    int64_t from_ns = times->start_ns[at->window];
    if (from_ns >= until_ns) return;
    if (at->time_ns < from_ns) judge(b, space, at, from_ns);
  }
}

/* Events of one moment count together: what is shown at a time is what holds after it. Where the
 * source says the total after each event, each is judged. */
static void add_up(tdm_memory_blocks *b, standing *now) {
  const tdm_memory_events *events = b->events;
  int64_t from_ns, to_ns;
  look_at(b->view, &from_ns, &to_ns);
  for (uint32_t i = 0; i < events->count; i++) {
    const tdm_memory_event *e = &events->event[i];
    standing *at = &now[e->space];
    if (e->time_ns >= from_ns) open_times(&b->sum[e->space], at);
    if (e->time_ns > to_ns) close_times(&b->sum[e->space], at);
    if (at->last != TDM_MEMORY_NO_EVENT && e->time_ns != at->time_ns)
      judge(b, e->space, at, at->time_ns);
    judge_windows(b, e->space, at, e->time_ns);
    apply(b, i, at);
    if (e->total != TDM_NONE) judge(b, e->space, at, e->time_ns);
    count(b, i);
  }
  for (uint32_t p = 0; p < events->spaces; p++) {
    if (!b->sum[p].any) continue;
    judge(b, p, &now[p], now[p].time_ns);
    judge_windows(b, p, &now[p], INT64_MAX);
    open_times(&b->sum[p], &now[p]);
    close_times(&b->sum[p], &now[p]);
  }
}

static tdm_status sum_up(tdm_memory_blocks *b, tdm_error *error) {
  size_t spaces = b->events->spaces;
  int64_t *low = tdm_array_new(2 * spaces + 1, sizeof *low);
  standing *now = tdm_array_new(spaces + 1, sizeof *now);
  if (low != NULL && now != NULL) {
    find_bases(b, low);
    for (size_t p = 0; p < spaces; p++) {
      now[p] = (standing){.live = b->sum[p].base,
                          .reserved = b->events->space[p].reserved_base,
                          .time_ns = INT64_MIN,
                          .last = TDM_MEMORY_NO_EVENT};
      b->sum[p].peak_event = TDM_MEMORY_NO_EVENT;
      b->sum[p].reserved_peak = b->sum[p].reserved_at_peak = TDM_NONE;
    }
    add_up(b, now);
  }
  bool failed = low == NULL || now == NULL;
  free(low);
  free(now);
  return failed ? tdm_error_memory(error, "sums of memory", spaces) : TDM_OK;
}

/* ---- the whole ---- */

static void fill(uint32_t *items, size_t items_count) {
  for (size_t i = 0; items != NULL && i < items_count; i++) items[i] = TDM_MEMORY_NO_EVENT;
}

tdm_status tdm_memory_blocks_open(tdm_run_view *view, const tdm_memory_events *events,
                                  tdm_memory_blocks *blocks, tdm_error *error) {
  size_t n = events->count, spaces = events->spaces;
  *blocks = (tdm_memory_blocks){.view = view, .events = events};
  if (n >= TDM_MEMORY_NO_EVENT)
    return tdm_error_set(error, TDM_INVALID, "more than 2^32 changes of memory");
  blocks->ends = tdm_array_new(n + 1, sizeof *blocks->ends);
  blocks->frees = tdm_array_new(n + 1, sizeof *blocks->frees);
  blocks->since_ns = tdm_array_new(n + 1, sizeof *blocks->since_ns);
  blocks->before = tdm_array_new(n + 1, sizeof *blocks->before);
  blocks->sum = tdm_array_new(spaces + 1, sizeof *blocks->sum);
  matching m = {.blocks = blocks};
  m.top = tdm_array_new(n + 1, sizeof *m.top);
  m.below = tdm_array_new(n + 1, sizeof *m.below);
  m.moved = tdm_array_new(spaces + 1, sizeof *m.moved);
  fill(blocks->ends, n);
  fill(blocks->frees, n);
  fill(m.top, n);
  fill(m.moved, spaces);
  bool ok = blocks->ends != NULL && blocks->frees != NULL && blocks->since_ns != NULL &&
            blocks->before != NULL && blocks->sum != NULL && m.top != NULL && m.below != NULL &&
            m.moved != NULL;
  tdm_status status = ok ? match(&m, error) : tdm_error_memory(error, "blocks of memory", n * 32);
  if (status == TDM_OK) status = sum_up(blocks, error);
  tdm_groups_close(&m.groups);
  free(m.top);
  free(m.below);
  free(m.moved);
  return status;
}
