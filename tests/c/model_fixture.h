/* Small models built by hand, runs of them by every engine, and what a run says of each request,
 * for the tests of src/engine. */
#ifndef TDM_TESTS_MODEL_FIXTURE_H
#define TDM_TESTS_MODEL_FIXTURE_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exponential.h"
#include "base/histogram.h"
#include "base/memory.h"
#include "engine/events/engine.h"
#include "engine/lowered/lowered.h"

/* ---- distributions */

static inline tdm_dist *exponential(double mean) {
  tdm_dist *dist = NULL;
  assert_int_equal(tdm_dist_exponential(mean, &dist, NULL), TDM_OK);
  return dist;
}

static inline tdm_dist *constant(double value) {
  tdm_dist *dist = NULL;
  assert_int_equal(tdm_dist_constant(value, &dist, NULL), TDM_OK);
  return dist;
}

static inline tdm_dist *lognormal(double mean, double cv) {
  tdm_dist *dist = NULL;
  assert_int_equal(tdm_dist_lognormal(mean, cv, &dist, NULL), TDM_OK);
  return dist;
}

static inline tdm_dist *gamma_gap(double mean, double cv) {
  tdm_dist *dist = NULL;
  assert_int_equal(tdm_dist_gamma(mean, cv, &dist, NULL), TDM_OK);
  return dist;
}

/* Half of the draws 0, the others twice the mean: ties and empty services. */
static inline tdm_dist *coin(double mean) {
  const double values[] = {0, 2 * mean};
  tdm_dist *dist = NULL;
  assert_int_equal(tdm_dist_empirical(values, NULL, 2, &dist, NULL), TDM_OK);
  return dist;
}

/* Takes the distribution over. */
static inline tdm_cost cost_of(tdm_dist *dist) {
  tdm_expr_builder *builder = tdm_expr_builder_new();
  tdm_expr *expr = NULL;
  tdm_cost cost;
  bool fixed = tdm_dist_variance(dist) == 0;
  tdm_expr_node root =
      fixed ? tdm_expr_constant(builder, tdm_dist_mean(dist)) : tdm_expr_draw(builder, dist, 0);
  if (fixed) tdm_dist_free(dist);
  assert_int_equal(tdm_expr_finish(builder, root, &expr, NULL), TDM_OK);
  tdm_cost_from_expr(&cost, expr, NULL);
  return cost;
}

/* ---- models */

/* One open class "c" with gaps of the given distribution. */
static inline tdm_model *model_new(uint64_t requests, tdm_dist *gap) {
  tdm_model *m = tdm_model_new();
  m->name = tdm_string_copy("test");
  m->requests = requests;
  assert_int_equal(tdm_model_set_classes(m, 1, NULL), TDM_OK);
  m->classes[0].name = tdm_string_copy("c");
  m->classes[0].arrivals = tdm_array_new(1, sizeof(tdm_arrivals));
  m->classes[0].arrivals->kind = TDM_ARRIVE_RENEWAL;
  m->classes[0].arrivals->gap = gap;
  return m;
}

