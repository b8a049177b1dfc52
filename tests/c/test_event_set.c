/* The event set pops the same order from the array, from the ladder and across the move between
 * them as a sorted list does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "engine/events/event_set.h"

static uint64_t random_state;

static uint64_t random_bits(void) {
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}
static uint64_t random_below(uint64_t n) {
  return random_bits() % n;
}
static double random_unit(void) {
  return ((double)(random_bits() >> 11) + 0.5) * 0x1p-53;
}

/* ---- the reference: a list kept sorted, last out first ---- */

typedef struct {
  tdm_event_key *keys;
  size_t count, capacity;
} sorted_list;

static void list_push(sorted_list *list, tdm_event_key key) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity == 0 ? 64 : 2 * list->capacity;
    list->keys = realloc(list->keys, list->capacity * sizeof key);
    assert_non_null(list->keys);
  }
  size_t low = 0, high = list->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (list->keys[middle] > key)
      low = middle + 1;
    else
      high = middle;
  }
  memmove(list->keys + low + 1, list->keys + low, (list->count++ - low) * sizeof key);
  list->keys[low] = key;
}

static int by_key(const void *a, const void *b) {
  tdm_event_key x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

/* ---- increments ---- */

typedef int64_t increment_fn(void);

static int64_t exponential(void) {
  return (int64_t)(-1e6 * log(random_unit()));
}
static int64_t constant(void) {
  return 1000000;
}
static int64_t zero(void) {
  return 0;
}
static int64_t tiny(void) {
  return (int64_t)random_below(3);
}
static int64_t bimodal(void) {
  return (int64_t)random_below(10) == 0 ? (int64_t)(1e9 + 1e6 * random_unit()) : exponential();
}
static int64_t heavy(void) {
  return (int64_t)(1e3 * pow(random_unit(), -1.5));
}
static int64_t distant(void) {
  return random_below(4) == 0 ? INT64_MAX - (int64_t)random_below(5) : exponential();
}

static increment_fn *const increments[] = {exponential, constant, zero,   tiny,
                                           bimodal,     heavy,    distant};
enum { INCREMENTS = sizeof increments / sizeof *increments };

static tdm_event_key make(int64_t now, int64_t increment, uint64_t sequence) {
  int64_t time = increment > INT64_MAX - now ? INT64_MAX : now + increment;
  return tdm_event_make(time, (tdm_event_rank)random_below(3), sequence,
                        (uint32_t)random_below(1 << TDM_PAYLOAD_BITS));
}

/* ---- a run beside the reference ---- */

typedef struct {
  tdm_event_set set;
  sorted_list list;
  uint64_t sequence;
  int64_t now;
} rig;

static void rig_open(rig *r, size_t limit) {
  *r = (rig){0};
  assert_true(tdm_event_set_open(&r->set, limit));
}
static void rig_close(rig *r) {
  tdm_event_set_close(&r->set);
  free(r->list.keys);
}
static void rig_push(rig *r, int64_t increment) {
  tdm_event_key key = make(r->now, increment, r->sequence++);
  assert_true(tdm_event_set_push(&r->set, key));
  list_push(&r->list, key);
}
/* False: both are empty. */
static bool rig_pop(rig *r) {
  tdm_event_key key;
  bool popped = tdm_event_set_pop(&r->set, &key);
  assert_int_equal(popped, r->list.count > 0);
  if (!popped) return false;
  if (key != r->list.keys[--r->list.count])
    fail_msg("popped time %lld, expected %lld", (long long)tdm_event_time(key),
             (long long)tdm_event_time(r->list.keys[r->list.count]));
  r->now = tdm_event_time(key);
  return true;
}
static void rig_drain(rig *r) {
  while (rig_pop(r)) {
  }
  assert_false(rig_pop(r));
}

static const size_t limits[] = {SIZE_MAX, 0, 1, 5, 64, 300};
enum { LIMITS = sizeof limits / sizeof *limits };

/* Hold model: every handler pushes one event. */
static void hold_pops_in_order(void **state) {
  (void)state;
  static const size_t counts[] = {1, 2, 4, 11, 12, 13, 60, 100, 1000, 3000};
  for (size_t d = 0; d < INCREMENTS; d++) {
    for (size_t l = 0; l < LIMITS; l++) {
      for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        rig r;
        rig_open(&r, limits[l]);
        for (size_t i = 0; i < counts[c]; i++) rig_push(&r, increments[d]());
        for (size_t i = 0; i < 3 * counts[c] + 200; i++) {
          assert_true(rig_pop(&r));
          rig_push(&r, increments[d]());
        }
        rig_drain(&r);
        rig_close(&r);
      }
    }
  }
}

