/* Beginnings and ends of CUDA-API calls joined to spans, with the arguments that tracers give.
 *
 * By op_id where there is one, else by thread, function and depth; in any order of the file. What
 * stays unmatched is kept or counted, never lost. Owns threads and open calls. Called by
 * read/cuda_api. */
#ifndef TDM_READ_CUDA_API_CALLS_H
#define TDM_READ_CUDA_API_CALLS_H

#include "read/cuda_api/record.h"

typedef struct tdm_api_calls tdm_api_calls;

/* `own` as of tdm_api_parser_own; dropped: TDM_READ_NO_…. NULL: out of memory. */
tdm_api_calls *tdm_api_calls_new(tdm_recorder *recorder, const char *const *own, uint64_t dropped);
void tdm_api_calls_free(tdm_api_calls *calls);

/* A record at a time; end_ns and dur_ns are TDM_NONE where it does not say them. What the record
 * leaves out may be filled in. False: out of memory. */
bool tdm_api_calls_take(tdm_api_calls *calls, tdm_api_record *record, int64_t time_ns,
                        int64_t end_ns, int64_t dur_ns);

/* Everything that is still open. Once, at the end. False: out of memory. */
bool tdm_api_calls_finish(tdm_api_calls *calls);

#endif
