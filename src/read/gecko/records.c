/* Threads of a profile as records; see inside.h.
 *
 * A sample is an instant of category "sample", named by its whole stack, root first, as samples of
 * other formats are; a marker is an instant, or a span that may overlap others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/gecko/inside.h"

/* Names of stacks take more room than the tables they come from: when they have taken much, only
 * the innermost frames are named. */
#define NAMES_BYTES ((uint64_t)256 << 20)
enum { DEEPEST = 1024, FEW = 32 };

typedef struct {
  tdm_gecko *g;
  const tdm_gecko_thread *thread;
  const tdm_gecko_table *frames, *funcs;
  const uint32_t *string;
  size_t strings;
  tdm_gecko_tables *stacks; /* whose table of stacks it is */
  uint32_t track, sample_layout, instant_layout, span_layout;
  uint32_t phase_start, phase_end;
  int64_t offset_ns; /* of its process's clock to the profile's */
} job;

typedef struct {
  char *text;
  size_t used, room;
  uint64_t all;
} naming;

/* ---- stacks ---- */

static uint32_t string_of(const job *j, int64_t index) {
  return index >= 0 && index < (int64_t)j->strings ? j->string[index] : UINT32_MAX;
}

/* UINT32_MAX: it has no name. */
static uint32_t frame_name(const job *j, int64_t frame) {
  if (frame < 0) return UINT32_MAX;
  int64_t location = tdm_gecko_index(j->frames, TDM_GECKO_LOCATION, (size_t)frame);
  if (location != TDM_NONE) return string_of(j, location);
  int64_t func = tdm_gecko_index(j->frames, TDM_GECKO_FUNC, (size_t)frame);
  return func >= 0 ? string_of(j, tdm_gecko_index(j->funcs, TDM_GECKO_NAME, (size_t)func))
                   : UINT32_MAX;
}

/* A stack's caller, which stands before it; -1: it is a root. */
static int64_t caller_of(const job *j, int64_t stack) {
  const tdm_gecko_table *stacks = &j->stacks->stacks;
  int64_t prefix = tdm_gecko_index(stacks, TDM_GECKO_PREFIX, (size_t)stack);
  int64_t back = tdm_gecko_index(stacks, TDM_GECKO_OFFSET, (size_t)stack);
  if (prefix == TDM_NONE && back > 0 && back <= stack) prefix = stack - back;
  if (prefix == TDM_NONE || prefix < 0) return -1;
  if (prefix < stack) return prefix;
  tdm_record_problem(j->g->recorder, "stacks whose caller does not come before them (cut)", 1);
  return -1;
}

static void put_frame(const job *j, naming *n, int64_t stack) {
  size_t length = 9;
  uint32_t id = frame_name(j, tdm_gecko_index(&j->stacks->stacks, TDM_GECKO_FRAME, (size_t)stack));
  const char *text =
      id != UINT32_MAX ? tdm_recorder_name(j->g->recorder, id, &length) : "[unknown]";
  if (text == NULL || !tdm_array_grow(&n->text, &n->room, n->used + length + 2, 1)) {
    j->g->failed = true;
    return;
  }
  if (n->used > 0) n->text[n->used++] = ';';
  for (size_t i = 0; i < length; i++) n->text[n->used++] = text[i] == ';' ? ':' : text[i];
}

static uint32_t name_stack(const job *j, naming *n, int64_t stack) {
  int64_t chain[DEEPEST];
  size_t depth = 0, most = n->all < NAMES_BYTES ? DEEPEST : FEW;
  for (; stack >= 0 && depth < most; stack = caller_of(j, stack)) chain[depth++] = stack;
  if (stack >= 0) tdm_record_problem(j->g->recorder, "stacks that are too deep (cut)", 1);
  n->used = 0;
  while (depth > 0 && !j->g->failed) put_frame(j, n, chain[--depth]);
  n->all += n->used;
  return j->g->failed ? 0 : tdm_record_name(j->g->recorder, n->text, n->used);
}

