/* Loaded by the CUDA driver into the traced program ($CUDA_INJECTION64_PATH): has CUPTI trace it
 * into the capture file.
 *
 * The driver calls InitializeInjection inside the program's first cuInit. From then on CUPTI fills
 * buffers and a thread of ours asks for them ten times a second, so that a program that dies takes
 * little with it. CUPTI serves one tool at a time: where another one holds it, or where there is
 * no libcupti, a sentence in the file says so and the interposer (LD_PRELOAD) records instead;
 * where both are there and CUPTI works, the interposer is asked to stand back. After fork CUDA
 * works in the parent alone, and so does this; a child that becomes another program is traced anew.
 * Owns CUPTI's buffers; records are buffer.h's. */
#include <cupti.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/buffer.h"
#include "capture/cupti.h"

enum {
  BUFFER_BYTES = 4 << 20,
  KEPT = 16, /* empty buffers that are not given back */
  TICK_MS = 20,
  FLUSH_TICKS = 5,
  PATIENCE_S = 2 /* at exit, for the last flush */
};

static tdm_cupti_library cupti;
static tdm_cupti_watch watch;
static tdm_cupti_records records = {.library = &cupti};
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER; /* holds `records` */
static pthread_mutex_t turning = PTHREAD_MUTEX_INITIALIZER; /* holds `recording` */
static bool recording;                                      /* what CUPTI was last told */
static pthread_t thread;
static _Atomic bool stopping;

static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER; /* holds what follows */
static uint8_t *kept[KEPT];
static int kept_count;

static uint64_t CUPTIAPI monotonic(void) {
  return (uint64_t)tdm_capture_now_ns();
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *bytes, size_t *most_records) {
  pthread_mutex_lock(&keeping);
  *buffer = kept_count ? kept[--kept_count] : NULL;
  pthread_mutex_unlock(&keeping);
  if (!*buffer) *buffer = malloc(BUFFER_BYTES);
  *bytes = *buffer ? BUFFER_BYTES : 0;
  *most_records = 0;
}

static void keep_buffer(uint8_t *buffer) {
  pthread_mutex_lock(&keeping);
  bool room = kept_count < KEPT;
  if (room) kept[kept_count++] = buffer;
  pthread_mutex_unlock(&keeping);
  if (!room) free(buffer);
}

static void caught(uint64_t lost) {
  if (!lost) return;
  int64_t now = tdm_capture_now_ns();
  tdm_capture_record record = {.kind = TDM_CAPTURE_CAUGHT, .start_ns = now, .end_ns = now};
  record.name = tdm_capture_text("CUPTI");
  record.amount = lost;
  tdm_capture_put_shared(&record);
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t bytes) {
  (void)size;
  if (!buffer) return;
  int error = errno;
  pthread_mutex_lock(&reading);
  tdm_cupti_put(&records, buffer, bytes);
  size_t dropped = 0;
  if (cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) != CUPTI_SUCCESS)
    dropped = 0;
  caught(dropped + records.untimed);
  records.untimed = 0;
  pthread_mutex_unlock(&reading);
  keep_buffer(buffer);
  errno = error;
}