static inline uint32_t model_station(tdm_model *m, uint32_t servers, tdm_discipline discipline) {
  static const char *const names[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
  tdm_station *station = tdm_model_add_station(m);
  station->name = tdm_string_copy(names[m->station_count - 1]);
  station->servers = servers;
  station->discipline = discipline;
  return (uint32_t)m->station_count - 1;
}

/* Appends a step of a class to the route; the stage's index. */
static inline uint32_t model_serve(tdm_model *m, uint32_t class_index, uint32_t station,
                                   tdm_dist *time) {
  static const char *const names[] = {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"};
  tdm_stage *stage = tdm_model_add_stage(m);
  stage->name = tdm_string_copy(names[m->stage_count - 1]);
  stage->class_index = class_index;
  stage->station = station;
  stage->cost = cost_of(time);
  tdm_model_add_op(m, TDM_OP_SERVE)->a = (uint32_t)m->stage_count - 1;
  return (uint32_t)m->stage_count - 1;
}

static inline void model_end(tdm_model *m) {
  tdm_error error = {0};
  tdm_model_add_op(m, TDM_OP_END);
  if (tdm_model_finish(m, &error) != TDM_OK) fail_msg("%s", error.message);
}

/* ---- what a run says: spans and requests */

typedef struct {
  int64_t start_ns, end_ns;
  uint64_t request;
  uint32_t track, name, members; /* members of a step: its tokens */
  int64_t bytes;
} book_span;

typedef struct {
  book_span *spans;
  size_t span_count, span_capacity;
  tdm_request_record *requests;
  size_t request_count, request_capacity;
  tdm_sink sink;
} book;

static inline tdm_status book_spans(void *context, const tdm_span_block *block, tdm_error *error) {
  book *b = context;
  (void)error;
  assert_true(
      tdm_array_grow(&b->spans, &b->span_capacity, b->span_count + block->count, sizeof *b->spans));
  for (uint32_t i = 0; i < block->count; i++)
    b->spans[b->span_count++] = (book_span){.start_ns = block->start_ns[i],
                                            .end_ns = block->start_ns[i] + block->dur_ns[i],
                                            .request = block->request[i],
                                            .track = block->track[i],
                                            .name = block->name[i],
                                            .members = (uint32_t)block->arg[i],
                                            .bytes = block->bytes[i]};
  return TDM_OK;
}

static inline tdm_status book_requests(void *context, const tdm_request_record *records,
                                       const double *values, size_t count, tdm_error *error) {
  book *b = context;
  (void)values;
  (void)error;
  assert_true(tdm_array_grow(&b->requests, &b->request_capacity, b->request_count + count,
                             sizeof *b->requests));
  memcpy(b->requests + b->request_count, records, count * sizeof *records);
  b->request_count += count;
  return TDM_OK;
}

static inline int by_request(const void *a, const void *b) {
  const tdm_request_record *x = a, *y = b;
  return (x->request > y->request) - (x->request < y->request);
}

static inline book *book_new(void) {
  book *b = calloc(1, sizeof *b);
  b->sink = (tdm_sink){.context = b, .spans = book_spans, .requests = book_requests};
  return b;
}

static inline void book_free(book *b) {
  free(b->spans);
  free(b->requests);
  free(b);
}

/* ---- runs */

/* b may be NULL. The book's requests are in order of class and ordinal. */
static inline tdm_tally *run_event(const tdm_model *m, uint32_t replication, size_t heap_limit,
                                   book *b) {
  tdm_engine *engine = NULL;
  tdm_tally *tally = NULL;
  tdm_error error = {0};
  tdm_engine_options options = {.seed = 7,
                                .replication = replication,
                                .heap_limit = heap_limit,
                                .sink = b != NULL ? &b->sink : NULL};
  if (tdm_engine_open(m, &options, &engine, &error) != TDM_OK ||
      tdm_engine_advance(engine, INT64_MAX, &error) != TDM_OK ||
      tdm_engine_finish(engine, &tally, &error) != TDM_OK)
    fail_msg("%s", error.message);
  tdm_engine_close(engine);
  if (b != NULL) qsort(b->requests, b->request_count, sizeof *b->requests, by_request);
  return tally;
}

static inline tdm_tally *run_lowered(const tdm_model *m, uint32_t replication, book *b) {
  tdm_tally *tally = NULL;
  tdm_error error = {0};
  const char *why = tdm_lowered_refuses(m);
  if (why != NULL) fail_msg("not lowered: %s", why);
  if (tdm_lowered_run(m, 7, replication, TDM_TALLY_WHOLE, b != NULL ? &b->sink : NULL, NULL, &tally,
                      &error) != TDM_OK)
    fail_msg("%s", error.message);
  if (b != NULL) qsort(b->requests, b->request_count, sizeof *b->requests, by_request);
  return tally;
}

/* ---- tallies as numbers */

static inline void mix(uint64_t *hash, const void *data, size_t bytes) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; i++) *hash = (*hash ^ byte[i]) * 0x100000001b3u;
}

