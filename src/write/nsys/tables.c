/* The tables and enumerations of Nsight Systems' schema 3.25 that a recording can fill, column by
 * column in their order. See inside.h; read/nsys has the same the other way. */
#include <string.h>

#include "write/nsys/inside.h"

#define NONE(column)                                                                               \
  { column, NSYS_NOTHING, NULL, 0, false }
#define OWN(column, what)                                                                          \
  { column, what, NULL, 0, false }
#define NUMBER(column, key)                                                                        \
  { column, NSYS_NUMBER, key, 0, false }
#define WORD(column, key, words)                                                                   \
  { column, NSYS_WORD, key, words, false }
#define STRING(column, key)                                                                        \
  { column, NSYS_STRING, key, 0, false }
#define ARGUMENT(column, how, key)                                                                 \
  { column, how, key, 0, false }

#define TIMES OWN("start", NSYS_START), OWN("end", NSYS_END)
#define ON_STREAM                                                                                  \
  OWN("deviceId", NSYS_DEVICE), OWN("contextId", NSYS_CONTEXT),                                    \
      NUMBER("greenContextId", "green_context"), OWN("streamId", NSYS_STREAM),                     \
      NUMBER("correlationId", "correlation"), OWN("globalPid", NSYS_PROCESS)

static const tdm_to_nsys_column kernel[] = {
    TIMES,
    ON_STREAM,
    OWN("demangledName", NSYS_NAME),
    {"shortName", NSYS_STRING, "short_name", 0, true},
    STRING("mangledName", "mangled_name"),
    WORD("launchType", "launch_type", NSYS_LAUNCH),
    WORD("cacheConfig", "cache_config", NSYS_CACHE),
    NUMBER("registersPerThread", "registers_per_thread"),
    NUMBER("gridX", "grid_x"),
    NUMBER("gridY", "grid_y"),
    NUMBER("gridZ", "grid_z"),
    NUMBER("blockX", "block_x"),
    NUMBER("blockY", "block_y"),
    NUMBER("blockZ", "block_z"),
    NUMBER("staticSharedMemory", "static_shared_bytes"),
    NUMBER("dynamicSharedMemory", "dynamic_shared_bytes"),
    NUMBER("localMemoryPerThread", "local_bytes_per_thread"),
    NUMBER("localMemoryTotal", "local_bytes"),
    NUMBER("gridId", "grid_id"),
    NUMBER("sharedMemoryExecuted", "executed_shared_bytes"),
    NUMBER("graphNodeId", "graph_node"),
    WORD("sharedMemoryLimitConfig", "shared_limit_config", NSYS_SHARED_LIMIT),
    NUMBER("qmdBulkReleaseDone", "qmd_bulk_release_done"),
    NUMBER("qmdPreexitDone", "qmd_preexit_done"),
    NUMBER("qmdLastCtaDone", "qmd_last_cta_done"),
    NUMBER("graphId", "graph_id"),
    NUMBER("clusterX", "cluster_x"),
    NUMBER("clusterY", "cluster_y"),
    NUMBER("clusterZ", "cluster_z"),
    NUMBER("clusterSchedulingPolicy", "cluster_scheduling_policy"),
    NUMBER("maxPotentialClusterSize", "max_potential_cluster_size"),
    NUMBER("maxActiveClusters", "max_active_clusters"),
    NUMBER("sharedMemoryRequestedPercentage", "shared_requested_percent"),
    ARGUMENT("tensorSizeMinusOneElements", NSYS_TEXT, "tensor_size_minus_one_elements"),
};

static const tdm_to_nsys_column copy[] = {
    TIMES,
    ON_STREAM,
    NUMBER("bytes", "bytes"),
    WORD("copyKind", "kind", NSYS_COPY_KIND),
    NUMBER("deprecatedSrcId", "deprecated_src_id"),
    WORD("srcKind", "src_kind", NSYS_MEMORY_KIND),
    WORD("dstKind", "dst_kind", NSYS_MEMORY_KIND),
    NUMBER("srcDeviceId", "src_device"),
    NUMBER("srcContextId", "src_context"),
    NUMBER("dstDeviceId", "dst_device"),
    NUMBER("dstContextId", "dst_context"),
    WORD("migrationCause", "migration_cause", NSYS_MIGRATION),
    NUMBER("graphNodeId", "graph_node"),
    NUMBER("virtualAddress", "address"),
    NUMBER("copyCount", "copies"),
};

