/* A CUDA driver for tests, without a device: libcuda.so.1 as far as programs of tests/capture and
 * the interposer need it, with the types of the ABI and none of its headers.
 *
 * A stream is a moment: when all that was put onto it will have run. Work moves the moment on by
 * its duration and returns at once; waiting sleeps until then. A kernel takes as many microseconds
 * as its name says ("scale_20"), 5 otherwise, "nothing" none; one that begins with "broken" does
 * not launch. Copies run at 10 GB/s. Memory is the host's; a device has 16 GiB. cuInit loads
 * $CUDA_INJECTION64_PATH and calls its InitializeInjection. With $FAKE_CUDA_ELSEWHERE,
 * cuGetProcAddress gives kernels' launches at other addresses than those that are exported.
 *
 * A device's primary context is there while it is used, and the next one has its handle; so have
 * contexts that follow on destroyed ones. Streams and events end with their context: using one
 * afterwards ends the program by SIGABRT. $FAKE_CUDA_DEVICES: how many devices, 1 otherwise.
 * fake_cuda_count tells the streams and events that there are.
 *
 * A capture of a stream is spoiled by calls of a thread that makes or asks of events or makes
 * streams or memory: in mode 0 by any thread whose own mode is not 2 (relaxed), in mode 1 by the
 * one that began it. Work of the legacy stream spoils those of blocking streams. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  CAPTURE_IMPLICIT = 906,
  CAPTURED_EVENT = 907,
  NOT_FOUND = 500,
  NOT_READY = 600,
  LAUNCH_FAILED = 719
};
static const uint64_t DEVICE_BYTES = 16ull << 30;

typedef uint64_t address;
typedef struct {
  int device, uses;
  unsigned ended; /* so many have had this handle */
} context;
typedef struct { /* of what ends with its context */
  context *of;   /* NULL: with none */
  unsigned life; /* of->ended when it was made */
} owner;
typedef struct {
  owner in;
  int64_t until_ns;
  bool blocking, capturing;
  int mode;            /* of the capture */
  unsigned spoilers;   /* what had been counted when it began */
  int64_t captured_ns; /* how long what was captured takes */
} stream;
typedef struct {
  owner in;
  int64_t at_ns;
  bool captured;
} event;
typedef struct {
  char name[200];
  int64_t takes_ns;
} function;
typedef struct {
  int64_t takes_ns;
} graph;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool started;
enum { DEVICES = 8, OTHERS = 8 };
static context primaries[DEVICES], others[OTHERS];
static _Atomic int streams_living, events_living;
static _Thread_local context *current;
static stream legacy;
static _Thread_local stream of_thread;
static uint64_t used_bytes;

enum { GLOBAL, OF_THREAD, RELAXED };
static _Thread_local int mode = GLOBAL;
static _Atomic int global_captures, blocking_captures;
static _Atomic unsigned spoiled, spoiled_blocking;
static _Thread_local int captures_here;
static _Thread_local unsigned spoiled_here;

static int spoil(_Atomic unsigned *count, int error) {
  ++*count;
  return error;
}

