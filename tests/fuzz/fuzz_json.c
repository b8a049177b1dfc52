/* Any bytes as JSON: tokens come in a sensible order, and compact text is JSON that needs no
 * repair. The first byte says which values are skipped or made compact. */
#include <stdint.h>
#include <stdlib.h>

#include "read/json/json.h"

static void expect(int true_or_bug) {
  if (!true_or_bug) abort();
}

static void is_clean(tdm_json *second, const char *text, size_t length) {
  uint64_t before = 0, after = 0;
  for (int i = 0; i < TDM_JSON_REPAIRS; i++)
    before += tdm_json_repaired(second, (tdm_json_repair)i);
  tdm_json_text(second, text, length);
  while (tdm_json_next(second) != TDM_JSON_END) continue;
  for (int i = 0; i < TDM_JSON_REPAIRS; i++) after += tdm_json_repaired(second, (tdm_json_repair)i);
  expect(before == after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static tdm_json *json, *second;
  if (json == NULL) json = tdm_json_new_text();
  if (second == NULL) second = tdm_json_new_text();
  if (size == 0) return 0;
  unsigned seen = 0, choice = data[0];
  tdm_json_text(json, (const char *)data + 1, size - 1);
  uint32_t depth = 0;
  bool needs_value = false;
  for (;;) {
    tdm_json_token token = tdm_json_next(json);
    bool opens = token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY;
    bool closes = token == TDM_JSON_OBJECT_END || token == TDM_JSON_ARRAY_END;
    expect(!needs_value || !(closes || token == TDM_JSON_END || token == TDM_JSON_KEY));
    needs_value = token == TDM_JSON_KEY;
    depth += opens;
    depth -= closes;
    expect(tdm_json_depth(json) == depth);
    if (token == TDM_JSON_END) break;
    size_t length;
    const char *text = tdm_json_value(json, &length);
    if (token == TDM_JSON_NUMBER) {
      int64_t value;
      tdm_number_scaled(text, length, 3, &value);
      tdm_number_double(text, length);
    }
    if (!opens && !needs_value) continue;
    unsigned mode = (choice >> (seen++ % 4 * 2)) & 3;
    if (mode == 1) {
      tdm_json_skip(json);
    } else if (mode == 2 && opens) {
      const char *compact = tdm_json_compact(json, &length);
      is_clean(second, compact, length);
    } else {
      continue;
    }
    depth -= opens;
    needs_value = false;
    expect(tdm_json_depth(json) == depth);
  }
  expect(depth == 0);
  return 0;
}
