/* What ran on a GPU: kernels, copies, memsets, graphs, synchronization, memory. See nsys.h. */
#include "read/nsys/nsys.h"

#include <stdio.h>

#define NUMBER(column, key)                                                                        \
  { column, key, TDM_NSYS_NUMBER, 0, false }
#define ID(column, key)                                                                            \
  { column, key, TDM_NSYS_ID, 0, false }
#define WORD(column, key, of)                                                                      \
  { column, key, TDM_NSYS_WORD, of, false }
#define STRING(column, key)                                                                        \
  { column, key, TDM_NSYS_STRING, 0, false }
#define RARE(column, key)                                                                          \
  { column, key, TDM_NSYS_ID, 0, true }
#define NOT_0(column, key)                                                                         \
  { column, key, TDM_NSYS_NOT_0, 0, true }
#define RARE_TEXT(column, key)                                                                     \
  { column, key, TDM_NSYS_INLINE, 0, true }

static const tdm_nsys_arg kernel_args[] = {
    ID("correlationId", "correlation"),
    STRING("shortName", "short_name"),
    STRING("mangledName", "mangled_name"),
    WORD("launchType", "launch_type", TDM_NSYS_LAUNCH),
    WORD("cacheConfig", "cache_config", TDM_NSYS_CACHE),
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
    ID("sharedMemoryExecuted", "executed_shared_bytes"),
    WORD("sharedMemoryLimitConfig", "shared_limit_config", TDM_NSYS_SHARED_LIMIT),
    RARE("graphNodeId", "graph_node"),
    RARE("graphId", "graph_id"),
    NOT_0("greenContextId", "green_context"),
    NOT_0("qmdBulkReleaseDone", "qmd_bulk_release_done"),
    NOT_0("qmdPreexitDone", "qmd_preexit_done"),
    NOT_0("qmdLastCtaDone", "qmd_last_cta_done"),
    NUMBER("clusterX", "cluster_x"),
    NUMBER("clusterY", "cluster_y"),
    NUMBER("clusterZ", "cluster_z"),
    NUMBER("clusterSchedulingPolicy", "cluster_scheduling_policy"),
    NUMBER("maxPotentialClusterSize", "max_potential_cluster_size"),
    NUMBER("maxActiveClusters", "max_active_clusters"),
    NUMBER("sharedMemoryRequestedPercentage", "shared_requested_percent"),
    RARE_TEXT("tensorSizeMinusOneElements", "tensor_size_minus_one_elements"),
};

static const tdm_nsys_arg memcpy_args[] = {
    ID("correlationId", "correlation"),
    NUMBER("bytes", "bytes"),
    WORD("copyKind", "kind", TDM_NSYS_COPY_KIND),
    WORD("srcKind", "src_kind", TDM_NSYS_MEMORY_KIND),
    WORD("dstKind", "dst_kind", TDM_NSYS_MEMORY_KIND),
    {"srcDeviceId", "src_device", TDM_NSYS_NUMBER, 0, true},
    {"srcContextId", "src_context", TDM_NSYS_NUMBER, 0, true},
    {"dstDeviceId", "dst_device", TDM_NSYS_NUMBER, 0, true},
    {"dstContextId", "dst_context", TDM_NSYS_NUMBER, 0, true},
    {"deprecatedSrcId", "deprecated_src_id", TDM_NSYS_ID, 0, true},
    {"migrationCause", "migration_cause", TDM_NSYS_WORD, TDM_NSYS_MIGRATION, true},
    RARE("graphNodeId", "graph_node"),
    NOT_0("greenContextId", "green_context"),
    RARE("virtualAddress", "address"),
    ID("copyCount", "copies"),
};

static const tdm_nsys_arg memset_args[] = {
    ID("correlationId", "correlation"), NUMBER("bytes", "bytes"),
    NUMBER("value", "value"),           WORD("memKind", "kind", TDM_NSYS_MEMORY_KIND),
    RARE("graphNodeId", "graph_node"),  NOT_0("greenContextId", "green_context"),
};

static const tdm_nsys_arg graph_args[] = {
    ID("correlationId", "correlation"),
    NUMBER("graphId", "graph_id"),
    ID("graphExecId", "graph_exec_id"),
    NOT_0("greenContextId", "green_context"),
};

