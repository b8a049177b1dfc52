/* The hash map finds what a list finds, through growing, removal and rows of one hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash_map.h"

enum { ROWS = 4000 };

typedef struct {
  uint32_t hash;
  bool there;
} row;

static row rows[ROWS];

static tdm_hash_slot *slot_of(const tdm_hash_map *map, uint32_t wanted) {
  tdm_hash_slot *slot = tdm_hash_first(map, rows[wanted].hash);
  while (slot != NULL && slot->row != wanted) slot = tdm_hash_next(map, slot);
  return slot;
}

/* Every row that is there is found once, and no other. */
static void expect_all(const tdm_hash_map *map) {
  size_t there = 0;
  for (uint32_t i = 0; i < ROWS; i++) {
    assert_int_equal(slot_of(map, i) != NULL, rows[i].there);
    there += rows[i].there;
    size_t same = 0;
    for (tdm_hash_slot *s = tdm_hash_first(map, rows[i].hash); s; s = tdm_hash_next(map, s)) {
      assert_int_equal(s->hash, rows[i].hash);
      same += s->row == i;
    }
    assert_int_equal(same, rows[i].there);
  }
  assert_int_equal(map->count, there);
}

/* Hashes of `spread` values, the last ones of the range among them, so that runs of slots pass the
 * end of the table. */
static void come_and_go(uint32_t spread) {
  tdm_hash_map map = {0};
  tdm_rng rng = {spread};
  for (uint32_t i = 0; i < ROWS; i++)
    rows[i] = (row){.hash = (uint32_t)tdm_index_below(tdm_rng_bits(&rng), spread) - spread / 2};
  for (int turn = 0; turn < 4; turn++) {
    for (uint32_t n = 0; n < 2 * ROWS; n++) {
      uint32_t i = (uint32_t)tdm_index_below(tdm_rng_bits(&rng), ROWS);
      if (rows[i].there)
        tdm_hash_remove(&map, slot_of(&map, i));
      else
        assert_true(tdm_hash_add(&map, rows[i].hash, i));
      rows[i].there = !rows[i].there;
    }
    expect_all(&map);
  }
  tdm_hash_map_clear(&map);
  for (uint32_t i = 0; i < ROWS; i++) rows[i].there = false;
  expect_all(&map);
  tdm_hash_map_free(&map);
}

static void rows_come_and_go(void **state) {
  (void)state;
  come_and_go(UINT32_MAX); /* scattered */
  come_and_go(1000);       /* several rows of each hash, side by side */
  come_and_go(60);         /* long runs */
}

static void an_empty_map_finds_nothing(void **state) {
  (void)state;
  tdm_hash_map map = {0};
  assert_null(tdm_hash_first(&map, 7));
  tdm_hash_map_clear(&map);
  tdm_hash_map_free(&map);
}

static void reserved_room_does_not_grow(void **state) {
  (void)state;
  tdm_hash_map map = {0};
  assert_true(tdm_hash_map_reserve(&map, 1000));
  const tdm_hash_slot *slots = map.slots;
  for (uint32_t i = 0; i < 1000; i++) assert_true(tdm_hash_add(&map, tdm_hash_number(i), i));
  assert_ptr_equal(map.slots, slots);
  tdm_hash_map_free(&map);
}

/* Slots of a table of 2^16 that `count` hashes fall on: near what chance would give. */
static size_t different_slots(uint32_t (*hash)(uint64_t), size_t count) {
  static unsigned char taken[1 << 16];
  for (size_t i = 0; i < sizeof taken; i++) taken[i] = 0;
  size_t different = 0;
  for (size_t i = 0; i < count; i++) {
    unsigned char *at = &taken[hash(i) & (sizeof taken - 1)];
    different += *at == 0;
    *at = 1;
  }
  return different;
}

static uint32_t by_number(uint64_t i) {
  return tdm_hash_number(i << 40);
}
static uint32_t by_pair(uint64_t i) {
  return tdm_hash_pair(i & 63, i >> 6);
}
static uint32_t by_pair_high(uint64_t i) {
  return tdm_hash_pair(i << 48, 5);
}
static uint32_t by_id(uint64_t i) {
  return tdm_hash_id(i, 3);
}
static uint32_t by_group(uint64_t i) {
  return tdm_hash_id(i & 7, i >> 3);
}
static uint32_t by_far_id(uint64_t i) {
  return tdm_hash_id(i << 35, 0);
}
static uint32_t by_bytes(uint64_t i) {
  char text[13] = "kernel_";
  for (int at = 12; at > 6; at--, i /= 10) text[at] = (char)('0' + i % 10);
  return tdm_hash_bytes(text, sizeof text);
}

static void hashes_scatter(void **state) {
  (void)state;
  /* By chance 25,800 of 2^16 slots would be hit; ids in steps of eight have only 2^13 to hit. Where
   * they fall depends on the process, and these limits are far from what any seed gives. */
  uint32_t (*const hashes[])(uint64_t) = {by_number, by_pair,   by_pair_high, by_id,
                                          by_group,  by_far_id, by_bytes};
  for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
    assert_in_range(different_slots(hashes[i], 1 << 15), hashes[i] == by_far_id ? 4000 : 16000,
                    1 << 15);
}

static void neighbours_lie_side_by_side(void **state) {
  (void)state;
  for (uint64_t id = 0; id < 800; id += 8)
    for (uint32_t i = 0; i < 8; i++)
      assert_int_equal(tdm_hash_id(id + i, 9), tdm_hash_id(id, 9) + i);
}

static void bytes_of_every_length_differ(void **state) {
  (void)state;
  static const char zeros[64];
  for (size_t a = 0; a < sizeof zeros; a++)
    for (size_t b = 0; b < a; b++)
      assert_int_not_equal(tdm_hash_bytes(zeros, a), tdm_hash_bytes(zeros, b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_and_go),
      cmocka_unit_test(an_empty_map_finds_nothing),
      cmocka_unit_test(reserved_room_does_not_grow),
      cmocka_unit_test(hashes_scatter),
      cmocka_unit_test(neighbours_lie_side_by_side),
      cmocka_unit_test(bytes_of_every_length_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
