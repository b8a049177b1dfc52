/* One function for each kind of activity. */
#include "capture/cupti.h"

#include <string.h>

#include "capture/buffer.h"

enum { CALLS = 2048 }; /* of an API; the driver had 807 in 2025 */

/* Ids of the names of calls, by API and number; 0: not asked yet. */
static uint64_t call_names[2][CALLS];

/* "cudaLaunchKernel_v7000" is known to people, and to other tools, as cudaLaunchKernel. */
static size_t without_version(const char *name) {
  size_t length = strlen(name), digits = 0;
  while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
    digits++;
  return digits >= 4 && length > digits + 2 && !memcmp(name + length - digits - 2, "_v", 2)
             ? length - digits - 2
             : length;
}

static uint64_t call_name(tdm_cupti_records *r, tdm_capture_domain domain, uint32_t number) {
  uint64_t *kept = number < CALLS ? &call_names[domain][number] : NULL;
  if (kept && *kept) return *kept;
  const char *name = NULL;
  CUptiResult result = r->library->cuptiGetCallbackName(
      domain == TDM_CAPTURE_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API,
      number, &name);
  if (result != CUPTI_SUCCESS || !name) name = "unknown call";
  uint64_t id = tdm_capture_text_bytes(name, without_version(name));
  if (kept) *kept = id;
  return id;
}

/* Whether an activity has its times, which CUPTI leaves out when its own buffers on the device are
 * full. */
static bool timed(tdm_cupti_records *r, tdm_capture_record *record, uint64_t start, uint64_t end) {
  if (!start && !end) {
    r->untimed++;
    return false;
  }
  record->start_ns = (int64_t)start + r->to_monotonic_ns;
  record->end_ns = (int64_t)end + r->to_monotonic_ns;
  return true;
}

static void put_call(tdm_cupti_records *r, const CUpti_ActivityAPI *call,
                     tdm_capture_domain domain) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_CALL, .detail = (uint8_t)domain};
  if (!timed(r, &record, call->start, call->end)) return;
  record.correlation = call->correlationId;
  record.name = call_name(r, domain, call->cbid);
  record.result = (int32_t)call->returnValue;
  record.address = call->threadId;
  tdm_capture_put_shared(&record);
}

static void put_kernel(tdm_cupti_records *r, const CUpti_ActivityKernel4 *kernel) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_KERNEL, .correlation = kernel->correlationId};
  if (!timed(r, &record, kernel->start, kernel->end)) return;
  record.name = tdm_capture_kernel_name(kernel->name);
  record.ran.grid[0] = (uint32_t)kernel->gridX;
  record.ran.grid[1] = (uint32_t)kernel->gridY;
  record.ran.grid[2] = (uint32_t)kernel->gridZ;
  record.ran.block[0] = (uint16_t)kernel->blockX;
  record.ran.block[1] = (uint16_t)kernel->blockY;
  record.ran.block[2] = (uint16_t)kernel->blockZ;
  record.ran.registers = kernel->registersPerThread;
  record.ran.stream_id = kernel->streamId;
  record.ran.device_id = (uint16_t)kernel->deviceId;
  record.ran.context_id = (uint16_t)kernel->contextId;
  record.ran.shared_bytes = (uint32_t)(kernel->staticSharedMemory + kernel->dynamicSharedMemory);
  tdm_capture_put_shared(&record);
}

static tdm_capture_direction direction(uint8_t kind) {
  switch (kind) {
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return TDM_CAPTURE_H2D;
  case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
  case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH: return TDM_CAPTURE_D2H;
  case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH: return TDM_CAPTURE_H2H;
  case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return TDM_CAPTURE_P2P;
  case CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN: return TDM_CAPTURE_ANY;
  default: return TDM_CAPTURE_D2D;
  }
}

