/* write/texts: names as JSON strings, values as JSON, and what is a JSON structure at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "records_as_text.h"
#include "write/texts.h"

static tdm_outfile file;

static void wrote(const char *want) {
  file.buffer[file.used] = 0;
  assert_string_equal(file.buffer, want);
  file.used = 0;
}

static void names_are_quoted_and_escaped_where_they_must_be(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"plain", "\"plain\""},
      {"", "\"\""},
      {"a b~", "\"a b~\""},
      {"caf\xc3\xa9", "\"caf\xc3\xa9\""},
      {"\x1f", "\"\\u001f\""},
      {"\x7f", "\"\\u007f\""},
      {"say \"a\"", "\"say \\\"a\\\"\""},
      {"a\\b", "\"a\\\\b\""},
  };
  enum { NAMES = sizeof names / sizeof *names };
  made m = made_new();
  uint32_t ids[NAMES];
  for (size_t i = 0; i < NAMES; i++) ids[i] = tdm_record_text(m.recorder, names[i][0]);
  made_done(&m);
  tdm_texts texts;
  assert_int_equal(tdm_texts_open(&texts, m.recording, &m.error), TDM_OK);
  assert_int_equal(texts.count, tdm_recording_names(m.recording));
  assert_int_equal(tdm_outfile_open(&file, scratch_path(".txt"), &m.error), TDM_OK);
  for (int round = 0; round < 3; round++) /* the first time, and from what is kept */
    for (size_t i = 0; i < NAMES; i++) {
      tdm_texts_put(&texts, &file, ids[i]);
      wrote(names[i][1]);
      tdm_texts_value(&texts, &file, TDM_ARG_TEXT, ids[i]);
      wrote(names[i][1]);
    }
  const int64_t strangers[] = {-1, TDM_NONE, texts.count, INT64_C(1) << 32, INT64_MAX};
  for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
    tdm_texts_put(&texts, &file, strangers[i]);
    wrote("\"\"");
    tdm_texts_value(&texts, &file, TDM_ARG_JSON, strangers[i]);
    wrote("\"\"");
  }
  tdm_outfile_abort(&file);
  tdm_texts_close(&texts);
  assert_null(texts.names);
  tdm_recording_free(m.recording);
}

static void values_are_json_of_their_type(void **state) {
  (void)state;
  made m = made_new();
  uint32_t list = tdm_record_text(m.recorder, "[1, {\"a\": null}]"),
           torn = tdm_record_text(m.recorder, "[1, ");
  made_done(&m);
  tdm_texts texts;
  assert_int_equal(tdm_texts_open(&texts, m.recording, &m.error), TDM_OK);
  assert_int_equal(tdm_outfile_open(&file, scratch_path(".txt"), &m.error), TDM_OK);
  const struct {
    tdm_arg_type type;
    int64_t value;
    const char *want;
  } cases[] = {{TDM_ARG_INT, -5, "-5"},
               {TDM_ARG_INT, INT64_MAX, "9223372036854775807"},
               {TDM_ARG_BOOL, 0, "false"},
               {TDM_ARG_BOOL, 1, "true"},
               {TDM_ARG_BOOL, -1, "true"},
               {TDM_ARG_REAL, tdm_record_real(0.25), "0.25"},
               {TDM_ARG_REAL, tdm_record_real((double)INFINITY), "\"Infinity\""},
               {TDM_ARG_REAL, tdm_record_real(-(double)INFINITY), "\"-Infinity\""},
               {TDM_ARG_JSON, list, "[1, {\"a\": null}]"},
               {TDM_ARG_JSON, torn, "\"[1, \""},
               {TDM_ARG_TEXT, list, "\"[1, {\\\"a\\\": null}]\""}};
  for (int round = 0; round < 2; round++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      tdm_texts_value(&texts, &file, cases[i].type, cases[i].value);
      wrote(cases[i].want);
    }
  assert_true(tdm_texts_has(TDM_ARG_REAL, tdm_record_real((double)INFINITY)));
  assert_true(tdm_texts_has(TDM_ARG_REAL, tdm_record_real(-(double)INFINITY)));
  assert_false(tdm_texts_has(TDM_ARG_REAL, tdm_record_real((double)NAN)));
  assert_false(tdm_texts_has(TDM_ARG_REAL, tdm_record_real(-(double)NAN)));
  assert_false(tdm_texts_has(TDM_ARG_INT, TDM_NONE));
  assert_true(tdm_texts_has(TDM_ARG_INT, TDM_NONE + 1) && tdm_texts_has(TDM_ARG_TEXT, -1));
  tdm_outfile_abort(&file);
  tdm_texts_close(&texts);
  tdm_recording_free(m.recording);
}

