/* The keys of CUDA-API tracers: each spelling, and what is done with its value. Read by
 * read/cuda_api/record, which takes the values. */
#ifndef TDM_READ_CUDA_API_KEYS_H
#define TDM_READ_CUDA_API_KEYS_H

#include <stddef.h>

typedef enum {
  TDM_API_KEY_SKIP,
  TDM_API_KEY_TIME,
  TDM_API_KEY_END,
  TDM_API_KEY_DURATION,
  TDM_API_KEY_PHASE,
  TDM_API_KEY_PID,
  TDM_API_KEY_TID,
  TDM_API_KEY_DEPTH,
  TDM_API_KEY_OP_ID,
  TDM_API_KEY_EVENT_ID,
  TDM_API_KEY_NAME,
  TDM_API_KEY_OP,
  TDM_API_KEY_TYPE,
  TDM_API_KEY_SOURCE,
  TDM_API_KEY_CATEGORY,
  TDM_API_KEY_PROCESS,
  TDM_API_KEY_DETAILS,
  TDM_API_KEY_DATA,
  TDM_API_KEY_TOTAL,
  TDM_API_KEY_DIRECTION,
  TDM_API_KEY_GRID, /* [x, y, z], or x alone */
  TDM_API_KEY_BLOCK,
  TDM_API_KEY_WHOLE, /* an argument that is a whole number */
  TDM_API_KEY_PLAIN, /* an argument of any type */
  TDM_API_KEY_OWN    /* of the file's own */
} tdm_api_action;

typedef struct {
  const char *text;
  tdm_api_action action;
  int more; /* a tdm_time_unit or a tdm_api_arg */
} tdm_api_key_spelling;

extern const tdm_api_key_spelling tdm_api_keys[];
extern const size_t tdm_api_key_count;

#endif