static const tdm_nsys_arg sync_args[] = {
    ID("correlationId", "correlation"),
    WORD("syncType", "kind", TDM_NSYS_SYNC),
    ID("eventId", "event"),
    RARE("eventSyncId", "event_sync"),
    NOT_0("greenContextId", "green_context"),
    {"deprecatedSyncType", "deprecated_sync_type", TDM_NSYS_NUMBER, 0, true},
};

static const tdm_nsys_arg fault_args[] = {
    NUMBER("address", "address"),
    NUMBER("numberOfPageFaults", "page_faults"),
    WORD("faultAccessType", "kind", TDM_NSYS_ACCESS),
};

static const tdm_nsys_arg cpu_fault_args[] = {
    NUMBER("address", "address"),
    ID("originalFaultPc", "fault_pc"),
    STRING("CpuInstruction", "function"),
    STRING("module", "module"),
    {"unresolvedFaultPc", "unresolved", TDM_NSYS_FLAG, 0, false},
};

static const tdm_nsys_arg usage_args[] = {
    ID("correlationId", "correlation"),
    NUMBER("bytes", "bytes"),
    NUMBER("address", "address"),
    WORD("memKind", "memory_kind", TDM_NSYS_MEMORY_KIND),
    WORD("memoryOperationType", "kind", TDM_NSYS_MEMORY_EVENT),
    NUMBER("contextId", "context"),
    ID("pc", "pc"),
    RARE_TEXT("name", "variable"),
    RARE("localMemoryPoolAddress", "pool_address"),
    RARE("localMemoryPoolReleaseThreshold", "pool_release_threshold_bytes"),
    RARE("localMemoryPoolSize", "pool_bytes"),
    RARE("localMemoryPoolUtilizedSize", "pool_used_bytes"),
    RARE("importedMemoryPoolAddress", "imported_pool_address"),
    RARE("importedMemoryPoolProcessId", "imported_pool_pid"),
};

static const tdm_nsys_arg pool_args[] = {
    ID("correlationId", "correlation"),
    NUMBER("address", "address"),
    WORD("operationType", "kind", TDM_NSYS_POOL_EVENT),
    WORD("poolType", "pool_type", TDM_NSYS_POOL),
    RARE("minBytesToKeep", "min_bytes_to_keep"),
    RARE("localMemoryPoolReleaseThreshold", "pool_release_threshold_bytes"),
    RARE("localMemoryPoolSize", "pool_bytes"),
    RARE("localMemoryPoolUtilizedSize", "pool_used_bytes"),
};

static const tdm_nsys_arg switch_args[] = {
    NUMBER("seqNo", "sequence"),
    NUMBER("contextId", "context"),
    NUMBER("vmId", "vm"),
};

/* A launch of a whole graph bears its graph's number. */
static void name_graphs(tdm_nsys *nsys, tdm_nsys_batch *batch) {
  int64_t last = TDM_NONE;
  uint32_t name = 0;
  for (size_t i = 0; i < batch->count; i++) {
    int64_t graph = batch->extra[i];
    if (graph == TDM_NONE) continue;
    if (graph != last) {
      char text[40];
      snprintf(text, sizeof text, "CUDA graph %lld", (long long)graph);
      name = tdm_record_text(nsys->recorder, text);
      last = graph;
    }
    batch->name[i] = name;
  }
}

#define SPANS .shape = TDM_SHAPE_SPAN, .start = "start", .end = "end"
#define GPU   .dropped = TDM_READ_NO_GPU