/* A text is judged by its own bytes alone: behind it stands what would complete it, or spoil it. */
static int is_structure(const char *text) {
  static const char *const behind[] = {"", "]", "}", "\"]", "e]", "0]", "null]"};
  char all[600];
  int is = tdm_json_is_structure(text, strlen(text));
  for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
    snprintf(all, sizeof all, "%s%s", text, behind[i]);
    assert_int_equal(tdm_json_is_structure(all, strlen(text)), is);
  }
  return is;
}

static void structures_are_what_the_grammar_says(void **state) {
  (void)state;
  static const char *const values[] = {"0",        "-0",           "10",
                                       "1.5",      "0.0",          "1e5",
                                       "1E+5",     "1.25e-07",     "-9.9",
                                       "true",     "false",        "null",
                                       "\"\"",     "[]",           "{}",
                                       "[[]]",     "\"a\\u00Ff\"", "\" \"",
                                       "\"\\\"\"", "\"\\\\\"",     "\"\\/\\b\\f\\n\\r\\t\"",
                                       "\"\x7f\"", "{\"a\":1}",    "{\"a\":1,\"b\":[2]}",
                                       " \t1\t ",  "[ 1 , 2 ]",    "{ \"a\" : 1 }"};
  static const char *const none[] = {
      "",        "01",       "-",          "+1",        ".5",       "1.",          "1.e5",
      "1e",      "1e+",      "1e+-5",      "--1",       "tru",      "True",        "nul",
      "nulll",   "falsey",   "\"",         "\"a",       "\"\\\"",   "\"\\u12G4\"", "\"\\u123\"",
      "\"\\x\"", "\"\x1f\"", "\"\n\"",     "[1,]",      "[,1]",     "[1 2]",       "{1:2}",
      "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\" 1}", "[1}",      "{\"a\":1]",   "[",
      "{",       "1,",       "0x1",        "1_0",       "\"\xff\"", "\n1",         "/"};
  char text[64];
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    static const char *const around[] = {"[%s]", "[0,%s]", "[%s,0]", "{\"k\":%s}"};
    for (size_t w = 0; w < 4; w++) {
      snprintf(text, sizeof text, around[w], values[i]);
      if (!is_structure(text)) fail_msg("%s is one", text);
    }
  }
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    snprintf(text, sizeof text, i == 0 ? "[0,%s]" : "[%s]", none[i]);
    if (is_structure(text)) fail_msg("%s is none", text);
    snprintf(text, sizeof text, "{\"k\":%s}", none[i]);
    if (is_structure(text)) fail_msg("%s is none", text);
  }
  static const char *const tops[] = {"",    "1",    "\"[]\"", " []", "[] ",
                                     "[]]", "[][]", "]",      "}",   "null"};
  for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) assert_false(is_structure(tops[i]));
}

static void structures_are_200_deep_at_most(void **state) {
  (void)state;
  char text[402];
  for (size_t deep = 199; deep <= 201; deep++) {
    memset(text, '[', deep);
    memset(text + deep, ']', deep);
    assert_int_equal(tdm_json_is_structure(text, 2 * deep), deep <= 200);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_quoted_and_escaped_where_they_must_be),
      cmocka_unit_test(values_are_json_of_their_type),
      cmocka_unit_test(structures_are_what_the_grammar_says),
      cmocka_unit_test(structures_are_200_deep_at_most),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
