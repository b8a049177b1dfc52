/* What the files of the store share: the store's fields, arguments of rows as JSON. */
#ifndef TDM_TRACE_STORE_INSIDE_H
#define TDM_TRACE_STORE_INSIDE_H

#include <sqlite3.h>

#include "base/error.h"
#include "trace/store/scan.h"
#include "trace/store/store.h"

struct tdm_store {
  sqlite3 *database;
  char *path;
  tdm_store_run *open_run;
  int (*stopped)(void *context);
  void *stopped_context;
};

int tdm_store_execute(tdm_store *store, const char *sql);

/* Rows of the table span. */
enum {
  TDM_STORE_SPAN_SHAPES =
      1u << TDM_SHAPE_SPAN | 1u << TDM_SHAPE_OPEN | 1u << TDM_SHAPE_INSTANT | 1u << TDM_SHAPE_ASYNC
};

/* The SQL functions of a connection (functions.c); SQLite's code. */
int tdm_store_functions_open(sqlite3 *database);

/* The arguments of a row as one JSON object: keys in the layout's order, what is not there left
 * out.
 *
 * Owns a growing buffer. Called by the virtual table; writers that know their rows by other means
 * write their own. */

typedef struct tdm_args_json tdm_args_json;

tdm_args_json *tdm_args_json_new(void); /* NULL: out of memory */
void tdm_args_json_free(tdm_args_json *json);

/* `values`: one for each argument. Good until the next call. NULL: out of memory. */
const char *tdm_args_json_write(tdm_args_json *json, const tdm_layout *layout,
                                const int64_t *values, tdm_run_tables *tables, size_t *length);

#endif
