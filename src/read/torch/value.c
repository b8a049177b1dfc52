/* Values of JSON in PyTorch's structured log: copied, with what analyses ask for taken out; see
 * log.h. */
#include "read/torch/log.h"

#include <string.h>

typedef enum { TEXT, NUMBER, LIST } field_type;

/* Spellings, old and new. `power`: of ten, from the source's unit to ns. */
static const struct {
  const char *key;
  tdm_torch_field field;
  field_type type;
  int power;
} spellings[] = {
    {"name", TDM_TORCH_NAME, TEXT, 0},
    {"encoding", TDM_TORCH_ENCODING, TEXT, 0},
    {"compile_id", TDM_TORCH_COMPILE_ID, TEXT, 0},
    {"reason", TDM_TORCH_REASON, TEXT, 0},
    {"cache_bypass_reason", TDM_TORCH_REASON, TEXT, 0},
    {"fail_type", TDM_TORCH_FAIL_TYPE, TEXT, 0},
    {"fail_reason", TDM_TORCH_FAIL_REASON, TEXT, 0},
    {"fail_user_frame_filename", TDM_TORCH_FAIL_FILE, TEXT, 0},
    {"fail_user_frame_lineno", TDM_TORCH_FAIL_LINE, NUMBER, 0},
    {"co_name", TDM_TORCH_CO_NAME, TEXT, 0},
    {"co_filename", TDM_TORCH_CO_FILENAME, TEXT, 0},
    {"co_firstlineno", TDM_TORCH_CO_FIRSTLINENO, NUMBER, 0},
    {"restart_reasons", TDM_TORCH_RESTART_REASONS, LIST, 0},
    {"cache_size", TDM_TORCH_CACHE_SIZE, NUMBER, 0},
    {"accumulated_cache_size", TDM_TORCH_ACCUMULATED_CACHE_SIZE, NUMBER, 0},
    {"guard_count", TDM_TORCH_GUARD_COUNT, NUMBER, 0},
    {"graph_op_count", TDM_TORCH_GRAPH_OP_COUNT, NUMBER, 0},
    {"graph_node_count", TDM_TORCH_GRAPH_NODE_COUNT, NUMBER, 0},
    {"graph_input_count", TDM_TORCH_GRAPH_INPUT_COUNT, NUMBER, 0},
    {"start_time", TDM_TORCH_START, NUMBER, 9},
    {"start_time_us", TDM_TORCH_START, NUMBER, 3},
    {"end_time_us", TDM_TORCH_END, NUMBER, 3},
    {"duration_us", TDM_TORCH_DURATION, NUMBER, 3},
    {"elapsed_time", TDM_TORCH_DURATION, NUMBER, 9},
    {"entire_frame_compile_time_s", TDM_TORCH_COMPILE, NUMBER, 9},
    {"dynamo_cumulative_compile_time_us", TDM_TORCH_COMPILE, NUMBER, 3},
    {"backend_compile_time_s", TDM_TORCH_BACKEND, NUMBER, 9},
    {"aot_autograd_cumulative_compile_time_us", TDM_TORCH_BACKEND, NUMBER, 3},
    {"inductor_compile_time_s", TDM_TORCH_INDUCTOR, NUMBER, 9},
    {"inductor_cumulative_compile_time_us", TDM_TORCH_INDUCTOR, NUMBER, 3},
    {"code_gen_time_s", TDM_TORCH_CODE_GEN, NUMBER, 9},
    {"inductor_code_gen_cumulative_compile_time_us", TDM_TORCH_CODE_GEN, NUMBER, 3},
    {"dynamo_time_before_restart_s", TDM_TORCH_RESTART, NUMBER, 9},
    {"time_saved_ns", TDM_TORCH_TIME_SAVED, NUMBER, 0},
};

enum { SPELLINGS = sizeof spellings / sizeof *spellings };

void tdm_torch_value_free(tdm_torch_value *value) {
  tdm_torch_text_free(&value->json);
  tdm_torch_text_free(&value->key);
  *value = (tdm_torch_value){0};
}

void tdm_torch_value_clear(tdm_torch_value *value) {
  tdm_torch_text_clear(&value->json);
  for (size_t i = 0; i < TDM_TORCH_FIELDS; i++) value->field[i] = TDM_NONE;
  value->stack_at = value->stack_length = 0;
  value->user_stack = false;
}

