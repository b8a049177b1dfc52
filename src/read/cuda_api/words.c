/* What the words of CUDA-API tracers mean: names of functions and probes, types and sources of
 * records, directions of copies; see record.h. */
#include "read/cuda_api/record.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

void tdm_api_words_clear(tdm_api_words *words) {
  tdm_intern_clear(&words->names);
  free(words->words);
  *words = (tdm_api_words){0};
}

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* ---- probes ---- */

typedef struct {
  const char *prefix;
  char phase;
  bool host; /* a probe in the host's kernel */
} probe;

static const probe probes[] = {
    {"uprobe:", 'B', false},     {"uretprobe:", 'E', false}, {"u:", 'B', false},
    {"ur:", 'E', false},         {"usdt:", 0, false},        {"kprobe:", 'B', true},
    {"kretprobe:", 'E', true},   {"k:", 'B', true},          {"kr:", 'E', true},
    {"kfunc:", 'B', true},       {"kretfunc:", 'E', true},   {"fentry:", 'B', true},
    {"fexit:", 'E', true},       {"tracepoint:", 0, true},   {"t:", 0, true},
    {"rawtracepoint:", 0, true},
};

/* The function that a probe is on: "uprobe:/usr/lib/libcuda.so:cuInit" → "cuInit". */
static const char *strip_probe(const char *text, tdm_api_word *word) {
  const probe *found = NULL;
  for (size_t i = 0; i < sizeof probes / sizeof probes[0] && found == NULL; i++)
    if (begins(text, probes[i].prefix)) found = &probes[i];
  if (found == NULL) {
    const char *library = strstr(text, ".so"), *colon;
    colon = library != NULL ? strchr(library, ':') : NULL;
    return colon != NULL && colon[1] != 0 ? colon + 1 : text;
  }
  word->phase = found->phase;
  if (found->host) word->category = "osrt";
  const char *rest = text + strlen(found->prefix), *colon = strchr(rest, ':');
  if (colon != NULL && colon[1] != 0) rest = colon + 1; /* behind the library or the subsystem */
  if (begins(rest, "cpp:")) rest += 4;
  if (begins(rest, "sys_enter_")) {
    word->phase = 'B';
    rest += 10;
  } else if (begins(rest, "sys_exit_")) {
    word->phase = 'E';
    rest += 9;
  }
  return rest[0] != 0 ? rest : text;
}

/* ---- functions ---- */

static const char *category_of(const char *name) {
  static const struct {
    const char *prefix, *category;
    bool capital; /* what follows is a capital letter */
  } rules[] = {
      {"cuda", "runtime", true},  {"cu", "driver", true},          {"hip", "runtime", true},
      {"nccl", "nccl", false},    {"pnccl", "nccl", false},        {"MPI_", "mpi", false},
      {"PMPI_", "mpi", false},    {"graph", "runtime", true}, /* graphLaunch, graphBeginCapture */
      {"sched", "sched", false},  {"nv_schedule", "sched", false}, {"nv_kthread_q", "sched", false},
      {"nvidia_", "osrt", false}, {"nv_", "osrt", false},          {"nvidia-", "osrt", false},
      {"os_", "osrt", false},     {"mm_", "osrt", false},          {"ioctl", "osrt", false},
      {"sys_", "osrt", false}};
  while (*name == '_') name++;
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
    if (begins(name, rules[i].prefix) &&
        (!rules[i].capital || isupper((unsigned char)name[strlen(rules[i].prefix)])))
      return rules[i].category;
  return NULL;
}