/* Handlers push 0 to 3 events; the set grows, moves, shrinks to nothing and is used again. */
static void handlers_pop_in_order(void **state) {
  (void)state;
  for (size_t d = 0; d < INCREMENTS; d++) {
    for (size_t l = 0; l < LIMITS; l++) {
      rig r;
      rig_open(&r, limits[l]);
      for (int wave = 0; wave < 6; wave++) {
        size_t peak = (size_t)1 << (2 * wave); /* 1 … 1024 */
        rig_push(&r, increments[d]());
        for (int i = 0; i < 3000 && rig_pop(&r); i++) {
          uint64_t pushes = random_below(r.list.count < peak ? 4 : 2);
          for (uint64_t p = 0; p < pushes; p++)
            rig_push(&r, increments[random_below(8) == 0 ? random_below(INCREMENTS) : d]());
        }
        rig_drain(&r);
        if (r.now > INT64_MAX / 2) r.now = 0; /* an empty set may start again from any time */
      }
      rig_close(&r);
    }
  }
}

/* Bursts at the current time, also with ranks below that of the event just popped. */
static void events_of_now_come_first(void **state) {
  (void)state;
  for (size_t l = 0; l < LIMITS; l++) {
    rig r;
    rig_open(&r, limits[l]);
    for (int i = 0; i < 500; i++) rig_push(&r, exponential());
    for (int i = 0; i < 2000; i++) {
      assert_true(rig_pop(&r));
      uint64_t burst = random_below(200) == 0 ? 400 : random_below(3);
      for (uint64_t b = 0; b < burst; b++) rig_push(&r, 0);
      if (r.list.count < 500) rig_push(&r, exponential());
    }
    rig_drain(&r);
    rig_close(&r);
  }
}

/* Blocks of events, each before all that are pending: the worst case for the ladder's rungs. */
static void earlier_and_earlier_pops_in_order(void **state) {
  (void)state;
  for (size_t l = 0; l < LIMITS; l++) {
    for (int64_t width = 1; width <= 1000000; width *= 1000) {
      rig r;
      rig_open(&r, limits[l]);
      rig_push(&r, 0);
      for (int64_t block = 30; block > 0; block--) {
        for (int i = 0; i < 200; i++)
          rig_push(&r, block * 2000000 + (int64_t)random_below((uint64_t)width));
        /* Once in order, so that there is a bottom to push before. */
        if (block % 7 == 0) {
          rig_push(&r, 0);
          rig_pop(&r);
        }
      }
      rig_drain(&r);
      rig_close(&r);
    }
  }
}

/* Many events: what is popped is what was pushed, sorted. */
static void many_events_pop_sorted(void **state) {
  (void)state;
  enum { COUNT = 200000 };
  tdm_event_key *keys = malloc(COUNT * sizeof *keys);
  assert_non_null(keys);
  static const size_t some[] = {0, TDM_HEAP_LIMIT, 5000};
  for (size_t d = 0; d < INCREMENTS; d++) {
    for (size_t l = 0; l < sizeof some / sizeof *some; l++) {
      tdm_event_set set;
      assert_true(tdm_event_set_open(&set, some[l]));
      for (uint64_t i = 0; i < COUNT; i++) {
        keys[i] = make(0, increments[d](), i);
        assert_true(tdm_event_set_push(&set, keys[i]));
      }
      qsort(keys, COUNT, sizeof *keys, by_key);
      tdm_event_key key;
      for (size_t i = 0; i < COUNT; i++) {
        assert_true(tdm_event_set_pop(&set, &key));
        assert_true(key == keys[i]);
      }
      assert_false(tdm_event_set_pop(&set, &key));
      tdm_event_set_close(&set);
    }
  }
  free(keys);
}

