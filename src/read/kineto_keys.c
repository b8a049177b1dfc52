/* See kineto_keys.h. */
#include "read/kineto_keys.h"

#include <string.h>

#include "read/reader.h"

static const tdm_kineto_category categories[] = {
    {"kernel", "kernel", true, TDM_READ_NO_GPU},
    {"Kernel", "kernel", true, TDM_READ_NO_GPU},
    {"concurrent_kernel", "kernel", true, TDM_READ_NO_GPU},
    {"gpu_memcpy", "memcpy", true, TDM_READ_NO_GPU},
    {"Memcpy", "memcpy", true, TDM_READ_NO_GPU},
    {"gpu_memset", "memset", true, TDM_READ_NO_GPU},
    {"Memset", "memset", true, TDM_READ_NO_GPU},
    {"cuda_runtime", "runtime", false, TDM_READ_NO_API},
    {"hip_runtime", "runtime", false, TDM_READ_NO_API},
    {"xpu_runtime", "runtime", false, TDM_READ_NO_API},
    {"mtia_runtime", "runtime", false, TDM_READ_NO_API},
    {"glow_runtime", "runtime", false, TDM_READ_NO_API},
    {"privateuse1_runtime", "runtime", false, TDM_READ_NO_API},
    {"Runtime", "runtime", false, TDM_READ_NO_API},
    {"cuda_driver", "driver", false, TDM_READ_NO_API},
    {"hip_driver", "driver", false, TDM_READ_NO_API},
    {"xpu_driver", "driver", false, TDM_READ_NO_API},
    {"privateuse1_driver", "driver", false, TDM_READ_NO_API},
    {"cuda_sync", "sync", true, TDM_READ_NO_API},
    {"xpu_sync", "sync", true, TDM_READ_NO_API},
    {"cuda_event", "cuda_event", true, TDM_READ_NO_API},
    {"gpu_user_annotation", "gpu_user_annotation", true, TDM_READ_NO_NVTX},
    {"user_annotation", "user_annotation", false, TDM_READ_NO_NVTX},
    {"nvtx", "nvtx", false, TDM_READ_NO_NVTX},
    {"cpu_op", "cpu_op", false, TDM_READ_NO_CPU},
    {"Operator", "cpu_op", false, TDM_READ_NO_CPU},
    {"python_function", "python_function", false, TDM_READ_NO_CPU},
    {"Python Function", "python_function", false, TDM_READ_NO_CPU},
    {"cpu_instant_event", "marker", false, TDM_READ_NO_CPU},
    {"overhead", "overhead", false, 0},
    {"osrt", "osrt", false, TDM_READ_NO_OSRT},
    {"sched", "sched", false, TDM_READ_NO_OSRT},
    /* Of flows. */
    {"ac2g", "ac2g", false, TDM_READ_NO_API | TDM_READ_NO_GPU},
    {"async_cpu_to_gpu", "ac2g", false, TDM_READ_NO_API | TDM_READ_NO_GPU},
    {"async", "async", false, 0},
    {"fwdbwd", "fwdbwd", false, TDM_READ_NO_CPU},
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

const tdm_kineto_key *tdm_kineto_key_of(const char *spelling) {
  for (size_t i = 0; i < KEYS; i++)
    if (strcmp(keys[i].spelling, spelling) == 0) return &keys[i];
  return NULL;
}

const char *tdm_kineto_category_spelling(const char *category) {
  for (size_t i = 0; i < CATEGORIES; i++)
    if (strcmp(categories[i].category, category) == 0) return categories[i].spelling;
  return category;
}

const char *tdm_kineto_key_spelling(const char *key) {
  for (size_t i = 0; i < KEYS; i++)
    if (strcmp(keys[i].key, key) == 0) return keys[i].spelling;
  return key;
}