/* What is not to be called while streams are captured. */
static int unsafe(void) {
  bool others = mode == GLOBAL && global_captures > 0, own = mode != RELAXED && captures_here > 0;
  if (others) spoiled++;
  if (own) spoiled_here++;
  return others || own ? CAPTURE_UNSUPPORTED : SUCCESS;
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void sleep_until(int64_t at_ns) {
  struct timespec at = {at_ns / 1000000000, at_ns % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
  }
}

static owner owned(void) {
  return (owner){current, current ? current->ended : 0};
}

static void need_living(owner in, const char *what) {
  if (!in.of || in.life == in.of->ended) return;
  fprintf(stderr, "fake_cuda: %s of a context that has ended is used\n", what);
  abort();
}

static stream *stream_of(void *handle, bool per_thread) {
  if (handle == (void *)2 || (!handle && per_thread)) return &of_thread;
  if (handle == NULL || handle == (void *)1) return &legacy;
  need_living(((stream *)handle)->in, "a stream");
  return handle;
}

static event *living(event *of) {
  need_living(of->in, "an event");
  return of;
}

/* Puts work onto a stream, or into the graph that it is captured into. */
static int put(stream *on, int64_t takes_ns, bool waits) {
  if (!current || !current->uses) return INVALID_CONTEXT;
  if (on == &legacy && blocking_captures > 0) return spoil(&spoiled_blocking, CAPTURE_IMPLICIT);
  pthread_mutex_lock(&lock);
  int64_t now = now_ns();
  if (on->capturing)
    on->captured_ns += takes_ns;
  else
    on->until_ns = (on->until_ns > now ? on->until_ns : now) + takes_ns;
  int64_t until_ns = on->until_ns;
  pthread_mutex_unlock(&lock);
  if (waits) sleep_until(until_ns);
  return SUCCESS;
}

static int devices(void) {
  const char *count = getenv("FAKE_CUDA_DEVICES");
  return count ? atoi(count) : 1;
}
static bool is_device(int device) {
  return device >= 0 && device < devices() && device < DEVICES;
}

/* Starting */
int cuInit(unsigned flags) {
  if (flags) return INVALID_VALUE;
  const char *path = started ? NULL : getenv("CUDA_INJECTION64_PATH");
  started = true;
  void *library = path ? dlopen(path, RTLD_NOW) : NULL;
  int (*begin)(void) = NULL;
  if (library) *(void **)&begin = dlsym(library, "InitializeInjection");
  if (begin) begin();
  return SUCCESS;
}
int cuDriverGetVersion(int *version) {
  return *version = 12040, SUCCESS;
}
int cuDeviceGetCount(int *count) {
  return started ? (*count = devices(), SUCCESS) : NOT_INITIALIZED;
}
int cuDeviceGet(int *device, int ordinal) {
  return is_device(ordinal) ? (*device = ordinal, SUCCESS) : INVALID_DEVICE;
}
int cuDeviceGetName(char *name, int length, int device) {
  if (!is_device(device)) return INVALID_DEVICE;
  return snprintf(name, (size_t)length, "Pretended GPU"), SUCCESS;
}
int cuDeviceTotalMem_v2(uint64_t *bytes, int device) {
  return is_device(device) ? (*bytes = DEVICE_BYTES, SUCCESS) : INVALID_DEVICE;
}

/* Contexts */
static void end(context *of) {
  of->uses = 0;
  of->ended++;
  streams_living = events_living = 0; /* of all contexts: tests count with one */
}
int cuDevicePrimaryCtxRetain(context **given, int device) {
  if (!started) return NOT_INITIALIZED;
  if (!is_device(device)) return INVALID_DEVICE;
  pthread_mutex_lock(&lock);
  *given = &primaries[device];
  (*given)->device = device;
  (*given)->uses++;
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  if (!is_device(device)) return INVALID_DEVICE;
  pthread_mutex_lock(&lock);
  int uses = primaries[device].uses;
  if (uses == 1) end(&primaries[device]);
  if (uses > 1) primaries[device].uses--;
  pthread_mutex_unlock(&lock);
  return uses ? SUCCESS : INVALID_CONTEXT;
}
int cuDevicePrimaryCtxReset_v2(int device) {
  if (!is_device(device)) return INVALID_DEVICE;
  pthread_mutex_lock(&lock);
  if (primaries[device].uses) end(&primaries[device]);
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
  if (!is_device(device)) return INVALID_DEVICE;
  return *flags = 0, *active = primaries[device].uses > 0, SUCCESS;
}
int cuCtxCreate_v2(context **made, unsigned flags, int device) {
  if (flags || !is_device(device)) return INVALID_VALUE;
  int i = 0;
  while (i < OTHERS && others[i].uses) i++;
  if (i == OTHERS) return OUT_OF_MEMORY;
  others[i].device = device;
  others[i].uses = 1;
  return current = *made = &others[i], SUCCESS;
}
int cuCtxDestroy_v2(context *of) {
  if (of < others || of >= others + OTHERS || !of->uses) return INVALID_CONTEXT;
  if (current == of) current = NULL;
  return end(of), SUCCESS;
}
/* As programs before CUDA 11, and before 4, know them. */
int cuDevicePrimaryCtxRelease(int device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}
int cuDevicePrimaryCtxReset(int device) {
  return cuDevicePrimaryCtxReset_v2(device);
}
int cuCtxDestroy(context *of) {
  return cuCtxDestroy_v2(of);
}
int cuCtxDetach(context *of) {
  return cuCtxDestroy_v2(of);
}
void fake_cuda_count(int *streams, int *events) {
  *streams = streams_living;
  *events = events_living;
}
int cuCtxSetCurrent(context *to) {
  return current = to, SUCCESS;
}
int cuCtxGetCurrent(context **given) {
  return *given = current, SUCCESS;
}
int cuCtxGetDevice(int *device) {
  return current ? (*device = current->device, SUCCESS) : INVALID_CONTEXT;
}

/* Code */
int cuModuleLoadData(void **module, const void *image) {
  return image ? (*module = (void *)image, SUCCESS) : INVALID_VALUE;
}
int cuModuleGetFunction(function **made, void *module, const char *name) {
  if (!module || !strncmp(name, "missing", 7)) return NOT_FOUND;
  const char *micros = strrchr(name, '_');
  *made = calloc(1, sizeof **made);
  snprintf((*made)->name, sizeof(*made)->name, "%s", name);
  (*made)->takes_ns = 1000 * (micros && atoi(micros + 1) ? atoi(micros + 1) : 5);
  if (!strcmp(name, "nothing")) (*made)->takes_ns = 0;
  return SUCCESS;
}
int cuLibraryLoadData(void **library, const void *code, void *a, void *b, unsigned c, void *d,
                      void *e, unsigned f) {
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
  return cuModuleLoadData(library, code);
}
int cuLibraryGetKernel(function **kernel, void *library, const char *name) {
  return cuModuleGetFunction(kernel, library, name);
}
int cuKernelGetFunction(function **made, function *kernel) {
  return cuModuleGetFunction(made, kernel, kernel->name);
}
static bool is_function(const function *of) {
  return (uintptr_t)of >= 4096;
}
int cuFuncGetName(const char **name, function *of) {
  if (!is_function(of)) fputs("fake_cuda: no function is asked for its name\n", stderr), abort();
  return *name = of->name, SUCCESS;
}

/* Launches */
static int launch(function *f, void *on, bool per_thread) {
  if (!is_function(f)) return INVALID_HANDLE;
  if (f->takes_ns == 0) return SUCCESS;
  if (!strncmp(f->name, "broken", 6)) return LAUNCH_FAILED;
  return put(stream_of(on, per_thread), f->takes_ns, false);
}
#define LAUNCH(name, per_thread)                                                                   \
  int name(function *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g,    \
           unsigned shared, void *on, void **parameters, void **extra) {                           \
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)g, (void)shared, (void)parameters;          \
    (void)extra;                                                                                   \
    return launch(f, on, per_thread);                                                              \
  }
