/* Rules: precedence, labels, limits, complaints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/rules/rule_set.h"

#define RULE(ID, MATCH, CATEGORY, ...)                                                             \
  {                                                                                                \
    .id = ID, .file = "own.lua", .match = MATCH, .match_length = sizeof(MATCH) - 1,                \
    .label = {[TDM_LABEL_CATEGORY] = CATEGORY}, __VA_ARGS__                                        \
  }

static tdm_rule_set *made(const tdm_rule *rules, size_t count) {
  tdm_rule_set *set;
  tdm_error error;
  assert_int_equal(tdm_rule_set_new(rules, count, &set, &error), TDM_OK);
  return set;
}

static tdm_labels labels_of(tdm_rule_set *set, const char *name) {
  return tdm_rule_set_match(set, name, strlen(name));
}

static void first_rule_decides(void **state) {
  (void)state;
  const tdm_rule rules[] = {RULE("moe", "fused_moe", "moe_gemm"), RULE("gemm", "gemm|moe", "gemm"),
                            RULE("rest", ".*", "misc")};
  tdm_rule_set *set = made(rules, 3);
  assert_string_equal(labels_of(set, "void fused_moe_kernel").rule, "moe");
  assert_string_equal(labels_of(set, "moe_align").label[TDM_LABEL_CATEGORY], "gemm");
  assert_string_equal(labels_of(set, "").label[TDM_LABEL_CATEGORY], "misc");
  tdm_rule_set_free(set);
}

static void higher_priority_goes_first_then_the_order(void **state) {
  (void)state;
  const tdm_rule rules[] = {RULE("late", "x", "a", .priority = -1), RULE("b", "x", "b"),
                            RULE("c", "x", "c"), RULE("first", "xy", "d", .priority = 7)};
  tdm_rule_set *set = made(rules, 4);
  assert_string_equal(labels_of(set, "x").rule, "b");
  assert_string_equal(labels_of(set, "xy").rule, "first");
  assert_string_equal(tdm_rule_set_id(set, 3), "late");
  tdm_rule_set_free(set);
}

static void each_kind_of_label_has_its_own_first_rule(void **state) {
  (void)state;
  const tdm_rule rules[] = {RULE("dtype", "bf16", NULL, .label[TDM_LABEL_DTYPE] = "bf16"),
                            RULE("gemm", "gemm", "gemm", .label[TDM_LABEL_LIBRARY] = "cublas"),
                            RULE("library", "own", "copy", .label[TDM_LABEL_LIBRARY] = "own",
                                 .label[TDM_LABEL_TENSOR_CORE] = "yes")};
  tdm_rule_set *set = made(rules, 3);
  tdm_labels labels = labels_of(set, "own_gemm_bf16");
  assert_string_equal(labels.label[TDM_LABEL_CATEGORY], "gemm");
  assert_string_equal(labels.label[TDM_LABEL_LIBRARY], "cublas");
  assert_string_equal(labels.label[TDM_LABEL_DTYPE], "bf16");
  assert_string_equal(labels.label[TDM_LABEL_TENSOR_CORE], "yes");
  assert_null(labels.label[TDM_LABEL_PHASE]);
  labels = labels_of(set, "bf16");
  assert_null(labels.rule);
  assert_null(labels.label[TDM_LABEL_CATEGORY]);
  tdm_rule_set_free(set);
}

static void case_counts_unless_told(void **state) {
  (void)state;
  const tdm_rule rules[] = {RULE("exact", "Softmax", "a"),
                            RULE("any", "softmax", "b", .any_case = true)};
  tdm_rule_set *set = made(rules, 2);
  assert_string_equal(labels_of(set, "Softmax").rule, "exact");
  assert_string_equal(labels_of(set, "SOFTMAX").rule, "any");
  tdm_rule_set_free(set);
}

static void runaway_expressions_give_up_and_are_counted(void **state) {
  (void)state;
  const tdm_rule rules[] = {RULE("slow", "^(a+)+$", "slow"), RULE("rest", "a", "rest")};
  tdm_rule_set *set = made(rules, 2);
  char name[64];
  for (int i = 0; i < 60; i++) { /* interpreted at first, compiled later */
    snprintf(name, sizeof name, "%.*s!", 30 + i % 20,
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    assert_string_equal(labels_of(set, name).rule, "rest");
  }
  assert_int_equal(tdm_rule_set_gave_up(set, 0), 60);
  assert_int_equal(tdm_rule_set_gave_up(set, 1), 0);
  tdm_rule_set_forget(set);
  assert_int_equal(tdm_rule_set_gave_up(set, 0), 0);
  tdm_rule_set_free(set);
}

static void names_that_are_no_utf8_are_searched_all_the_same(void **state) {
  (void)state;
  const tdm_rule rules[] = {RULE("gemm", "gemm", "gemm")};
  tdm_rule_set *set = made(rules, 1);
  for (int i = 0; i < 100; i++)
    assert_string_equal(labels_of(set, "\xff\xfe_gemm\x80").rule, "gemm");
  tdm_rule_set_free(set);
}

static void a_wrong_expression_is_named_with_its_file_and_offset(void **state) {
  (void)state;
  const tdm_rule rules[] = {RULE("fine", "a", "a"), RULE("broken", "gemm(", "gemm")};
  tdm_rule_set *set;
  tdm_error error;
  assert_int_equal(tdm_rule_set_new(rules, 2, &set, &error), TDM_INVALID);
  assert_null(set);
  assert_string_equal(error.message,
                      "own.lua: rule broken: at offset 5 of 'gemm(': missing closing parenthesis");
}

static void no_rules_match_nothing(void **state) {
  (void)state;
  tdm_rule_set *set = made(NULL, 0);
  assert_null(labels_of(set, "gemm").label[TDM_LABEL_CATEGORY]);
  tdm_rule_set_free(set);
  tdm_rule_set_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_rule_decides),
      cmocka_unit_test(higher_priority_goes_first_then_the_order),
      cmocka_unit_test(each_kind_of_label_has_its_own_first_rule),
      cmocka_unit_test(case_counts_unless_told),
      cmocka_unit_test(runaway_expressions_give_up_and_are_counted),
      cmocka_unit_test(names_that_are_no_utf8_are_searched_all_the_same),
      cmocka_unit_test(a_wrong_expression_is_named_with_its_file_and_offset),
      cmocka_unit_test(no_rules_match_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