static const tdm_to_nsys_column set[] = {
    TIMES,
    ON_STREAM,
    NUMBER("value", "value"),
    NUMBER("bytes", "bytes"),
    NUMBER("graphNodeId", "graph_node"),
    WORD("memKind", "kind", NSYS_MEMORY_KIND),
};

static const tdm_to_nsys_column graph[] = {
    TIMES,
    ON_STREAM,
    NUMBER("graphId", "graph_id"),
    NUMBER("graphExecId", "graph_exec_id"),
};

static const tdm_to_nsys_column sync[] = {
    TIMES,
    ON_STREAM,
    NUMBER("deprecatedSyncType", "deprecated_sync_type"),
    WORD("syncType", "kind", NSYS_SYNC),
    NUMBER("eventId", "event"),
    NUMBER("eventSyncId", "event_sync"),
};

static const tdm_to_nsys_column call[] = {
    TIMES,
    OWN("eventClass", NSYS_CLASS),
    OWN("globalTid", NSYS_THREAD),
    NUMBER("correlationId", "correlation"),
    OWN("nameId", NSYS_NAME),
    NUMBER("returnValue", "return_value"),
    NUMBER("callchainId", "callchain"),
};

static const tdm_to_nsys_column system_call[] = {
    TIMES,
    NONE("eventClass"),
    OWN("globalTid", NSYS_THREAD),
    OWN("nameId", NSYS_NAME),
    NUMBER("returnValue", "return_value"),
    NUMBER("nestingLevel", "nesting_level"),
    NUMBER("callchainId", "callchain"),
    NUMBER("argumentsId", "arguments"),
};

static const tdm_to_nsys_column overhead[] = {
    TIMES,
    NONE("eventClass"),
    OWN("globalTid", NSYS_THREAD),
    NUMBER("correlationId", "correlation"),
    OWN("nameId", NSYS_NAME),
    WORD("overheadType", "kind", NSYS_OVERHEAD),
};

static const tdm_to_nsys_column range[] = {
    TIMES,
    OWN("eventType", NSYS_RANGE_TYPE),
    NUMBER("rangeId", "range"),
    NONE("category"),
    NUMBER("color", "color"),
    OWN("text", NSYS_NAME_TEXT),
    OWN("globalTid", NSYS_THREAD),
    ARGUMENT("endGlobalTid", NSYS_OTHER_THREAD, "end_tid"),
    NONE("textId"),
    OWN("domainId", NSYS_DOMAIN),
    NONE("uint64Value"),
    NUMBER("int64Value", "payload"),
    ARGUMENT("doubleValue", NSYS_REAL, "payload"),
    NONE("uint32Value"),
    NONE("int32Value"),
    NONE("floatValue"),
    NONE("jsonTextId"),
    ARGUMENT("jsonText", NSYS_JSON, "payload"),
    ARGUMENT("binaryData", NSYS_TEXT, "binary_data"),
};

#define TABLE(columns) columns, sizeof columns / sizeof *columns

const tdm_to_nsys_table tdm_to_nsys_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", {"kernel"}, TABLE(kernel)},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", {"memcpy"}, TABLE(copy)},
    {"CUPTI_ACTIVITY_KIND_MEMSET", {"memset"}, TABLE(set)},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {"graph"}, TABLE(graph)},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {"sync"}, TABLE(sync)},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", {"runtime", "driver"}, TABLE(call)},
    {"NVTX_EVENTS",
     {"nvtx", "user_annotation", "cpu_op", "python_function", "marker"},
     TABLE(range)},
    {"OSRT_API", {"osrt"}, TABLE(system_call)},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", {"overhead"}, TABLE(overhead)},
    {.name = NULL},
};

const tdm_to_nsys_table *tdm_to_nsys_table_of(const char *category, int *which) {
  for (const tdm_to_nsys_table *table = tdm_to_nsys_tables; table->name != NULL; table++)
    for (int i = 0; i < 6 && table->categories[i] != NULL; i++)
      if (strcmp(table->categories[i], category) == 0) {
        *which = i;
        return table;
      }
  return NULL;
}

