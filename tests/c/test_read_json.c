/* JSON as it is found: tokens of good texts, repairs of bad ones, numbers that stay exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/json/json.h"

/* Tokens as one line: { } [ ] K:key "string" #number T F N. */
static void write_tokens(tdm_json *json, char *out, size_t room) {
  size_t used = 0;
  out[0] = 0;
  for (;;) {
    tdm_json_token token = tdm_json_next(json);
    if (token == TDM_JSON_END) return;
    static const char *const words[] = {"", "{", "}", "[", "]", "K:", "\"", "#", "T", "F", "N"};
    size_t length = 0;
    const char *text = "";
    if (token == TDM_JSON_KEY || token == TDM_JSON_STRING || token == TDM_JSON_NUMBER) {
      text = tdm_json_value(json, &length);
      assert_int_equal(strlen(text), length);
    }
    used += (size_t)snprintf(out + used, room - used, "%s%s%s", used > 0 ? " " : "", words[token],
                             text);
    assert_true(used < room);
  }
}

static tdm_json *reader;
static char line[1 << 16];

static const char *tokens(const char *text, size_t length) {
  tdm_json_free(reader);
  reader = tdm_json_new_text();
  tdm_json_text(reader, text, length);
  write_tokens(reader, line, sizeof line);
  return line;
}

#define TOKENS(text, expected) assert_string_equal(tokens(text, sizeof(text) - 1), expected)
#define REPAIRED(kind, count)  assert_int_equal(tdm_json_repaired(reader, TDM_JSON_##kind), count)

static void nothing_repaired(void) {
  for (int i = 0; i < TDM_JSON_REPAIRS; i++)
    assert_int_equal(tdm_json_repaired(reader, (tdm_json_repair)i), 0);
}

static void good_texts_give_their_tokens(void **state) {
  (void)state;
  TOKENS("{}", "{ }");
  TOKENS(" [ ] ", "[ ]");
  TOKENS("{\"a\":1,\"b\" : [true,false , null],\n\t\"c\":{\"d\":\"\"}}",
         "{ K:a #1 K:b [ T F N ] K:c { K:d \" } }");
  TOKENS("-1.5e+3", "#-1.5e+3");
  TOKENS("\"x\"", "\"x");
  TOKENS("", "");
  TOKENS("[1,-2,3.25,1e9]", "[ #1 #-2 #3.25 #1e9 ]");
  TOKENS("\xef\xbb\xbf{\"a\":\"\xc3\xa9\"}", "{ K:a \"\xc3\xa9 }");
  TOKENS("{\"a\":1}\n{\"b\":2}\n[]", "{ K:a #1 } { K:b #2 } [ ]"); /* JSON Lines */
  nothing_repaired();
}

static void escapes_are_undone(void **state) {
  (void)state;
  TOKENS("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[ \"\"\\/\b\f\n\r\t ]");
  TOKENS("[\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00z\"]",
         "[ \"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z ]");
  nothing_repaired();
  TOKENS("[\"\\ud83d x\",\"\\ude00\",\"\\u0000\"]",
         "[ \"\xef\xbf\xbd x \"\xef\xbf\xbd \"\xef\xbf\xbd ]");
  REPAIRED(ESCAPE, 3);
  TOKENS("[\"C:\\dir\\u12\"]", "[ \"C:\\dir\\u12 ]");
  REPAIRED(ESCAPE, 2);
}

static void bad_bytes_in_strings_are_kept_or_replaced(void **state) {
  (void)state;
  TOKENS("[\"a\nb\x01\"]", "[ \"a\nb\x01 ]");
  REPAIRED(CONTROL, 1);
  TOKENS("[\"a\xff\xc3\"]", "[ \"a\xef\xbf\xbd\xef\xbf\xbd ]");
  REPAIRED(UTF8, 1);
  TOKENS("[\"a\0b\"]", "[ \"a\xef\xbf\xbd\x62 ]");
  REPAIRED(UTF8, 1);
}

static void quotes_without_backslash_stay_in_the_string(void **state) {
  (void)state;
  TOKENS("{\"name\": \"say \"hello\" twice\", \"b\": 1}",
         "{ K:name \"say \"hello\" twice K:b #1 }");
  REPAIRED(QUOTE, 2);
  TOKENS("{\"name\": \"f(\"x\", 3)\", \"b\": 1}", "{ K:name \"f(\"x\", 3) K:b #1 }");
  REPAIRED(QUOTE, 2);
}

