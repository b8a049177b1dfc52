/* What a Chrome trace says of itself before its events: the time of its zero, the devices, and the
 * facts of its source, where Kineto has them: "distributedInfo.rank" is the member rank of the
 * object distributedInfo; see inside.h. Facts are few: lists are searched from the front. Owns no
 * state. */
#include "write/chrome/inside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define PUT(text) TDM_OUTFILE_LITERAL(file, text)

/* Members that have places of their own. */
static const char *const reserved[] = {"traceEvents", "displayTimeUnit", "baseTimeNanoseconds",
                                       "baseTimeNanosecond", "deviceProperties"};
static const char *const own_notes[] = {"run",   "name",     "tandem",
                                        "spans", "problems", "flowRequestsPerClass"};

/* Kineto's names of what all formats have. */
static const char *const device_keys[][2] = {
    {"memory_bytes", "totalGlobalMem"},
    {"sm_count", "numSms"},
    {"warp_size", "warpSize"},
    {"registers_per_block", "regsPerBlock"},
    {"registers_per_sm", "regsPerMultiprocessor"},
    {"shared_bytes_per_block", "sharedMemPerBlock"},
    {"shared_bytes_per_sm", "sharedMemPerMultiprocessor"},
    {"threads_per_block", "maxThreadsPerBlock"},
    {"threads_per_sm", "maxThreadsPerMultiprocessor"},
};

typedef struct {
  const tdm_fact *facts;
  size_t count;
  tdm_outfile *file;
} notes;

#define IS_ONE_OF(text, length, list) is_one_of(text, length, list, sizeof(list) / sizeof *(list))
static int is_one_of(const char *text, size_t length, const char *const *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strlen(list[i]) == length && memcmp(list[i], text, length) == 0) return 1;
  return 0;
}

/* Whether JSON reads the text as a number or a word. */
static int is_bare(const char *text) {
  static const char *const words[] = {"true", "false", "null"};
  if (IS_ONE_OF(text, strlen(text), words)) return 1;
  if (*text == '-') text++;
  if (*text == '0' && isdigit((unsigned char)text[1])) return 0;
  size_t whole = strspn(text, "0123456789");
  text += whole;
  if (whole == 0) return 0;
  if (*text == '.') {
    size_t rest = strspn(text + 1, "0123456789");
    text += rest + 1;
    if (rest == 0) return 0;
  }
  return *text == 0;
}

static void put_value(tdm_outfile *file, const char *text) {
  if (is_bare(text))
    tdm_outfile_text(file, text);
  else
    tdm_outfile_json(file, text);
}

static void put_key(tdm_outfile *file, const char *key, int *any) {
  if (*any) PUT(",");
  *any = 1;
  tdm_outfile_json(file, key);
  PUT(":");
}

static void put_note(tdm_outfile *file, const char *key, const char *value, int *any) {
  if (value == NULL) return;
  put_key(file, key, any);
  tdm_outfile_json(file, value);
}

/* ---- devices ---- */

/* "gpu.3.name" → 3 and "name"; NULL: not of a device. */
static const char *device_fact(const char *key, long long *device) {
  int used = 0;
  if (sscanf(key, "gpu.%lld.%n", device, &used) != 1 || used == 0) return NULL;
  return key + used;
}

static void put_device_fact(tdm_outfile *file, const char *key, const char *value, int *any) {
  int major, minor;
  if (strcmp(key, "compute_capability") == 0 && sscanf(value, "%d.%d", &major, &minor) == 2) {
    put_key(file, "computeMajor", any);
    tdm_outfile_integer(file, major);
    put_key(file, "computeMinor", any);
    tdm_outfile_integer(file, minor);
    return;
  }
  if (strcmp(key, "computeMajor") == 0 || strcmp(key, "computeMinor") == 0) return;
  for (size_t i = 0; i < sizeof device_keys / sizeof *device_keys; i++)
    if (strcmp(key, device_keys[i][0]) == 0) key = device_keys[i][1];
  put_key(file, key, any);
  if (strcmp(key, "name") == 0)
    tdm_outfile_json(file, value);
  else
    put_value(file, value);
}

