/* What a Kineto trace says outside its events: devices, ranks, versions, as facts; see inside.h. */
#include "read/kineto/inside.h"

#include <stdio.h>

#include "trace/utf8.h"

enum { FACTS = 2000, DEPTH = 8, LENGTH = 4096, PATH_ROOM = 256 };

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static void skipped(tdm_kineto_facts *facts) {
  tdm_record_problem(facts->recorder, "notes of the trace that are too many or too long (dropped)",
                     1);
}

/* Keys that other formats have too are called alike. */
static const char *common_key(const char *path) {
  static const char *const pairs[][2] = {
      {"totalGlobalMem", "memory_bytes"},
      {"numSms", "sm_count"},
      {"warpSize", "warp_size"},
      {"regsPerBlock", "registers_per_block"},
      {"regsPerMultiprocessor", "registers_per_sm"},
      {"sharedMemPerBlock", "shared_bytes_per_block"},
      {"sharedMemPerMultiprocessor", "shared_bytes_per_sm"},
      {"maxThreadsPerBlock", "threads_per_block"},
      {"maxThreadsPerMultiprocessor", "threads_per_sm"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (strcmp(path, pairs[i][0]) == 0) return pairs[i][1];
  return path;
}

/* A leaf. What the reader itself needs is kept aside. */
static void leaf(tdm_kineto_facts *facts, const char *path, const char *text, size_t length) {
  int64_t number;
  bool is_number = tdm_number_integer(text, length, &number);
  if (is_number && begins(path, "baseTimeNanosecond")) facts->base_ns = number;
  if (is_number && strcmp(path, "distributedInfo.rank") == 0) facts->rank = number;
  if (is_number && strcmp(path, "schemaVersion") == 0) facts->schema = number;
  if (length > LENGTH || facts->count >= FACTS) {
    skipped(facts);
    return;
  }
  facts->count++;
  char whole[PATH_ROOM]; /* a long path may have been cut within a character */
  snprintf(whole, sizeof whole, "%s", path);
  whole[tdm_utf8_valid(whole, strlen(whole))] = 0;
  tdm_record_fact(facts->recorder, whole, text);
}

static const char *leaf_text(const tdm_json *json, tdm_json_token token, size_t *length) {
  if (token == TDM_JSON_STRING || token == TDM_JSON_NUMBER) return tdm_json_value(json, length);
  const char *word = token == TDM_JSON_TRUE ? "true" : token == TDM_JSON_FALSE ? "false" : "null";
  *length = strlen(word);
  return word;
}

/* A value at `path`, which has room to grow; an array stays one text. */
static void flatten(tdm_kineto_facts *facts, tdm_json *json, char *path, tdm_json_token token) {
  size_t used = strlen(path), length;
  if (token != TDM_JSON_OBJECT) {
    const char *text =
        token == TDM_JSON_ARRAY ? tdm_json_compact(json, &length) : leaf_text(json, token, &length);
    if (text != NULL) leaf(facts, path, text, length);
    return;
  }
  if (tdm_json_depth(json) > DEPTH || facts->count >= FACTS) {
    skipped(facts);
    tdm_json_skip(json);
    return;
  }
  while (tdm_json_next(json) == TDM_JSON_KEY) {
    snprintf(path + used, PATH_ROOM - used, ".%s", tdm_json_value(json, NULL));
    flatten(facts, json, path, tdm_json_next(json));
    path[used] = 0;
  }
}

/* One device: {"id": 0, "name": "…", …}. */
static void device(tdm_kineto_facts *facts, tdm_json *json, unsigned index) {
  int64_t id = index, major = TDM_NONE, minor = TDM_NONE;
  char path[PATH_ROOM], text[64];
  for (;;) {
    tdm_json_token token = tdm_json_next(json);
    if (token != TDM_JSON_KEY) break;
    char key[128];
    snprintf(key, sizeof key, "%s", tdm_json_value(json, NULL));
    token = tdm_json_next(json);
    size_t length;
    const char *value = leaf_text(json, token, &length);
    if (strcmp(key, "id") == 0 && tdm_number_integer(value, length, &id)) continue;
    if (strcmp(key, "computeMajor") == 0 && tdm_number_integer(value, length, &major)) continue;
    if (strcmp(key, "computeMinor") == 0 && tdm_number_integer(value, length, &minor)) continue;
    if (strcmp(key, "name") == 0 && token == TDM_JSON_STRING && length > 0)
      tdm_kineto_name_device(facts->tracks, id, value);
    snprintf(path, sizeof path, "gpu.%lld.%s", (long long)id, common_key(key));
    flatten(facts, json, path, token);
  }
  if (major == TDM_NONE || minor == TDM_NONE) return;
  snprintf(path, sizeof path, "gpu.%lld.compute_capability", (long long)id);
  snprintf(text, sizeof text, "%lld.%lld", (long long)major, (long long)minor);
  leaf(facts, path, text, strlen(text));
}

void tdm_kineto_fact(tdm_kineto_facts *facts, tdm_json *json, const char *name,
                     tdm_json_token token) {
  char path[PATH_ROOM];
  snprintf(path, sizeof path, "%s", name);
  if (token != TDM_JSON_ARRAY || strcmp(name, "deviceProperties") != 0) {
    flatten(facts, json, path, token);
    return;
  }
  for (unsigned index = 0;; index++) {
    token = tdm_json_next(json);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    if (token == TDM_JSON_OBJECT) device(facts, json, index);
    if (token == TDM_JSON_ARRAY) tdm_json_skip(json);
  }
}
