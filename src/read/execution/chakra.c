/* The reader of Chakra execution traces: protocol buffers, one graph of a rank.
 *
 * Messages with their length before each: what holds for all of the graph, then its nodes. Nodes of
 * the CPU are operators, those of a device kernels, copies or communication; attributes, shapes and
 * what a node waits for are arguments, and each wait is an edge. When nodes ran is not told: see
 * inside.h. In read/reader.c's table. */
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "read/execution/inside.h"
#include "read/json/json.h"
#include "read/messages.h"

/* Fields by number. */
enum { GLOBAL_VERSION = 1, GLOBAL_ATTRIBUTE };
enum {
  NODE_ID = 1,
  NODE_NAME,
  NODE_TYPE,
  NODE_CONTROL,
  NODE_DATA,
  NODE_START,
  NODE_DURATION,
  NODE_INPUTS,
  NODE_OUTPUTS,
  NODE_ATTRIBUTE
};
enum { IO_VALUES = 1, IO_SHAPES, IO_TYPES };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_FIRST = 3, ATTRIBUTE_LAST = 32 };

typedef struct {
  tdm_messages messages;
  tdm_graph graph;
  tdm_arg_list args;
  char *text; /* of lists */
  size_t used, room;
  bool headed;
} job;

/* ---- attributes ---- */

typedef enum {
  FORM_DOUBLE,
  FORM_FLOAT,
  FORM_SIGNED,
  FORM_SIGNED_32, /* in 32 fixed bits */
  FORM_ZIGZAG,
  FORM_BOOL,
  FORM_TEXT
} value_form;

/* By its number, an attribute's value: one, or with the next number a list. */
static const struct {
  value_form form;
  uint32_t wire;
} forms[] = {{FORM_DOUBLE, TDM_PROTO_FIXED64},    {FORM_FLOAT, TDM_PROTO_FIXED32},
             {FORM_SIGNED, TDM_PROTO_VARINT},     {FORM_SIGNED, TDM_PROTO_VARINT},
             {FORM_SIGNED, TDM_PROTO_VARINT},     {FORM_SIGNED, TDM_PROTO_VARINT},
             {FORM_ZIGZAG, TDM_PROTO_VARINT},     {FORM_ZIGZAG, TDM_PROTO_VARINT},
             {FORM_SIGNED, TDM_PROTO_FIXED32},    {FORM_SIGNED, TDM_PROTO_FIXED64},
             {FORM_SIGNED_32, TDM_PROTO_FIXED32}, {FORM_SIGNED, TDM_PROTO_FIXED64},
             {FORM_BOOL, TDM_PROTO_VARINT},       {FORM_TEXT, TDM_PROTO_BYTES},
             {FORM_TEXT, TDM_PROTO_BYTES}};

typedef struct {
  tdm_arg_type type;
  int64_t value; /* of TEXT and JSON a name id */
} value;

static double real_of(value_form form, uint64_t bits) {
  if (form == FORM_DOUBLE) return tdm_record_double((int64_t)bits);
  uint32_t half = (uint32_t)bits;
  float number;
  memcpy(&number, &half, sizeof number);
  return (double)number;
}

static value number_of(value_form form, uint64_t bits) {
  switch (form) {
  case FORM_DOUBLE:
  case FORM_FLOAT: return (value){TDM_ARG_REAL, tdm_record_real(real_of(form, bits))};
  case FORM_ZIGZAG: return (value){TDM_ARG_INT, (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1)};
  case FORM_SIGNED_32: return (value){TDM_ARG_INT, (int32_t)(uint32_t)bits};
  case FORM_BOOL: return (value){TDM_ARG_BOOL, bits != 0};
  default: return (value){TDM_ARG_INT, (int64_t)bits};
  }
}

static void put(job *j, const char *text, size_t length) {
  if (!tdm_array_grow(&j->text, &j->room, j->used + length + 1, 1)) {
    j->graph.failed = true;
    return;
  }
  memcpy(j->text + j->used, text, length);
  j->used += length;
}

