/* The arguments that a file has beside those that tandem knows: which of its keys are which.
 *
 * Keys that are spelled apart may come to the same name, and are one argument then. Numbers stay:
 * known arguments come first, the file's own follow in order of appearance. Called by record.c. */
#ifndef TDM_READ_CUDA_API_OWN_H
#define TDM_READ_CUDA_API_OWN_H

#include <stdbool.h>

#include "read/cuda_api/args.h"
#include "trace/recorder.h"

typedef struct {
  const char *name[TDM_API_OWN_ARGS]; /* the recorder's */
  uint32_t count;
  int16_t *of_key; /* its argument + 1; 0: none yet, -1: there was no room */
  size_t room;
} tdm_api_own;

/* The argument of key number `key`, spelled so; -1: there is no room for it. A reserved spelling is
 * not its name: "detail_…" is. False: there is no memory. */
bool tdm_api_own_arg(tdm_api_own *own, tdm_recorder *recorder, uint32_t key, const char *spelling,
                     bool reserved, int *arg);
void tdm_api_own_free(tdm_api_own *own);

#endif