/* ---- enumerations ---- */

#define COPY(id, symbol, label, word)                                                              \
  { id, "CUDA_MEMCPY_KIND_" symbol, label, word }
static const tdm_to_nsys_word copy_kinds[] = {
    COPY(0, "UNKNOWN", "Unknown", "unknown"),
    COPY(1, "HTOD", "Host-to-Device", "HtoD"),
    COPY(2, "DTOH", "Device-to-Host", "DtoH"),
    COPY(3, "HTOA", "Host-to-Array", "HtoA"),
    COPY(4, "ATOH", "Array-to-Host", "AtoH"),
    COPY(5, "ATOA", "Array-to-Array", "AtoA"),
    COPY(6, "ATOD", "Array-to-Device", "AtoD"),
    COPY(7, "DTOA", "Device-to-Array", "DtoA"),
    COPY(8, "DTOD", "Device-to-Device", "DtoD"),
    COPY(9, "HTOH", "Host-to-Host", "HtoH"),
    COPY(10, "PTOP", "Peer-to-Peer", "PtoP"),
    COPY(11, "UVM_HTOD", "Unified Host-to-Device", "UVM HtoD"),
    COPY(12, "UVM_DTOH", "Unified Device-to-Host", "UVM DtoH"),
    COPY(13, "UVM_DTOD", "Unified Device-to-Device", "UVM DtoD"),
};

#define MEMORY(id, symbol, label, word)                                                            \
  { id, "CUDA_MEMOPR_MEMORY_KIND_" symbol, label, word }
static const tdm_to_nsys_word memory_kinds[] = {
    MEMORY(0, "PAGEABLE", "Pageable", "pageable"),
    MEMORY(1, "PINNED", "Pinned", "pinned"),
    MEMORY(2, "DEVICE", "Device", "device"),
    MEMORY(3, "ARRAY", "Array", "array"),
    MEMORY(4, "MANAGED", "Managed", "managed"),
    MEMORY(5, "DEVICE_STATIC", "Device Static", "device_static"),
    MEMORY(6, "MANAGED_STATIC", "Managed Static", "managed_static"),
    MEMORY(7, "UNKNOWN", "Unknown", "unknown"),
};

static const tdm_to_nsys_word launches[] = {
    {0, "CUDA_KERNEL_LAUNCH_TYPE_UNKNOWN", "Unknown", "unknown"},
    {1, "CUDA_KERNEL_LAUNCH_TYPE_REGULAR", "Regular", "regular"},
    {2, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE", "Coop Single Device",
     "cooperative_single_device"},
    {3, "CUDA_KERNEL_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE", "Coop Multi Device",
     "cooperative_multi_device"},
};
static const tdm_to_nsys_word caches[] = {
    {0, "CU_FUNC_CACHE_PREFER_NONE", "None", "none"},
    {1, "CU_FUNC_CACHE_PREFER_SHARED", "Shared", "shared"},
    {2, "CU_FUNC_CACHE_PREFER_L1", "L1", "l1"},
    {3, "CU_FUNC_CACHE_PREFER_EQUAL", "Equal", "equal"},
};
static const tdm_to_nsys_word limits[] = {
    {0, "CUDA_SHARED_MEM_LIMIT_DEFAULT", "Default", "default"},
    {1, "CUDA_SHARED_MEM_LIMIT_OPTIN", "Opt in", "optin"},
};
#define MIGRATION(id, symbol, label, word)                                                         \
  { id, "CUDA_UNIFIED_MEMORY_MIGRATION_CAUSE_" symbol, label, word }
