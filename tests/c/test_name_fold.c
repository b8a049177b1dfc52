/* Folded names: what only counts goes, sizes and types stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/run_view/run_view.h"

static void names_lose_what_only_counts(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"aten::to, op_id = 998949", "aten::to"},
      {"aten::mm, seq = 12, op_id = 7, sizes = [[16, 5185], [5185]]",
       "aten::mm, sizes = [[16, 5185], [5185]]"},
      {"aten::mm, seq = x", "aten::mm, seq = x"},
      {"ProfilerStep#1009", "ProfilerStep#*"},
      {"FSDP::pre_forward (blocks.12._checkpoint)", "FSDP::pre_forward (blocks.*._checkpoint)"},
      {"model.layers.3", "model.layers.*"},
      {"Layer 7 forward", "Layer * forward"},
      {"layer_7", "layer_*"},
      {"step[12]", "step[*]"},
      {"iter12", "iter*"},
      {"player 7", "player 7"},
      {"nn.Module: Linear_12", "nn.Module: Linear_*"},
      {"Linear_12", "Linear_12"},
      {"lr = 0.001", "lr = *"},
      {"batch 32", "batch 32"},
      {"sizes 16x32", "sizes 16x32"},
      {"buffer 0x7f3a00 freed", "buffer * freed"},
      {"v1.5", "v1.5"},
      {"12", "12"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char out[128];
    tdm_name_fold(pairs[i][0], out, sizeof out);
    assert_string_equal(out, pairs[i][1]);
  }
}

static void names_are_cut_to_the_room(void **state) {
  (void)state;
  char out[64];
  static const char name[] = "layer 12345 of aten::mm 123456789, op_id = 4, 0xabc";
  for (size_t room = 2; room <= sizeof out; room++) {
    memset(out, 'x', sizeof out);
    tdm_name_fold(name, out, room);
    assert_true(strlen(out) < room);
    assert_memory_equal(out, "layer * of aten::mm 123456789, *", strlen(out));
    for (size_t i = room; i < sizeof out; i++) assert_int_equal(out[i], 'x');
  }
}

static void a_name_is_meant_as_it_is_or_folded(void **state) {
  (void)state;
  assert_true(tdm_name_is("step#3", "step#3"));
  assert_true(tdm_name_is("step#3", "step#*"));
  assert_false(tdm_name_is("step#3", "step#4"));
  assert_false(tdm_name_is("step#*", "step#3"));
  assert_false(tdm_name_is("step", "step#*"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_lose_what_only_counts),
                                     cmocka_unit_test(names_are_cut_to_the_room),
                                     cmocka_unit_test(a_name_is_meant_as_it_is_or_folded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