/* Of everything a tally holds. */
static inline uint64_t tally_hash(const tdm_tally *t) {
  uint64_t hash = 0xcbf29ce484222325u;
  const int64_t ends[] = {t->slice_ns,  t->end_ns,          t->last_arrival_ns,
                          t->window_ns, (int64_t)t->events, (int64_t)t->open};
  mix(&hash, ends, sizeof ends);
  mix(&hash, t->bounds_ns, sizeof t->bounds_ns);
  for (size_t i = 0; i < t->class_count * TDM_SLICES; i++) {
    const tdm_class_slice *slice = &t->classes[i];
    mix(&hash, slice, offsetof(tdm_class_slice, counts));
    if (slice->counts != NULL)
      mix(&hash, slice->counts, TDM_HISTOGRAM_BUCKETS * sizeof *slice->counts);
  }
  size_t notes = TDM_SLICES + 1;
  mix(&hash, t->stages, t->stage_count * notes * sizeof *t->stages);
  mix(&hash, t->stations, t->station_count * notes * sizeof *t->stations);
  mix(&hash, t->memories, t->memory_count * notes * sizeof *t->memories);
  mix(&hash, t->in_system_ns, notes * sizeof *t->in_system_ns);
  mix(&hash, t->finished, notes * sizeof *t->finished);
  for (size_t c = 0; c < t->class_count; c++) {
    const tdm_exact *exact = &t->exact[c];
    size_t kept = exact->count < TDM_EXACT_LIMIT ? (size_t)exact->count : TDM_EXACT_LIMIT;
    mix(&hash, &exact->count, sizeof exact->count);
    mix(&hash, exact->latency_ns, kept * sizeof *exact->latency_ns);
    mix(&hash, exact->slice, kept);
  }
  const tdm_series *s = &t->series;
  const int64_t series[] = {(int64_t)s->batch, (int64_t)s->filled, s->sum_ns, (int64_t)s->count};
  mix(&hash, series, sizeof series);
  mix(&hash, s->sums_ns, s->count * sizeof *s->sums_ns);
  mix(&hash, s->arrivals_ns, s->count * sizeof *s->arrivals_ns);
  return hash;
}

/* The hash, and the tally is freed. */
static inline uint64_t spend(tdm_tally *tally) {
  uint64_t hash = tally_hash(tally);
  tdm_tally_free(tally);
  return hash;
}

typedef struct {
  uint64_t arrived, completed, dropped, abandoned, timed_out, retried;
  int64_t latency_ns;
} totals;

static inline totals totals_of(const tdm_tally *t) {
  totals sum = {0};
  for (size_t i = 0; i < t->class_count * TDM_SLICES; i++) {
    const tdm_class_slice *slice = &t->classes[i];
    sum.arrived += slice->arrived;
    sum.completed += slice->completed;
    sum.dropped += slice->dropped;
    sum.abandoned += slice->abandoned;
    sum.timed_out += slice->timed_out;
    sum.retried += slice->retried;
    sum.latency_ns += slice->latency_ns;
  }
  return sum;
}

/* ---- ∫ count dt by a sweep over starts and ends, independent of how the engine counts */

typedef struct {
  int64_t *starts_ns, *ends_ns;
  size_t count;
} intervals;

static inline int by_time(const void *a, const void *b) {
  int64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static inline intervals intervals_new(size_t most) {
  return (intervals){calloc(most + 1, sizeof(int64_t)), calloc(most + 1, sizeof(int64_t)), 0};
}

static inline void intervals_add(intervals *all, int64_t start_ns, int64_t end_ns) {
  all->starts_ns[all->count] = start_ns;
  all->ends_ns[all->count++] = end_ns;
}

static inline void intervals_free(intervals *all) {
  free(all->starts_ns);
  free(all->ends_ns);
}

/* Spans of one track. */
static inline intervals intervals_of(const book *b, uint32_t track) {
  intervals all = intervals_new(b->span_count);
  for (size_t i = 0; i < b->span_count; i++)
    if (b->spans[i].track == track) intervals_add(&all, b->spans[i].start_ns, b->spans[i].end_ns);
  return all;
}

/* The area up to each bound (rising), and the greatest count ever. Sorts the intervals. */
static inline uint32_t intervals_sweep(intervals *all, const int64_t *bounds_ns, size_t bounds,
                                       int64_t *areas_ns) {
  size_t started = 0, ended = 0;
  int64_t area_ns = 0, at_ns = 0;
  uint32_t most = 0;
  qsort(all->starts_ns, all->count, sizeof *all->starts_ns, by_time);
  qsort(all->ends_ns, all->count, sizeof *all->ends_ns, by_time);
  for (size_t k = 0; k < bounds; k++) {
    for (;;) {
      int64_t next_ns = bounds_ns[k];
      bool end = ended < all->count && all->ends_ns[ended] <= next_ns;
      if (end) next_ns = all->ends_ns[ended];
      bool start = started < all->count && all->starts_ns[started] < next_ns;
      if (start) next_ns = all->starts_ns[started];
      area_ns += (int64_t)(started - ended) * (next_ns - at_ns);
      at_ns = next_ns;
      if (start)
        started++;
      else if (end)
        ended++;
      else
        break;
      if (started > ended && started - ended > most) most = (uint32_t)(started - ended);
    }
    areas_ns[k] = area_ns;
  }
  return most;
}

#endif