/* Each stack is named once. */
static uint32_t stack_name(const job *j, naming *n, int64_t stack) {
  tdm_gecko_tables *of = j->stacks;
  if (stack < 0 || stack >= (int64_t)of->stacks.rows)
    return tdm_record_text(j->g->recorder, "(no stack)");
  if (of->named == NULL) of->named = tdm_array_new(of->stacks.rows, sizeof *of->named);
  if (of->named == NULL) {
    j->g->failed = true;
    return 0;
  }
  if (of->named[stack] == 0) of->named[stack] = name_stack(j, n, stack) + 1;
  return of->named[stack] - 1;
}

/* ---- times ---- */

/* From what a cell says to the profile's clock; TDM_NONE: no time. */
static int64_t time_of(const job *j, int64_t cell) {
  int64_t time_ns = j->g->nanoseconds && cell != TDM_NONE ? cell / TDM_GECKO_SCALE : cell;
  if (cell == TDM_NONE || __builtin_add_overflow(time_ns, j->offset_ns, &time_ns)) return TDM_NONE;
  return time_ns;
}

static void record_samples(job *j, naming *n) {
  const tdm_gecko_table *samples = &j->thread->samples;
  bool deltas = samples->column[TDM_GECKO_TIME] == 0 && samples->column[TDM_GECKO_DELTA] > 0;
  int64_t sum = 0;
  for (size_t row = 0; row < samples->rows && !j->g->failed; row++) {
    int64_t cell = tdm_gecko_cell(samples, deltas ? TDM_GECKO_DELTA : TDM_GECKO_TIME, row);
    if (deltas && cell != TDM_NONE) {
      if (__builtin_add_overflow(sum, cell, &sum)) sum = INT64_MAX;
      cell = sum;
    }
    int64_t time_ns = time_of(j, cell);
    if (time_ns == TDM_NONE) {
      tdm_record_problem(j->g->recorder, "samples without a time (left out)", 1);
      continue;
    }
    int64_t weight = tdm_gecko_index(samples, TDM_GECKO_WEIGHT, row);
    uint32_t name = stack_name(j, n, tdm_gecko_index(samples, TDM_GECKO_STACK, row));
    tdm_record_row(j->g->recorder, j->sample_layout, time_ns, 0, j->track, name, &weight, 1);
    j->g->samples++;
  }
}

/* ---- markers ---- */

static void record_markers(job *j) {
  enum { INSTANT, INTERVAL, BEGINS, ENDS };
  const tdm_gecko_table *markers = &j->thread->markers;
  for (size_t row = 0; row < markers->rows; row++) {
    int64_t phase = tdm_gecko_index(markers, TDM_GECKO_PHASE, row);
    int64_t start = tdm_gecko_cell(markers, TDM_GECKO_START, row);
    int64_t end = tdm_gecko_cell(markers, TDM_GECKO_END, row);
    if (start == TDM_NONE && phase == ENDS) start = end;
    if (start == TDM_NONE) { /* layouts without phases */
      start = tdm_gecko_cell(markers, TDM_GECKO_AT, row);
      int64_t from = tdm_gecko_side(markers, TDM_GECKO_DATA_START, row);
      end = tdm_gecko_side(markers, TDM_GECKO_DATA_END, row);
      phase = tdm_gecko_side(markers, TDM_GECKO_DATA_PHASE, row);
      if (phase == TDM_NONE) phase = from != TDM_NONE && end != TDM_NONE ? INTERVAL : INSTANT;
      if (phase == INTERVAL) start = from;
    }
    uint32_t name = string_of(j, tdm_gecko_index(markers, TDM_GECKO_MARKER_NAME, row));
    int64_t start_ns = time_of(j, start), end_ns = phase == INTERVAL ? time_of(j, end) : TDM_NONE;
    int64_t dur_ns = 0;
    if (start_ns == TDM_NONE) {
      tdm_record_problem(j->g->recorder, "markers without a time (left out)", 1);
      continue;
    }
    if (name == UINT32_MAX) name = tdm_record_text(j->g->recorder, "marker");
    if (end_ns != TDM_NONE &&
        (end_ns < start_ns || __builtin_sub_overflow(end_ns, start_ns, &dur_ns))) {
      tdm_record_problem(j->g->recorder, "records that end before they begin (made 0 long)", 1);
      dur_ns = 0;
    }
    int64_t word = phase == BEGINS ? j->phase_start : phase == ENDS ? j->phase_end : TDM_NONE;
    tdm_record_row(j->g->recorder, end_ns != TDM_NONE ? j->span_layout : j->instant_layout,
                   start_ns, dur_ns, j->track, name, &word, 1);
    j->g->markers++;
  }
}

