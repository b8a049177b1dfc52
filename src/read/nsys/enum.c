/* Words of enumerated columns. See nsys.h.
 *
 * A file carries its enumerations as tables (id, name, label), by which alone its numbers may be
 * read: nsys numbers memory kinds unlike CUPTI. Files without them are read by the numbers of the
 * newest schema. Symbols become tandem's words; those it does not know, the symbol's end in small
 * letters. */
#include "read/nsys/nsys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct {
  int64_t id;
  const char *symbol; /* what follows the prefix */
  const char *word;   /* NULL: the symbol in small letters */
} known_word;

typedef struct {
  const char *table[2];  /* by age */
  const char *prefix[2]; /* of symbols */
  const known_word *words;
  size_t count;
} enumeration;

#define WORDS(list) .words = (list), .count = sizeof(list) / sizeof(list)[0]

static const known_word copy_kinds[] = {
    {0, "UNKNOWN", NULL},         {1, "HTOD", "HtoD"},          {2, "DTOH", "DtoH"},
    {3, "HTOA", "HtoA"},          {4, "ATOH", "AtoH"},          {5, "ATOA", "AtoA"},
    {6, "ATOD", "AtoD"},          {7, "DTOA", "DtoA"},          {8, "DTOD", "DtoD"},
    {9, "HTOH", "HtoH"},          {10, "PTOP", "PtoP"},         {11, "UVM_HTOD", "UVM HtoD"},
    {12, "UVM_DTOH", "UVM DtoH"}, {13, "UVM_DTOD", "UVM DtoD"},
};
static const known_word memory_kinds[] = {{0, "PAGEABLE", NULL}, {1, "PINNED", NULL},
                                          {2, "DEVICE", NULL},   {3, "ARRAY", NULL},
                                          {4, "MANAGED", NULL},  {5, "DEVICE_STATIC", NULL},
                                          {7, "UNKNOWN", NULL},  {6, "MANAGED_STATIC", NULL}};
static const known_word launches[] = {{0, "UNKNOWN", NULL},
                                      {1, "REGULAR", NULL},
                                      {2, "COOPERATIVE_SINGLE_DEVICE", NULL},
                                      {3, "COOPERATIVE_MULTI_DEVICE", NULL}};
static const known_word caches[] = {
    {0, "NONE", NULL}, {1, "SHARED", NULL}, {2, "L1", NULL}, {3, "EQUAL", NULL}};
static const known_word shared_limits[] = {{0, "DEFAULT", NULL}, {1, "OPTIN", NULL}};
static const known_word migrations[] = {
    {0, "UNKNOWN", NULL},           {1, "USER", "user_prefetch"},
    {2, "COHERENCE", "page_fault"}, {3, "PREFETCH", "speculative_prefetch"},
    {4, "EVICTION", NULL},          {5, "ACCESS_COUNTERS", NULL}};
static const known_word accesses[] = {{0, "UNKNOWN", NULL},
                                      {1, "READ", NULL},
                                      {2, "WRITE", NULL},
                                      {3, "ATOMIC", NULL},
                                      {4, "PREFETCH", NULL}};
static const known_word memory_events[] = {{0, "ALLOCATION", NULL}, {1, "DEALLOCATION", NULL}};
static const known_word pools[] = {{0, "INVALID", NULL}, {1, "LOCAL", NULL}, {2, "IMPORTED", NULL}};
static const known_word pool_events[] = {
    {0, "INVALID", NULL}, {1, "CREATED", NULL}, {2, "DESTROYED", NULL}, {3, "TRIMMED", NULL}};
static const known_word syncs[] = {{0, "UNKNOWN", NULL},
                                   {1, "EVENT_SYNCHRONIZE", NULL},
                                   {2, "STREAM_WAIT_EVENT", NULL},
                                   {3, "STREAM_SYNCHRONIZE", NULL},
                                   {4, "CONTEXT_SYNCHRONIZE", NULL}};
static const known_word overheads[] = {{0, "UNDEFINED", NULL},
                                       {1, "UNKNOWN", NULL},
                                       {2, "DRIVER_COMPILER", NULL},
                                       {3, "CUPTI_BUFFER_FLUSH", NULL},
                                       {4, "CUPTI_INSTRUMENTATION", NULL},
                                       {5, "CUPTI_RESOURCE", NULL},
                                       {6, "RUNTIME_TRIGGERED_MODULE_LOADING", NULL},
                                       {7, "LAZY_FUNCTION_LOADING", NULL},
                                       {8, "COMMAND_BUFFER_FULL", NULL}};
