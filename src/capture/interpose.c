/* What is recorded of the driver's calls, and what has to be remembered of them: names of kernels,
 * numbers of streams, streams that are captured into graphs. See interpose.h.
 * Errors are recorded, never altered; a call that is not wanted costs two loads. */
#include "capture/interpose.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "capture/buffer.h"
#include "capture/contexts.h"
#include "capture/handles.h"
#include "capture/ranges.h"

enum {
  FUNCTIONS = 1 << 15,
  STREAMS = 1 << 12,
  PER_THREAD_STREAM = 2, /* a handle: the default stream of the thread */
  LEGACY_STREAM = 1,
  CAPTURE_INVALIDATED = 901, /* errors of the driver */
  CAPTURE_UNJOINED = 904
};

/* As the driver lays out CUlaunchConfig. */
typedef struct {
  unsigned grid[3], block[3], shared_bytes;
  void *stream;
} launch_config;

static tdm_handle function_slots[FUNCTIONS], stream_slots[STREAMS];
static const tdm_handles functions = {function_slots, FUNCTIONS}; /* names */
static const tdm_handles streams = {stream_slots, STREAMS};       /* numbers */
static _Atomic uint32_t streams_seen;
static _Atomic int captures; /* under way in the process, or about to begin */

static uint64_t call_name(unsigned number) {
  static _Atomic uint64_t ids[TDM_DRIVER_CALLS];
  const char *symbol = tdm_driver_calls[number].symbol;
  size_t length = strlen(symbol);
  uint64_t id = atomic_load_explicit(&ids[number], memory_order_relaxed);
  if (!id) {
    id = tdm_capture_hash(symbol, length);
    atomic_store_explicit(&ids[number], id, memory_order_relaxed);
  }
  tdm_capture_announce(id, symbol, length);
  return id;
}

/* Of the handle at the time of its making: handles are used again. */
static uint64_t new_stream(uint64_t key) {
  uint64_t number = atomic_fetch_add(&streams_seen, 1) + 1;
  tdm_handles_set(&streams, key, number);
  return number;
}

static uint64_t stream_number(tdm_word stream) {
  if (stream <= LEGACY_STREAM) return 0;
  uint64_t key = stream;
  if (stream == PER_THREAD_STREAM) key = (uint64_t)pthread_self() | PER_THREAD_STREAM;
  uint64_t number = tdm_handles_get(&streams, key);
  return number ? number : new_stream(key);
}

static uint64_t kernel_name(tdm_word function) {
  uint64_t id = tdm_handles_get(&functions, function);
  const char *name = NULL;
  if (id || !function) return id;
  int (*name_of)(const char **, tdm_word) = TDM_REAL(cuFuncGetName, const char **, tdm_word);
  if (!name_of || name_of(&name, function)) {
    name_of = TDM_REAL(cuKernelGetName, const char **, tdm_word);
    if (!name_of || name_of(&name, function)) return 0;
  }
  id = tdm_capture_kernel_name(name);
  tdm_handles_set(&functions, function, id);
  return id;
}

static bool puts_work(uint8_t does) {
  return does == LAUNCH || does == LAUNCH_EX || does == GRAPH || (does >= COPY && does <= FILL_2D);
}
static bool is_memory(uint8_t does) {
  return does >= ALLOCATE && does <= FREE;
}

/* Calls that are followed even where they are not recorded. */
static bool changes_state(uint8_t does) {
  return (does >= ASK && does <= RENAMES && does != WAIT) || does == CAPTURE || does == CAPTURED ||
         does >= STREAM;
}

static uint32_t interest(uint8_t does) {
  uint32_t what = TDM_CAPTURE_WANT_API;
  if (does == WAIT) what |= TDM_CAPTURE_WANT_SYNC;
  if (is_memory(does)) what |= TDM_CAPTURE_WANT_MEMORY;
  if (puts_work(does)) what |= TDM_CAPTURE_WANT_GPU;
  return does == ASK ? 0 : what;
}

static tdm_word stream_of(const tdm_driver_call *known, const tdm_word *arguments) {
  tdm_word stream = known->stream ? arguments[known->stream - 1] : 0;
  if (known->does == LAUNCH_EX && arguments[0])
    stream = (tdm_word)((const launch_config *)arguments[0])->stream;
  return known->per_thread && stream == 0 ? PER_THREAD_STREAM : stream;
}

/* Unsure: of the default stream beside a capture that it would end. */
typedef enum { RUNS, CAPTURES, UNSURE } stream_state;
static stream_state state_of(tdm_word stream) {
  int status = 0;
  int (*capturing)(tdm_word, int *) = TDM_REAL(cuStreamIsCapturing, tdm_word, int *);
  if (!capturing || capturing(stream, &status)) return UNSURE;
  return status ? CAPTURES : RUNS;
}