/* What CUPTI shall record for what is wanted. A graph is told as a whole or by its nodes. */
static void set_kinds(uint32_t wanted, CUptiResult (*set)(CUpti_ActivityKind kind)) {
  static const struct {
    uint32_t want;
    CUpti_ActivityKind kind;
  } kinds[] = {
    {TDM_CAPTURE_WANT_GPU, CUPTI_ACTIVITY_KIND_DEVICE},
    {TDM_CAPTURE_WANT_GPU, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
    {TDM_CAPTURE_WANT_GPU, CUPTI_ACTIVITY_KIND_MEMCPY},
    {TDM_CAPTURE_WANT_GPU, CUPTI_ACTIVITY_KIND_MEMCPY2},
    {TDM_CAPTURE_WANT_GPU, CUPTI_ACTIVITY_KIND_MEMSET},
    {TDM_CAPTURE_WANT_API, CUPTI_ACTIVITY_KIND_RUNTIME},
    {TDM_CAPTURE_WANT_API, CUPTI_ACTIVITY_KIND_DRIVER},
    {TDM_CAPTURE_WANT_API, CUPTI_ACTIVITY_KIND_OVERHEAD},
#if CUPTI_API_VERSION >= 15
    {TDM_CAPTURE_WANT_MEMORY, CUPTI_ACTIVITY_KIND_MEMORY2},
#endif
    {TDM_CAPTURE_WANT_SYNC, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION}
  };
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (wanted & kinds[i].want) set(kinds[i].kind);
#if CUPTI_API_VERSION >= 18
  if ((wanted & TDM_CAPTURE_WANT_GPU) && !(wanted & TDM_CAPTURE_WANT_GRAPHS))
    set(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
#endif
}

/* Tells CUPTI what the header says: record, pause, end. True if that is new. */
static bool follow(void) {
  tdm_capture_header *header = tdm_capture_file();
  pthread_mutex_lock(&turning);
  bool wanted = atomic_load(&header->recording) && !atomic_load(&header->ended);
  bool turns = wanted != recording;
  if (turns)
    set_kinds(header->wanted, wanted ? cupti.cuptiActivityEnable : cupti.cuptiActivityDisable);
  recording = wanted;
  pthread_mutex_unlock(&turning);
  return turns;
}

/* Flushes ten times a second, and follows the header. */
static void *attend(void *unused) {
  (void)unused;
  atomic_store(&watch.thread, (uint32_t)gettid());
  for (int tick = 1; !atomic_load(&stopping); tick++) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TICK_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (sem_timedwait(&watch.wake, &until) && errno == EINTR) {
    }
    bool dying = atomic_load(&watch.dying), turned = follow();
    if (dying || turned || tick % FLUSH_TICKS == 0)
      cupti.cuptiActivityFlushAll(dying ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    if (dying) atomic_store(&watch.flushed, true);
  }
  cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  return NULL;
}

/* The last moment for what is in flight. A flush that is stuck must not hold the program back, so
 * the thread does it and is left behind if need be. */
static void end(void) {
  if (atomic_load(&watch.pid) != getpid()) return;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE_S;
  atomic_store(&stopping, true);
  sem_post(&watch.wake);
  if (pthread_timedjoin_np(thread, NULL, &until)) {
    tdm_capture_say("CUPTI did not hand over its last records in time");
    return;
  }
  atomic_store(&watch.pid, 0);
  if (!records.overhead_ns) return;
  char text[160];
  snprintf(text, sizeof text, "CUPTI took %.3f ms of the program's threads, by its own account",
           (double)records.overhead_ns / 1e6);
  tdm_capture_say(text);
}

/* A program that begins or ends its profiling, or ends the context whose records are on the
 * device. */
static void CUPTIAPI at_call(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId call,
                             const void *data) {
  (void)unused;
  if (((const CUpti_CallbackData *)data)->callbackSite != CUPTI_API_ENTER) return;
  tdm_capture_header *header = tdm_capture_file();
  bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
  bool starts = driver && call == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart;
  bool stops = driver && call == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop;
  if ((starts || stops) && (header->wanted & TDM_CAPTURE_WANT_RANGES)) {
    atomic_store(&header->recording, starts);
    follow();
  }
  if (!starts) cupti.cuptiActivityFlushAll(0);
}

static void watch_calls(CUpti_SubscriberHandle subscriber) {
  static const uint32_t driver[] = {
    CUPTI_DRIVER_TRACE_CBID_cuProfilerStart,
    CUPTI_DRIVER_TRACE_CBID_cuProfilerStop,
    CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset,
#if CUPTI_API_VERSION >= 13
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2,
#endif
  };
  for (unsigned i = 0; i < sizeof driver / sizeof *driver; i++)
    cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, driver[i]);
  cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                            CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020);
}

