/* What the PyTorch readers share: text that grows, stacks. */
#ifndef TDM_READ_TORCH_INSIDE_H
#define TDM_READ_TORCH_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/json/json.h"
#include "read/reader.h"

/* The readers of what PyTorch's own tools write, beside its profiler's traces (read/kineto). Called
 * by the table in read/reader.c. */

/* Text that grows: what the PyTorch readers put names, stacks and JSON together in.
 *
 * Zeroed memory is an empty text. Running out of memory sticks: later additions do nothing. */

typedef struct {
  char *bytes; /* NUL-terminated, unless nothing was ever added: NULL */
  size_t length, room;
  bool failed;
} tdm_torch_text;

void tdm_torch_text_free(tdm_torch_text *text);
void tdm_torch_text_clear(tdm_torch_text *text); /* keeps the room */
void tdm_torch_text_add(tdm_torch_text *text, const char *bytes, size_t length);
void tdm_torch_text_put(tdm_torch_text *text, const char *string);
void tdm_torch_text_number(tdm_torch_text *text, int64_t number);
/* As a JSON string with its quotes; the bytes are well-formed UTF-8. */
void tdm_torch_text_quote(tdm_torch_text *text, const char *bytes, size_t length);

/* What was put together; "" when nothing was. */
const char *tdm_torch_text_string(const tdm_torch_text *text);

/* Stacks as PyTorch writes them in JSON: lists of {"filename", "line", "name"}.
 *
 * As text a frame is "file:line function", a stack its frames from the outermost on, joined by ";"
 * (folded: what flame graphs are made from). TORCH_TRACE numbers its file names and writes each
 * once; the table of them is here too. Called by the PyTorch readers. */

/* File names by number. Zeroed memory is an empty table. */
typedef struct {
  char **names; /* NULL: not said */
  size_t count, room;
} tdm_torch_strings;

void tdm_torch_strings_free(tdm_torch_strings *strings);
/* False: out of memory, or a number beyond a million. */
bool tdm_torch_strings_put(tdm_torch_strings *strings, int64_t number, const char *name);
/* NULL: not said. */
const char *tdm_torch_strings_find(const tdm_torch_strings *strings, int64_t number);

/* Zeroed memory is an empty stack. */
typedef struct {
  tdm_torch_text frames; /* one behind the other, each with a NUL */
  size_t *starts;
  size_t count, room;
  tdm_torch_text file, function; /* of the frame being read */
} tdm_torch_stack;

void tdm_torch_stack_free(tdm_torch_stack *stack);
void tdm_torch_stack_clear(tdm_torch_stack *stack);

/* Behind the ARRAY: adds its frames, in their order. `strings` may be NULL. What is no frame is
 * left out; returns how many of those there were. */
uint64_t tdm_torch_stack_read(tdm_torch_stack *stack, tdm_json *json,
                              const tdm_torch_strings *strings);

const char *tdm_torch_stack_frame(const tdm_torch_stack *stack, size_t index);

/* The stack as folded text, at the end of `out`. */
void tdm_torch_stack_fold(const tdm_torch_stack *stack, bool innermost_first, tdm_torch_text *out);

bool tdm_torch_stack_failed(const tdm_torch_stack *stack);

#endif
