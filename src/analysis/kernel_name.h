/* Names of kernels and of API calls as people know them. */
#ifndef TDM_ANALYSIS_KERNEL_NAME_H
#define TDM_ANALYSIS_KERNEL_NAME_H

#include <stddef.h>

#include "analysis/run_view.h"
#include "trace/intern.h"

/* The function's own name: without return type, namespaces, template arguments and parameters.
 * "void at::native::reduce_kernel<(int)512, T>(T)" is "reduce_kernel". A name that is no C++
 * declaration stays as it is. Cut to `room` with its closing zero. */
void tdm_kernel_base(const char *name, char *out, size_t room);

/* An API call's own name, without the version of its interface: "cudaLaunchKernelExC_v11060" is
 * "cudaLaunchKernelExC"; "cuMemAlloc_v2" is a function of its own and stays. */
void tdm_call_base(const char *name, char *out, size_t room);

/* Base names by id, each name looked at once. Zeroed: empty, of kernels. Owns the texts. */
typedef struct {
  void (*base_of)(const char *name, char *out, size_t room); /* NULL: tdm_kernel_base */
  tdm_intern texts;
  uint32_t *base; /* by name id: its text's number + 1; 0: not asked yet */
  size_t room;
} tdm_base_names;
void tdm_base_names_close(tdm_base_names *names);
/* TDM_NONE: out of memory. */
int64_t tdm_base_names_id(tdm_base_names *names, tdm_run_view *view, int64_t name);
const char *tdm_base_names_text(const tdm_base_names *names, int64_t id);

#endif
