/* One record of PyTorch's structured log: the JSON behind the beginning of its line.
 *
 *   {"dynamo_start": {"stack": […]}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0}
 *
 * What is not of the envelope is the record's kind and its data. Called by read/torch_trace. */
#ifndef TDM_READ_TORCH_RECORD_H
#define TDM_READ_TORCH_RECORD_H

#include "read/torch/value.h"

/* Zeroed memory is a record that was never read. */
typedef struct {
  tdm_torch_text kind; /* "" where there is none: {"str": …} */
  tdm_torch_value value;
  tdm_torch_stack stack; /* of the data, else of the envelope; outermost first */
  int64_t rank, frame_id, frame_compile_id, attempt, compiled_autograd_id;
  int64_t subgraph; /* a name id: of the graph within a graph that it is about */
  bool own_stack; /* the data's: of the user's code; the envelope's leads to where it was logged */
  bool has_payload, is_string;
} tdm_torch_record;

void tdm_torch_record_free(tdm_torch_record *record);

/* Reads a record from a text. `json` and `inner` are readers of texts, lent for the call. A "str"
 * record goes into *strings. TDM_INVALID: it is no object. */
tdm_status tdm_torch_record_read(tdm_torch_record *record, const char *text, size_t length,
                                 tdm_json *json, tdm_json *inner, tdm_torch_strings *strings,
                                 tdm_recorder *recorder);

/* The name of the compilation as PyTorch writes it, "0/0" or "!2/0/0", at the end of `out`; nothing
 * when the record belongs to none. */
void tdm_torch_record_compile_id(const tdm_torch_record *record, tdm_torch_text *out);

#endif
