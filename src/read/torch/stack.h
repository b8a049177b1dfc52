/* Stacks as PyTorch writes them in JSON: lists of {"filename", "line", "name"}.
 *
 * As text a frame is "file:line function", a stack its frames from the outermost on, joined by ";"
 * (folded: what flame graphs are made from). TORCH_TRACE numbers its file names and writes each
 * once; the table of them is here too. Called by the PyTorch readers. */
#ifndef TDM_READ_TORCH_STACK_H
#define TDM_READ_TORCH_STACK_H

#include "read/json.h"
#include "read/torch/text.h"

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
