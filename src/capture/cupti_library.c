/* Finding libcupti: see cupti.h. */
#include "capture/cupti.h"

#include <dlfcn.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TDM_CUPTI_TOOLKIT
#define TDM_CUPTI_TOOLKIT "/usr/local/cuda"
#endif

enum { OLDEST = 10, NEWEST = 19, PATH = 512 }; /* majors of CUDA that are looked for */

/* What the program has mapped already: a libcupti, and a CUDA runtime that may lie beside one. */
typedef struct {
  char cupti[PATH];
  char runtime[PATH]; /* its folder */
} mapped;

static int look_at(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  mapped *found = data;
  const char *path = object->dlpi_name;
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (!slash || strlen(path) >= PATH) return 0;
  if (!strncmp(slash, "/libcupti.so", 12)) strcpy(found->cupti, path);
  if (!strncmp(slash, "/libcudart.so", 13)) {
    memcpy(found->runtime, path, (size_t)(slash - path));
    found->runtime[slash - path] = 0;
  }
  return 0;
}

/* The major of CUDA that the driver speaks, which the newest libcupti must not exceed; 0: unknown.
 */
static int driver_major(void) {
  int (*get)(int *) = NULL;
  void *symbol = dlsym(RTLD_DEFAULT, "cuDriverGetVersion");
  memcpy(&get, &symbol, sizeof get);
  int version = 0;
  return get && !get(&version) ? version / 1000 : 0;
}

static void *open_file(tdm_cupti_library *library, const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle) snprintf(library->path, sizeof library->path, "%s", path);
  return handle;
}

/* In a folder (or, where that is NULL, by the loader): the one of the driver's major, then older
 * ones, then whichever there is. */
static void *open_in(tdm_cupti_library *library, const char *folder, const char *below, int major) {
  char path[PATH + 64];
  const char *at = folder ? folder : "", *slash = folder ? "/" : "";
  for (int i = major ? major : NEWEST; i >= OLDEST; i--) {
    snprintf(path, sizeof path, "%s%s%slibcupti.so.%d", at, below, slash, i);
    void *handle = open_file(library, path);
    if (handle) return handle;
  }
  snprintf(path, sizeof path, "%s%s%slibcupti.so", at, below, slash);
  return open_file(library, path);
}

static void *open_toolkit(tdm_cupti_library *library, const char *home, int major) {
  void *handle = NULL;
  if (home && *home && strlen(home) < PATH) {
    handle = open_in(library, home, "/extras/CUPTI/lib64", major);
    if (!handle) handle = open_in(library, home, "/lib64", major);
    if (!handle) handle = open_in(library, home, "/lib", major);
  }
  return handle;
}

/* The user's word; what the program has; beside its CUDA runtime (a toolkit, or Python packages,
 * which have a folder each); the loader's path; toolkits. */
static void *open_any(tdm_cupti_library *library) {
  const char *told = getenv("TANDEM_CUPTI");
  if (told && *told) return open_file(library, told);
  mapped found = {"", ""};
  dl_iterate_phdr(look_at, &found);
  int major = driver_major();
  void *handle = NULL;
  if (*found.cupti) handle = open_file(library, found.cupti);
  if (!handle && *found.runtime) handle = open_in(library, found.runtime, "", major);
  if (!handle && *found.runtime)
    handle = open_in(library, found.runtime, "/../../cuda_cupti/lib", major);
  if (!handle) handle = open_in(library, NULL, "", major);
  if (!handle) handle = open_toolkit(library, getenv("CUDA_HOME"), major);
  if (!handle) handle = open_toolkit(library, getenv("CUDA_PATH"), major);
  if (!handle) handle = open_toolkit(library, TDM_CUPTI_TOOLKIT, major);
  return handle;
}

static bool find(void *handle, const char *name, void *function) {
  void *symbol = dlsym(handle, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

bool tdm_cupti_open(tdm_cupti_library *library, char *why, size_t size) {
  memset(library, 0, sizeof *library);
  void *handle = open_any(library);
  if (!handle) {
    const char *told = getenv("TANDEM_CUPTI");
    if (told && *told)
      snprintf(why, size, "TANDEM_CUPTI names %s, which cannot be opened", told);
    else
      snprintf(why, size,
               "no libcupti.so was found (beside the program's CUDA runtime, on the loader's path, "
               "below $CUDA_HOME and %s; TANDEM_CUPTI=FILE names one)",
               TDM_CUPTI_TOOLKIT);
    return false;
  }
  const char *lacks = NULL;
#define TDM_CUPTI_FIND(name)                                                                       \
  if (!find(handle, #name, &library->name)) lacks = #name;
  TDM_CUPTI_NEEDED(TDM_CUPTI_FIND)
#undef TDM_CUPTI_FIND
  if (lacks) {
    snprintf(why, size, "%s has no %s: older than CUDA 10", library->path, lacks);
    return false;
  }
  find(handle, "cuptiActivityRegisterTimestampCallback", &library->register_timestamp);
  find(handle, "cuptiSetThreadIdType", &library->set_thread_id_type);
  CUptiResult result = library->cuptiGetVersion(&library->version);
  if (result != CUPTI_SUCCESS) {
    snprintf(why, size, "%s does not tell its version (error %d)", library->path, (int)result);
    return false;
  }
  return true;
}
