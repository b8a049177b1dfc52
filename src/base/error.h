/* Status codes and the error record that every fallible core function fills.
 * Core code never prints, exits or longjmps: it returns a tdm_status. Used by every layer. */
#ifndef TDM_BASE_ERROR_H
#define TDM_BASE_ERROR_H

typedef enum {
  TDM_OK = 0,
  TDM_INVALID,     /* the caller's input is wrong */
  TDM_IO,          /* the world failed: file, disk, network */
  TDM_MEMORY,      /* allocation failed */
  TDM_LIMIT,       /* a stated limit was reached */
  TDM_HOOK,        /* a user's Lua function failed; message holds its traceback line */
  TDM_INTERRUPTED, /* stopped from outside; partial results are valid */
  TDM_BUG          /* an internal check failed */
} tdm_status;

/* One line, for a person: what, where, the nearest valid thing. Owned by the caller. */
typedef struct {
  tdm_status status;
  char message[512];
} tdm_error;

/* Fills *error (which may be NULL) and returns status, so that `return tdm_error_set(…)` reads
 * well. */
tdm_status tdm_error_set(tdm_error *error, tdm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The status of a failed allocation of `bytes` for `what`. */
tdm_status tdm_error_memory(tdm_error *error, const char *what, unsigned long long bytes);

#endif
