/* The arguments of a row as one JSON object: keys in the layout's order, what is not there left
 * out.
 *
 * Owns a growing buffer. Called by the virtual table; writers that know their rows by other means
 * write their own. */
#ifndef TDM_TRACE_ARGS_JSON_H
#define TDM_TRACE_ARGS_JSON_H

#include "trace/run_tables.h"

typedef struct tdm_args_json tdm_args_json;

tdm_args_json *tdm_args_json_new(void); /* NULL: out of memory */
void tdm_args_json_free(tdm_args_json *json);

/* `values`: one for each argument. Good until the next call. NULL: out of memory. */
const char *tdm_args_json_write(tdm_args_json *json, const tdm_layout *layout,
                                const int64_t *values, tdm_run_tables *tables, size_t *length);

#endif