static void punctuation_is_repaired(void **state) {
  (void)state;
  TOKENS("[1,2,]", "[ #1 #2 ]");
  REPAIRED(PUNCTUATION, 1);
  TOKENS("{\"a\":1,}", "{ K:a #1 }");
  REPAIRED(PUNCTUATION, 1);
  TOKENS("[1 2]", "[ #1 #2 ]");
  REPAIRED(PUNCTUATION, 1);
  TOKENS("{\"a\" 1 \"b\":\"x\" \"c\":3}", "{ K:a #1 K:b \"x K:c #3 }");
  REPAIRED(PUNCTUATION, 3);
  TOKENS("[,,1]", "[ #1 ]");
  REPAIRED(PUNCTUATION, 2);
  TOKENS("{\"a\"}", "{ K:a N }");
  REPAIRED(PUNCTUATION, 1);
  TOKENS("{\"a\":,\"b\":2}", "{ K:a N K:b #2 }");
  TOKENS("[{\"a\":1]", "[ { K:a #1 } ]");
  REPAIRED(PUNCTUATION, 1);
  TOKENS("[1}]", "[ #1 ]");
  REPAIRED(PUNCTUATION, 1);
  TOKENS("]]1", "#1");
  REPAIRED(PUNCTUATION, 2);
  TOKENS("[{\"a\":1, {\"b\":2}]", "[ { K:a #1 } { K:b #2 } ]");
}

static void what_is_no_json_is_skipped(void **state) {
  (void)state;
  TOKENS("{\"a\": @@, \"b\": None}", "{ K:a N K:b N }");
  REPAIRED(GARBAGE, 2);
  TOKENS("{a: 1, \"b\": 2}", "{ K:b #2 }");
  TOKENS("Attaching 3 probes\n{\"a\":1}", "#3 { K:a #1 }");
  TOKENS("[NaN, -Infinity, nan]", "[ #NaN #-Infinity #nan ]");
  REPAIRED(NONFINITE, 3);
}

static void a_text_that_ends_early_is_closed(void **state) {
  (void)state;
  TOKENS("{\"a\":[1,{\"b\":", "{ K:a [ #1 { K:b N } ] }");
  REPAIRED(TRUNCATED, 1);
  TOKENS("[\"ab", "[ \"ab ]");
  REPAIRED(TRUNCATED, 1);
  TOKENS("{\"ab", "{ K:ab N }");
  TOKENS("[\"ab\\", "[ \"ab\\ ]");
  TOKENS("[12", "[ #12 ]");
}

static void deep_values_are_skipped(void **state) {
  (void)state;
  char text[4096];
  memset(text, '[', 1000);
  strcpy(text + 1000, "\"]]\"");
  memset(text + 1004, ']', 1000);
  tokens(text, 2004);
  REPAIRED(DEEP, 1);
  REPAIRED(PUNCTUATION, 0);
  REPAIRED(TRUNCATED, 0);
  size_t opened = 0, closed = 0;
  for (const char *p = line; *p != 0; p++) {
    opened += *p == '[';
    closed += *p == ']';
  }
  assert_int_equal(opened, TDM_JSON_DEPTH);
  assert_int_equal(closed, TDM_JSON_DEPTH);
}

/* A text of every kind of token; the same tokens must come wherever a piece ends. */
static const char varied[] = "{\"plain key\" : \"plain value\" , \"n\":-12.5e3,\"esc\\n\":"
                             "\"a\\u20acb\\\\\", \"caf\xc3\xa9\":[ true,false,null , {} ,[ ]],"
                             "\"q\":\"an \"inner\" one\", \"last\":12345678901234567890}";

static void pieces_may_end_anywhere(void **state) {
  (void)state;
  enum { ROOM = 1 << 16 }; /* json.c: its buffer */
  static char expected[4096];
  strcpy(expected, tokens(varied, sizeof varied - 1));
  size_t length = sizeof varied - 1;
  char *text = malloc(ROOM + length);
  for (size_t before = ROOM - length - 2; before <= ROOM; before++) {
    memset(text, ' ', before);
    memcpy(text + before, varied, length);
    assert_string_equal(tokens(text, before + length), expected);
    tdm_json_text(reader, text, before + length);
    tdm_json_next(reader);
    size_t compact;
    const char *whole = tdm_json_compact(reader, &compact);
    assert_string_equal(whole, "{\"plain key\":\"plain value\",\"n\":-12.5e3,\"esc\\n\":"
                               "\"a\xe2\x82\xac"
                               "b\\\\\",\"caf\xc3\xa9\":[true,false,null,{},[]],"
                               "\"q\":\"an \\\"inner\\\" one\",\"last\":12345678901234567890}");
    assert_int_equal(tdm_json_next(reader), TDM_JSON_END);
  }
  free(text);
}

