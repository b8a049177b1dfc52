/* A libcupti without a GPU: hands activities that a test describes to whoever has subscribed, by
 * the same callbacks, buffers and flushes as NVIDIA's.
 *
 * $FAKE_CUPTI says how it differs, a word for each: `held` (another profiler has it), `kernels`
 * (refuses them), `clock` (takes no clock, and has one of its own), `stuck` (a flush never returns
 * while a program ends). Owns the buffer that is being filled. Built against the real headers. */
#include <cupti.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_cupti.h"

enum { KINDS = 128 };
static const uint64_t CLOCK_AHEAD_NS = 3600000000000;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static CUpti_TimestampCallbackFunc timestamp;
static CUpti_CallbackFunc subscriber;
static bool kinds[KINDS], calls[3][1024], left;
static uint8_t *buffer;
static size_t filled, size, lost;
static unsigned forced;

static bool differs(const char *how) {
  const char *list = getenv("FAKE_CUPTI");
  return list && strstr(list, how);
}

static uint64_t now(void) {
  if (timestamp) return timestamp();
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec + CLOCK_AHEAD_NS;
}

static void hand_over(void) {
  uint8_t *full = buffer;
  size_t bytes = filled, of = size;
  buffer = NULL;
  if (full) complete(NULL, 0, full, of, bytes);
}

/* Each activity lies behind its size. */
static bool note(const void *activity, size_t bytes) {
  CUpti_ActivityKind kind;
  memcpy(&kind, activity, sizeof kind);
  pthread_mutex_lock(&lock);
  bool wanted = kinds[kind];
  if (wanted && buffer && size - filled < 8 + bytes) hand_over();
  if (wanted && !buffer) {
    size_t most = 0;
    filled = 0;
    request(&buffer, &size, &most);
    if (!buffer) lost++;
  }
  if (wanted && buffer) {
    uint64_t length = bytes;
    memcpy(buffer + filled, &length, sizeof length);
    memcpy(buffer + filled + 8, activity, bytes);
    filled += 8 + (bytes + 7) / 8 * 8;
  }
  pthread_mutex_unlock(&lock);
  return wanted;
}

static bool enabled(uint32_t kind) {
  pthread_mutex_lock(&lock);
  bool on = kinds[kind];
  pthread_mutex_unlock(&lock);
  return on;
}

static void lose(size_t records) {
  pthread_mutex_lock(&lock);
  lost += records;
  pthread_mutex_unlock(&lock);
}

static void call(int domain, uint32_t number) {
  CUpti_CallbackData data = {.callbackSite = CUPTI_API_ENTER};
  if (subscriber && calls[domain][number])
    subscriber(NULL, (CUpti_CallbackDomain)domain, number, &data);
}

static unsigned forced_flushes(void) {
  return forced;
}
static bool unsubscribed(void) {
  return left;
}

/* By this the tests find it. */
const tdm_fake_cupti fake_cupti = {note, enabled, lose, call, now, forced_flushes, unsubscribed};

/* The interposer's, which stands in for it here. */
unsigned stood_back;
void tdm_capture_stand_back(void);
void tdm_capture_stand_back(void) {
  stood_back++;
}

CUptiResult cuptiGetVersion(uint32_t *version) {
  *version = CUPTI_API_VERSION;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text) {
  *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                        : "CUPTI_ERROR_UNKNOWN";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(uint64_t *time) {
  *time = now();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t number, const char **name) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
    *name = number == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
                ? "cudaLaunchKernel_v7000"
                : "cudaMemcpyAsync_ptsz_v7000";
  else
    *name = number == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel ? "cuLaunchKernel" : "cuMemAlloc_v2";
  return number < 1000 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback,
                           void *data) {
  (void)data;
  if (differs("held")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  subscriber = callback;
  *handle = NULL;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
  (void)handle;
  subscriber = NULL;
  left = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId number) {
  (void)handle;
  calls[domain][number] = enable;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                           CUpti_BuffersCallbackCompleteFunc completed) {
  request = requested;
  complete = completed;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  if (differs("clock")) return CUPTI_ERROR_NOT_SUPPORTED;
  timestamp = clock;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  return type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_SUPPORTED;
}

static CUptiResult set_kind(CUpti_ActivityKind kind, bool on) {
  if (differs("kernels") && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
    return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  pthread_mutex_lock(&lock);
  kinds[kind] = on;
  pthread_mutex_unlock(&lock);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return set_kind(kind, true);
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return set_kind(kind, false);
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
  while (differs("stuck")) pause();
  pthread_mutex_lock(&lock);
  if (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) forced++;
  hand_over();
  pthread_mutex_unlock(&lock);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *from, size_t bytes, CUpti_Activity **activity) {
  uint8_t *next = from;
  if (*activity) {
    uint64_t length;
    uint8_t *last = (uint8_t *)*activity - 8;
    memcpy(&length, last, sizeof length);
    next = last + 8 + (length + 7) / 8 * 8;
  }
  if (next >= from + bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *activity = (CUpti_Activity *)(next + 8);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped) {
  (void)context, (void)stream;
  *dropped = lost;
  lost = 0;
  return CUPTI_SUCCESS;
}