static void put_number(job *j, value v) {
  char number[TDM_DECIMAL_SIZE];
  if (j->used > 1) put(j, ",", 1);
  if (v.type == TDM_ARG_REAL) {
    double real = tdm_record_double(v.value);
    size_t length = real - real == 0 ? tdm_decimal_print(number, real) : 0;
    put(j, length > 0 ? number : "null", length > 0 ? length : 4);
  } else if (v.type == TDM_ARG_BOOL) {
    put(j, v.value != 0 ? "true" : "false", v.value != 0 ? 4 : 5);
  } else {
    put(j, number, (size_t)snprintf(number, sizeof number, "%lld", (long long)v.value));
  }
}

static void put_text(job *j, const tdm_proto_field *field) {
  uint32_t id =
      tdm_record_name(j->graph.recorder, (const char *)field->bytes, field->length); /* mended */
  const char *text = tdm_recorder_name(j->graph.recorder, id, NULL);
  size_t length = text != NULL ? strlen(text) : 0;
  char *quoted = malloc(6 * length + 3);
  if (quoted == NULL || text == NULL) {
    j->graph.failed = true;
  } else {
    if (j->used > 1) put(j, ",", 1);
    put(j, quoted, tdm_json_escape(text, length, quoted));
  }
  free(quoted);
}

/* A list is a message with one repeated field. */
static value list_of(job *j, value_form form, uint32_t wire, const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  j->used = 0;
  put(j, "[", 1);
  while (!j->graph.failed && tdm_proto_next(&scan, &field)) {
    if (field.number != 1) continue;
    if (form == FORM_TEXT) {
      if (field.wire == TDM_PROTO_BYTES) put_text(j, &field);
      continue;
    }
    const unsigned char *at = NULL;
    for (uint64_t bits; tdm_proto_each(&field, wire, &at, &bits);)
      put_number(j, number_of(form, bits));
  }
  put(j, "]", 1);
  return (value){TDM_ARG_JSON, j->graph.failed
                                   ? 0
                                   : (int64_t)tdm_record_name(j->graph.recorder, j->text, j->used)};
}

/* False: it has no name or no value. */
static bool attribute(job *j, const tdm_proto_field *data, tdm_proto_field *name, value *out) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  bool named = false, valued = false;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == ATTRIBUTE_NAME && field.wire == TDM_PROTO_BYTES) {
      *name = field;
      named = true;
    }
    if (field.number < ATTRIBUTE_FIRST || field.number > ATTRIBUTE_LAST) continue;
    size_t at = (field.number - ATTRIBUTE_FIRST) / 2;
    bool list = (field.number - ATTRIBUTE_FIRST) % 2 == 1;
    if (field.wire != (list ? TDM_PROTO_BYTES : forms[at].wire)) continue;
    valued = true;
    if (list)
      *out = list_of(j, forms[at].form, forms[at].wire, &field);
    else if (forms[at].form == FORM_TEXT)
      *out = (value){TDM_ARG_TEXT, (int64_t)tdm_record_name(
                                       j->graph.recorder, (const char *)field.bytes, field.length)};
    else
      *out = number_of(forms[at].form, field.value);
  }
  return named && valued && !scan.bad;
}

static bool is(const tdm_proto_field *text, const char *word) {
  return text->length == strlen(word) && memcmp(text->bytes, word, text->length) == 0;
}

static void take_attribute(job *j, tdm_chakra_node *node, const tdm_proto_field *data) {
  tdm_recorder *recorder = j->graph.recorder;
  tdm_proto_field name;
  value v;
  if (!attribute(j, data, &name, &v)) {
    tdm_record_problem(recorder, "attributes without a name or value (left out)", 1);
    return;
  }
  bool whole = v.type == TDM_ARG_INT || v.type == TDM_ARG_BOOL;
  if (whole && is(&name, "is_cpu_op")) node->on_cpu = v.value != 0;
  if (whole && is(&name, "tid")) node->tid = v.value;
  if (is(&name, "is_cpu_op") || is(&name, "tid")) return; /* the track says it */
  if (v.type == TDM_ARG_INT && v.value == TDM_NONE) return;
  uint32_t key = tdm_record_name(recorder, (const char *)name.bytes, name.length);
  if (whole && is(&name, "comm_size")) key = tdm_record_text(recorder, "bytes");
  if (whole && is(&name, "comm_type") && tdm_chakra_collective(v.value) != NULL)
    v = (value){TDM_ARG_TEXT, (int64_t)tdm_record_text(recorder, tdm_chakra_collective(v.value))};
  tdm_arg_add(recorder, &j->args, key, v.type, v.value);
}