static void a_string_may_be_longer_than_any_buffer(void **state) {
  (void)state;
  size_t length = 3000000;
  char *text = malloc(length);
  memset(text, 'x', length);
  memcpy(text, "{\"k\":\"", 6);
  memcpy(text + length - 2, "\"}", 2);
  tdm_json *json = tdm_json_new_text();
  tdm_json_text(json, text, length);
  assert_int_equal(tdm_json_next(json), TDM_JSON_OBJECT);
  assert_int_equal(tdm_json_next(json), TDM_JSON_KEY);
  assert_int_equal(tdm_json_next(json), TDM_JSON_STRING);
  size_t got;
  tdm_json_value(json, &got);
  assert_int_equal(got, length - 8);
  assert_int_equal(tdm_json_next(json), TDM_JSON_OBJECT_END);
  tdm_json_free(json);
  free(text);
}

/* Escaped quotes and backslashes all along: what is given up never ends the string early. */
static void what_a_string_has_beyond_its_most_is_cut(void **state) {
  (void)state;
  static const char *const units[] = {"x", "\\\\", "\\\"", "ab\\\"", "\xc3\xa9"};
  size_t room = 5 * TDM_JSON_STRING_BYTES;
  char *text = malloc(room + 64);
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    size_t unit = strlen(units[u]), used = 6;
    memcpy(text, "{\"k\":\"", 6);
    for (; used < room; used += unit) memcpy(text + used, units[u], unit);
    strcpy(text + used, "\",\"n\":7}");
    tdm_json *json = tdm_json_new_text();
    tdm_json_text(json, text, strlen(text));
    assert_int_equal(tdm_json_next(json), TDM_JSON_OBJECT);
    assert_int_equal(tdm_json_next(json), TDM_JSON_KEY);
    assert_int_equal(tdm_json_next(json), TDM_JSON_STRING);
    size_t got;
    tdm_json_value(json, &got);
    assert_in_range(got, TDM_JSON_STRING_BYTES / 2, 4 * TDM_JSON_STRING_BYTES);
    assert_int_equal(tdm_json_repaired(json, TDM_JSON_LONG), 1);
    assert_int_equal(tdm_json_repaired(json, TDM_JSON_ESCAPE), 0);
    assert_int_equal(tdm_json_next(json), TDM_JSON_KEY);
    assert_string_equal(tdm_json_value(json, NULL), "n");
    assert_int_equal(tdm_json_next(json), TDM_JSON_NUMBER);
    assert_int_equal(tdm_json_next(json), TDM_JSON_OBJECT_END);
    assert_int_equal(tdm_json_next(json), TDM_JSON_END);
    tdm_json_free(json);
  }
  free(text);
}

/* Whatever is cut off, ends match beginnings and every key has a value. */
static void every_prefix_gives_whole_values(void **state) {
  (void)state;
  for (size_t length = 0; length < sizeof varied; length++) {
    tdm_json *json = tdm_json_new_text();
    tdm_json_text(json, varied, length);
    int depth = 0;
    bool key = false;
    for (;;) {
      tdm_json_token token = tdm_json_next(json);
      bool ends = token == TDM_JSON_OBJECT_END || token == TDM_JSON_ARRAY_END;
      assert_false(key && (ends || token == TDM_JSON_END || token == TDM_JSON_KEY));
      key = token == TDM_JSON_KEY;
      depth += token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY;
      depth -= ends;
      assert_int_equal(depth, tdm_json_depth(json));
      if (token == TDM_JSON_END) break;
    }
    assert_int_equal(depth, 0);
    assert_int_equal(tdm_json_repaired(json, TDM_JSON_TRUNCATED),
                     length > 0 && length < sizeof varied - 1);
    tdm_json_free(json);
  }
}

static void values_are_skipped_whole(void **state) {
  (void)state;
  tdm_json *json = tdm_json_new_text();
  static const char text[] = "{\"a\":[1,{\"x\":2}],\"b\":7,\"c\":3}";
  tdm_json_text(json, text, sizeof text - 1);
  assert_int_equal(tdm_json_next(json), TDM_JSON_OBJECT);
  assert_int_equal(tdm_json_next(json), TDM_JSON_KEY);
  tdm_json_skip(json); /* after a key: its value */
  assert_int_equal(tdm_json_next(json), TDM_JSON_KEY);
  assert_string_equal(tdm_json_value(json, NULL), "b");
  tdm_json_skip(json);
  assert_int_equal(tdm_json_next(json), TDM_JSON_KEY);
  assert_int_equal(tdm_json_next(json), TDM_JSON_NUMBER);
  tdm_json_skip(json); /* after a number: nothing */
  assert_int_equal(tdm_json_next(json), TDM_JSON_OBJECT_END);
  tdm_json_text(json, text, sizeof text - 1);
  assert_int_equal(tdm_json_next(json), TDM_JSON_OBJECT);
  tdm_json_skip(json);
  assert_int_equal(tdm_json_next(json), TDM_JSON_END);
  tdm_json_free(json);
}

