/* Words of a Perfetto trace that mean something to tandem: categories, and what tandem itself
 * wrote; see inside.h. */
#include "read/perfetto/inside.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/json/json.h"
#include "read/kineto/kineto.h"

uint32_t tdm_pftrace_category(tdm_recorder *recorder, uint32_t category) {
  const char *text = tdm_recorder_name(recorder, category, NULL);
  const tdm_kineto_category *word = text != NULL ? tdm_kineto_category_of(text) : NULL;
  return word != NULL ? tdm_record_text(recorder, word->category) : category;
}

uint32_t tdm_pftrace_key(tdm_pftrace_state *s, uint32_t key) {
  static const char *const launch[][2] = {{"shared_mem_dynamic", "dynamic_shared_bytes"},
                                          {"shared_mem_static", "static_shared_bytes"}};
  uint32_t known = tdm_id_map_get(&s->by_key, key);
  if (known != TDM_ID_NONE) return known;
  const char *text = tdm_recorder_name(s->recorder, key, NULL);
  const tdm_kineto_key *word = text != NULL ? tdm_kineto_key_of(text) : NULL;
  known = word != NULL ? tdm_record_text(s->recorder, word->key) : key;
  for (size_t i = 0; text != NULL && i < sizeof launch / sizeof *launch; i++)
    if (strcmp(text, launch[i][0]) == 0) known = tdm_record_text(s->recorder, launch[i][1]);
  if (!tdm_id_map_put(&s->by_key, key, known)) s->failed = 1;
  return known;
}

int tdm_pftrace_is_wanted(const tdm_pftrace_state *s, uint32_t category) {
  if (s->dropped == 0) return 1;
  return (tdm_read_kind(tdm_recorder_name(s->recorder, category, NULL)) & s->dropped) == 0;
}

int tdm_pftrace_is_tandem(const tdm_recorder *recorder, uint32_t category) {
  const char *text = tdm_recorder_name(recorder, category, NULL);
  return text != NULL && strcmp(text, TDM_PF_TANDEM_CATEGORY) == 0;
}

static void take_kinds(tdm_pftrace_state *s, const char *text) {
  tdm_json *json = tdm_json_new_text();
  if (json == NULL) {
    s->failed = 1;
    return;
  }
  tdm_json_text(json, text, strlen(text));
  for (tdm_json_token token; (token = tdm_json_next(json)) != TDM_JSON_END;) {
    size_t length;
    if (token != TDM_JSON_STRING) continue;
    const char *kind = tdm_json_value(json, &length);
    if (!tdm_array_grow(&s->kinds, &s->kind_room, s->kind_count + 1, sizeof *s->kinds)) {
      s->failed = 1;
      break;
    }
    s->kinds[s->kind_count++] = tdm_record_name(s->recorder, kind, length);
  }
  tdm_json_free(json);
}

static void tell_version(tdm_pftrace_state *s, const char *version) {
  char detail[96];
  snprintf(detail, sizeof detail, "written by tandem %s", version);
  tdm_recorder_detail(s->recorder, detail);
}

void tdm_pftrace_tandem_event(tdm_pftrace_state *s, uint32_t name) {
  const char *text = tdm_recorder_name(s->recorder, name, NULL);
  if (text == NULL || strcmp(text, TDM_PF_TANDEM_EVENT) != 0) return;
  for (uint32_t i = 0; i < s->args.count; i++) {
    const char *key = tdm_recorder_name(s->recorder, s->args.arg[i].key, NULL);
    const char *value = s->args.arg[i].type == TDM_ARG_TEXT
                            ? tdm_recorder_name(s->recorder, (uint32_t)s->args.arg[i].value, NULL)
                            : NULL;
    if (key == NULL || value == NULL) continue;
    if (strncmp(key, TDM_PF_TANDEM_FACT, strlen(TDM_PF_TANDEM_FACT)) == 0)
      tdm_record_fact(s->recorder, key + strlen(TDM_PF_TANDEM_FACT), value);
    if (strcmp(key, "version") == 0) tell_version(s, value);
    if (strcmp(key, TDM_PF_TANDEM_SHIFT) == 0) s->shift_ns = strtoll(value, NULL, 10);
    if (strcmp(key, TDM_PF_TANDEM_KINDS) == 0 && s->kind_count == 0) take_kinds(s, value);
  }
}