LAUNCH(cuLaunchKernel, false)
LAUNCH(cuLaunchKernel_ptsz, true)
static LAUNCH(elsewhere, false) typedef struct {
  unsigned grid[3], block[3], shared;
  void *on;
} launch_config;
int cuLaunchKernelEx(const launch_config *with, function *f, void **parameters, void **extra) {
  (void)parameters, (void)extra;
  return launch(f, with->on, false);
}
int cuLaunchHostFunc(void *on, void (*run)(void *), void *with) {
  sleep_until(stream_of(on, false)->until_ns);
  return run(with), SUCCESS;
}

/* Graphs */
static unsigned spoilers(const stream *of, int of_mode) {
  return (of_mode == GLOBAL ? spoiled : 0) + (of_mode != RELAXED ? spoiled_here : 0) +
         (of->blocking ? spoiled_blocking : 0);
}
int cuThreadExchangeStreamCaptureMode(int *with) {
  int before = mode;
  if (*with < GLOBAL || *with > RELAXED) return INVALID_VALUE;
  return mode = *with, *with = before, SUCCESS;
}
int cuStreamBeginCapture_v2(void *on, int of_mode) {
  stream *of = stream_of(on, false);
  if (of_mode > RELAXED || of == &legacy || of->capturing) return INVALID_VALUE;
  of->spoilers = spoilers(of, of_mode);
  of->mode = of_mode;
  if (of_mode == GLOBAL) global_captures++;
  if (of_mode != RELAXED) captures_here++;
  if (of->blocking) blocking_captures++;
  return of->captured_ns = 0, of->capturing = true, SUCCESS;
}
static void stop_capture(stream *of) {
  of->capturing = false;
  if (of->mode == GLOBAL) global_captures--;
  if (of->mode != RELAXED) captures_here--;
  if (of->blocking) blocking_captures--;
}
int cuStreamEndCapture(void *on, graph **made) {
  stream *of = stream_of(on, false);
  if (!of->capturing) return INVALID_VALUE;
  stop_capture(of);
  if (spoilers(of, of->mode) != of->spoilers) return *made = NULL, CAPTURE_INVALIDATED;
  *made = calloc(1, sizeof **made);
  return (*made)->takes_ns = of->captured_ns, SUCCESS;
}
int cuStreamIsCapturing(void *on, int *status) {
  stream *of = stream_of(on, false);
  if (of == &legacy && blocking_captures > 0) return CAPTURE_IMPLICIT;
  return *status = of->capturing, SUCCESS;
}
int cuGraphInstantiateWithFlags(graph **made, graph *of, uint64_t flags) {
  return flags ? INVALID_VALUE : (*made = of, SUCCESS);
}
int cuGraphLaunch(graph *of, void *on) {
  return put(stream_of(on, false), of->takes_ns, false);
}
int cuGraphExecDestroy(graph *of) {
  return of ? SUCCESS : INVALID_VALUE;
}
int cuGraphDestroy(graph *of) {
  return free(of), SUCCESS;
}