static void put_copy(tdm_cupti_records *r, const CUpti_ActivityMemcpy *copy) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_COPY, .correlation = copy->correlationId};
  if (!timed(r, &record, copy->start, copy->end)) return;
  record.detail = (uint8_t)direction(copy->copyKind);
  if (copy->srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ||
      copy->dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE)
    record.flags |= TDM_CAPTURE_PAGEABLE;
  record.device = (uint16_t)copy->deviceId;
  record.context = (uint16_t)copy->contextId;
  record.stream = copy->streamId;
  record.amount = copy->bytes;
  tdm_capture_put_shared(&record);
}

/* Between devices: told on the one whose stream it is. */
static void put_peer_copy(tdm_cupti_records *r, const CUpti_ActivityMemcpyPtoP *copy) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_COPY, .detail = TDM_CAPTURE_P2P};
  if (!timed(r, &record, copy->start, copy->end)) return;
  record.correlation = copy->correlationId;
  record.device = (uint16_t)copy->deviceId;
  record.context = (uint16_t)copy->contextId;
  record.stream = copy->streamId;
  record.amount = copy->bytes;
  tdm_capture_put_shared(&record);
}

static void put_fill(tdm_cupti_records *r, const CUpti_ActivityMemset *fill) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_FILL, .correlation = fill->correlationId};
  if (!timed(r, &record, fill->start, fill->end)) return;
  record.device = (uint16_t)fill->deviceId;
  record.context = (uint16_t)fill->contextId;
  record.stream = fill->streamId;
  record.amount = fill->bytes;
  tdm_capture_put_shared(&record);
}

static void put_sync(tdm_cupti_records *r, const CUpti_ActivitySynchronization *sync) {
  static const char *const names[] = {"UNKNOWN", "EVENT_SYNCHRONIZE", "STREAM_WAIT_EVENT",
                                      "STREAM_SYNCHRONIZE", "CONTEXT_SYNCHRONIZE"};
  tdm_capture_record record = {.kind = TDM_CAPTURE_SYNC, .correlation = sync->correlationId};
  if (!timed(r, &record, sync->start, sync->end)) return;
  uint32_t type = (uint32_t)sync->type;
  record.name = tdm_capture_text(names[type < sizeof names / sizeof *names ? type : 0]);
  record.detail = (uint8_t)(type < sizeof names / sizeof *names ? type : 0);
  record.device = TDM_CAPTURE_NO_DEVICE; /* it does not say; its context has one */
  record.context = (uint16_t)sync->contextId;
  bool of_stream = sync->streamId != CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  record.stream = of_stream ? sync->streamId : TDM_CAPTURE_NO_STREAM;
  if (sync->cudaEventId != CUPTI_SYNCHRONIZATION_INVALID_VALUE) record.address = sync->cudaEventId;
  tdm_capture_put_shared(&record);
}

static void put_device(const CUpti_ActivityDevice2 *device) {
  int64_t now = tdm_capture_now_ns();
  tdm_capture_record record = {.kind = TDM_CAPTURE_DEVICE, .start_ns = now, .end_ns = now};
  record.name = tdm_capture_text(device->name);
  record.device = (uint16_t)device->id;
  record.amount = device->globalMemorySize;
  tdm_capture_put_shared(&record);
}

/* What tracing itself took of a thread, as a range of the domain CUPTI. */
static void put_overhead(tdm_cupti_records *r, const CUpti_ActivityOverhead *overhead) {
  static const char *const names[] = {
      "CUPTI buffer flush",   "CUPTI instrumentation",     "CUPTI resource",
      "loading of modules",   "lazy loading of functions", "command buffer full",
      "CUPTI buffer request", "CUPTI unified memory"};
  tdm_capture_record record = {.kind = TDM_CAPTURE_RANGE};
  if (!timed(r, &record, overhead->start, overhead->end)) return;
  uint32_t kind = (uint32_t)overhead->overheadKind >> 16;
  bool known = kind >= 1 && kind <= sizeof names / sizeof *names;
  bool compiler = overhead->overheadKind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER;
  record.name = tdm_capture_text(known      ? names[kind - 1]
                                 : compiler ? "driver compiler"
                                            : "CUPTI overhead");
  record.nvtx.domain = tdm_capture_text("CUPTI");
  if (overhead->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD)
    record.nvtx.tid = overhead->objectId.pt.threadId;
  /* The driver's own work would have been done without us. */
  if (known && (kind <= 3 || kind >= 7)) r->overhead_ns += record.end_ns - record.start_ns;
  tdm_capture_put_shared(&record);
}

