/* Slices of a Perfetto trace: begins and ends paired. See inside.h.
 *
 * An end belongs to the innermost slice that is open, in the order of time, which need not be the
 * order in the file: some writers put all begins first. As long as the events of a track come in
 * order they are paired as they come, but recorded only when no slice is open any more, or when
 * very many wait. From the first event on that is earlier than the one before, a track's events
 * wait for the end of the trace and are sorted then. Too late comes only what is earlier than a
 * slice that was recorded. */
#include <stdlib.h>

#include "base/memory.h"
#include "read/perfetto/inside.h"

enum { WAITING = 65536 };

void tdm_pftrace_slices_free(tdm_pftrace_slices *slices) {
  free(slices->slice);
  free(slices->stack);
  free(slices->end);
  free(slices->arg);
}

/* ---- arguments ---- */

/* Where s->args now lie among the track's. False: out of memory. */
static int keep_args(tdm_pftrace_state *s, tdm_pftrace_slices *w, size_t *first, uint32_t *count) {
  *first = w->arg_count;
  *count = s->args.count;
  if (s->args.count == 0) return 1;
  if (!tdm_array_grow(&w->arg, &w->arg_room, w->arg_count + s->args.count, sizeof *w->arg)) {
    s->failed = 1;
    return 0;
  }
  memcpy(w->arg + w->arg_count, s->args.arg, s->args.count * sizeof *w->arg);
  w->arg_count += s->args.count;
  return 1;
}

/* A slice's arguments and then its end's in s->args. */
static void join_args(tdm_pftrace_state *s, const tdm_pftrace_slices *w,
                      const tdm_pftrace_slice *slice, const tdm_one_arg *late, uint32_t count) {
  s->args.count = slice->args;
  if (slice->args > 0) memcpy(s->args.arg, w->arg + slice->first_arg, slice->args * sizeof *w->arg);
  for (uint32_t i = 0; i < count; i++)
    tdm_arg_add(s->recorder, &s->args, late[i].key, (tdm_arg_type)late[i].type, late[i].value);
}

/* ---- recording ---- */

/* With s->args as its arguments. */
static void record(tdm_pftrace_state *s, uint32_t track_id, int is_async,
                   const tdm_pftrace_slice *slice, int open) {
  int64_t dur_ns, end_ns = open ? s->last_ns : slice->end_ns;
  if (__builtin_sub_overflow(end_ns, slice->start_ns, &dur_ns) || dur_ns < 0) dur_ns = 0;
  tdm_shape shape = open || slice->unfinished ? TDM_SHAPE_OPEN
                    : is_async                ? TDM_SHAPE_ASYNC
                                              : TDM_SHAPE_SPAN;
  if (tdm_pftrace_is_wanted(s, slice->category))
    tdm_arg_row(&s->layouts, slice->category, shape, slice->start_ns, dur_ns, track_id, slice->name,
                s->args.arg, s->args.count);
}

/* Records the slices that have ended; those that are open move to the front. */
static void flush(tdm_pftrace_state *s, uint64_t uuid) {
  uint32_t track_id = tdm_pftrace_track_id(s, uuid);
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, uuid);
  if (track == NULL) return;
  tdm_pftrace_slices *w = &track->slices;
  size_t kept = 0, args = 0;
  for (size_t i = 0; i < w->count; i++) {
    tdm_pftrace_slice slice = w->slice[i];
    if (slice.ended > 0) {
      join_args(s, w, &slice, NULL, 0);
      record(s, track_id, track->is_async, &slice, 0);
      continue;
    }
    if (slice.args > 0)
      memmove(w->arg + args, w->arg + slice.first_arg, slice.args * sizeof *w->arg);
    slice.first_arg = args;
    args += slice.args;
    w->slice[kept] = slice;
    w->stack[kept] = (uint32_t)kept; /* open ones are on the stack in the order of the array */
    kept++;
  }
  w->count = kept;
  w->arg_count = args;
  w->limit = kept > WAITING / 2 ? 2 * kept : WAITING;
}

/* ---- events as they come ---- */