static void read_function(const char *name, tdm_api_word *word) {
  const char *category = category_of(name);
  if (word->category == NULL || (category != NULL && strcmp(category, "sched") == 0))
    word->category = category;
  if (category == NULL) { /* words that stand for what a call does: "op":"launch" */
    if (strcmp(name, "launch") == 0) word->does = TDM_API_LAUNCHES;
    if (strcmp(name, "alloc") == 0) word->does = TDM_API_ALLOCATES;
    if (strcmp(name, "free") == 0) word->does = TDM_API_FREES;
    return;
  }
  if (strstr(name, "Launch") != NULL && strstr(name, "LaunchHostFunc") == NULL)
    word->does |= TDM_API_LAUNCHES;
  if (strstr(name, "Memcpy") != NULL) word->does |= TDM_API_COPIES;
  if (strstr(name, "Alloc") != NULL || strstr(name, "alloc") != NULL)
    word->does |= TDM_API_ALLOCATES;
  if (strstr(name, "Free") != NULL) word->does |= TDM_API_FREES;
  const char *copy = strstr(name, "Memcpy");
  if (copy == NULL) return;
  static const char *const kinds[] = {"HtoD", "DtoH", "DtoD", "HtoA",
                                      "AtoH", "AtoA", "AtoD", "DtoA"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (begins(copy + 6, kinds[i])) word->kind = kinds[i];
  if (begins(copy + 6, "Peer")) word->kind = "PtoP";
}

const tdm_api_word *tdm_api_words_find(tdm_api_words *words, tdm_recorder *recorder,
                                       const char *text, size_t length) {
  int fresh;
  uint32_t id = tdm_intern_put(&words->names, text, length, &fresh);
  if (id == TDM_INTERN_FAILED) return NULL;
  if (!fresh) return &words->words[id];
  if (!tdm_array_grow(&words->words, &words->room, (size_t)id + 1, sizeof *words->words))
    return NULL;
  tdm_api_word *word = &words->words[id];
  *word = (tdm_api_word){0};
  const char *name = strip_probe(words->names.entries[id].bytes, word);
  read_function(name, word);
  word->name = tdm_record_text(recorder, name);
  return word;
}

/* ---- the other words ---- */

tdm_api_source tdm_api_source_of(const char *text, size_t length) {
  static const struct {
    const char *text;
    tdm_api_source source;
  } known[] = {{"userspace", TDM_API_PLAIN},
               {"kernel", TDM_API_KERNEL_SPACE},
               {"syscall", TDM_API_KERNEL_SPACE},
               {"ioctl", TDM_API_KERNEL_SPACE},
               {"kernel_memory", TDM_API_KERNEL_SPACE},
               {"kernel_mem", TDM_API_KERNEL_SPACE},
               {"nvidia", TDM_API_KERNEL_SPACE},
               {"memory", TDM_API_MEMORY},
               {"transfer", TDM_API_TRANSFER},
               {"scheduler", TDM_API_SCHEDULER},
               {"cuda", TDM_API_CUDA},
               {"cuda_graph", TDM_API_CUDA},
               {"driver", TDM_API_DRIVER},
               {"host", TDM_API_HOST},
               {"net", TDM_API_NET},
               {"tcp", TDM_API_IO},
               {"io", TDM_API_IO},
               {"printf", TDM_API_PRINTF},
               {"attached_probes", TDM_API_MAP},
               {"map", TDM_API_MAP},
               {"hist", TDM_API_MAP},
               {"stats", TDM_API_MAP},
               {"time", TDM_API_MAP},
               {"lost_events", TDM_API_MAP}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strlen(known[i].text) == length && memcmp(known[i].text, text, length) == 0)
      return known[i].source;
  return TDM_API_OTHER;
}

const char *tdm_api_direction(const char *text) {
  static const struct {
    const char *text, *kind;
  } known[] = {{"H2D", "HtoD"},
               {"D2H", "DtoH"},
               {"D2D", "DtoD"},
               {"H2H", "HtoH"},
               {"P2P", "PtoP"},
               {"HtoD", "HtoD"},
               {"DtoH", "DtoH"},
               {"DtoD", "DtoD"},
               {"HtoH", "HtoH"},
               {"PtoP", "PtoP"},
               {"host_to_device", "HtoD"},
               {"device_to_host", "DtoH"},
               {"device_to_device", "DtoD"},
               {"host_to_host", "HtoH"},
               {"peer_to_peer", "PtoP"},
               {"HostToDevice", "HtoD"},
               {"DeviceToHost", "DtoH"},
               {"DeviceToDevice", "DtoD"},
               {"HostToHost", "HtoH"}};
  if (begins(text, "cudaMemcpy")) text += 10;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcasecmp(text, known[i].text) == 0) return known[i].kind;
  return NULL;
}

const char *tdm_api_direction_number(int64_t number) {
  return number == 1 ? "HtoD" : number == 2 ? "DtoH" : number == 3 ? "DtoD" : NULL;
}

char tdm_api_phase(const char *text) {
  static const struct {
    const char *text;
    char phase;
  } known[] = {{"B", 'B'},    {"E", 'E'},        {"X", 'X'},      {"I", 'I'},
               {"i", 'I'},    {"begin", 'B'},    {"end", 'E'},    {"enter", 'B'},
               {"exit", 'E'}, {"entry", 'B'},    {"return", 'E'}, {"start", 'B'},
               {"stop", 'E'}, {"complete", 'X'}, {"instant", 'I'}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(text, known[i].text) == 0) return known[i].phase;
  return 0;
}