static void compacts(const char *text, const char *expected) {
  tdm_json *json = tdm_json_new_text();
  tdm_json_text(json, text, strlen(text));
  tdm_json_next(json);
  size_t length;
  const char *compact = tdm_json_compact(json, &length);
  assert_string_equal(compact, expected);
  assert_int_equal(length, strlen(expected));
  assert_int_equal(tdm_json_depth(json), 0);
  assert_int_equal(tdm_json_next(json), TDM_JSON_END);
  tdm_json_free(json);
}

static void values_become_compact_json(void **state) {
  (void)state;
  compacts("[ ]", "[]");
  compacts("[[1, 2],\n [ \"a b\" , true ] ,{ \"k\" : null }]",
           "[[1,2],[\"a b\",true],{\"k\":null}]");
  compacts("[1,,2,]", "[1,2]");
  compacts("{\"a\": NaN, \"b\": 007, \"c\": \"x\\ny\"}",
           "{\"a\":\"NaN\",\"b\":\"007\",\"c\":\"x\\ny\"}");
  compacts("{\"a\":[1,{\"b\":\"x", "{\"a\":[1,{\"b\":\"x\"}]}");
  compacts("{\"a\":{\"b\":[]},\"c\":[{}]}", "{\"a\":{\"b\":[]},\"c\":[{}]}");
}

static void scales(const char *text, int power, int64_t expected, bool good) {
  int64_t value;
  assert_int_equal(tdm_number_scaled(text, strlen(text), power, &value), good);
  assert_true(value == expected);
}

static void numbers_are_scaled_exactly(void **state) {
  (void)state;
  scales("5845.1234", 3, 5845123, true);
  scales("1695835542481129", 3, 1695835542481129000, true);
  scales("2915995397050.018", 3, 2915995397050018, true);
  scales("0.0005", 3, 1, true);
  scales("0.0004999999999999999999999999999999999999", 3, 0, true);
  scales("-0.0005", 3, -1, true);
  scales("-12.5", 0, -13, true);
  scales("1e3", 3, 1000000, true);
  scales("1.5E-3", 3, 2, true);
  scales("1e-400", 3, 0, true);
  scales("9223372036854775807", 0, INT64_MAX, true);
  scales("9223372036854775808", 0, INT64_MAX, false);
  scales("9223372036854775807.5", 0, INT64_MAX, false);
  scales("-9223372036854775809", 0, -INT64_MAX, false);
  scales("1e400", 0, INT64_MAX, false);
  scales("0e999999999999", 9, 0, true);
  scales(".5", 1, 5, true);
  scales("", 3, 0, false);
  scales("-", 3, 0, false);
  scales("1e", 3, 0, false);
  scales("12x", 3, 0, false);
  scales("1.2.3", 3, 0, false);
}

static void whole_numbers_are_told_from_others(void **state) {
  (void)state;
  int64_t value;
  assert_true(tdm_number_integer("12", 2, &value) && value == 12);
  assert_true(tdm_number_integer("12.0", 4, &value) && value == 12);
  assert_true(tdm_number_integer("1e3", 3, &value) && value == 1000);
  assert_true(tdm_number_integer("-7000e-3", 8, &value) && value == -7);
  assert_false(tdm_number_integer("12.5", 4, &value));
  assert_false(tdm_number_integer("NaN", 3, &value));
  assert_false(tdm_number_integer("10000000000000000000", 20, &value));
  assert_true(tdm_number_double("0.1", 3) == 0.1);
  assert_true(tdm_number_double("-2.5e-3 ", 7) == -2.5e-3);
  assert_true(isinf(tdm_number_double("-Infinity", 9)));
  assert_true(isnan(tdm_number_double("NaN", 3)));
  assert_true(isnan(tdm_number_double("x", 1)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_texts_give_their_tokens),
      cmocka_unit_test(escapes_are_undone),
      cmocka_unit_test(bad_bytes_in_strings_are_kept_or_replaced),
      cmocka_unit_test(quotes_without_backslash_stay_in_the_string),
      cmocka_unit_test(punctuation_is_repaired),
      cmocka_unit_test(what_is_no_json_is_skipped),
      cmocka_unit_test(a_text_that_ends_early_is_closed),
      cmocka_unit_test(deep_values_are_skipped),
      cmocka_unit_test(pieces_may_end_anywhere),
      cmocka_unit_test(a_string_may_be_longer_than_any_buffer),
      cmocka_unit_test(what_a_string_has_beyond_its_most_is_cut),
      cmocka_unit_test(every_prefix_gives_whole_values),
      cmocka_unit_test(values_are_skipped_whole),
      cmocka_unit_test(values_become_compact_json),
      cmocka_unit_test(numbers_are_scaled_exactly),
      cmocka_unit_test(whole_numbers_are_told_from_others),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tdm_json_free(reader);
  return failed;
}