static int keep_end(tdm_pftrace_state *s, tdm_pftrace_slices *w, int64_t time_ns, uint32_t event) {
  tdm_pftrace_slice_end fresh = {.time_ns = time_ns, .event = event};
  if (!keep_args(s, w, &fresh.first_arg, &fresh.args)) return 0;
  if (!tdm_array_grow(&w->end, &w->end_room, w->ends + 1, sizeof *w->end)) {
    s->failed = 1;
    return 0;
  }
  w->end[w->ends++] = fresh;
  return 1;
}

/* Pairs that were made while an earlier event was still to come may be wrong: undone. */
static void disorder(tdm_pftrace_state *s, tdm_pftrace_slices *w) {
  w->disordered = 1;
  w->depth = 0;
  s->args.count = 0;
  for (size_t i = 0; i < w->count; i++) {
    tdm_pftrace_slice *slice = &w->slice[i];
    if (slice->ended > 0 && !keep_end(s, w, slice->end_ns, slice->ended - 1)) return;
    slice->ended = 0;
  }
}

/* Counts the event; what waits is sorted later if it is out of order. */
static uint32_t note_event(tdm_pftrace_state *s, tdm_pftrace_slices *w, int64_t time_ns) {
  if (w->events > 0 && time_ns < w->last_ns && !w->disordered) {
    tdm_arg_list *args = malloc(sizeof *args);
    if (args == NULL) {
      s->failed = 1;
      return 0;
    }
    *args = s->args; /* of the event in hand */
    disorder(s, w);
    s->args = *args;
    free(args);
  }
  w->last_ns = time_ns;
  return w->events++;
}

void tdm_pftrace_begin(tdm_pftrace_state *s, uint64_t uuid, int64_t time_ns, uint32_t name,
                       uint32_t category) {
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, uuid);
  if (track == NULL) return;
  tdm_pftrace_slices *w = &track->slices;
  tdm_pftrace_slice fresh = {.start_ns = time_ns, .name = name, .category = category};
  int mark = tdm_arg_find(&s->args, s->unfinished);
  if (mark >= 0 && (track->is_tandem || track->more_of != 0)) {
    fresh.unfinished = 1;
    tdm_arg_remove(&s->args, mark);
  }
  fresh.began = note_event(s, w, time_ns);
  if (!keep_args(s, w, &fresh.first_arg, &fresh.args)) return;
  if (w->count >= UINT32_MAX - 1 ||
      !tdm_array_grow(&w->slice, &w->room, w->count + 1, sizeof *w->slice) ||
      !tdm_array_grow(&w->stack, &w->stack_room, w->count + 1, sizeof *w->stack)) {
    s->failed = 1;
    return;
  }
  if (!w->disordered) w->stack[w->depth++] = (uint32_t)w->count;
  w->slice[w->count++] = fresh;
}

void tdm_pftrace_end(tdm_pftrace_state *s, uint64_t uuid, int64_t time_ns) {
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, uuid);
  if (track == NULL) return;
  tdm_pftrace_slices *w = &track->slices;
  uint32_t event = note_event(s, w, time_ns);
  if (w->disordered || w->depth == 0) {
    if (!w->disordered) s->args.count = 0; /* what is recorded next would take their place */
    keep_end(s, w, time_ns, event);
    return;
  }
  tdm_pftrace_slice *slice = &w->slice[w->stack[--w->depth]];
  slice->end_ns = time_ns;
  slice->ended = event + 1;
  if (s->args.count > 0) {
    tdm_one_arg late[TDM_LAYOUT_ARGS];
    uint32_t count = s->args.count;
    memcpy(late, s->args.arg, count * sizeof *late);
    join_args(s, w, slice, late, count);
    if (!keep_args(s, w, &slice->first_arg, &slice->args)) return;
  }
  if (w->depth == 0 || w->count >= (w->limit > 0 ? w->limit : WAITING)) flush(s, uuid);
}

/* ---- a track whose events were out of order ---- */

typedef struct {
  int64_t time_ns;
  uint32_t event, index;
  int ends;
} moment;

