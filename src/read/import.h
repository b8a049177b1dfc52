/* Files in, records out: each file is a source, read by the reader that knows its format.
 *
 * Owns nothing. Called by the binding; where the records go is the sink's affair. */
#ifndef TDM_READ_IMPORT_H
#define TDM_READ_IMPORT_H

#include "read/reader.h"

typedef struct {
  tdm_time_unit time_unit;
  uint64_t dropped; /* TDM_READ_NO_… */
  /* How far file `index` is, 0 … 1; nonzero: stop. May be NULL. */
  int (*progress)(void *context, size_t index, double fraction);
  void *context;
} tdm_import_options;

/* Stops at the first file that cannot be read; the caller then throws away what came before. */
tdm_status tdm_import(const char *const *paths, size_t count, const tdm_import_options *options,
                      const tdm_record_sink *sink, tdm_error *error);

#endif