static const known_word severities[] = {{0, "UnknownLevel", "unknown"},
                                        {1, "Info", NULL},
                                        {2, "Warning", NULL},
                                        {3, "Error", NULL},
                                        {4, "Verbose", NULL}};

static const enumeration enumerations[TDM_NSYS_ENUMS] = {
    [TDM_NSYS_COPY_KIND] = {{"ENUM_CUDA_MEMCPY_OPER"}, {"CUDA_MEMCPY_KIND_"}, WORDS(copy_kinds)},
    [TDM_NSYS_MEMORY_KIND] = {{"ENUM_CUDA_MEM_KIND"},
                              {"CUDA_MEMOPR_MEMORY_KIND_"},
                              WORDS(memory_kinds)},
    [TDM_NSYS_LAUNCH] = {{"ENUM_CUDA_KERNEL_LAUNCH_TYPE", "ENUM_CUDA_KRENEL_LAUNCH_TYPE"},
                         {"CUDA_KERNEL_LAUNCH_TYPE_", "CUDA_KRENEL_LAUNCH_TYPE_"},
                         WORDS(launches)},
    [TDM_NSYS_CACHE] = {{"ENUM_CUDA_FUNC_CACHE_CONFIG"}, {"CU_FUNC_CACHE_PREFER_"}, WORDS(caches)},
    [TDM_NSYS_SHARED_LIMIT] = {{"ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG"},
                               {"CUDA_SHARED_MEM_LIMIT_"},
                               WORDS(shared_limits)},
    [TDM_NSYS_MIGRATION] = {{"ENUM_CUDA_UNIF_MEM_MIGRATION"},
                            {"CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_"},
                            WORDS(migrations)},
    [TDM_NSYS_ACCESS] = {{"ENUM_CUDA_UNIF_MEM_ACCESS_TYPE"},
                         {"CUPTI_ACTIVITY_UNIFIED_MEMORY_ACCESS_TYPE_"},
                         WORDS(accesses)},
    [TDM_NSYS_MEMORY_EVENT] = {{"ENUM_CUDA_DEV_MEM_EVENT_OPER"},
                               {"CUDA_DEV_MEM_EVENT_OPR_"},
                               WORDS(memory_events)},
    [TDM_NSYS_POOL] = {{"ENUM_CUDA_MEMPOOL_TYPE"},
                       {"CUPTI_ACTIVITY_MEMORY_POOL_TYPE_"},
                       WORDS(pools)},
    [TDM_NSYS_POOL_EVENT] = {{"ENUM_CUDA_MEMPOOL_OPER"},
                             {"CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_"},
                             WORDS(pool_events)},
    [TDM_NSYS_SYNC] = {{"ENUM_CUPTI_SYNC_TYPE"},
                       {"CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_"},
                       WORDS(syncs)},
    [TDM_NSYS_OVERHEAD] = {{"ENUM_CUPTI_OVERHEAD_TYPE"}, {"OVERHEAD_"}, WORDS(overheads)},
    [TDM_NSYS_GPU_SWITCH] = {{"ENUM_GPU_CTX_SWITCH"}, {"GPU_CTX_SWITCH_"}, NULL, 0},
    [TDM_NSYS_THREAD_STATE] = {{"ENUM_SAMPLING_THREAD_STATE"}, {"THREAD_STATE_"}, NULL, 0},
    [TDM_NSYS_THREAD_BLOCK] = {{"ENUM_SCHEDULING_THREAD_BLOCK"}, {"THREAD_BLOCK_"}, NULL, 0},
    [TDM_NSYS_SEVERITY] = {{"ENUM_DIAGNOSTIC_SEVERITY_LEVEL"}, {""}, WORDS(severities)},
};

