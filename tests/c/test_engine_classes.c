/* Random networks of a few classes, closed and open, with ends and limits of their own, over shared
 * stations and one memory, request by request against a short simulation written here: a list of
 * events searched for its first, queues as arrays, the same random bits under the same names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model_fixture.h"

#include "base/rng.h"

enum { CASES = 300, CLASSES = 3, STATIONS = 2, VISITS = 3, MOST = 120, USERS = 4 };

/* ---- what is run */

typedef struct {
  uint32_t users;      /* 0: open */
  bool even;           /* gaps are all alike, so that arrivals meet each other and ends */
  double gap_s;        /* between arrivals, or the mean of thinking */
  int64_t end_ns;      /* 0: none */
  uint64_t limit;      /* 0: none */
  int bytes, priority; /* bytes of the memory while it is inside; 0: none */
  size_t visits, station[VISITS];
  double time_s[VISITS];
} class_plan;

typedef struct {
  size_t classes;
  class_plan class[CLASSES];
  uint32_t servers[STATIONS];
  tdm_discipline order[STATIONS];
  uint64_t requests;
  int64_t duration_ns;
  int bytes;
} plan;

static const char *const class_names[CLASSES] = {"a", "b", "c"};

static size_t below(tdm_rng *rng, size_t n) {
  return (size_t)tdm_index_below(tdm_rng_bits(rng), n);
}

static plan plan_draw(tdm_rng *rng) {
  static const tdm_discipline orders[] = {TDM_FIFO, TDM_LIFO, TDM_PRIORITY};
  plan p = {.classes = 1 + below(rng, CLASSES), .bytes = 3, .requests = MOST};
  p.duration_ns = below(rng, 2) == 0 ? INT64_MAX : (int64_t)(5 + below(rng, 20)) * 1000000000;
  if (below(rng, 2) == 0) p.requests = 20 + below(rng, 60);
  for (size_t s = 0; s < STATIONS; s++) {
    p.servers[s] = 1 + (uint32_t)below(rng, 3);
    p.order[s] = orders[below(rng, 3)];
  }
  for (size_t c = 0; c < p.classes; c++) {
    class_plan *k = &p.class[c];
    k->users = below(rng, 2) == 0 ? 0 : 1 + (uint32_t)below(rng, USERS);
    k->even = k->users == 0 && below(rng, 2) == 0;
    k->gap_s = k->even ? 0.25 : 0.3 + 0.2 * (double)below(rng, 6);
    if (below(rng, 2) == 0) k->end_ns = (int64_t)(2 + below(rng, 12)) * 1000000000;
    if (below(rng, 2) == 0) k->limit = 1 + below(rng, 30);
    k->bytes = (int)below(rng, 4);
    k->priority = (int)below(rng, 3);
    k->visits = 1 + below(rng, VISITS);
    for (size_t v = 0; v < k->visits; v++) {
      k->station[v] = below(rng, STATIONS);
      k->time_s[v] = 0.1 + 0.1 * (double)below(rng, 9);
    }
  }
  return p;
}

static tdm_model *model_of(const plan *p) {
  tdm_model *m = tdm_model_new();
  m->name = tdm_string_copy("test");
  m->requests = p->requests;
  m->duration_ns = p->duration_ns;
  m->state_slots = 1;
  tdm_memory *memory = tdm_model_add_memory(m);
  memory->name = tdm_string_copy("memory");
  memory->bytes = p->bytes;
  assert_int_equal(tdm_model_set_classes(m, p->classes, NULL), TDM_OK);
  for (size_t s = 0; s < STATIONS; s++) model_station(m, p->servers[s], p->order[s]);
  for (size_t c = 0; c < p->classes; c++) {
    const class_plan *k = &p->class[c];
    tdm_arrivals *a = tdm_array_new(1, sizeof *a);
    a->kind = k->users > 0 ? TDM_ARRIVE_CLOSED : TDM_ARRIVE_RENEWAL;
    a->users = k->users;
    *(k->users > 0 ? &a->think : &a->gap) = k->even ? constant(k->gap_s) : exponential(k->gap_s);
    a->end_ns = k->end_ns;
    a->limit = k->limit;
    m->classes[c].name = tdm_string_copy(class_names[c]);
    m->classes[c].arrivals = a;
    m->classes[c].priority = (uint32_t)k->priority;
    m->classes[c].entry = (uint32_t)m->op_count;
    if (k->bytes > 0) tdm_model_add_op(m, TDM_OP_SEIZE)->cost = cost_of(constant(k->bytes));
    for (size_t v = 0; v < k->visits; v++)
      model_serve(m, (uint32_t)c, (uint32_t)k->station[v], exponential(k->time_s[v]));
    if (k->bytes > 0) tdm_model_add_op(m, TDM_OP_RELEASE);
    if (c + 1 < p->classes) tdm_model_add_op(m, TDM_OP_END);
  }
  model_end(m);
  return m;
}

