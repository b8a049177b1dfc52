/* Stacks as PyTorch writes them in JSON: lists of {"filename", "line", "name"}; see inside.h. */
#include "read/torch/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { STRINGS = 1 << 20 };

/* ---- file names ---- */

void tdm_torch_strings_free(tdm_torch_strings *strings) {
  for (size_t i = 0; i < strings->count; i++) free(strings->names[i]);
  free(strings->names);
  *strings = (tdm_torch_strings){0};
}

bool tdm_torch_strings_put(tdm_torch_strings *strings, int64_t number, const char *name) {
  if (number < 0 || number >= STRINGS) return false;
  size_t index = (size_t)number;
  if (!tdm_array_grow(&strings->names, &strings->room, index + 1, sizeof *strings->names))
    return false;
  while (strings->count <= index) strings->names[strings->count++] = NULL;
  char *copy = tdm_string_copy(name);
  if (copy == NULL) return false;
  free(strings->names[index]);
  strings->names[index] = copy;
  return true;
}

const char *tdm_torch_strings_find(const tdm_torch_strings *strings, int64_t number) {
  if (strings == NULL || number < 0 || (uint64_t)number >= strings->count) return NULL;
  return strings->names[number];
}

/* ---- stacks ---- */

void tdm_torch_stack_free(tdm_torch_stack *stack) {
  tdm_torch_text_free(&stack->frames);
  tdm_torch_text_free(&stack->file);
  tdm_torch_text_free(&stack->function);
  free(stack->starts);
  *stack = (tdm_torch_stack){0};
}

void tdm_torch_stack_clear(tdm_torch_stack *stack) {
  tdm_torch_text_clear(&stack->frames);
  stack->count = 0;
}

bool tdm_torch_stack_failed(const tdm_torch_stack *stack) {
  return stack->frames.failed || stack->file.failed || stack->function.failed;
}

/* Behind the OBJECT of a frame, up to its end. False: it names neither a file nor a function. */
static bool read_frame(tdm_torch_stack *stack, tdm_json *json, const tdm_torch_strings *strings) {
  tdm_torch_text *file = &stack->file, *function = &stack->function;
  tdm_torch_text_clear(file);
  tdm_torch_text_clear(function);
  int64_t line = -1;
  tdm_json_token token;
  while ((token = tdm_json_next(json)) == TDM_JSON_KEY) {
    size_t length;
    const char *key = tdm_json_value(json, &length);
    bool is_file = strcmp(key, "filename") == 0, is_name = strcmp(key, "name") == 0;
    bool is_line = strcmp(key, "line") == 0;
    if (!is_file && !is_name && !is_line) {
      tdm_json_skip(json);
      continue;
    }
    token = tdm_json_next(json);
    const char *text = tdm_json_value(json, &length);
    int64_t number;
    if (token == TDM_JSON_STRING && !is_line) {
      tdm_torch_text_add(is_file ? file : function, text, length);
    } else if (token == TDM_JSON_NUMBER && tdm_number_integer(text, length, &number)) {
      const char *known = is_file ? tdm_torch_strings_find(strings, number) : NULL;
      if (is_line) line = number;
      if (is_file) tdm_torch_text_put(file, known != NULL ? known : "(unknown)");
    } else {
      tdm_json_skip(json);
    }
  }
  if (file->length == 0 && function->length == 0) return false;
  tdm_torch_text *out = &stack->frames;
  tdm_torch_text_put(out, file->length > 0 ? file->bytes : "??");
  if (line >= 0) {
    tdm_torch_text_add(out, ":", 1);
    tdm_torch_text_number(out, line);
  }
  if (function->length > 0) {
    tdm_torch_text_add(out, " ", 1);
    tdm_torch_text_add(out, function->bytes, function->length);
  }
  tdm_torch_text_add(out, "", 1);
  return true;
}

uint64_t tdm_torch_stack_read(tdm_torch_stack *stack, tdm_json *json,
                              const tdm_torch_strings *strings) {
  uint64_t bad = 0;
  for (;;) {
    tdm_json_token token = tdm_json_next(json);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return bad;
    size_t start = stack->frames.length;
    if (token != TDM_JSON_OBJECT) {
      tdm_json_skip(json);
      bad++;
    } else if (!read_frame(stack, json, strings)) {
      bad++;
    } else if (tdm_array_grow(&stack->starts, &stack->room, stack->count + 1,
                              sizeof *stack->starts)) {
      stack->starts[stack->count++] = start;
    } else {
      stack->frames.failed = true;
    }
  }
}

const char *tdm_torch_stack_frame(const tdm_torch_stack *stack, size_t index) {
  return index < stack->count ? stack->frames.bytes + stack->starts[index] : NULL;
}

void tdm_torch_stack_fold(const tdm_torch_stack *stack, bool innermost_first, tdm_torch_text *out) {
  for (size_t i = 0; i < stack->count; i++) {
    if (i > 0) tdm_torch_text_add(out, ";", 1);
    tdm_torch_text_put(out,
                       tdm_torch_stack_frame(stack, innermost_first ? stack->count - 1 - i : i));
  }
}