/* Drivers before CUDA 10.1 have no way of asking about events that leaves captures alone. */
static bool may_ask(void) {
  return atomic_load_explicit(&captures, memory_order_relaxed) == 0 ||
         tdm_driver_real(TDM_CALL_cuThreadExchangeStreamCaptureMode);
}

/* Other errors: there was none, or it goes on. */
static bool ends_capture(int result) {
  return result == 0 || result == CAPTURE_INVALIDATED || result == CAPTURE_UNJOINED;
}

bool tdm_interpose_before(tdm_call *call, unsigned number, const tdm_word *arguments) {
  const tdm_driver_call *known = &tdm_driver_calls[number];
  call->recorded = tdm_capture_wants(interest(known->does));
  if (!call->recorded && !changes_state(known->does)) return false;
  if (known->does == CAPTURE) atomic_fetch_add(&captures, 1);
  tdm_contexts_before(&call->ending, known, arguments);
  if (!call->recorded) return true;
  stream_state state = RUNS;
  if (atomic_load_explicit(&captures, memory_order_relaxed) > 0 && known->does != CAPTURE &&
      known->does != CAPTURED && (known->stream || puts_work(known->does)))
    state = state_of(stream_of(known, arguments));
  call->captured = state == CAPTURES;
  call->timed = NULL;
  call->works =
      !call->captured && puts_work(known->does) && tdm_capture_wants(TDM_CAPTURE_WANT_GPU);
  if (call->works && state == RUNS && may_ask())
    call->timed = tdm_event_times_begin(stream_of(known, arguments));
  call->start_ns = tdm_capture_now_ns();
  return true;
}

static void name_devices(void) {
  int count = 0;
  if (TDM_REAL(cuDeviceGetCount, int *)(&count)) return;
  for (int i = 0; i < count; i++) {
    int device = 0;
    char name[256] = "";
    size_t bytes = 0;
    if (TDM_REAL(cuDeviceGet, int *, int)(&device, i) ||
        TDM_REAL(cuDeviceGetName, char *, int, int)(name, sizeof name - 1, device))
      continue;
    int (*total)(size_t *, int) = TDM_REAL(cuDeviceTotalMem_v2, size_t *, int);
    if (total) total(&bytes, device);
    int64_t now = tdm_capture_now_ns();
    tdm_capture_record record = {.kind = TDM_CAPTURE_DEVICE, .start_ns = now, .end_ns = now};
    record.name = tdm_capture_text(name);
    record.device = (uint16_t)i;
    record.amount = bytes;
    tdm_capture_put(&record);
  }
}

static void at_exit(void) {
  if (!(tdm_capture_file()->wanted & TDM_CAPTURE_WANT_GPU)) return;
  tdm_event_times_collect();
  tdm_event_times_forget(0);
}

static void started(void) {
  static atomic_flag before = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&before)) return;
  name_devices();
  atexit(at_exit);
}

/* What a call that has succeeded tells of later ones. */
static void learn(const tdm_driver_call *known, const tdm_word *arguments) {
  const tdm_word *made = known->handle ? (const tdm_word *)arguments[known->handle - 1] : NULL;
  switch (known->does) {
  case ASK: {
    void **given = (void **)arguments[1];
    *given =
        tdm_driver_wrapper((const char *)arguments[0], *given, (int)arguments[2], arguments[3]);
    break;
  }
  case START: started(); break;
  case NAMES:
    tdm_handles_set(&functions, *made,
                    tdm_capture_kernel_name((const char *)arguments[known->name - 1]));
    break;
  case RENAMES: tdm_handles_set(&functions, *made, kernel_name(arguments[known->name - 1])); break;
  case STREAM: new_stream(*made); break;
  case RANGE_BEGINS: tdm_ranges_profiler(true); break;
  case RANGE_ENDS: tdm_ranges_profiler(false); break;
  default: break;
  }
}

static tdm_capture_record launch_of(const tdm_driver_call *known, const tdm_word *arguments,
                                    const tdm_capture_record *call) {
  tdm_capture_record record = *call;
  const launch_config *config = (const launch_config *)arguments[0];
  bool by_config = known->does == LAUNCH_EX;
  record.kind = TDM_CAPTURE_LAUNCH;
  record.detail = 0;
  tdm_word function = arguments[by_config ? 1 : 0];
  record.name = call->result ? tdm_handles_get(&functions, function) : kernel_name(function);
  memset(&record.ran, 0, sizeof record.ran);
  for (int i = 0; i < 3; i++) {
    record.ran.grid[i] = by_config ? (config ? config->grid[i] : 0) : (uint32_t)arguments[1 + i];
    record.ran.block[i] =
        by_config ? (uint16_t)(config ? config->block[i] : 0) : (uint16_t)arguments[4 + i];
  }
  record.ran.shared_bytes =
      by_config ? (config ? config->shared_bytes : 0) : (uint32_t)arguments[7];
  record.ran.stream_id = (uint32_t)call->stream;
  record.ran.device_id = call->device;
  record.ran.context_id = call->context;
  return record;
}