/* Copies and fills */
static int copy(address to, address from, size_t bytes, stream *on, bool waits) {
  if (!to || !from) return INVALID_VALUE;
  memmove((void *)to, (const void *)from, bytes);
  return put(on, (int64_t)bytes / 10, waits);
}
#define COPY(name, per_thread)                                                                     \
  int name(address to, address from, size_t bytes) {                                               \
    return copy(to, from, bytes, stream_of(NULL, per_thread), true);                               \
  }
#define COPY_ASYNC(name, per_thread)                                                               \
  int name(address to, address from, size_t bytes, void *on) {                                     \
    return copy(to, from, bytes, stream_of(on, per_thread), false);                                \
  }
COPY(cuMemcpy, false)
COPY(cuMemcpy_ptds, true)
COPY(cuMemcpyHtoD_v2, false)
COPY(cuMemcpyDtoH_v2, false)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, false)
COPY_ASYNC(cuMemcpyHtoDAsync_v2_ptsz, true)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, false)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, false)
typedef struct {
  size_t x, y;
  int kind;
  address host, device;
  void *array;
  size_t pitch;
} rows_end;
typedef struct {
  rows_end from, to;
  size_t width, height;
} rows_copy;
int cuMemcpy2D_v2(const rows_copy *with) {
  for (size_t row = 0; row < with->height; row++)
    memcpy((char *)with->to.device + row * with->to.pitch,
           (const char *)with->from.host + row * with->from.pitch, with->width);
  return put(&legacy, (int64_t)(with->width * with->height) / 10, true);
}
int cuMemsetD32Async(address to, unsigned value, size_t count, void *on) {
  for (size_t i = 0; i < count; i++) ((unsigned *)to)[i] = value;
  return put(stream_of(on, false), (int64_t)count * 4 / 100, false);
}

/* Memory: in front of it, how much it is */
static int allocate(address *at, size_t bytes, bool of_device) {
  if (!bytes) return INVALID_VALUE;
  if (unsafe()) return CAPTURE_UNSUPPORTED;
  pthread_mutex_lock(&lock);
  bool fits = !of_device || used_bytes + bytes <= DEVICE_BYTES;
  if (fits && of_device) used_bytes += bytes;
  pthread_mutex_unlock(&lock);
  uint64_t *made = fits ? malloc(bytes + 64) : NULL;
  if (!made) return OUT_OF_MEMORY;
  made[0] = of_device ? bytes : 0;
  return *at = (address)(made + 8), SUCCESS;
}
static int release(address at) {
  if (!at) return INVALID_VALUE;
  uint64_t *made = (uint64_t *)at - 8;
  pthread_mutex_lock(&lock);
  used_bytes -= made[0];
  pthread_mutex_unlock(&lock);
  return free(made), SUCCESS;
}
int cuMemAlloc_v2(address *at, size_t bytes) {
  return allocate(at, bytes, true);
}
int cuMemFree_v2(address at) {
  return release(at);
}
int cuMemAllocAsync(address *at, size_t bytes, void *on) {
  return on ? allocate(at, bytes, true) : INVALID_VALUE;
}
int cuMemFreeAsync(address at, void *on) {
  return on ? release(at) : INVALID_VALUE;
}
int cuMemHostAlloc(address *at, size_t bytes, unsigned flags) {
  return flags > 7 ? INVALID_VALUE : allocate(at, bytes, false);
}
int cuMemFreeHost(address at) {
  return release(at);
}
int cuMemAllocPitch_v2(address *at, size_t *pitch, size_t width, size_t height, unsigned element) {
  *pitch = (width + 511) / 512 * 512;
  return element ? allocate(at, *pitch * height, true) : INVALID_VALUE;
}
int cuMemGetInfo_v2(size_t *unused, size_t *total) {
  return *unused = DEVICE_BYTES - used_bytes, *total = DEVICE_BYTES, SUCCESS;
}

