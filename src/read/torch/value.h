/* Values of JSON in PyTorch's structured log: copied, with what analyses ask for taken out.
 *
 * The copy is compact JSON in which file names stand for their numbers. Known members of the
 * outermost object become fields, whatever their spelling was in which version. Called by
 * read/torch_record and read/torch_chrome. */
#ifndef TDM_READ_TORCH_VALUE_H
#define TDM_READ_TORCH_VALUE_H

#include "read/torch/stack.h"
#include "trace/recorder.h"

typedef enum {
  TDM_TORCH_NAME, /* texts: name ids */
  TDM_TORCH_ENCODING,
  TDM_TORCH_COMPILE_ID,
  TDM_TORCH_REASON,
  TDM_TORCH_FAIL_TYPE,
  TDM_TORCH_FAIL_REASON,
  TDM_TORCH_FAIL_FILE,
  TDM_TORCH_CO_NAME,
  TDM_TORCH_CO_FILENAME,
  TDM_TORCH_RESTART_REASONS, /* JSON */
  TDM_TORCH_FAIL_LINE,       /* numbers */
  TDM_TORCH_CO_FIRSTLINENO,
  TDM_TORCH_CACHE_SIZE,
  TDM_TORCH_ACCUMULATED_CACHE_SIZE,
  TDM_TORCH_GUARD_COUNT,
  TDM_TORCH_GRAPH_OP_COUNT,
  TDM_TORCH_GRAPH_NODE_COUNT,
  TDM_TORCH_GRAPH_INPUT_COUNT,
  TDM_TORCH_START, /* times, in ns */
  TDM_TORCH_END,
  TDM_TORCH_DURATION,
  TDM_TORCH_COMPILE,    /* of the whole frame */
  TDM_TORCH_BACKEND,    /* of that, the backend: AOT autograd and below */
  TDM_TORCH_INDUCTOR,   /* of that, Inductor */
  TDM_TORCH_CODE_GEN,   /* of that, code generation */
  TDM_TORCH_RESTART,    /* spent before the last restart */
  TDM_TORCH_TIME_SAVED, /* by a cache */
  TDM_TORCH_FIELDS
} tdm_torch_field;

/* Zeroed memory is empty. */
typedef struct {
  tdm_torch_text json;
  int64_t field[TDM_TORCH_FIELDS]; /* TDM_NONE: not said */
  size_t stack_at, stack_length;   /* within json: the member "user_stack", else "stack" */
  bool user_stack;
  tdm_torch_text key; /* of the member being read */
} tdm_torch_value;

void tdm_torch_value_free(tdm_torch_value *value);
void tdm_torch_value_clear(tdm_torch_value *value);

/* Copies the value that begins with `token`, which was just taken. False: out of memory. */
bool tdm_torch_value_read(tdm_torch_value *value, tdm_json *json, tdm_json_token token,
                          const tdm_torch_strings *strings, tdm_recorder *recorder);

#endif