/* What the device will have done, but for its times. */
static tdm_capture_record work_of(const tdm_driver_call *known, const tdm_capture_record *call,
                                  const tdm_capture_record *launch, uint8_t direction) {
  bool launches = known->does == LAUNCH || known->does == LAUNCH_EX;
  tdm_capture_record record = launches ? *launch : *call;
  record.flags = (uint16_t)(call->flags | TDM_CAPTURE_ESTIMATED);
  record.detail = direction;
  record.kind = launches               ? TDM_CAPTURE_KERNEL
                : known->does == GRAPH ? TDM_CAPTURE_GRAPH
                : known->does >= FILL  ? TDM_CAPTURE_FILL
                                       : TDM_CAPTURE_COPY;
  return record;
}

static void put_memory(const tdm_driver_call *known, const tdm_word *arguments,
                       const tdm_capture_record *call) {
  tdm_capture_record record = *call;
  tdm_word argument = arguments[known->handle - 1];
  record.kind = TDM_CAPTURE_MEMORY;
  record.detail = known->how;
  if (known->does == FREE) {
    record.flags |= TDM_CAPTURE_FREED;
    record.end_ns = record.start_ns; /* within the call the address may already be another's */
  } else {
    record.start_ns = record.end_ns;
  }
  bool returned = known->does == ALLOCATE || known->does == ALLOCATE_PITCH;
  record.address = returned ? *(const uint64_t *)argument : argument;
  if (record.address) tdm_capture_put(&record);
}

/* The call itself and, joined with it, what it launched or took. */
static void put(const tdm_call *call, unsigned number, const tdm_word *arguments, int result,
                int64_t end_ns) {
  const tdm_driver_call *known = &tdm_driver_calls[number];
  uint8_t direction = 0, does = known->does;
  tdm_capture_record record = {.kind = TDM_CAPTURE_CALL,
                               .detail = TDM_CAPTURE_DRIVER,
                               .start_ns = call->start_ns,
                               .end_ns = end_ns,
                               .name = call_name(number)};
  record.correlation = tdm_capture_correlation();
  record.flags = (uint16_t)((known->async ? TDM_CAPTURE_ASYNC : 0) |
                            (call->captured ? TDM_CAPTURE_CAPTURED : 0));
  record.result = result;
  if (puts_work(does) || is_memory(does) || does == WAIT) tdm_contexts_tell(&record);
  record.stream = stream_number(stream_of(known, arguments));
  if (!result || known->bytes) record.amount = tdm_call_bytes(known, arguments, &direction);
  if (does == GRAPH) record.address = arguments[known->handle - 1];

  bool launches = does == LAUNCH || does == LAUNCH_EX;
  if (launches || does == WAIT || tdm_capture_wants(TDM_CAPTURE_WANT_API)) tdm_capture_put(&record);
  tdm_capture_record launch = record;
  if (launches) {
    launch = launch_of(known, arguments, &record);
    tdm_capture_put(&launch);
  }
  if (is_memory(does) && !result && tdm_capture_wants(TDM_CAPTURE_WANT_MEMORY))
    put_memory(known, arguments, &record);
  if (!call->works) return;
  tdm_capture_record work = work_of(known, &record, &launch, direction);
  tdm_event_times_end(call->timed, result ? NULL : &work);
}

void tdm_interpose_after(const tdm_call *call, unsigned number, const tdm_word *arguments,
                         int result) {
  const tdm_driver_call *known = &tdm_driver_calls[number];
  int64_t end_ns = call->recorded ? tdm_capture_now_ns() : 0;
  bool ended = known->does == CAPTURED ? ends_capture(result) : known->does == CAPTURE && result;
  if (ended && atomic_fetch_sub(&captures, 1) <= 0) atomic_store(&captures, 0);
  if (call->recorded) put(call, number, arguments, result, end_ns);
  tdm_contexts_after(&call->ending, known, arguments, result);
  if (!result) learn(known, arguments);
  if (known->does == WAIT && !result && call->recorded && tdm_capture_wants(TDM_CAPTURE_WANT_GPU) &&
      may_ask())
    tdm_event_times_collect();
}

/* Called by the library over CUPTI, where CUPTI records this process; found by its name, since the
 * two libraries do not know each other. `follow` is called when ranges switch recording. */
__attribute__((visibility("default"))) void tdm_capture_stand_back(void (*follow)(void));
void tdm_capture_stand_back(void (*follow)(void)) {
  tdm_capture_only(TDM_CAPTURE_WANT_NVTX);
  tdm_ranges_tell(follow);
}