/* ---- the same by itself */

typedef enum { SERVED, THOUGHT, ARRIVED } happening; /* of one instant, in this order */

typedef struct {
  int64_t time_ns;
  happening kind;
  size_t class, job;
} event;

typedef struct {
  size_t class, visit;
  uint64_t ordinal;
  int64_t arrival_ns, end_ns;
} job;

typedef struct {
  size_t jobs[MOST], count;
} line;

typedef struct {
  const plan *plan;
  uint32_t replication;
  event events[MOST + CLASSES * USERS];
  size_t event_count, job_count;
  job jobs[MOST];
  line queue[STATIONS], memory;
  uint32_t busy[STATIONS];
  int held;
  int64_t waited_ns, held_ns; /* for the memory, and its bytes by how long they were held */
  int64_t now_ns;
  uint64_t issued[CLASSES], groups[CLASSES];
} world;

static int64_t exponential_ns(tdm_stream stream, uint64_t n, double mean_s) {
  return llrint(tdm_exponential(tdm_stream_bits(stream, n)) * (mean_s * 1e9));
}

static tdm_stream stream_of(const world *w, const char *form, size_t class, uint64_t child) {
  char name[32];
  snprintf(name, sizeof name, form, class_names[class]);
  return tdm_stream_child(tdm_stream_named(7, w->replication, name), child);
}

static void at(world *w, int64_t time_ns, happening kind, size_t class, size_t index) {
  w->events[w->event_count++] = (event){time_ns, kind, class, index};
}

static void queue_push(line *l, size_t index) {
  l->jobs[l->count++] = index;
}

static size_t queue_take(line *l, size_t place) {
  size_t index = l->jobs[place];
  memmove(l->jobs + place, l->jobs + place + 1, (--l->count - place) * sizeof *l->jobs);
  return index;
}

static bool over(const world *w, size_t class, int64_t time_ns) {
  const class_plan *k = &w->plan->class[class];
  return w->job_count >= w->plan->requests || time_ns >= w->plan->duration_ns ||
         (k->end_ns > 0 && time_ns >= k->end_ns) || (k->limit > 0 && w->issued[class] >= k->limit);
}

static void think(world *w, size_t class, uint64_t draw) {
  tdm_dist *dist = exponential(w->plan->class[class].gap_s);
  double seconds = tdm_dist_draw(dist, stream_of(w, "class/%s", class, 5), draw, NULL);
  int64_t time_ns = w->now_ns + llrint(seconds * 1e9);
  tdm_dist_free(dist);
  if (!over(w, class, time_ns)) at(w, time_ns, THOUGHT, class, 0);
}

static void next_arrival(world *w, size_t class) {
  const class_plan *k = &w->plan->class[class];
  uint64_t n = w->groups[class]++;
  int64_t gap_ns = k->even ? llrint(k->gap_s * 1e9)
                           : exponential_ns(stream_of(w, "class/%s", class, 0), n, k->gap_s);
  int64_t time_ns = w->now_ns + gap_ns;
  if (!over(w, class, time_ns)) at(w, time_ns, ARRIVED, class, 0);
}

static void start(world *w, size_t station, size_t index) {
  const job *j = &w->jobs[index];
  const class_plan *k = &w->plan->class[j->class];
  size_t stage = j->visit;
  for (size_t c = 0; c < j->class; c++) stage += w->plan->class[c].visits;
  char name[16];
  snprintf(name, sizeof name, "%%s/t%zu", stage);
  w->busy[station]++;
  at(w,
     w->now_ns + exponential_ns(stream_of(w, name, j->class, 0), j->ordinal, k->time_s[j->visit]),
     SERVED, j->class, index);
}

static size_t first_of(const world *w, size_t station) {
  const line *l = &w->queue[station];
  size_t best = 0;
  if (w->plan->order[station] == TDM_LIFO) return l->count - 1;
  for (size_t i = 1; i < l->count && w->plan->order[station] == TDM_PRIORITY; i++)
    if (w->plan->class[w->jobs[l->jobs[i]].class].priority <
        w->plan->class[w->jobs[l->jobs[best]].class].priority)
      best = i;
  return best;
}

static void enter(world *w, size_t index) {
  size_t station = w->plan->class[w->jobs[index].class].station[w->jobs[index].visit];
  if (w->busy[station] < w->plan->servers[station])
    start(w, station, index);
  else
    queue_push(&w->queue[station], index);
}

