/* Debug annotations of a Perfetto trace: arguments with their types, nested ones as JSON. See
 * inside.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "read/perfetto/inside.h"
#include "trace/utf8.h"

enum { NESTING = 64 };

/* ---- JSON into s->text ---- */

static void put(tdm_pftrace_state *s, const char *text, size_t length) {
  if (!tdm_proto_reserve(&s->text, length + 1)) {
    s->failed = 1;
    return;
  }
  memcpy(s->text.bytes + s->text.used, text, length);
  s->text.used += length;
}

static void put_quoted(tdm_pftrace_state *s, const char *text, size_t length) {
  size_t quoted_length;
  char *copy = malloc(length + 1), *quoted = NULL;
  if (copy != NULL) {
    if (length > 0) memcpy(copy, text, length);
    copy[length] = 0;
    quoted = tdm_json_quote(copy, &quoted_length);
  }
  if (quoted == NULL)
    s->failed = 1;
  else
    put(s, quoted, quoted_length);
  free(copy);
  free(quoted);
}

static void put_name(tdm_pftrace_state *s, uint32_t name) {
  size_t length = 0;
  const char *text = tdm_recorder_name(s->recorder, name, &length);
  put_quoted(s, text != NULL ? text : "", length);
}

static void put_number(tdm_pftrace_state *s, const char *format, uint64_t value) {
  char number[32];
  put(s, number, (size_t)snprintf(number, sizeof number, format, value));
}

static void put_double(tdm_pftrace_state *s, uint64_t bits) {
  char number[TDM_DECIMAL_SIZE];
  double value = tdm_record_double((int64_t)bits);
  if (isfinite(value))
    put(s, number, tdm_decimal_print(number, value));
  else
    put(s, "null", 4);
}

/* A NestedValue: keys and values are lists side by side. */
static void put_nested(tdm_pftrace_state *s, const tdm_proto_field *data, int depth) {
  tdm_proto_scan scan = tdm_proto_inside(data), keys = scan;
  tdm_proto_field field, key;
  uint64_t kind = 0;
  while (tdm_proto_next(&scan, &field))
    if (field.number == TDM_PF_NESTED_TYPE) kind = field.value;
  scan = tdm_proto_inside(data);
  size_t start = s->text.used;
  if (kind != 0) put(s, kind == 1 ? "{" : "[", 1);
  int some = 0;
  while (tdm_proto_next(&scan, &field)) {
    int inner = field.wire == TDM_PROTO_BYTES && kind != 0 && depth < NESTING &&
                field.number == (kind == 1 ? TDM_PF_NESTED_VALUES : TDM_PF_NESTED_ITEMS);
    if (inner) {
      if (some++) put(s, ",", 1);
      if (kind == 1) {
        int found = 0;
        while (!found && tdm_proto_next(&keys, &key)) found = key.number == TDM_PF_NESTED_KEYS;
        put_quoted(s, found ? (const char *)key.bytes : "", found ? key.length : 0);
        put(s, ":", 1);
      }
      put_nested(s, &field, depth + 1);
    } else if (kind == 0 && !some) {
      some = 1;
      switch (field.number) {
      case TDM_PF_NESTED_INT: put_number(s, "%" PRId64, field.value); break;
      case TDM_PF_NESTED_DOUBLE: put_double(s, field.value); break;
      case TDM_PF_NESTED_BOOL: put(s, field.value ? "true" : "false", field.value ? 4 : 5); break;
      case TDM_PF_NESTED_STRING: put_quoted(s, (const char *)field.bytes, field.length); break;
      default: some = 0; break;
      }
    }
  }
  if (kind != 0) put(s, kind == 1 ? "}" : "]", 1);
  if (s->text.used == start) put(s, "null", 4);
}

static uint32_t key_of(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                       const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  uint32_t key = TDM_PF_NO_NAME;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == TDM_PF_ANNOTATION_NAME) key = tdm_pftrace_name(s, &field);
    if (field.number == TDM_PF_ANNOTATION_NAME_IID)
      key = tdm_id_map_get(&q->table[TDM_PF_KEYS], field.value);
  }
  if (key == TDM_PF_NO_NAME) {
    tdm_record_problem(s->recorder, "arguments without a name (kept as \"?\")", 1);
    key = tdm_record_text(s->recorder, "?");
  }
  return key;
}

/* An annotation's value as JSON; lists and dictionaries are annotations inside annotations. */
static void put_annotation(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                           const tdm_proto_field *data, int depth) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  size_t start = s->text.used;
  char close = 0;
  while (tdm_proto_next(&scan, &field)) {
    int list = field.number == TDM_PF_ANNOTATION_ARRAY,
        dict = field.number == TDM_PF_ANNOTATION_DICT;
    if ((list || dict) && field.wire == TDM_PROTO_BYTES && depth < NESTING) {
      put(s, close ? "," : dict ? "{" : "[", 1);
      close = dict ? '}' : ']';
      if (dict) {
        put_name(s, key_of(s, q, &field));
        put(s, ":", 1);
      }
      put_annotation(s, q, &field, depth + 1);
      continue;
    }
    if (close) continue;
    switch (field.number) {
    case TDM_PF_ANNOTATION_BOOL: put(s, field.value ? "true" : "false", field.value ? 4 : 5); break;
    case TDM_PF_ANNOTATION_POINTER:
    case TDM_PF_ANNOTATION_UINT: put_number(s, "%" PRIu64, field.value); break;
    case TDM_PF_ANNOTATION_INT: put_number(s, "%" PRId64, field.value); break;
    case TDM_PF_ANNOTATION_DOUBLE: put_double(s, field.value); break;
    case TDM_PF_ANNOTATION_STRING: put_quoted(s, (const char *)field.bytes, field.length); break;
    case TDM_PF_ANNOTATION_STRING_IID: {
      uint32_t text = tdm_id_map_get(&q->table[TDM_PF_TEXTS], field.value);
      if (text != TDM_ID_NONE) put_name(s, text);
      break;
    }
    case TDM_PF_ANNOTATION_NESTED: put_nested(s, &field, depth + 1); break;
    default: break;
    }
  }
  if (close) put(s, &close, 1);
  if (s->text.used == start) put(s, "null", 4);
}