static uint32_t add_word(tdm_nsys *nsys, tdm_nsys_words *words, int64_t id, const char *text,
                         size_t length, bool lower) {
  char buffer[96];
  if (length > sizeof buffer) length = sizeof buffer;
  for (size_t i = 0; i < length; i++)
    buffer[i] = lower ? (char)tolower((unsigned char)text[i]) : text[i];
  uint32_t name = tdm_record_name(nsys->recorder, buffer, length);
  if (tdm_array_grow(&words->words, &words->room, words->count + 1, sizeof *words->words)) {
    words->words[words->count++] = (tdm_nsys_word){id, name};
  } else {
    tdm_error error;
    tdm_error_memory(&error, "a word", sizeof *words->words);
    tdm_recorder_fail(nsys->recorder, &error);
  }
  return name;
}

static void add_known(tdm_nsys *nsys, tdm_nsys_words *words, int64_t id, const known_word *known) {
  const char *text = known->word != NULL ? known->word : known->symbol;
  add_word(nsys, words, id, text, strlen(text), known->word == NULL);
}

static const known_word *find_symbol(const enumeration *about, const char *symbol, size_t length) {
  for (size_t i = 0; i < about->count; i++)
    if (strlen(about->words[i].symbol) == length &&
        memcmp(about->words[i].symbol, symbol, length) == 0)
      return &about->words[i];
  return NULL;
}

typedef struct {
  const enumeration *about;
  tdm_nsys_words *words;
} loading;

static tdm_status load_block(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  const loading *load = context;
  (void)error;
  for (size_t i = 0; i < block->count; i++) {
    tdm_nsys_text symbol = block->column[1].text[i], label = block->column[2].text[i];
    if (block->column[0].integer[i] == TDM_NONE) continue;
    for (size_t p = 0; p < 2; p++) {
      const char *prefix = load->about->prefix[p];
      size_t n = prefix != NULL ? strlen(prefix) : 0;
      if (n == 0 || symbol.bytes == NULL || symbol.length <= n) continue;
      if (memcmp(symbol.bytes, prefix, n) != 0) continue;
      symbol.bytes += n;
      symbol.length -= n;
      break;
    }
    if (symbol.bytes == NULL || symbol.length == 0) symbol = label;
    if (symbol.bytes == NULL || load->words->count > 4096) continue;
    const known_word *known = find_symbol(load->about, symbol.bytes, symbol.length);
    if (known != NULL)
      add_known(nsys, load->words, block->column[0].integer[i], known);
    else
      add_word(nsys, load->words, block->column[0].integer[i], symbol.bytes, symbol.length, true);
  }
  return TDM_OK;
}

/* A damaged enumeration is no reason to give up: the numbers of the newest schema serve. */
static void load_words(tdm_nsys *nsys, tdm_nsys_enum which) {
  static const tdm_nsys_column columns[] = {
      {"id", TDM_NSYS_INT}, {"name", TDM_NSYS_TEXT}, {"label", TDM_NSYS_TEXT}};
  const enumeration *about = &enumerations[which];
  tdm_nsys_words *words = &nsys->words[which];
  words->loaded = true;
  loading load = {about, words};
  for (size_t t = 0; t < 2 && words->count == 0; t++) {
    if (about->table[t] == NULL) continue;
    tdm_error error;
    tdm_status status = tdm_nsys_scan(nsys, about->table[t], columns, 3, load_block, &load, &error);
    if (status == TDM_IO || status == TDM_MEMORY)
      tdm_recorder_fail(nsys->recorder, &error);
    else if (status != TDM_OK)
      tdm_record_problem(nsys->recorder, "enumerations that cannot be read (built-in ones used)",
                         1);
  }
  if (words->count > 0) return;
  for (size_t i = 0; i < about->count; i++)
    add_known(nsys, words, about->words[i].id, &about->words[i]);
}

uint32_t tdm_nsys_word_of(tdm_nsys *nsys, tdm_nsys_enum which, int64_t value) {
  tdm_nsys_words *words = &nsys->words[which];
  if (!words->loaded) load_words(nsys, which);
  for (size_t i = 0; i < words->count; i++)
    if (words->words[i].id == value) return words->words[i].name;
  char text[24];
  int length = snprintf(text, sizeof text, "%lld", (long long)value);
  if (words->count < 4096) return add_word(nsys, words, value, text, (size_t)length, false);
  return tdm_record_name(nsys->recorder, text, (size_t)length);
}

void tdm_nsys_words_free(tdm_nsys *nsys) {
  for (size_t i = 0; i < TDM_NSYS_ENUMS; i++) free(nsys->words[i].words);
}