/* "H100 #0" → "H100", when no fact names the device. */
static void put_heading(const notes *n, const tdm_chrome_process *process, int *any) {
  char ending[32], name[256];
  size_t length = strlen(process->name);
  size_t cut = (size_t)snprintf(ending, sizeof ending, " #%lld", (long long)process->number);
  if (length <= cut || length - cut >= sizeof name ||
      strcmp(process->name + length - cut, ending) != 0)
    return;
  memcpy(name, process->name, length - cut);
  name[length - cut] = 0;
  put_note(n->file, "name", name, any);
}

static void put_device(const notes *n, long long device, const tdm_chrome_process *process) {
  tdm_outfile *file = n->file;
  int any = 0, named = 0;
  PUT("{");
  put_key(file, "id", &any);
  tdm_outfile_integer(file, device);
  for (size_t i = 0; i < n->count; i++) {
    long long of;
    const char *key = device_fact(n->facts[i].key, &of);
    if (key == NULL || of != device) continue;
    named |= strcmp(key, "name") == 0;
    put_device_fact(file, key, n->facts[i].value, &any);
  }
  if (!named && process != NULL) put_heading(n, process, &any);
  PUT("}");
}

/* Devices of facts as they came, then those of processes that no fact tells of. */
static void put_devices(const notes *n, const tdm_chrome_tracks *tracks) {
  tdm_outfile *file = n->file;
  int any = 0;
  for (size_t i = 0; i < n->count; i++) {
    long long device, of = 0;
    if (device_fact(n->facts[i].key, &device) == NULL) continue;
    size_t earlier = 0;
    while (earlier < i && (device_fact(n->facts[earlier].key, &of) == NULL || of != device))
      earlier++;
    if (earlier < i) continue;
    tdm_outfile_text(file, any ? "," : "\"deviceProperties\":[");
    any = 1;
    const tdm_chrome_process *process = NULL;
    for (uint32_t p = 0; p < tracks->process_count; p++)
      if (tracks->processes[p].gpu && tracks->processes[p].number == device)
        process = &tracks->processes[p];
    put_device(n, device, process);
  }
  for (uint32_t p = 0; p < tracks->process_count; p++) {
    const tdm_chrome_process *process = &tracks->processes[p];
    if (!process->gpu || process->number == TDM_NONE) continue;
    long long of = 0;
    size_t told = 0;
    while (told < n->count &&
           (device_fact(n->facts[told].key, &of) == NULL || of != process->number))
      told++;
    if (told < n->count) continue;
    tdm_outfile_text(file, any ? "," : "\"deviceProperties\":[");
    any = 1;
    put_device(n, process->number, process);
  }
  if (any) PUT("],\n");
}

/* ---- other facts ---- */

/* The length of a key's first part. */
static size_t stem(const char *key) {
  return strcspn(key, ".");
}

static int same_stem(const char *a, const char *b) {
  return stem(a) == stem(b) && memcmp(a, b, stem(a)) == 0;
}

/* "a": value, or "a": {"b": value, …} for all facts a.…, where the first of them stands. */
static void put_members(const notes *n) {
  tdm_outfile *file = n->file;
  for (size_t i = 0; i < n->count; i++) {
    const char *key = n->facts[i].key;
    long long device;
    if (device_fact(key, &device) != NULL || IS_ONE_OF(key, stem(key), reserved) ||
        strncmp(key, "otherData.", 10) == 0)
      continue;
    size_t earlier = 0;
    while (earlier < i && !same_stem(n->facts[earlier].key, key)) earlier++;
    if (earlier < i) continue;
    char name[256];
    size_t length = stem(key) < sizeof name ? stem(key) : sizeof name - 1;
    memcpy(name, key, length);
    name[length] = 0;
    int any = 0, inner = 0;
    put_key(file, name, &any);
    if (key[stem(key)] == 0) {
      put_value(file, n->facts[i].value);
    } else {
      PUT("{");
      for (size_t k = i; k < n->count; k++) {
        if (!same_stem(n->facts[k].key, key) || n->facts[k].key[stem(key)] == 0) continue;
        put_key(file, n->facts[k].key + stem(key) + 1, &inner);
        put_value(file, n->facts[k].value);
      }
      PUT("}");
    }
    PUT(",\n");
  }
}

