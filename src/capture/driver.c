/* The table of the driver's calls, where they are, and dlsym. See driver.h. */
#include "capture/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "capture/format.h"

enum {
  H2D = TDM_CAPTURE_H2D,
  D2H = TDM_CAPTURE_D2H,
  D2D = TDM_CAPTURE_D2D,
  P2P = TDM_CAPTURE_P2P,
  ANY = TDM_CAPTURE_ANY,
  DEVICE = TDM_CAPTURE_MEMORY_DEVICE,
  PINNED = TDM_CAPTURE_MEMORY_PINNED,
  MANAGED = TDM_CAPTURE_MEMORY_MANAGED,
  PER_THREAD_STREAM = 2,   /* of cuGetProcAddress's flags */
  NEWEST_KNOWN = 14000 - 1 /* later ones may have changed a call's arguments */
};

#define CALL(symbol, ...)                                                                          \
  extern char symbol[]; /* a function, but only its address is asked for                           \
                         */
#define HELPER(symbol)
#include "capture/driver_calls.def"

const tdm_driver_call tdm_driver_calls[TDM_DRIVER_CALLS] = {
#define CALL(name_, arguments_, since_, ...)                                                       \
  {.symbol = #name_, .wrapper = name_, .arguments = arguments_, .since = since_, __VA_ARGS__},
#define HELPER(name_) {.symbol = #name_},
#include "capture/driver_calls.def"
};

static _Atomic(void *) reals[TDM_DRIVER_CALLS];
static _Atomic bool found;

typedef void *symbol_finder(void *, const char *);
static symbol_finder *real_dlsym(void) {
  static _Atomic(symbol_finder *) real;
  symbol_finder *known = atomic_load_explicit(&real, memory_order_relaxed);
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
  for (size_t i = 0; !known && i < sizeof versions / sizeof *versions; i++)
    known = (symbol_finder *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
  atomic_store_explicit(&real, known, memory_order_relaxed);
  return known;
}

/* Whether the program has loaded a driver; it is never loaded for the sake of recording. What
 * dlerror would tell of this search is not the program's. */
static bool find_driver(void) {
  if (atomic_load_explicit(&found, memory_order_acquire)) return true;
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  symbol_finder *find = real_dlsym();
  if (!driver || !find) {
    dlerror();
    return false;
  }
  for (unsigned i = 0; i < TDM_DRIVER_CALLS; i++)
    atomic_store(&reals[i], find(driver, tdm_driver_calls[i].symbol));
  dlerror();
  atomic_store_explicit(&found, true, memory_order_release);
  return true;
}

void *tdm_driver_real(unsigned call) {
  return find_driver() ? atomic_load_explicit(&reals[call], memory_order_relaxed) : NULL;
}

/* Whether a symbol is a variant of the call of that name: cuMemAlloc_v2, cuMemcpy_ptds … */
static bool is_variant(const char *symbol, const char *name, size_t length) {
  if (strncmp(symbol, name, length)) return false;
  const char *rest = symbol + length;
  if (!strncmp(rest, "_v", 2) && rest[2] >= '1' && rest[2] <= '9') rest += 3;
  return !*rest || !strcmp(rest, "_ptsz") || !strcmp(rest, "_ptds");
}

/* The variant that CUDA of that version means by the name. */
static const tdm_driver_call *variant(const char *name, int version, uint64_t flags) {
  const tdm_driver_call *best = NULL;
  size_t length = strlen(name);
  for (unsigned i = 0; i < TDM_DRIVER_CALLS; i++) {
    const tdm_driver_call *call = &tdm_driver_calls[i];
    if (!call->wrapper || call->since > version || !is_variant(call->symbol, name, length))
      continue;
    if (call->per_thread && !(flags & PER_THREAD_STREAM)) continue;
    if (!best || call->per_thread > best->per_thread ||
        (call->per_thread == best->per_thread && call->since > best->since))
      best = call;
  }
  return best;
}

void *tdm_driver_wrapper(const char *name, void *given, int version, uint64_t flags) {
  if (!name || !given || !find_driver()) return given;
  size_t length = strlen(name);
  for (unsigned i = 0; i < TDM_DRIVER_CALLS; i++)
    if (atomic_load_explicit(&reals[i], memory_order_relaxed) == given &&
        is_variant(tdm_driver_calls[i].symbol, name, length)) /* calls may share their code */
      return tdm_driver_calls[i].wrapper ? tdm_driver_calls[i].wrapper : given;
  /* A driver whose calls are elsewhere than what it exports. Since 12.0 this name means another
   * call, with other arguments. */
  bool renamed = version >= 12000 && !strcmp(name, "cuGraphInstantiate");
  const tdm_driver_call *call =
      version <= NEWEST_KNOWN && !renamed ? variant(name, version, flags) : NULL;
  if (!call) return given;
  void *missing = NULL;
  atomic_compare_exchange_strong(&reals[call - tdm_driver_calls], &missing, given);
  return call->wrapper;
}

static const tdm_driver_call *call_named(const char *name) {
  if (!name || name[0] != 'c' || name[1] != 'u') return NULL;
  for (unsigned i = 0; i < TDM_DRIVER_CALLS; i++)
    if (tdm_driver_calls[i].wrapper && !strcmp(tdm_driver_calls[i].symbol, name))
      return &tdm_driver_calls[i];
  return NULL;
}

/* The wrapper where the symbol is the driver's own. One that is found only because it is exported
 * here is looked up again behind this library, by which dlerror knows that there is none: so that
 * call must be no jump. */
static void *symbol_of(void *handle, const tdm_driver_call *call) {
  void *real =
      tdm_driver_real((unsigned)(call - tdm_driver_calls)); /* dlerror tells what follows */
  void *symbol = real_dlsym()(handle, call->symbol);
  if (symbol != call->wrapper) return symbol && symbol == real ? call->wrapper : symbol;
  if (real) return symbol;
  void *volatile behind = real_dlsym()(RTLD_NEXT, call->symbol);
  return behind;
}

/* RTLD_NEXT and RTLD_DEFAULT mean the library that asks, which the C library knows by the return
 * address: so the last call must be a jump (-foptimize-sibling-calls). */
__attribute__((visibility("default"))) void *dlsym(void *restrict handle,
                                                   const char *restrict name) {
  const tdm_driver_call *call = handle == RTLD_NEXT ? NULL : call_named(name);
  symbol_finder *real = real_dlsym();
  return call ? symbol_of(handle, call) : real(handle, name);
}