/* A member of the outermost object whose copy begins at `start`. */
static void take_field(tdm_torch_value *value, const char *key, tdm_json_token token,
                       const char *text, size_t length, size_t start, tdm_recorder *recorder) {
  if (token == TDM_JSON_ARRAY && (strcmp(key, "stack") == 0 || strcmp(key, "user_stack") == 0)) {
    bool user = key[0] == 'u';
    size_t copied = value->json.length - start;
    if (value->user_stack || copied <= 2) return; /* an empty one says nothing */
    value->user_stack = user;
    value->stack_at = start;
    value->stack_length = copied;
    return;
  }
  for (size_t i = 0; i < SPELLINGS; i++) {
    if (strcmp(spellings[i].key, key) != 0) continue;
    int64_t *field = &value->field[spellings[i].field], number;
    if (spellings[i].type == TEXT && token == TDM_JSON_STRING && length > 0)
      *field = tdm_record_name(recorder, text, length);
    else if (spellings[i].type == NUMBER && token == TDM_JSON_NUMBER &&
             tdm_number_scaled(text, length, spellings[i].power, &number))
      *field = number;
    else if (spellings[i].type == LIST && token == TDM_JSON_ARRAY && value->json.length - start > 2)
      *field = tdm_record_name(recorder, value->json.bytes + start, value->json.length - start);
    return;
  }
}

/* A scalar, as JSON. */
static void copy_scalar(tdm_torch_value *value, tdm_json_token token, const char *text,
                        size_t length, bool file, const tdm_torch_strings *strings) {
  tdm_torch_text *out = &value->json;
  int64_t number;
  switch (token) {
  case TDM_JSON_STRING: tdm_torch_text_quote(out, text, length); return;
  case TDM_JSON_TRUE: tdm_torch_text_put(out, "true"); return;
  case TDM_JSON_FALSE: tdm_torch_text_put(out, "false"); return;
  case TDM_JSON_NUMBER: break;
  default: tdm_torch_text_put(out, "null"); return;
  }
  const char *name = NULL;
  if (file && tdm_number_integer(text, length, &number))
    name = tdm_torch_strings_find(strings, number);
  if (name != NULL)
    tdm_torch_text_quote(out, name, strlen(name));
  else if (tdm_number_is_json(text, length))
    tdm_torch_text_add(out, text, length);
  else
    tdm_torch_text_quote(out, text, length); /* NaN and its kind */
}

bool tdm_torch_value_read(tdm_torch_value *value, tdm_json *json, tdm_json_token token,
                          const tdm_torch_strings *strings, tdm_recorder *recorder) {
  tdm_torch_text *out = &value->json;
  uint32_t depth = 0; /* open arrays and objects of this value */
  bool outer_object = token == TDM_JSON_OBJECT, file = false, first = true;
  size_t member_start = 0;
  tdm_json_token member_token = TDM_JSON_NULL;
  for (;; token = tdm_json_next(json)) {
    bool ends = token == TDM_JSON_OBJECT_END || token == TDM_JSON_ARRAY_END;
    if (token == TDM_JSON_END || (ends && depth == 0)) break; /* a key without a value */
    if (!ends && !first) tdm_torch_text_add(out, ",", 1);
    size_t length = 0;
    const char *text = tdm_json_value(json, &length);
    if (token == TDM_JSON_KEY) {
      file = strcmp(text, "filename") == 0;
      if (depth == 1) {
        tdm_torch_text_clear(&value->key);
        tdm_torch_text_add(&value->key, text, length);
      }
      tdm_torch_text_quote(out, text, length);
      tdm_torch_text_add(out, ":", 1);
      first = true; /* no comma before its value */
      continue;
    }
    if (depth == 1 && !ends) {
      member_start = out->length;
      member_token = token;
    }
    first = false;
    if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) {
      tdm_torch_text_put(out, token == TDM_JSON_OBJECT ? "{" : "[");
      depth++;
      first = true;
      continue;
    }
    if (ends) {
      tdm_torch_text_put(out, token == TDM_JSON_OBJECT_END ? "}" : "]");
      depth--;
    } else {
      copy_scalar(value, token, text, length, file, strings);
    }
    file = false;
    if (out->failed || value->key.failed) return false;
    if (depth == 1 && outer_object)
      take_field(value, tdm_torch_text_string(&value->key), member_token, text, length,
                 member_start, recorder);
    if (depth == 0) break;
  }
  return !out->failed;
}