/* CUPTI's clock, where it does not take ours: the pair of readings that lie closest. */
static int64_t measure_clock(void) {
  int64_t closest = INT64_MAX, difference = 0;
  for (int i = 0; i < 32; i++) {
    uint64_t theirs = 0;
    int64_t before = tdm_capture_now_ns();
    if (cupti.cuptiGetTimestamp(&theirs) != CUPTI_SUCCESS) return 0;
    int64_t after = tdm_capture_now_ns();
    if (after - before < closest) {
      closest = after - before;
      difference = before + closest / 2 - (int64_t)theirs;
    }
  }
  return difference;
}

static bool refuses(CUptiResult result, const char *what, char *why, size_t size) {
  if (result == CUPTI_SUCCESS) return false;
  const char *text = NULL;
  cupti.cuptiGetResultString(result, &text);
  snprintf(why, size, "%s (version %u) refuses to %s: %s", cupti.path, cupti.version, what,
           result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
               ? "another profiler is using it in this program"
               : (text ? text : "unknown error"));
  return true;
}

static bool start_thread(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = !sem_init(&watch.wake, 0, 0) && !pthread_create(&thread, NULL, attend, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

/* Everything that can fail once CUPTI is ours, before anything is recorded. */
static bool start_subscribed(CUpti_SubscriberHandle subscriber, char *why, size_t size) {
  tdm_capture_header *header = tdm_capture_file();
  if (refuses(cupti.cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "take buffers", why,
              size))
    return false;
  watch_calls(subscriber);
  if (cupti.set_thread_id_type) cupti.set_thread_id_type(1); /* the kernel's numbers */
  if (!cupti.register_timestamp || cupti.register_timestamp(monotonic) != CUPTI_SUCCESS)
    records.to_monotonic_ns = measure_clock();
  if ((header->wanted & TDM_CAPTURE_WANT_GPU) &&
      refuses(cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "record kernels",
              why, size))
    return false;
  set_kinds(header->wanted, cupti.cuptiActivityDisable);
  follow();
  atomic_store(&watch.pid, getpid());
  if (!start_thread()) {
    snprintf(why, size, "no thread can be started");
    return false;
  }
  tdm_cupti_watch_signals(&watch);
  atexit(end);
  return true;
}

static bool start(char *why, size_t size) {
  CUpti_SubscriberHandle subscriber = NULL;
  if (!tdm_cupti_open(&cupti, why, size) ||
      refuses(cupti.cuptiSubscribe(&subscriber, at_call, NULL), "be subscribed to", why, size))
    return false;
  bool started = start_subscribed(subscriber, why, size);
  if (!started) cupti.cuptiUnsubscribe(subscriber);
  return started;
}

/* Recording was switched by a range of the program's. */
static void switched(void) {
  if (follow()) cupti.cuptiActivityFlushAll(0);
}

/* Called by the driver, once; 0 would make it give up on us. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void) {
  static atomic_flag begun = ATOMIC_FLAG_INIT;
  tdm_capture_header *header = tdm_capture_file();
  if (!header->wanted || atomic_flag_test_and_set(&begun)) return 1;
  char why[900], text[1000];
  if (start(why, sizeof why)) {
    void (*stand_back)(void (*)(void)) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "tdm_capture_stand_back");
    memcpy(&stand_back, &symbol, sizeof symbol);
    if (stand_back) stand_back(switched);
    snprintf(text, sizeof text, "CUPTI %u records: %s%s", cupti.version, cupti.path,
             cupti.version > CUPTI_API_VERSION ? ", newer than tandem was built with" : "");
  } else {
    snprintf(text, sizeof text, "CUPTI cannot be used: %s", why);
  }
  tdm_capture_say(text);
  return 1;
}