/* ---- one annotation ---- */

static uint32_t print_name(tdm_pftrace_state *s, const char *format, uint64_t value) {
  char number[32];
  snprintf(number, sizeof number, format, value);
  return tdm_record_text(s->recorder, number);
}

static uint32_t json_name(tdm_pftrace_state *s) {
  uint32_t name = tdm_record_name(s->recorder, s->text.used > 0 ? (const char *)s->text.bytes : "",
                                  s->text.used);
  s->text.used = 0;
  return name;
}

/* False: this field is no value. */
static int value_of(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                    const tdm_proto_field *field, tdm_arg_type *type, int64_t *value) {
  uint32_t text;
  *type = TDM_ARG_TEXT;
  *value = (int64_t)field->value;
  switch (field->number) {
  case TDM_PF_ANNOTATION_BOOL:
    *type = TDM_ARG_BOOL;
    *value = field->value != 0;
    return 1;
  case TDM_PF_ANNOTATION_UINT:
    if (field->value > INT64_MAX)
      *value = print_name(s, "%" PRIu64, field->value);
    else
      *type = TDM_ARG_INT;
    return 1;
  case TDM_PF_ANNOTATION_INT: *type = TDM_ARG_INT; return 1;
  case TDM_PF_ANNOTATION_DOUBLE:
    *type = TDM_ARG_REAL;
    *value = tdm_record_real(tdm_record_double(*value));
    return 1;
  case TDM_PF_ANNOTATION_STRING: *value = tdm_pftrace_name(s, field); return 1;
  case TDM_PF_ANNOTATION_POINTER: *value = print_name(s, "0x%" PRIx64, field->value); return 1;
  case TDM_PF_ANNOTATION_STRING_IID:
    text = tdm_id_map_get(&q->table[TDM_PF_TEXTS], field->value);
    *value = text != TDM_ID_NONE ? text : tdm_record_text(s->recorder, "");
    if (text == TDM_ID_NONE)
      tdm_record_problem(s->recorder, "names that were never given (left empty)", 1);
    return 1;
  case TDM_PF_ANNOTATION_JSON:
    *type = TDM_ARG_JSON;
    *value = tdm_pftrace_name(s, field);
    return 1;
  case TDM_PF_ANNOTATION_NESTED:
    *type = TDM_ARG_JSON;
    put_nested(s, field, 0);
    *value = json_name(s);
    return 1;
  default: return 0;
  }
}

/* A list of three whole numbers as arguments of their own: grid and block. False: it is none. */
static int dimensions(tdm_pftrace_state *s, uint32_t key, const tdm_proto_field *data) {
  static const char *const axes[] = {"_x", "_y", "_z"};
  tdm_proto_scan scan = tdm_proto_inside(data), inside;
  tdm_proto_field field, number;
  const char *text = tdm_recorder_name(s->recorder, key, NULL);
  int64_t value[3];
  size_t count = 0;
  if (text == NULL || (strcmp(text, "grid") != 0 && strcmp(text, "block") != 0)) return 0;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number != TDM_PF_ANNOTATION_ARRAY || field.wire != TDM_PROTO_BYTES) continue;
    inside = tdm_proto_inside(&field);
    if (count == 3 || !tdm_proto_next(&inside, &number) || number.number != TDM_PF_ANNOTATION_INT)
      return 0;
    value[count++] = (int64_t)number.value;
  }
  for (size_t i = 0; count == 3 && i < 3; i++) {
    char axis[16];
    snprintf(axis, sizeof axis, "%s%s", text, axes[i]);
    tdm_arg_add(s->recorder, &s->args, tdm_record_text(s->recorder, axis), TDM_ARG_INT, value[i]);
  }
  return count == 3;
}

void tdm_pftrace_annotation(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                            const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  tdm_arg_type type;
  int64_t value;
  uint32_t key = tdm_pftrace_key(s, key_of(s, q, data));
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == TDM_PF_ANNOTATION_DICT || field.number == TDM_PF_ANNOTATION_ARRAY) {
      if (dimensions(s, key, data)) return;
      put_annotation(s, q, data, 0);
      tdm_arg_add(s->recorder, &s->args, key, TDM_ARG_JSON, json_name(s));
      return;
    }
    if (value_of(s, q, &field, &type, &value)) {
      tdm_arg_add(s->recorder, &s->args, key, type, value);
      return;
    }
  }
  if (scan.bad) tdm_record_problem(s->recorder, "arguments that cannot be read (left out)", 1);
}
