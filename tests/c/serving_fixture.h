/* What the tests of engine/serving share: an affine step model, a log of everything an instance
 * tells, and a driver that brings requests in order of time. */
#ifndef TDM_TESTS_SERVING_FIXTURE_H
#define TDM_TESTS_SERVING_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "engine/serving/serving.h"
#include "model/llm/affine.h"

#define SERVING_FIRST  3 /* groups in either way that tests tell requests apart */
#define SERVING_SECOND 2
#define SERVING_GROUPS (SERVING_FIRST + SERVING_SECOND)

typedef enum { SCHEDULED, FIRST_TOKEN, PREEMPTED, FINISHED } serving_kind;

typedef struct {
  uint64_t kind; /* a serving_kind; no padding, so that logs compare as bytes */
  uint64_t id;
  int64_t ns;
  int64_t value; /* cached, 0, lost, output tokens */
} serving_event;

typedef struct {
  serving_event *events;
  size_t event_count, event_capacity;
  tdm_serving_outcome *outcomes;
  size_t outcome_count, outcome_capacity;
  tdm_serving_step *steps;
  size_t step_count, step_capacity;
  int64_t gaps;    /* between tokens */
  int64_t gap_ns;  /* their sum */
  uint32_t groups; /* of requests, in the first way that they are told apart */
  int64_t group_gaps[SERVING_GROUPS], group_gap_ns[SERVING_GROUPS];
} serving_log;

static inline void serving_note(serving_log *log, serving_kind kind, uint64_t id, int64_t ns,
                                int64_t value) {
  assert_true(tdm_array_grow(&log->events, &log->event_capacity, log->event_count + 1,
                             sizeof *log->events));
  serving_event event = {0};
  event.kind = kind;
  event.id = id;
  event.ns = ns;
  event.value = value;
  log->events[log->event_count++] = event;
}

static inline void on_scheduled(void *context, uint64_t id, int64_t now_ns, int64_t cached,
                                int64_t below, bool resumed) {
  (void)resumed, (void)below;
  serving_note(context, SCHEDULED, id, now_ns, cached);
}
static inline void on_first_token(void *context, uint64_t id, int64_t now_ns) {
  serving_note(context, FIRST_TOKEN, id, now_ns, 0);
}
static inline void on_preempted(void *context, uint64_t id, int64_t now_ns, int64_t lost) {
  serving_note(context, PREEMPTED, id, now_ns, lost);
}
static inline void on_finished(void *context, const tdm_serving_outcome *outcome) {
  serving_log *log = context;
  serving_note(log, FINISHED, outcome->id, outcome->finished_ns, outcome->output_tokens);
  assert_true(tdm_array_grow(&log->outcomes, &log->outcome_capacity, log->outcome_count + 1,
                             sizeof *log->outcomes));
  log->outcomes[log->outcome_count++] = *outcome;
}
static inline void on_gaps(void *context, int64_t begin_ns, int64_t end_ns, int64_t steps,
                           int64_t sequences, uint32_t group) {
  serving_log *log = context;
  assert_true(group < SERVING_GROUPS && sequences > 0 && steps > 0 && begin_ns <= end_ns);
  log->group_gaps[group] += steps * sequences;
  log->group_gap_ns[group] += (end_ns - begin_ns) * sequences;
  if (group > 0 && group >= log->groups) return; /* told before, of the first way */
  log->gaps += steps * sequences;
  log->gap_ns += (end_ns - begin_ns) * sequences;
}
static inline void on_step(void *context, const tdm_serving_step *step) {
  serving_log *log = context;
  assert_true(step->steps > 0 && step->begin_ns <= step->end_ns);
  if (log->step_count > 0) assert_true(step->begin_ns >= log->steps[log->step_count - 1].end_ns);
  assert_true(step->accepted >= 0 && step->accepted <= step->drafted);
  assert_true(step->kv_blocks >= 0 && step->running >= 0 && step->waiting >= 0);
  assert_true(
      tdm_array_grow(&log->steps, &log->step_capacity, log->step_count + 1, sizeof *log->steps));
  log->steps[log->step_count++] = *step;
}

static inline tdm_serving_events serving_listen(serving_log *log) {
  return (tdm_serving_events){.context = log,
                              .scheduled = on_scheduled,
                              .first_token = on_first_token,
                              .token_gaps = on_gaps,
                              .preempted = on_preempted,
                              .finished = on_finished,
                              .step = on_step};
}

static inline void serving_log_free(serving_log *log) {
  free(log->events);
  free(log->outcomes);
  free(log->steps);
  *log = (serving_log){0};
}

typedef struct {
  int64_t at_ns;
  tdm_serving_request request;
} serving_arrival;

