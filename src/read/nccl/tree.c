/* Values as a tree, and JSON turned into one. See inside.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/json/json.h"
#include "read/nccl/inside.h"

enum {
  MOST_NODES = 1 << 24,
  MOST_KEYS = 4096 /* of a dict that are looked at: copies of a large one would cost too much */
};

void tdm_nccl_tree_free(tdm_nccl_tree *tree) {
  free(tree->node);
  free(tree->text);
  *tree = (tdm_nccl_tree){0};
}

tdm_nccl_ref tdm_nccl_new(tdm_nccl_tree *tree, tdm_nccl_kind kind) {
  size_t at = tree->nodes > 0 ? tree->nodes : 1; /* 0 is nobody */
  if (tree->failed || at >= MOST_NODES ||
      !tdm_array_grow(&tree->node, &tree->node_room, at + 1, sizeof *tree->node)) {
    tree->failed = true;
    return 0;
  }
  tree->node[at] = (tdm_nccl_node){.kind = kind};
  tree->nodes = at + 1;
  return (tdm_nccl_ref)at;
}

tdm_nccl_ref tdm_nccl_new_text(tdm_nccl_tree *tree, const char *text, size_t length) {
  tdm_nccl_ref made = tdm_nccl_new(tree, TDM_NCCL_TEXT);
  size_t at = tree->text_bytes;
  if (made == 0) return 0;
  if (!tdm_array_grow(&tree->text, &tree->text_room, at + length + 1, 1)) {
    tree->failed = true;
    return 0;
  }
  if (length > 0) memcpy(tree->text + at, text, length);
  tree->text[at + length] = 0;
  tree->text_bytes = at + length + 1;
  tree->node[made].value.text.at = at;
  tree->node[made].value.text.length = length;
  return made;
}

void tdm_nccl_append(tdm_nccl_tree *tree, tdm_nccl_ref parent, tdm_nccl_ref child) {
  if (parent == 0 || child == 0) return;
  tdm_nccl_node *of = &tree->node[parent];
  if (of->last != 0)
    tree->node[of->last].next = child;
  else
    of->first = child;
  of->last = child;
}

/* ---- questions ---- */

tdm_nccl_ref tdm_nccl_first(const tdm_nccl_tree *tree, tdm_nccl_ref list) {
  return list != 0 && tree->node[list].kind >= TDM_NCCL_LIST ? tree->node[list].first : 0;
}

tdm_nccl_ref tdm_nccl_next(const tdm_nccl_tree *tree, tdm_nccl_ref child) {
  return child != 0 ? tree->node[child].next : 0;
}

const char *tdm_nccl_text(const tdm_nccl_tree *tree, tdm_nccl_ref value) {
  return value != 0 && tree->node[value].kind == TDM_NCCL_TEXT
             ? tree->text + tree->node[value].value.text.at
             : "";
}

tdm_nccl_ref tdm_nccl_get(const tdm_nccl_tree *tree, tdm_nccl_ref dict, const char *key) {
  if (dict == 0 || tree->node[dict].kind != TDM_NCCL_DICT) return 0;
  tdm_nccl_ref at = tree->node[dict].first;
  for (int keys = 0; at != 0 && keys < MOST_KEYS; keys++) {
    tdm_nccl_ref value = tree->node[at].next;
    if (strcmp(tdm_nccl_text(tree, at), key) == 0) return value;
    at = tdm_nccl_next(tree, value);
  }
  return 0;
}

int64_t tdm_nccl_integer(const tdm_nccl_tree *tree, tdm_nccl_ref value) {
  int64_t number;
  if (value == 0) return TDM_NONE;
  const tdm_nccl_node *node = &tree->node[value];
  if (node->kind == TDM_NCCL_INTEGER) return node->value.integer;
  if (node->kind == TDM_NCCL_TEXT &&
      tdm_number_integer(tree->text + node->value.text.at, node->value.text.length, &number))
    return number;
  return TDM_NONE;
}

/* ---- JSON ---- */

static tdm_nccl_ref value_of(tdm_nccl_tree *tree, tdm_json *json, tdm_json_token token) {
  size_t length;
  int64_t integer;
  tdm_nccl_ref made;
  switch (token) {
  case TDM_JSON_OBJECT: return tdm_nccl_new(tree, TDM_NCCL_DICT);
  case TDM_JSON_ARRAY: return tdm_nccl_new(tree, TDM_NCCL_LIST);
  case TDM_JSON_KEY:
  case TDM_JSON_STRING: {
    const char *text = tdm_json_value(json, &length);
    return tdm_nccl_new_text(tree, text, length);
  }
  case TDM_JSON_NUMBER: {
    const char *text = tdm_json_value(json, &length);
    if (tdm_number_integer(text, length, &integer)) {
      if ((made = tdm_nccl_new(tree, TDM_NCCL_INTEGER)) != 0)
        tree->node[made].value.integer = integer;
    } else if ((made = tdm_nccl_new(tree, TDM_NCCL_REAL)) != 0) {
      tree->node[made].value.real = tdm_number_double(text, length);
    }
    return made;
  }
  case TDM_JSON_TRUE:
  case TDM_JSON_FALSE:
    made = tdm_nccl_new(tree, TDM_NCCL_BOOL);
    if (made != 0) tree->node[made].value.integer = token == TDM_JSON_TRUE;
    return made;
  default: return tdm_nccl_new(tree, TDM_NCCL_NOTHING);
  }
}

tdm_status tdm_nccl_json(tdm_nccl_tree *tree, tdm_input *input, tdm_recorder *recorder,
                         tdm_nccl_ref *root, tdm_error *error) {
  tdm_nccl_ref open[TDM_JSON_DEPTH];
  size_t depth = 0;
  tdm_json *json = tdm_json_new(input);
  *root = 0;
  if (json == NULL) return tdm_error_memory(error, "a JSON parser", 0);
  for (;;) {
    tdm_json_token token = tdm_json_next(json);
    if (token == TDM_JSON_END || tree->failed) break;
    if (token == TDM_JSON_OBJECT_END || token == TDM_JSON_ARRAY_END) {
      if (depth > 0 && --depth == 0) break;
      continue;
    }
    tdm_nccl_ref value = value_of(tree, json, token);
    if (depth > 0)
      tdm_nccl_append(tree, open[depth - 1], value);
    else
      *root = value;
    if ((token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) && depth < TDM_JSON_DEPTH)
      open[depth++] = value;
    if (depth == 0) break;
  }
  tdm_status status = tree->failed ? TDM_OK : tdm_json_finish(json, error);
  for (int repair = 0; repair < TDM_JSON_REPAIRS; repair++)
    tdm_record_problem(recorder, tdm_json_repair_name((tdm_json_repair)repair),
                       tdm_json_repaired(json, (tdm_json_repair)repair));
  tdm_json_free(json);
  return status;
}
