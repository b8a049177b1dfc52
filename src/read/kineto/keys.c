/* The words of Kineto and Chrome traces, and tandem's for them: categories and argument keys; see
 * kineto.h. */
#include "read/kineto/kineto.h"

#include <string.h>

#include "read/reader.h"

#define HOST    TDM_KINETO_HOST
#define GPU     TDM_KINETO_GPU
#define IF_TOLD TDM_KINETO_GPU_IF_TOLD

static const tdm_kineto_category categories[] = {
    {"kernel", "kernel", GPU, TDM_READ_NO_GPU},
    {"Kernel", "kernel", GPU, TDM_READ_NO_GPU},
    {"concurrent_kernel", "kernel", GPU, TDM_READ_NO_GPU},
    {"mtia_ccp_events", "kernel", GPU, TDM_READ_NO_GPU}, /* what an MTIA does */
    {"gpu_op", "kernel", GPU, TDM_READ_NO_GPU},          /* unitrace, until its name is seen */
    {"gpu_memcpy", "memcpy", GPU, TDM_READ_NO_GPU},
    {"Memcpy", "memcpy", GPU, TDM_READ_NO_GPU},
    {"gpu_memset", "memset", GPU, TDM_READ_NO_GPU},
    {"Memset", "memset", GPU, TDM_READ_NO_GPU},
    {"graph", "graph", IF_TOLD, TDM_READ_NO_GPU},
    {"um", "um", IF_TOLD, TDM_READ_NO_GPU},
    {"gpu_sync", "gpu_sync", IF_TOLD, TDM_READ_NO_GPU},
    {"gpu_op_sync", "gpu_sync", GPU, TDM_READ_NO_GPU}, /* unitrace: barriers, events */
    {"mpi", "mpi", HOST, 0},
    {"cuda_runtime", "runtime", HOST, TDM_READ_NO_API},
    {"hip_runtime", "runtime", HOST, TDM_READ_NO_API},
    {"xpu_runtime", "runtime", HOST, TDM_READ_NO_API},
    {"mtia_runtime", "runtime", HOST, TDM_READ_NO_API},
    {"glow_runtime", "runtime", HOST, TDM_READ_NO_API},
    {"privateuse1_runtime", "runtime", HOST, TDM_READ_NO_API},
    {"Runtime", "runtime", HOST, TDM_READ_NO_API},
    {"cuda_driver", "driver", HOST, TDM_READ_NO_API},
    {"hip_driver", "driver", HOST, TDM_READ_NO_API},
    {"xpu_driver", "driver", HOST, TDM_READ_NO_API},
    {"privateuse1_driver", "driver", HOST, TDM_READ_NO_API},
    {"cuda_sync", "sync", IF_TOLD, TDM_READ_NO_API},
    {"xpu_sync", "sync", IF_TOLD, TDM_READ_NO_API},
    {"cuda_event", "cuda_event", IF_TOLD, TDM_READ_NO_API},
    {"gpu_user_annotation", "gpu_user_annotation", GPU, TDM_READ_NO_NVTX},
    {"user_annotation", "user_annotation", HOST, TDM_READ_NO_NVTX},
    {"nvtx", "nvtx", HOST, TDM_READ_NO_NVTX},
    {"cpu_op", "cpu_op", HOST, TDM_READ_NO_CPU},
    {"Operator", "cpu_op", HOST, TDM_READ_NO_CPU},
    {"python_function", "python_function", HOST, TDM_READ_NO_CPU},
    {"Python Function", "python_function", HOST, TDM_READ_NO_CPU},
    {"cpu_instant_event", "marker", HOST, TDM_READ_NO_CPU},
    {"overhead", "overhead", HOST, 0},
    {"osrt", "osrt", HOST, TDM_READ_NO_OSRT},
    {"sched", "sched", HOST, TDM_READ_NO_OSRT},
    /* Of flows. */
    {"ac2g", "ac2g", HOST, TDM_READ_NO_API | TDM_READ_NO_GPU},
    {"g2ac", "g2ac", HOST, TDM_READ_NO_API | TDM_READ_NO_GPU}, /* unitrace: who waited for it */
    {"async_cpu_to_gpu", "ac2g", HOST, TDM_READ_NO_API | TDM_READ_NO_GPU},
    {"async", "async", HOST, 0},
    {"fwdbwd", "fwdbwd", HOST, TDM_READ_NO_CPU},
};

static const tdm_kineto_key keys[] = {
    {"External id", "external_id", TDM_ARG_INT, TDM_KINETO_PLAIN},
    {"external id", "external_id", TDM_ARG_INT, TDM_KINETO_PLAIN},
    {"correlation", "correlation", TDM_ARG_INT, TDM_KINETO_PLAIN},
    {"bytes", "bytes", TDM_ARG_INT, TDM_KINETO_PLAIN},
    {"Bytes", "bytes", TDM_ARG_INT, TDM_KINETO_PLAIN},
    {"memory bandwidth (GB/s)", "memory_bandwidth_gb_per_s", TDM_ARG_REAL, TDM_KINETO_PLAIN},
    {"device", "device", TDM_ARG_INT, TDM_KINETO_DEVICE},
    {"context", "context", TDM_ARG_INT, TDM_KINETO_CONTEXT},
    {"stream", "stream", TDM_ARG_INT, TDM_KINETO_STREAM},
    {"grid", "grid", TDM_ARG_JSON, TDM_KINETO_GRID},
    {"block", "block", TDM_ARG_JSON, TDM_KINETO_BLOCK},
    {"registers per thread", "registers_per_thread", TDM_ARG_INT, TDM_KINETO_PLAIN},
    {"shared memory", "shared_bytes", TDM_ARG_INT, TDM_KINETO_PLAIN}, /* static and dynamic */
    {"blocks per SM", "blocks_per_sm", TDM_ARG_REAL, TDM_KINETO_PLAIN},
    {"warps per SM", "warps_per_sm", TDM_ARG_REAL, TDM_KINETO_PLAIN},
    {"est. achieved occupancy %", "occupancy_percent", TDM_ARG_REAL, TDM_KINETO_PLAIN},
    {"graph id", "graph_id", TDM_ARG_INT, TDM_KINETO_PLAIN},
    {"graph node id", "graph_node", TDM_ARG_INT, TDM_KINETO_PLAIN},
};

enum {
  CATEGORIES = sizeof categories / sizeof *categories,
  KEYS = sizeof keys / sizeof *keys,
};

const tdm_kineto_category *tdm_kineto_category_of(const char *spelling) {
  for (size_t i = 0; i < CATEGORIES; i++)
    if (strcmp(categories[i].spelling, spelling) == 0) return &categories[i];
  return NULL;
}

/* What record_function's users and torch itself mark. Until 2022 Kineto wrote them as operators. */
bool tdm_kineto_is_annotation(const char *name) {
  static const char *const beginnings[] = {"ProfilerStep", "Optimizer.", "enumerate(DataLoader)",
                                           "## ", NULL};
  for (const char *const *b = beginnings; *b != NULL; b++)
    if (strncmp(name, *b, strlen(*b)) == 0) return true;
  return false;
}

const tdm_kineto_key *tdm_kineto_key_of(const char *spelling) {
  for (size_t i = 0; i < KEYS; i++)
    if (strcmp(keys[i].spelling, spelling) == 0) return &keys[i];
  return NULL;
}
