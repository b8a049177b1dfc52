/* Symbols to names, by the C++ runtime's demangler. */
#include "capture/buffer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN = 1 << 14, SYMBOL_BYTES = 1 << 15 };

typedef char *demangler(const char *symbol, char *buffer, size_t *size, int *status);

/* By the hash of the symbol, the id of its name. A symbol that meets another of its slot replaces
 * it, and is undone again later. */
static struct { uint64_t symbol, name; } known[KNOWN];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static demangler *demangle;

static void find_demangler(void) {
  void *found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  void *runtime = found ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (runtime) found = dlsym(runtime, "__cxa_demangle");
  memcpy(&demangle, &found, sizeof found);
}

static uint64_t undo(const char *symbol) {
  pthread_once(&once, find_demangler);
  int status = -1;
  char *text = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
  uint64_t id = tdm_capture_text(text && !status ? text : symbol);
  free(text);
  return id;
}

uint64_t tdm_capture_kernel_name(const char *symbol) {
  if (!symbol) return 0;
  if (strncmp(symbol, "_Z", 2) != 0) return tdm_capture_text(symbol);
  uint64_t hash = tdm_capture_hash(symbol, strnlen(symbol, SYMBOL_BYTES));
  uint64_t slot = hash % KNOWN, name = 0;
  pthread_mutex_lock(&lock);
  if (known[slot].symbol == hash) name = known[slot].name;
  pthread_mutex_unlock(&lock);
  if (name) return name;
  name = undo(symbol);
  pthread_mutex_lock(&lock);
  known[slot].symbol = hash;
  known[slot].name = name;
  pthread_mutex_unlock(&lock);
  return name;
}