static const tdm_to_nsys_word migrations[] = {
    MIGRATION(0, "UNKNOWN", "Unknown", "unknown"),
    MIGRATION(1, "USER", "User prefetch", "user_prefetch"),
    MIGRATION(2, "COHERENCE", "Page fault", "page_fault"),
    MIGRATION(3, "PREFETCH", "Speculative prefetch", "speculative_prefetch"),
    MIGRATION(4, "EVICTION", "Eviction", "eviction"),
    MIGRATION(5, "ACCESS_COUNTERS", "Access counters", "access_counters"),
};
#define SYNC(id, symbol, label, word)                                                              \
  { id, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_" symbol, label, word }
static const tdm_to_nsys_word syncs[] = {
    SYNC(0, "UNKNOWN", "Unknown", "unknown"),
    SYNC(1, "EVENT_SYNCHRONIZE", "Event sync", "event_synchronize"),
    SYNC(2, "STREAM_WAIT_EVENT", "Stream wait sync", "stream_wait_event"),
    SYNC(3, "STREAM_SYNCHRONIZE", "Stream sync", "stream_synchronize"),
    SYNC(4, "CONTEXT_SYNCHRONIZE", "Context sync", "context_synchronize"),
};
static const tdm_to_nsys_word overheads[] = {
    {0, "OVERHEAD_UNDEFINED", "Undefined", "undefined"},
    {1, "OVERHEAD_UNKNOWN", "Unknown", "unknown"},
    {2, "OVERHEAD_DRIVER_COMPILER", "Driver compiler", "driver_compiler"},
    {3, "OVERHEAD_CUPTI_BUFFER_FLUSH", "CUPTI buffer flush", "cupti_buffer_flush"},
    {4, "OVERHEAD_CUPTI_INSTRUMENTATION", "CUPTI instrumentation", "cupti_instrumentation"},
    {5, "OVERHEAD_CUPTI_RESOURCE", "CUPTI resource", "cupti_resource"},
    {6, "OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING", "Runtime triggered module loading",
     "runtime_triggered_module_loading"},
    {7, "OVERHEAD_LAZY_FUNCTION_LOADING", "Lazy function loading", "lazy_function_loading"},
    {8, "OVERHEAD_COMMAND_BUFFER_FULL", "Command buffer full", "command_buffer_full"},
};
static const tdm_to_nsys_word event_types[] = {
    {34, "NvtxMark", "NvtxMark", NULL},
    {59, "NvtxPushPopRange", "NvtxPushPopRange", NULL},
    {60, "NvtxStartEndRange", "NvtxStartEndRange", NULL},
    {75, "NvtxDomainCreate", "NvtxDomainCreate", NULL},
};
static const tdm_to_nsys_word event_classes[] = {
    {0, "TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime", NULL},
    {1, "TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver", NULL},
};
static const tdm_to_nsys_word stream_types[] = {
    {0, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_UNKNOWN", "Unknown stream type", NULL},
    {1, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT", "Default stream", NULL},
    {2, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING", "Non-blocking stream", NULL},
    {3, "CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL", "Null stream", NULL},
};

#define WORDS(words) words, sizeof words / sizeof *words

const tdm_to_nsys_enum tdm_to_nsys_enums[NSYS_ENUMS] = {
    [NSYS_COPY_KIND] = {"ENUM_CUDA_MEMCPY_OPER", WORDS(copy_kinds)},
    [NSYS_MEMORY_KIND] = {"ENUM_CUDA_MEM_KIND", WORDS(memory_kinds)},
    [NSYS_LAUNCH] = {"ENUM_CUDA_KERNEL_LAUNCH_TYPE", WORDS(launches)},
    [NSYS_CACHE] = {"ENUM_CUDA_FUNC_CACHE_CONFIG", WORDS(caches)},
    [NSYS_SHARED_LIMIT] = {"ENUM_CUDA_SHARED_MEM_LIMIT_CONFIG", WORDS(limits)},
    [NSYS_MIGRATION] = {"ENUM_CUDA_UNIF_MEM_MIGRATION", WORDS(migrations)},
    [NSYS_SYNC] = {"ENUM_CUPTI_SYNC_TYPE", WORDS(syncs)},
    [NSYS_OVERHEAD] = {"ENUM_CUPTI_OVERHEAD_TYPE", WORDS(overheads)},
    [NSYS_EVENT_TYPE] = {"ENUM_NSYS_EVENT_TYPE", WORDS(event_types)},
    [NSYS_EVENT_CLASS] = {"ENUM_NSYS_EVENT_CLASS", WORDS(event_classes)},
    [NSYS_STREAM_TYPE] = {"ENUM_CUPTI_STREAM_TYPE", WORDS(stream_types)},
};