/* ---- nodes ---- */

static void add_text(job *j, const char *key, tdm_arg_type type, const tdm_proto_field *field) {
  tdm_recorder *recorder = j->graph.recorder;
  if (field->length == 0) return;
  tdm_arg_add(recorder, &j->args, tdm_record_text(recorder, key), type,
              (int64_t)tdm_record_name(recorder, (const char *)field->bytes, field->length));
}

/* Shapes are JSON, the rest is Python's. */
static void take_io(job *j, const tdm_proto_field *data, bool in) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    if (field.wire != TDM_PROTO_BYTES) continue;
    if (field.number == IO_VALUES) add_text(j, in ? "inputs" : "outputs", TDM_ARG_TEXT, &field);
    if (field.number == IO_SHAPES)
      add_text(j, in ? "input_shapes" : "output_shapes", TDM_ARG_TEXT, &field);
    if (field.number == IO_TYPES)
      add_text(j, in ? "input_types" : "output_types", TDM_ARG_TEXT, &field);
  }
}

static void take_waits(job *j, const tdm_proto_field *data, uint32_t number) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number != number) continue;
    const unsigned char *at = NULL;
    for (uint64_t id; tdm_proto_each(&field, TDM_PROTO_VARINT, &at, &id);)
      tdm_graph_wait(&j->graph, id, number == NODE_DATA);
  }
}

static void take_node(job *j, const tdm_proto_field *data) {
  tdm_chakra_node node = {
      .start_us = TDM_NONE, .dur_us = TDM_NONE, .tid = TDM_NONE, .on_cpu = -1, .name = ""};
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  j->args.count = 0;
  while (tdm_proto_next(&scan, &field)) {
    bool bytes = field.wire == TDM_PROTO_BYTES;
    switch (field.number) {
    case NODE_ID: node.id = field.value; break;
    case NODE_TYPE: node.type = (int64_t)field.value; break;
    case NODE_START: node.start_us = (int64_t)field.value; break;
    case NODE_DURATION: node.dur_us = (int64_t)field.value; break;
    case NODE_NAME:
      node.name = bytes ? (const char *)field.bytes : "";
      node.name_length = field.length;
      break;
    case NODE_INPUTS:
    case NODE_OUTPUTS:
      if (bytes) take_io(j, &field, field.number == NODE_INPUTS);
      break;
    case NODE_ATTRIBUTE:
      if (bytes) take_attribute(j, &node, &field);
      break;
    default: break;
    }
  }
  if (scan.bad) {
    tdm_record_problem(j->graph.recorder, "nodes that cannot be read (left out)", 1);
    return;
  }
  tdm_chakra_put(&j->graph, &node, &j->args);
  take_waits(j, data, NODE_DATA);
  take_waits(j, data, NODE_CONTROL);
}

/* ---- what holds for all of it ---- */

static void take_global(job *j, const tdm_proto_field *data) {
  tdm_recorder *recorder = j->graph.recorder;
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field, name;
  char key[80];
  value v;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number != GLOBAL_ATTRIBUTE || field.wire != TDM_PROTO_BYTES ||
        !attribute(j, &field, &name, &v))
      continue;
    uint32_t id = tdm_record_name(recorder, (const char *)name.bytes, name.length);
    const char *word = tdm_recorder_name(recorder, id, NULL);
    snprintf(key, sizeof key, "chakra.%.60s", word != NULL ? word : "");
    if (v.type == TDM_ARG_INT || v.type == TDM_ARG_BOOL)
      tdm_record_fact_int(recorder, key, v.value);
    else if (v.type != TDM_ARG_REAL)
      tdm_record_fact(recorder, key, tdm_recorder_name(recorder, (uint32_t)v.value, NULL));
  }
}