const tdm_nsys_table tdm_nsys_gpu_tables[] = {
    {.name = "CUPTI_ACTIVITY_KIND_KERNEL",
     .category = {"kernel"},
     SPANS,
     .on = TDM_NSYS_ON_STREAM,
     .naming = TDM_NSYS_NAME_STRING,
     .name_column = {"demangledName", "shortName"},
     .text = "kernel",
     TDM_NSYS_ARGS(kernel_args),
     GPU},
    {.name = "CUPTI_ACTIVITY_KIND_MEMCPY",
     .category = {"memcpy"},
     SPANS,
     .on = TDM_NSYS_ON_STREAM,
     .naming = TDM_NSYS_NAME_WORD,
     .name_column = {"copyKind"},
     .text = "Memcpy",
     .word = TDM_NSYS_COPY_KIND,
     TDM_NSYS_ARGS(memcpy_args),
     GPU},
    {.name = "CUPTI_ACTIVITY_KIND_MEMSET",
     .category = {"memset"},
     SPANS,
     .on = TDM_NSYS_ON_STREAM,
     .naming = TDM_NSYS_NAME_FIXED,
     .text = "Memset",
     TDM_NSYS_ARGS(memset_args),
     GPU},
    {.name = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
     .category = {"graph"},
     SPANS,
     .on = TDM_NSYS_ON_STREAM,
     .naming = TDM_NSYS_NAME_FIXED,
     .text = "CUDA graph",
     TDM_NSYS_ARGS(graph_args),
     GPU,
     .extra = "graphId",
     .adjust = name_graphs},
    /* The host waits while the stream runs: it may overlap what is on the track. */
    {.name = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     .category = {"sync"},
     .shape = TDM_SHAPE_ASYNC,
     .start = "start",
     .end = "end",
     .on = TDM_NSYS_ON_WAIT,
     .naming = TDM_NSYS_NAME_WORD,
     .name_column = {"syncType"},
     .text = "",
     .word = TDM_NSYS_SYNC,
     TDM_NSYS_ARGS(sync_args),
     .dropped = TDM_READ_NO_API},
    {.name = "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
     .category = {"um"},
     .shape = TDM_SHAPE_ASYNC,
     .start = "start",
     .end = "end",
     .on = TDM_NSYS_ON_DEVICE,
     .naming = TDM_NSYS_NAME_FIXED,
     .text = "GPU page fault",
     TDM_NSYS_ARGS(fault_args),
     GPU},
    {.name = "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
     .category = {"um"},
     .shape = TDM_SHAPE_INSTANT,
     .start = "start",
     .on = TDM_NSYS_ON_PROCESS,
     .naming = TDM_NSYS_NAME_FIXED,
     .text = "CPU page fault",
     TDM_NSYS_ARGS(cpu_fault_args),
     GPU},
    {.name = "CUDA_GPU_MEMORY_USAGE_EVENTS",
     .category = {"memory"},
     .shape = TDM_SHAPE_INSTANT,
     .start = "start",
     .on = TDM_NSYS_ON_DEVICE,
     .naming = TDM_NSYS_NAME_WORD,
     .name_column = {"memoryOperationType"},
     .text = "",
     .word = TDM_NSYS_MEMORY_EVENT,
     TDM_NSYS_ARGS(usage_args),
     GPU},
    {.name = "CUDA_GPU_MEMORY_POOL_EVENTS",
     .category = {"memory"},
     .shape = TDM_SHAPE_INSTANT,
     .start = "start",
     .on = TDM_NSYS_ON_DEVICE,
     .naming = TDM_NSYS_NAME_WORD,
     .name_column = {"operationType"},
     .text = "pool",
     .word = TDM_NSYS_POOL_EVENT,
     TDM_NSYS_ARGS(pool_args),
     GPU},
    {.name = "GPU_CONTEXT_SWITCH_EVENTS",
     .category = {"gpu_context"},
     .shape = TDM_SHAPE_INSTANT,
     .start = "timestamp",
     .on = TDM_NSYS_ON_GPU,
     .naming = TDM_NSYS_NAME_WORD,
     .name_column = {"tag"},
     .text = "context switch",
     .word = TDM_NSYS_GPU_SWITCH,
     TDM_NSYS_ARGS(switch_args),
     GPU},
    {.name = "FECS_EVENTS", /* the same before 2023 */
     .category = {"gpu_context"},
     .shape = TDM_SHAPE_INSTANT,
     .start = "timestamp",
     .on = TDM_NSYS_ON_GPU,
     .naming = TDM_NSYS_NAME_WORD,
     .name_column = {"tag"},
     .text = "context switch",
     .word = TDM_NSYS_GPU_SWITCH,
     TDM_NSYS_ARGS(switch_args),
     GPU},
    {.name = NULL},
};
