/* The arguments that a file has beside those that tandem knows: which of its keys are which; see
 * record.h. */
#include "read/cuda_api/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The argument of that name, known or the file's own, which is made where there is none; -1: there
 * is no room. */
static int named(tdm_api_own *own, tdm_recorder *recorder, const char *name) {
  for (int i = 0; i < TDM_API_KNOWN_ARGS; i++)
    if (tdm_api_arg_names[i] != NULL && strcmp(tdm_api_arg_names[i], name) == 0) return i;
  /* Names outlive the records: the recorder keeps them as texts. */
  const char *kept = tdm_recorder_name(recorder, tdm_record_text(recorder, name), NULL);
  if (kept == NULL || kept[0] == 0) return -1;
  for (uint32_t i = 0; i < own->count; i++)
    if (strcmp(own->name[i], kept) == 0) return TDM_API_KNOWN_ARGS + (int)i;
  if (own->count == TDM_API_OWN_ARGS) return -1;
  own->name[own->count] = kept;
  return TDM_API_KNOWN_ARGS + (int)own->count++;
}

bool tdm_api_own_arg(tdm_api_own *own, tdm_recorder *recorder, uint32_t key, const char *spelling,
                     bool reserved, int *arg) {
  size_t room = own->room;
  *arg = -1;
  if (!tdm_array_grow(&own->of_key, &own->room, (size_t)key + 1, sizeof *own->of_key)) return false;
  if (own->room > room) memset(own->of_key + room, 0, (own->room - room) * sizeof *own->of_key);
  if (own->of_key[key] == 0) {
    char longer[64];
    if (reserved) snprintf(longer, sizeof longer, "detail_%.48s", spelling);
    int found = spelling[0] == 0 ? -1 : named(own, recorder, reserved ? longer : spelling);
    own->of_key[key] = (int16_t)(found < 0 ? -1 : found + 1);
  }
  if (own->of_key[key] > 0) *arg = own->of_key[key] - 1;
  return true;
}

void tdm_api_own_free(tdm_api_own *own) {
  free(own->of_key);
}