/* Streams and events */
int cuStreamCreate(stream **made, unsigned flags) {
  if (unsafe()) return CAPTURE_UNSUPPORTED;
  *made = calloc(1, sizeof **made);
  (*made)->in = owned();
  (*made)->blocking = flags == 0;
  streams_living++;
  return flags > 1 ? INVALID_VALUE : SUCCESS;
}
int cuStreamDestroy_v2(stream *of) {
  stream_of(of, false);
  if (of->capturing) stop_capture(of);
  streams_living--;
  return free(of), SUCCESS;
}
int cuStreamSynchronize(void *on) {
  return sleep_until(stream_of(on, false)->until_ns), SUCCESS;
}
int cuStreamSynchronize_ptsz(void *on) {
  return sleep_until(stream_of(on, true)->until_ns), SUCCESS;
}
int cuStreamWaitEvent(void *on, event *on_event, unsigned flags) {
  stream *of = stream_of(on, false);
  if (of->until_ns < living(on_event)->at_ns) of->until_ns = on_event->at_ns;
  return flags ? INVALID_VALUE : SUCCESS;
}
int cuStreamQuery(void *on) {
  return stream_of(on, false)->until_ns <= now_ns() ? SUCCESS : NOT_READY;
}
/* The legacy stream's alone, and long enough for what others have been given. */
int cuCtxSynchronize(void) {
  if (!current) return INVALID_CONTEXT;
  return sleep_until(legacy.until_ns), SUCCESS;
}
int cuEventCreate(event **made, unsigned flags) {
  if (unsafe()) return CAPTURE_UNSUPPORTED;
  *made = calloc(1, sizeof **made);
  (*made)->in = owned();
  events_living++;
  return flags > 7 ? INVALID_VALUE : SUCCESS;
}
int cuEventDestroy_v2(event *of) {
  living(of);
  events_living--;
  return free(of), SUCCESS;
}
int cuEventRecord(event *of, void *on) {
  stream *in = stream_of(on, false);
  if (in == &legacy && blocking_captures > 0) return spoil(&spoiled_blocking, CAPTURE_IMPLICIT);
  int64_t now = now_ns(), until_ns = in->until_ns;
  of->captured = in->capturing;
  return living(of)->at_ns = until_ns > now ? until_ns : now, SUCCESS;
}
int cuEventQuery(event *of) {
  if (living(of)->captured) return spoil(&spoiled, CAPTURED_EVENT);
  if (unsafe()) return CAPTURE_UNSUPPORTED;
  return of->at_ns <= now_ns() ? SUCCESS : NOT_READY;
}
int cuEventSynchronize(event *of) {
  return sleep_until(living(of)->at_ns), SUCCESS;
}
int cuEventElapsedTime(float *milliseconds, event *from, event *to) {
  if (unsafe()) return CAPTURE_UNSUPPORTED;
  if (living(to)->at_ns > now_ns() || living(from)->at_ns > now_ns()) return NOT_READY;
  return *milliseconds = (float)((double)(to->at_ns - from->at_ns) / 1e6), SUCCESS;
}
int cuProfilerStart(void) {
  return SUCCESS;
}
int cuProfilerStop(void) {
  return SUCCESS;
}

/* Asking for calls: by the name without its version. */
int cuGetProcAddress(const char *name, void **given, int version, uint64_t flags);
int cuGetProcAddress_v2(const char *name, void **given, int version, uint64_t flags, int *status);
static const struct {
  const char *symbol;
  void *at;
} calls[] = {
#define CALL(name) {#name, (void *)name},
#include "fake_cuda_calls.def"
};

static void *call_at(const char *name, const char *variant) {
  char symbol[100];
  snprintf(symbol, sizeof symbol, "%s%s", name, variant);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (!strcmp(calls[i].symbol, symbol)) return calls[i].at;
  return NULL;
}

int cuGetProcAddress_v2(const char *name, void **given, int version, uint64_t flags, int *status) {
  static const char *const variants[] = {"_v2_ptsz", "_ptsz", "_ptds", "_v2", ""};
  bool first_get = !strcmp(name, "cuGetProcAddress") && version < 12000;
  *given = first_get ? (void *)cuGetProcAddress : NULL;
  for (size_t i = flags & 2 ? 0 : 3; !*given && i < 5; i++) *given = call_at(name, variants[i]);
  if (!strcmp(name, "cuLaunchKernel") && getenv("FAKE_CUDA_ELSEWHERE")) *given = (void *)elsewhere;
  if (status) *status = *given ? 0 : 1;
  return *given ? SUCCESS : NOT_FOUND;
}
int cuGetProcAddress(const char *name, void **given, int version, uint64_t flags) {
  return cuGetProcAddress_v2(name, given, version, flags, NULL);
}