/* ---- threads ---- */

static uint32_t track_of(const job *j) {
  char process[160], name[160], tid[24] = "";
  const tdm_gecko_thread *thread = j->thread;
  tdm_track track = TDM_TRACK_PLAIN;
  const char *said = thread->process != NULL ? thread->process : "";
  if (thread->pid != TDM_NONE)
    snprintf(process, sizeof process, "%.100s (%lld)", *said != 0 ? said : "process",
             (long long)thread->pid);
  else
    snprintf(process, sizeof process, "%.100s", *said != 0 ? said : "process");
  if (thread->tid != TDM_NONE) snprintf(tid, sizeof tid, " %lld", (long long)thread->tid);
  snprintf(name, sizeof name, "thread%s %.100s", tid, thread->name != NULL ? thread->name : "");
  track.process = process;
  track.name = name;
  track.kind = TDM_TRACK_THREAD;
  track.lane = TDM_LANE_CPU;
  track.pid = thread->pid;
  track.tid = thread->tid;
  return tdm_record_track(j->g->recorder, &track);
}

/* Its own tables, or those that all share. */
static void find_tables(job *j, tdm_gecko_thread *thread) {
  tdm_gecko_tables *own = &thread->own, *shared = &j->g->shared;
  j->thread = thread;
  j->stacks = own->stacks.there ? own : shared;
  j->frames = own->frames.there ? &own->frames : &shared->frames;
  j->funcs = own->funcs.there ? &own->funcs : &shared->funcs;
  j->string = own->has_strings ? own->string : shared->string;
  j->strings = own->has_strings ? own->strings : shared->strings;
}

void tdm_gecko_record(tdm_gecko *g) {
  static const tdm_arg weight[] = {{"weight", TDM_ARG_INT}}, phase[] = {{"phase", TDM_ARG_TEXT}};
  naming n = {0};
  job j = {.g = g};
  j.sample_layout = tdm_record_layout(g->recorder, "sample", TDM_SHAPE_INSTANT, weight, 1);
  j.instant_layout = tdm_record_layout(g->recorder, "marker", TDM_SHAPE_INSTANT, phase, 1);
  j.span_layout = tdm_record_layout(g->recorder, "marker", TDM_SHAPE_ASYNC, phase, 1);
  j.phase_start = tdm_record_text(g->recorder, "start");
  j.phase_end = tdm_record_text(g->recorder, "end");
  int64_t origin_ns = g->processes > 0 ? g->process[0].start_ns : TDM_NONE;
  for (size_t i = 0; i < g->threads && !g->failed && !tdm_recorder_failed(g->recorder); i++) {
    tdm_gecko_thread *thread = &g->thread[i];
    int64_t start_ns = g->process[thread->of].start_ns;
    j.offset_ns = 0;
    if (start_ns != TDM_NONE && origin_ns != TDM_NONE &&
        __builtin_sub_overflow(start_ns, origin_ns, &j.offset_ns))
      j.offset_ns = 0;
    find_tables(&j, thread);
    j.track = track_of(&j);
    record_samples(&j, &n);
    if (!g->wrapped)
      record_markers(&j);
    else if (thread->markers.rows > 0) /* the panel moved the samples to its own zero alone */
      tdm_record_problem(g->recorder, "markers on another clock than the samples (left out)",
                         thread->markers.rows);
  }
  free(n.text);
}