/* ---- the file's own notes ---- */

static void put_sources(const tdm_recording *recording, tdm_outfile *file) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(recording, &count);
  PUT(",\"sources\":[");
  for (uint32_t s = 0; s < tdm_recording_sources(recording); s++) {
    const tdm_source *source = tdm_recording_source(recording, s);
    int any = 0;
    if (s > 0) PUT(",");
    PUT("{");
    if (source != NULL) {
      put_note(file, "path", source->path, &any);
      put_note(file, "format", source->format, &any);
    }
    for (size_t i = 0; i < count; i++)
      if (facts[i].source == s) put_note(file, facts[i].key, facts[i].value, &any);
    PUT("}");
  }
  PUT("]");
}

static void put_problems(const tdm_recording *recording, tdm_outfile *file) {
  size_t count;
  const tdm_problem *problems = tdm_recording_problems(recording, &count);
  int any = 0;
  if (count > 0) PUT(",\"problems\":{");
  for (size_t i = 0; i < count; i++) {
    put_key(file, problems[i].kind, &any);
    tdm_outfile_unsigned(file, problems[i].count);
  }
  if (count > 0) PUT("}");
}

/* UTC of the run's zero, where all sources agree on it. */
static int find_base(const tdm_recording *recording, int64_t *base_ns) {
  for (uint32_t s = 0; s < tdm_recording_sources(recording); s++) {
    const tdm_source *source = tdm_recording_source(recording, s);
    int64_t base;
    if (source == NULL || source->utc_ns == TDM_NONE ||
        __builtin_sub_overflow(source->utc_ns, source->offset_ns, &base) ||
        (s > 0 && base != *base_ns))
      return 0;
    *base_ns = base;
  }
  return tdm_recording_sources(recording) > 0;
}

void tdm_chrome_notes_put(const tdm_recording *recording, const tdm_chrome_tracks *tracks,
                          const tdm_write_options *options, size_t spans, uint64_t flow_requests,
                          tdm_outfile *file) {
  notes n = {.file = file};
  const tdm_source *first = tdm_recording_source(recording, 0);
  int alone = tdm_recording_sources(recording) == 1 && first != NULL, any = 0;
  int simulated = alone && strcmp(first->format, "simulation") == 0;
  int64_t base_ns = 0;
  n.facts = tdm_recording_facts(recording, &n.count);
  PUT("{\"displayTimeUnit\":\"ns\",\n");
  if (find_base(recording, &base_ns)) {
    PUT("\"baseTimeNanoseconds\":");
    tdm_outfile_integer(file, base_ns);
    PUT(",\n");
  }
  if (alone && !simulated) {
    put_devices(&n, tracks);
    put_members(&n);
  }
  PUT("\"otherData\":{");
  if (options != NULL) {
    put_note(file, "run", options->run_id, &any);
    put_note(file, "name", options->run_name, &any);
    put_note(file, "tandem", options->version, &any);
  }
  for (size_t i = 0; alone && i < n.count; i++) {
    const char *key = n.facts[i].key;
    if (!simulated && strncmp(key, "otherData.", 10) != 0) continue;
    if (!simulated) key += 10;
    if (simulated || !IS_ONE_OF(key, stem(key), own_notes))
      put_note(file, key, n.facts[i].value, &any);
  }
  if (any) PUT(",");
  PUT("\"spans\":");
  tdm_outfile_unsigned(file, spans);
  if (!alone && tdm_recording_sources(recording) > 0) put_sources(recording, file);
  put_problems(recording, file);
  if (flow_requests > 0) {
    PUT(",\"flowRequestsPerClass\":");
    tdm_outfile_unsigned(file, flow_requests);
  }
  PUT("},\n\"traceEvents\":[\n");
}
