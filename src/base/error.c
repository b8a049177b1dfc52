/* Fills error records. Owns no state. Called by every layer that can fail. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

tdm_status tdm_error_set(tdm_error *error, tdm_status status, const char *format, ...) {
  if (error == NULL) return status;
  error->status = status;
  va_list args;
  va_start(args, format);
  vsnprintf(error->message, sizeof error->message, format, args);
  va_end(args);
  return status;
}

tdm_status tdm_error_memory(tdm_error *error, const char *what, unsigned long long bytes) {
  return tdm_error_set(error, TDM_MEMORY, "out of memory: %llu bytes for %s", bytes, what);
}