static inline tdm_llm_step *serving_affine(tdm_llm_affine_piece piece) {
  tdm_llm_step *model;
  piece.decode_seqs_max = INFINITY;
  assert_int_equal(tdm_llm_affine_new(&piece, 1, 0, &model, NULL), TDM_OK);
  return model;
}

static inline void serving_advance_until(tdm_serving *serving, int64_t ns) {
  tdm_error error;
  for (int64_t next; (next = tdm_serving_next_ns(serving)) <= ns && next != INT64_MAX;)
    if (tdm_serving_advance(serving, next, &error) != TDM_OK) fail_msg("%s", error.message);
}

/* Arrivals are in order of time. Everything ends before it returns. */
static inline serving_log serving_replay(const tdm_serving_config *config,
                                         const tdm_llm_step *model, const serving_arrival *arrivals,
                                         size_t count) {
  serving_log log = {0};
  tdm_serving_events events = serving_listen(&log);
  tdm_serving *serving;
  tdm_error error;
  if (tdm_serving_open(config, model, &events, &serving, &error) != TDM_OK)
    fail_msg("%s", error.message);
  for (size_t i = 0; i < count && log.groups == 0; i++)
    if (arrivals[i].request.groups[0] > 0) log.groups = SERVING_FIRST;
  if (log.groups > 0)
    assert_int_equal(tdm_serving_tell_apart(serving, SERVING_FIRST, SERVING_SECOND, &error),
                     TDM_OK);
  int64_t last_ns = 0;
  for (size_t i = 0; i < count; i++) {
    serving_advance_until(serving, arrivals[i].at_ns - 1);
    last_ns = arrivals[i].at_ns;
    if (tdm_serving_submit(serving, last_ns, &arrivals[i].request, &error) != TDM_OK)
      fail_msg("%s", error.message);
    tdm_serving_load load = tdm_serving_load_at(serving, last_ns);
    int64_t there = load.running + load.waiting, open = (int64_t)(i + 1 - log.outcome_count);
    if (config->batching == TDM_SERVING_BATCH)
      assert_true(there <= open); /* a batch leaves together */
    else
      assert_int_equal(there, open);
  }
  serving_advance_until(serving, last_ns);
  tdm_serving_drain(serving, last_ns);
  serving_advance_until(serving, INT64_MAX);
  tdm_serving_load load = tdm_serving_load_at(serving, last_ns);
  assert_int_equal(load.running, 0);
  assert_int_equal(load.waiting, 0);
  assert_int_equal(load.kv_blocks, 0);
  assert_int_equal(load.host_blocks, 0);
  tdm_serving_close(serving);
  return log;
}

/* The log's events as text, for comparisons that are read: "s0@0 f0@12 …" in milliseconds. */
static inline char *serving_text(const serving_log *log) {
  char *text = calloc(log->event_count + 1, 64), *end = text;
  assert_non_null(text);
  for (size_t i = 0; i < log->event_count; i++) {
    const serving_event *e = &log->events[i];
    end += sprintf(end, "%s%c%llu@%g", i > 0 ? " " : "", "s1pf"[e->kind],
                   (unsigned long long)e -> id, (double)e -> ns * 1e-6);
    if ((e->kind == SCHEDULED && e->value > 0) || e->kind == PREEMPTED)
      end += sprintf(end, "(%lld)", (long long)e->value);
  }
  return text;
}

/* Every request is in a group of either way. */
static inline void serving_tell_apart(serving_arrival *arrivals, size_t count) {
  for (size_t i = 0; i < count; i++) {
    arrivals[i].request.groups[0] = (uint32_t)(i % SERVING_FIRST);
    arrivals[i].request.groups[1] = (uint32_t)(i / SERVING_FIRST % SERVING_SECOND);
  }
}

/* Each group has the gaps of its members, one less than their tokens each, and where requests leave
 * with their last token no time between two of these is lost or of another group. */
static inline void serving_check_groups(const serving_log *log, const serving_arrival *arrivals,
                                        bool leave_at_once) {
  int64_t gaps[SERVING_GROUPS] = {0}, gap_ns[SERVING_GROUPS] = {0};
  for (size_t i = 0; log->groups > 0 && i < log->outcome_count; i++) {
    const tdm_serving_outcome *o = &log->outcomes[i];
    const uint32_t *groups = arrivals[o->id].request.groups;
    const uint32_t both[] = {groups[0], SERVING_FIRST + groups[1]};
    for (size_t way = 0; way < 2; way++) {
      gaps[both[way]] += o->output_tokens - 1;
      gap_ns[both[way]] += o->finished_ns - o->first_token_ns;
    }
  }
  for (size_t g = 0; log->groups > 0 && g < SERVING_GROUPS; g++) {
    assert_int_equal(log->group_gaps[g], gaps[g]);
    if (leave_at_once) assert_int_equal(log->group_gap_ns[g], gap_ns[g]);
  }
}

#endif