/* Ends before begins at the same time: slices follow each other more often than they are empty. */
static int by_time(const void *a, const void *b) {
  const moment *p = a, *q = b;
  if (p->time_ns != q->time_ns) return p->time_ns < q->time_ns ? -1 : 1;
  if (p->ends != q->ends) return q->ends - p->ends;
  return (p->event > q->event) - (p->event < q->event);
}

static void match(tdm_pftrace_slices *w, const moment *end, uint32_t *end_of) {
  uint32_t slice = w->stack[--w->depth];
  w->slice[slice].end_ns = end->time_ns;
  w->slice[slice].ended = end->event + 1;
  end_of[slice] = end->index + 1;
}

/* Pairs the moments, which are sorted; an end that finds nothing open waits for the begins of the
 * same time. Returns how many ends find none at all. */
static uint64_t pair(tdm_pftrace_slices *w, const moment *all, size_t count, uint32_t *end_of) {
  uint64_t lost = 0;
  for (size_t i = 0, next; i < count; i = next) {
    size_t ends = i, waits;
    while (ends < count && all[ends].time_ns == all[i].time_ns && all[ends].ends) ends++;
    for (waits = i; waits < ends && w->depth > 0; waits++) match(w, &all[waits], end_of);
    for (next = ends; next < count && all[next].time_ns == all[i].time_ns; next++)
      w->stack[w->depth++] = all[next].index;
    for (; waits < ends && w->depth > 0; waits++) match(w, &all[waits], end_of);
    lost += ends - waits;
  }
  return lost;
}

static void sort_out(tdm_pftrace_state *s, tdm_pftrace_track *track, uint32_t track_id) {
  tdm_pftrace_slices *w = &track->slices;
  size_t count = w->count + w->ends, at = 0;
  moment *all = tdm_array_new(count, sizeof *all);
  uint32_t *end_of = tdm_array_new(w->count, sizeof *end_of); /* + 1 */
  s->failed |= all == NULL || end_of == NULL;
  for (size_t i = 0; !s->failed && i < w->count; i++)
    all[at++] = (moment){w->slice[i].start_ns, w->slice[i].began, (uint32_t)i, 0};
  for (size_t i = 0; !s->failed && i < w->ends; i++)
    all[at++] = (moment){w->end[i].time_ns, w->end[i].event, (uint32_t)i, 1};
  if (!s->failed) {
    if (count > 1) qsort(all, count, sizeof *all, by_time);
    tdm_record_problem(s->recorder, "ends of slices that did not begin (left out)",
                       pair(w, all, count, end_of));
  }
  for (size_t i = 0; !s->failed && i < w->count; i++) {
    const tdm_pftrace_slice *slice = &w->slice[i];
    const tdm_pftrace_slice_end *end = end_of[i] > 0 ? &w->end[end_of[i] - 1] : NULL;
    int late = end != NULL && end->args > 0;
    join_args(s, w, slice, late ? w->arg + end->first_arg : NULL, late ? end->args : 0);
    if (end == NULL) tdm_record_problem(s->recorder, "slices without an end (kept as open)", 1);
    record(s, track_id, track->is_async, slice, end == NULL);
  }
  free(all);
  free(end_of);
}

void tdm_pftrace_slices_finish(tdm_pftrace_state *s, uint64_t uuid) {
  tdm_pftrace_track *track = tdm_pftrace_track_of(s, uuid);
  if (track == NULL || (track->slices.count == 0 && track->slices.ends == 0)) return;
  uint32_t track_id = tdm_pftrace_track_id(s, uuid);
  if (!track->slices.disordered) {
    tdm_pftrace_slices *w = &track->slices;
    tdm_record_problem(s->recorder, "ends of slices that did not begin (left out)", w->ends);
    for (size_t i = 0; i < w->count; i++) {
      int open = w->slice[i].ended == 0;
      join_args(s, w, &w->slice[i], NULL, 0);
      if (open) tdm_record_problem(s->recorder, "slices without an end (kept as open)", 1);
      record(s, track_id, track->is_async, &w->slice[i], open);
    }
  } else {
    sort_out(s, track, track_id);
  }
}
