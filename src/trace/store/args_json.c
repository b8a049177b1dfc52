/* The arguments of a row as one JSON object: keys in the layout's order, what is not there left
 * out; see inside.h. */
#include "trace/store/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "trace/utf8.h"

struct tdm_args_json {
  char *text;
  size_t used, room;
  int failed;
};

tdm_args_json *tdm_args_json_new(void) {
  return tdm_array_new(1, sizeof(tdm_args_json));
}

void tdm_args_json_free(tdm_args_json *json) {
  if (json == NULL) return;
  free(json->text);
  free(json);
}

static void put(tdm_args_json *json, const char *text, size_t length) {
  if (json->failed || !tdm_array_grow(&json->text, &json->room, json->used + length + 1, 1)) {
    json->failed = 1;
    return;
  }
  memcpy(json->text + json->used, text, length);
  json->used += length;
  json->text[json->used] = 0;
}

static void put_quoted(tdm_args_json *json, const char *text) {
  size_t length;
  char *quoted = tdm_json_quote(text, &length);
  if (quoted != NULL)
    put(json, quoted, length);
  else
    json->failed = 1;
  free(quoted);
}

static void put_value(tdm_args_json *json, tdm_arg_type type, int64_t value,
                      tdm_run_tables *tables) {
  char text[TDM_DECIMAL_SIZE];
  switch (type) {
  case TDM_ARG_REAL: {
    double real;
    memcpy(&real, &value, sizeof real);
    put(json, text, isfinite(real) ? tdm_decimal_print(text, real) : 0);
    if (!isfinite(real)) put(json, "null", 4);
    break;
  }
  case TDM_ARG_TEXT:
  case TDM_ARG_JSON: {
    size_t length;
    const char *name = tdm_run_tables_name(tables, value, &length);
    if (name == NULL)
      put(json, "null", 4);
    else if (type == TDM_ARG_JSON)
      put(json, name, length);
    else
      put_quoted(json, name);
    break;
  }
  case TDM_ARG_BOOL: put(json, value ? "true" : "false", value ? 4 : 5); break;
  default: snprintf(text, sizeof text, "%lld", (long long)value); put(json, text, strlen(text));
  }
}

static int is_there(tdm_arg_type type, int64_t value) {
  if (type != TDM_ARG_REAL) return value != TDM_NONE;
  double real;
  memcpy(&real, &value, sizeof real);
  return !isnan(real);
}

const char *tdm_args_json_write(tdm_args_json *json, const tdm_layout *layout,
                                const int64_t *values, tdm_run_tables *tables, size_t *length) {
  json->used = 0;
  json->failed = 0;
  put(json, "{", 1);
  for (uint32_t i = 0; i < layout->args; i++) {
    if (!is_there(layout->arg[i].type, values[i])) continue;
    if (json->used > 1) put(json, ",", 1);
    put_quoted(json, layout->arg[i].key);
    put(json, ":", 1);
    put_value(json, layout->arg[i].type, values[i], tables);
  }
  put(json, "}", 1);
  *length = json->used;
  return json->failed ? NULL : json->text;
}
