/* Why a graph broke, a function was compiled again or a cache was passed by: the texts that
 * PyTorch's structured log carries as payloads, reduced to what one would group by. Owns no state.
 * Called by read/torch_trace. */
#ifndef TDM_READ_TORCH_REASON_H
#define TDM_READ_TORCH_REASON_H

#include "read/json.h"
#include "read/torch/text.h"

/* "hit", "miss", "bypass" or "hash" for an artifact like "fx_graph_cache_hit"; NULL: of no cache.
 */
const char *tdm_torch_cache_word(const char *artifact);

/* The reason in the payload of a "dynamo_graph_break_reason", "recompile_reasons" or
 * "dynamo_error", at the end of `reason`, and the user's frame it happened in, "file:line
 * function", at the end of `frame`, where the payload says it. Other artifacts add nothing. `json`
 * is a reader of texts, lent for the call. */
void tdm_torch_reason(const char *artifact, const char *payload, size_t length, tdm_json *json,
                      tdm_torch_text *reason, tdm_torch_text *frame);

#endif
