/* One record of PyTorch's structured log: the JSON behind the beginning of its line; see log.h. */
#include "read/torch/log.h"

#include <string.h>

void tdm_torch_record_free(tdm_torch_record *record) {
  tdm_torch_text_free(&record->kind);
  tdm_torch_value_free(&record->value);
  tdm_torch_stack_free(&record->stack);
}

static void clear(tdm_torch_record *record) {
  tdm_torch_text_clear(&record->kind);
  tdm_torch_value_clear(&record->value);
  tdm_torch_stack_clear(&record->stack);
  record->rank = record->frame_id = record->frame_compile_id = TDM_NONE;
  record->attempt = record->compiled_autograd_id = record->subgraph = TDM_NONE;
  record->has_payload = record->is_string = record->own_stack = false;
}

/* Behind the key "str": [text, number]. False: out of memory, or no such thing. */
static bool read_string(tdm_json *json, tdm_torch_text *text, tdm_torch_strings *strings) {
  tdm_json_token token = tdm_json_next(json);
  if (token != TDM_JSON_ARRAY) {
    tdm_json_skip(json);
    return false;
  }
  bool has_text = false, put = false;
  tdm_torch_text_clear(text);
  while ((token = tdm_json_next(json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
    size_t length;
    const char *value = tdm_json_value(json, &length);
    int64_t number;
    if (token == TDM_JSON_STRING && !has_text) {
      tdm_torch_text_add(text, value, length);
      has_text = true;
    } else if (token == TDM_JSON_NUMBER && has_text && tdm_number_integer(value, length, &number)) {
      put = tdm_torch_strings_put(strings, number, tdm_torch_text_string(text));
    } else {
      tdm_json_skip(json);
    }
  }
  return put;
}

static int64_t *envelope_number(tdm_torch_record *record, const char *key) {
  if (strcmp(key, "rank") == 0) return &record->rank;
  if (strcmp(key, "frame_id") == 0) return &record->frame_id;
  if (strcmp(key, "frame_compile_id") == 0) return &record->frame_compile_id;
  if (strcmp(key, "attempt") == 0) return &record->attempt;
  if (strcmp(key, "compiled_autograd_id") == 0) return &record->compiled_autograd_id;
  return NULL;
}

/* The stack of the data is read from its copy, where file names are texts already. */
static void read_own_stack(tdm_torch_record *record, tdm_json *inner) {
  const tdm_torch_value *value = &record->value;
  record->own_stack = value->stack_length > 0;
  if (!record->own_stack) return;
  tdm_torch_stack_clear(&record->stack);
  tdm_json_text(inner, value->json.bytes + value->stack_at, value->stack_length);
  if (tdm_json_next(inner) == TDM_JSON_ARRAY) tdm_torch_stack_read(&record->stack, inner, NULL);
}

/* Behind a key that is not of the envelope: a kind, with its data in an object. */
static bool read_kind(tdm_torch_record *record, tdm_json *json, const tdm_torch_strings *strings,
                      tdm_recorder *recorder) {
  size_t length;
  const char *key = tdm_json_value(json, &length);
  bool further = record->kind.length > 0;
  if (!further) tdm_torch_text_add(&record->kind, key, length);
  tdm_json_token token = tdm_json_next(json);
  bool structured = token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY;
  if (!further && structured)
    return tdm_torch_value_read(&record->value, json, token, strings, recorder);
  if (!further) tdm_torch_text_clear(&record->kind);
  tdm_record_problem(recorder,
                     structured ? "further kinds in one record (the first is kept)"
                                : "members of records that are not known (left out)",
                     1);
  tdm_json_skip(json);
  return true;
}

/* Behind a key of the envelope: its value. False: out of memory. */
static bool read_member(tdm_torch_record *record, tdm_json *json, tdm_torch_strings *strings,
                        tdm_recorder *recorder) {
  size_t length;
  const char *key = tdm_json_value(json, &length);
  int64_t *number = envelope_number(record, key);
  if (strcmp(key, "str") == 0) {
    record->is_string = true;
    if (!read_string(json, &record->value.json, strings))
      tdm_record_problem(recorder, "strings without a text and a small number (skipped)", 1);
    tdm_torch_text_clear(&record->value.json);
  } else if (number != NULL) {
    tdm_json_token token = tdm_json_next(json);
    const char *text = tdm_json_value(json, &length);
    if (token != TDM_JSON_NUMBER || !tdm_number_integer(text, length, number)) {
      *number = TDM_NONE;
      tdm_json_skip(json);
    }
  } else if (strcmp(key, "has_payload") == 0) {
    tdm_json_token token = tdm_json_next(json);
    record->has_payload = token == TDM_JSON_STRING;
    tdm_json_skip(json);
  } else if (strcmp(key, "stack") == 0) {
    if (tdm_json_next(json) == TDM_JSON_ARRAY)
      tdm_torch_stack_read(&record->stack, json, strings);
    else
      tdm_json_skip(json);
  } else if (strcmp(key, "subgraph_name") == 0) {
    tdm_json_token token = tdm_json_next(json);
    const char *text = tdm_json_value(json, &length);
    if (token == TDM_JSON_STRING) record->subgraph = tdm_record_name(recorder, text, length);
    tdm_json_skip(json);
  } else {
    return read_kind(record, json, strings, recorder);
  }
  return true;
}

tdm_status tdm_torch_record_read(tdm_torch_record *record, const char *text, size_t length,
                                 tdm_json *json, tdm_json *inner, tdm_torch_strings *strings,
                                 tdm_recorder *recorder) {
  clear(record);
  tdm_json_text(json, text, length);
  if (tdm_json_next(json) != TDM_JSON_OBJECT) return TDM_INVALID;
  while (tdm_json_next(json) == TDM_JSON_KEY)
    if (!read_member(record, json, strings, recorder)) return TDM_MEMORY;
  read_own_stack(record, inner);
  return tdm_torch_stack_failed(&record->stack) || record->kind.failed ? TDM_MEMORY : TDM_OK;
}

static void put_part(tdm_torch_text *out, int64_t number) {
  if (number == TDM_NONE)
    tdm_torch_text_put(out, "-");
  else
    tdm_torch_text_number(out, number);
}

void tdm_torch_record_compile_id(const tdm_torch_record *record, tdm_torch_text *out) {
  if (record->frame_id == TDM_NONE && record->frame_compile_id == TDM_NONE &&
      record->compiled_autograd_id == TDM_NONE)
    return;
  if (record->compiled_autograd_id != TDM_NONE) {
    tdm_torch_text_put(out, "!");
    tdm_torch_text_number(out, record->compiled_autograd_id);
    if (record->frame_id == TDM_NONE) return;
    tdm_torch_text_put(out, "/");
  }
  put_part(out, record->frame_id);
  tdm_torch_text_put(out, "/");
  put_part(out, record->frame_compile_id);
}
