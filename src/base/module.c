/* See module.h. */
#include "base/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first of the folders where it is. */
int tdm_module_path(const char *file, char path[PATH_MAX]) {
  static const char *const folders[] = {"", "../", "../lib/tandem/"};
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length <= 0) return 0;
  program[length] = 0;
  char *slash = strrchr(program, '/');
  if (slash == NULL) return 0;
  slash[1] = 0;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    int wrote = snprintf(path, PATH_MAX, "%s%s%s", program, folders[i], file);
    if (wrote > 0 && wrote < PATH_MAX && access(path, R_OK) == 0) return 1;
  }
  return 0;
}

tdm_status tdm_module_symbol(const char *file, const char *symbol, const char *missing, void **out,
                             tdm_error *error) {
  char path[PATH_MAX];
  *out = NULL;
  if (!tdm_module_path(file, path)) return tdm_error_set(error, TDM_IO, "%s", missing);
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (library != NULL) *out = dlsym(library, symbol);
  if (*out != NULL) return TDM_OK;
  return tdm_error_set(error, TDM_IO, "%s cannot be loaded: %s", path, dlerror());
}