#if CUPTI_API_VERSION >= 15 /* CUDA 11.2 */
static uint8_t memory_kind(uint32_t kind) {
  switch (kind) {
  case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
  case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC: return TDM_CAPTURE_MEMORY_DEVICE;
  case CUPTI_ACTIVITY_MEMORY_KIND_PINNED: return TDM_CAPTURE_MEMORY_PINNED;
  case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
  case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC: return TDM_CAPTURE_MEMORY_MANAGED;
  case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY: return TDM_CAPTURE_MEMORY_ARRAY;
  default: return 0; /* pageable: the host's, which nobody asked about */
  }
}

static void put_memory(tdm_cupti_records *r, const CUpti_ActivityMemory2 *memory) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_MEMORY, .correlation = memory->correlationId};
  record.detail = memory_kind((uint32_t)memory->memoryKind);
  if (!record.detail || !timed(r, &record, memory->timestamp, memory->timestamp)) return;
  if (memory->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE)
    record.flags |= TDM_CAPTURE_FREED;
  record.device = (uint16_t)memory->deviceId;
  record.context = (uint16_t)memory->contextId;
  record.address = memory->address;
  record.amount = memory->bytes;
  tdm_capture_put_shared(&record);
}
#endif

#if CUPTI_API_VERSION >= 18 /* CUDA 11.8 */
static void put_graph(tdm_cupti_records *r, const CUpti_ActivityGraphTrace *graph) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_GRAPH, .correlation = graph->correlationId};
  if (!timed(r, &record, graph->start, graph->end)) return;
  record.device = (uint16_t)graph->deviceId;
  record.context = (uint16_t)graph->contextId;
  record.stream = graph->streamId;
  record.address = graph->graphId;
  tdm_capture_put_shared(&record);
}
#endif

static void put(tdm_cupti_records *r, const CUpti_Activity *activity) {
  const void *one = activity;
  switch ((uint32_t)activity->kind) {
  case CUPTI_ACTIVITY_KIND_DRIVER: put_call(r, one, TDM_CAPTURE_DRIVER); break;
  case CUPTI_ACTIVITY_KIND_RUNTIME: put_call(r, one, TDM_CAPTURE_RUNTIME); break;
  case CUPTI_ACTIVITY_KIND_KERNEL:
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: put_kernel(r, one); break;
  case CUPTI_ACTIVITY_KIND_MEMCPY: put_copy(r, one); break;
  case CUPTI_ACTIVITY_KIND_MEMCPY2: put_peer_copy(r, one); break;
  case CUPTI_ACTIVITY_KIND_MEMSET: put_fill(r, one); break;
  case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: put_sync(r, one); break;
  case CUPTI_ACTIVITY_KIND_DEVICE: put_device(one); break;
  case CUPTI_ACTIVITY_KIND_OVERHEAD: put_overhead(r, one); break;
#if CUPTI_API_VERSION >= 15
  case CUPTI_ACTIVITY_KIND_MEMORY2: put_memory(r, one); break;
#endif
#if CUPTI_API_VERSION >= 18
  case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: put_graph(r, one); break;
#endif
  default: break;
  }
}

void tdm_cupti_put(tdm_cupti_records *records, uint8_t *buffer, size_t bytes) {
  CUpti_Activity *activity = NULL;
  while (records->library->cuptiActivityGetNextRecord(buffer, bytes, &activity) == CUPTI_SUCCESS)
    put(records, activity);
}