static tdm_status not_one(const job *j, tdm_error *error) {
  return tdm_error_set(error, TDM_INVALID, "%s: no Chakra execution trace: %s",
                       tdm_input_path(j->messages.input),
                       j->messages.cut   ? "it ends within its first message"
                       : j->messages.bad ? "it does not consist of messages"
                                         : "there is nothing in it");
}

static tdm_status read_all(job *j, tdm_error *error) {
  for (;;) {
    tdm_proto_field field;
    bool more;
    tdm_status status = tdm_messages_next(&j->messages, &field, &more, error);
    if (status != TDM_OK) return status;
    if (!more) break;
    if (j->headed)
      take_node(j, &field);
    else
      take_global(j, &field);
    j->headed = true;
    if (j->graph.failed) return tdm_error_memory(error, "a Chakra graph", j->graph.nodes);
    if (tdm_recorder_failed(j->graph.recorder)) return TDM_OK;
  }
  if (!j->headed) return not_one(j, error);
  if (j->messages.bad)
    tdm_record_problem(j->graph.recorder, "rest of the file, which is not nodes (left out)", 1);
  if (j->messages.cut)
    tdm_record_problem(j->graph.recorder, "nodes cut off by the end of the file (left out)", 1);
  return TDM_OK;
}

static tdm_status read_chakra(tdm_input *input, const tdm_read_options *options,
                              tdm_recorder *recorder, tdm_error *error) {
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL) return tdm_error_memory(error, "a Chakra graph", sizeof *j);
  j->messages = (tdm_messages){.input = input, .options = options, .bare = true};
  j->graph = (tdm_graph){.recorder = recorder, .layouts = {.recorder = recorder}};
  tdm_status status = read_all(j, error);
  if (status == TDM_OK) tdm_chakra_finish(&j->graph, options, tdm_input_path(input), "");
  if (status == TDM_OK && j->graph.failed)
    status = tdm_error_memory(error, "a Chakra graph", j->graph.nodes);
  tdm_messages_close(&j->messages);
  tdm_graph_close(&j->graph);
  free(j->text);
  free(j);
  return status;
}

/* ---- is it one? ---- */

/* A version and attributes with names, and nothing else. */
static bool seems_global(const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == GLOBAL_VERSION) continue;
    if (field.number != GLOBAL_ATTRIBUTE || field.wire != TDM_PROTO_BYTES) return false;
    if (field.length < 2 || field.bytes[0] != (ATTRIBUTE_NAME << 3 | TDM_PROTO_BYTES)) return false;
  }
  return !scan.bad;
}

/* The beginning of a node: a number, a name, a type that there is. */
static bool seems_node(const unsigned char *bytes, size_t length) {
  tdm_proto_scan scan = tdm_proto_over(bytes, length);
  tdm_proto_field field;
  bool named = false;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == NODE_ID && field.wire == TDM_PROTO_VARINT) continue;
    if (field.number == NODE_NAME && field.wire == TDM_PROTO_BYTES)
      named = true;
    else
      return named && field.number == NODE_TYPE && field.wire == TDM_PROTO_VARINT &&
             field.value < TDM_CHAKRA_TYPES;
  }
  return named && !scan.bad;
}

static int detect_chakra(const unsigned char *head, size_t length, const char *path) {
  tdm_proto_field field;
  size_t begins, named = strlen(path);
  bool called = named > 3 && strcmp(path + named - 3, ".et") == 0;
  if (tdm_message_head(head, length, true, &field, &begins) != TDM_HEAD_WHOLE ||
      field.length > length - begins || !seems_global(&field))
    return 0;
  head += begins + field.length;
  length -= begins + field.length;
  if (length == 0) return field.length > 2 || called ? 60 : 0;
  if (tdm_message_head(head, length, true, &field, &begins) != TDM_HEAD_WHOLE) return 0;
  size_t left = length - begins;
  return seems_node(field.bytes, field.length < left ? field.length : left) ? 90 : 0;
}

const tdm_reader tdm_reader_chakra = {.name = "chakra",
                                      .title = "Chakra execution trace",
                                      .accepts = "*.et",
                                      .detect = detect_chakra,
                                      .read = read_chakra};
