/* Names for what compilations leave behind: "compile 0/0/1 inductor_output_code", and " #2" where
 * there are several. The numbers are frame, compilation of it, attempt. Called by read/torch_trace
 * and read/torch_chrome. */
#ifndef TDM_READ_TORCH_ARTIFACT_H
#define TDM_READ_TORCH_ARTIFACT_H

#include "read/torch/record.h"
#include "trace/intern.h"

enum { TDM_TORCH_JSON_ROOM = 1 << 16 }; /* longer JSON is an artifact, not an argument */

/* Zeroed memory is empty. */
typedef struct {
  tdm_intern names;
  uint32_t *counts;
  size_t room;
  tdm_torch_text text;
} tdm_torch_artifacts;

void tdm_torch_artifacts_free(tdm_torch_artifacts *artifacts);

/* Records an artifact of a record's compilation. Returns the id of its name, TDM_NONE when out of
 * memory. */
int64_t tdm_torch_artifact_put(tdm_torch_artifacts *artifacts, tdm_recorder *recorder,
                               const tdm_torch_record *record, const char *what, const char *type,
                               const char *bytes, size_t length);

#endif
