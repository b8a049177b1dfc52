/* Names for what compilations leave behind: "compile 0/0/1 inductor_output_code", and " #2" where
 * there are several; see log.h. */
#include "read/torch/log.h"

#include <stdlib.h>

#include "base/memory.h"

void tdm_torch_artifacts_free(tdm_torch_artifacts *artifacts) {
  tdm_intern_clear(&artifacts->names);
  free(artifacts->counts);
  tdm_torch_text_free(&artifacts->text);
  *artifacts = (tdm_torch_artifacts){0};
}

int64_t tdm_torch_artifact_put(tdm_torch_artifacts *artifacts, tdm_recorder *recorder,
                               const tdm_torch_record *record, const char *what, const char *type,
                               const char *bytes, size_t length) {
  tdm_torch_text *text = &artifacts->text;
  tdm_torch_text_clear(text);
  tdm_torch_text_put(text, "compile ");
  size_t before = text->length;
  tdm_torch_record_compile_id(record, text);
  if (text->length > before) {
    tdm_torch_text_put(text, "/");
    /* What runs later may not say its attempt: it is of the first. */
    tdm_torch_text_number(text, record->attempt != TDM_NONE ? record->attempt : 0);
    tdm_torch_text_put(text, " ");
  }
  tdm_torch_text_put(text, what);
  if (text->failed) return TDM_NONE;
  int fresh;
  uint32_t id = tdm_intern_put(&artifacts->names, text->bytes, text->length, &fresh);
  if (id == TDM_INTERN_FAILED || !tdm_array_grow(&artifacts->counts, &artifacts->room,
                                                 (size_t)id + 1, sizeof *artifacts->counts))
    return TDM_NONE;
  if (fresh) artifacts->counts[id] = 0;
  if (++artifacts->counts[id] > 1) {
    tdm_torch_text_put(text, " #");
    tdm_torch_text_number(text, artifacts->counts[id]);
    if (text->failed) return TDM_NONE;
  }
  tdm_record_artifact(recorder, text->bytes, type, bytes, length);
  return tdm_record_name(recorder, text->bytes, text->length);
}