static void the_set_moves_above_its_limit(void **state) {
  (void)state;
  tdm_event_set set;
  tdm_event_key key;
  assert_true(tdm_event_set_open(&set, 100));
  for (uint64_t i = 0; i < 100; i++)
    assert_true(tdm_event_set_push(
        &set, tdm_event_make((int64_t)(i * 37 % 100), TDM_EVENT_TIMER, i, (uint32_t)i)));
  assert_null(set.ladder);
  assert_true(tdm_event_set_pop(&set, &key));
  assert_int_equal(tdm_event_time(key), 0);
  assert_true(tdm_event_set_push(&set, key)); /* still 100 */
  assert_null(set.ladder);
  assert_true(tdm_event_set_push(&set, tdm_event_make(1000, TDM_EVENT_TIMER, 100, 0)));
  assert_non_null(set.ladder);
  for (int64_t i = 0; i < 100; i++) {
    assert_true(tdm_event_set_pop(&set, &key));
    assert_int_equal(tdm_event_time(key), i);
  }
  assert_true(tdm_event_set_pop(&set, &key));
  assert_int_equal(tdm_event_time(key), 1000);
  assert_false(tdm_event_set_pop(&set, &key));
  tdm_event_set_close(&set);
}

static void an_empty_set_pops_nothing(void **state) {
  (void)state;
  for (size_t l = 0; l < LIMITS; l++) {
    rig r;
    rig_open(&r, limits[l]);
    assert_false(rig_pop(&r));
    for (int i = 0; i < 5; i++) {
      rig_push(&r, 5 - i);
      assert_true(rig_pop(&r));
      assert_false(rig_pop(&r));
      assert_false(rig_pop(&r));
      r.now = 0;
    }
    rig_close(&r);
  }
}

static void a_key_keeps_its_parts(void **state) {
  (void)state;
  const uint32_t payload = ((uint32_t)1 << TDM_PAYLOAD_BITS) - 1;
  tdm_event_key key = tdm_event_make(INT64_MAX, TDM_EVENT_ARRIVAL, TDM_SEQUENCE_MAX, payload);
  assert_true(tdm_event_time(key) == INT64_MAX);
  assert_int_equal(tdm_event_rank_of(key), TDM_EVENT_ARRIVAL);
  assert_int_equal(tdm_event_payload(key), payload);
  assert_true(tdm_event_make(5, TDM_EVENT_COMPLETE, 9, 0) <
              tdm_event_make(5, TDM_EVENT_TIMER, 0, 0));
  assert_true(tdm_event_make(5, TDM_EVENT_TIMER, 9, 0) > tdm_event_make(5, TDM_EVENT_TIMER, 8, 7));
  assert_true(tdm_event_make(4, TDM_EVENT_ARRIVAL, 9, 0) <
              tdm_event_make(5, TDM_EVENT_COMPLETE, 0, 0));
}

static int seed(void **state) {
  (void)state;
  random_state = 20261121;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_key_keeps_its_parts, seed),
      cmocka_unit_test_setup(an_empty_set_pops_nothing, seed),
      cmocka_unit_test_setup(the_set_moves_above_its_limit, seed),
      cmocka_unit_test_setup(hold_pops_in_order, seed),
      cmocka_unit_test_setup(handlers_pop_in_order, seed),
      cmocka_unit_test_setup(events_of_now_come_first, seed),
      cmocka_unit_test_setup(earlier_and_earlier_pops_in_order, seed),
      cmocka_unit_test_setup(many_events_pop_sorted, seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