static int bytes_of(const world *w, size_t index) {
  return w->plan->class[w->jobs[index].class].bytes;
}

static void hold(world *w, int bytes) {
  w->held += bytes;
  w->held_ns -= bytes * w->now_ns;
}

static void leave(world *w, size_t index) {
  job *j = &w->jobs[index];
  int bytes = bytes_of(w, index);
  hold(w, -bytes);
  while (bytes > 0 && w->memory.count > 0 &&
         w->held + bytes_of(w, w->memory.jobs[0]) <= w->plan->bytes) {
    size_t first = queue_take(&w->memory, 0);
    w->waited_ns += w->now_ns;
    hold(w, bytes_of(w, first));
    enter(w, first);
  }
  j->end_ns = w->now_ns;
  if (w->plan->class[j->class].users > 0) think(w, j->class, j->ordinal);
}

static void issue(world *w, size_t class) {
  if (over(w, class, w->now_ns)) return;
  size_t index = w->job_count++;
  w->jobs[index] = (job){class, 0, w->issued[class]++, w->now_ns, -1};
  if (bytes_of(w, index) == 0) {
    enter(w, index);
  } else if (w->memory.count == 0 && w->held + bytes_of(w, index) <= w->plan->bytes) {
    hold(w, bytes_of(w, index));
    enter(w, index);
  } else {
    w->waited_ns -= w->now_ns;
    queue_push(&w->memory, index);
  }
}

static void served(world *w, size_t index) {
  job *j = &w->jobs[index];
  size_t station = w->plan->class[j->class].station[j->visit];
  w->busy[station]--;
  if (w->queue[station].count > 0)
    start(w, station, queue_take(&w->queue[station], first_of(w, station)));
  if (++j->visit < w->plan->class[j->class].visits)
    enter(w, index);
  else
    leave(w, index);
}

/* Of one instant what was served comes first; arrivals come in the order of their classes. */
static bool before(const event *a, const event *b) {
  if (a->time_ns != b->time_ns) return a->time_ns < b->time_ns;
  return a->kind != b->kind ? a->kind < b->kind : a->class < b->class;
}

static void simulate(world *w) {
  for (size_t c = 0; c < w->plan->classes; c++) {
    if (w->plan->class[c].users == 0) next_arrival(w, c);
    for (uint32_t user = 0; user < w->plan->class[c].users; user++)
      think(w, c, (uint64_t)1 << 48 | user);
  }
  while (w->event_count > 0) {
    size_t first = 0;
    for (size_t i = 1; i < w->event_count; i++)
      if (before(&w->events[i], &w->events[first])) first = i;
    event e = w->events[first];
    w->events[first] = w->events[--w->event_count];
    w->now_ns = e.time_ns;
    if (e.kind == SERVED) served(w, e.job);
    if (e.kind != SERVED) issue(w, e.class);
    if (e.kind == ARRIVED) next_arrival(w, e.class);
  }
}

/* ---- */

static void every_request_comes_and_goes_as_the_simulation_says(void **state) {
  (void)state;
  tdm_rng rng = {20};
  static world w;
  uint64_t seen = 0;
  for (uint32_t i = 0; i < CASES; i++) {
    plan p = plan_draw(&rng);
    w = (world){.plan = &p, .replication = i};
    simulate(&w);
    tdm_model *m = model_of(&p);
    book *b = book_new();
    tdm_tally *t = run_event(m, i, i % 2 == 0 ? 0 : SIZE_MAX, b);
    assert_int_equal(t->end_ns, w.now_ns);
    assert_int_equal(t->memories[TDM_SLICES].queue_area_ns, w.waited_ns);
    assert_true(fabs(t->memories[TDM_SLICES].held_area - (double)w.held_ns * 1e-9) < 1e-6);
    tdm_tally_free(t);
    assert_int_equal(b->request_count, w.job_count);
    for (size_t k = 0; k < w.job_count; k++) {
      const job *j = &w.jobs[k];
      const tdm_request_record *r = b->requests;
      while (r->request != ((uint64_t)j->class << 48 | j->ordinal)) r++;
      if (r->arrival_ns != j->arrival_ns || r->end_ns != j->end_ns)
        fail_msg("case %u: request %s %d: from %lld to %lld, not %lld to %lld", i,
                 class_names[j->class], (int)j->ordinal, (long long)r->arrival_ns,
                 (long long)r->end_ns, (long long)j->arrival_ns, (long long)j->end_ns);
      assert_int_equal(r->outcome, TDM_OUTCOME_OK);
    }
    seen += w.job_count;
    book_free(b);
    tdm_model_free(m);
  }
  assert_true(seen > 20 * CASES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_request_comes_and_goes_as_the_simulation_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
