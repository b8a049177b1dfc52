/* What a call of the CUDA (HIP) API does, by its name: for phases of a process; see process.h.
 * Words are looked for in order; versions and prefixes of names do not matter. */
#include "analysis/process/process.h"

#include <stddef.h>
#include <string.h>

#include "analysis/run_view/gpu_work.h"

typedef struct {
  const char *word;
  tdm_api_action action;
} meaning;

static const meaning meanings[] = {{"HostUnregister", TDM_ACTION_FREE},
                                   {"HostRegister", TDM_ACTION_ALLOC},
                                   {"Capture", TDM_ACTION_OTHER},
                                   {"Unmap", TDM_ACTION_FREE},
                                   {"Release", TDM_ACTION_FREE},
                                   {"MemSetAccess", TDM_ACTION_ALLOC},
                                   {"Memset", TDM_ACTION_LAUNCH},
                                   {"MemsetD", TDM_ACTION_LAUNCH},
                                   {"Launch", TDM_ACTION_LAUNCH},
                                   {"HtoD", TDM_ACTION_TO_GPU},
                                   {"HtoA", TDM_ACTION_TO_GPU},
                                   {"ToSymbol", TDM_ACTION_TO_GPU},
                                   {"DtoH", TDM_ACTION_FROM_GPU},
                                   {"AtoH", TDM_ACTION_FROM_GPU},
                                   {"FromSymbol", TDM_ACTION_FROM_GPU},
                                   {"Memcpy", TDM_ACTION_COPY},
                                   {"MemPool", TDM_ACTION_OTHER},
                                   {"FreeHost", TDM_ACTION_FREE},
                                   {"MemFree", TDM_ACTION_FREE},
                                   {"daFree", TDM_ACTION_FREE},
                                   {"ipFree", TDM_ACTION_FREE},
                                   {"Malloc", TDM_ACTION_ALLOC},
                                   {"MemAlloc", TDM_ACTION_ALLOC},
                                   {"HostAlloc", TDM_ACTION_ALLOC},
                                   {"MemHostAlloc", TDM_ACTION_ALLOC},
                                   {"MemCreate", TDM_ACTION_ALLOC},
                                   {"MemMap", TDM_ACTION_ALLOC},
                                   {"AddressReserve", TDM_ACTION_ALLOC},
                                   {"AddressFree", TDM_ACTION_FREE},
                                   {"CtxDestroy", TDM_ACTION_FREE},
                                   {"DeviceReset", TDM_ACTION_FREE},
                                   {"Unload", TDM_ACTION_FREE},
                                   {"StreamDestroy", TDM_ACTION_OTHER},
                                   {"EventDestroy", TDM_ACTION_OTHER},
                                   {"CtxCreate", TDM_ACTION_INIT},
                                   {"PrimaryCtx", TDM_ACTION_INIT},
                                   {"ModuleLoad", TDM_ACTION_INIT},
                                   {"ModuleGet", TDM_ACTION_INIT},
                                   {"LibraryLoad", TDM_ACTION_INIT},
                                   {"LibraryGet", TDM_ACTION_INIT},
                                   {"GetProcAddress", TDM_ACTION_INIT},
                                   {"GetExportTable", TDM_ACTION_INIT},
                                   {"DriverGetVersion", TDM_ACTION_INIT},
                                   {"RuntimeGetVersion", TDM_ACTION_INIT},
                                   {"GetDeviceCount", TDM_ACTION_INIT},
                                   {"GetDeviceProperties", TDM_ACTION_INIT},
                                   {"DeviceGet", TDM_ACTION_INIT},
                                   {"DeviceTotalMem", TDM_ACTION_INIT},
                                   {"cuInit", TDM_ACTION_INIT},
                                   {"hipInit", TDM_ACTION_INIT},
                                   {"RegisterFatBinary", TDM_ACTION_INIT},
                                   {NULL, TDM_ACTION_OTHER}};

tdm_api_action tdm_api_action_of(const char *name) {
  if (tdm_api_waits_for(name) != TDM_WAITS_NOT) return TDM_ACTION_WAIT;
  for (const meaning *one = meanings; one->word != NULL; one++)
    if (strstr(name, one->word) != NULL) return one->action;
  return TDM_ACTION_OTHER;
}

tdm_api_action tdm_api_copy_way(const char *kind) {
  if (strcmp(kind, "HtoD") == 0 || strcmp(kind, "HtoA") == 0) return TDM_ACTION_TO_GPU;
  if (strcmp(kind, "DtoH") == 0 || strcmp(kind, "AtoH") == 0) return TDM_ACTION_FROM_GPU;
  return TDM_ACTION_COPY;
}
