/* Records of a capture as rows. See inside.h.
 *
 * A launch is told by two records, the call and what was launched: the second comes before its
 * call, or right behind it, in the same thread; the runtime's call and the driver's within it have
 * the same correlation and both say it. */
#include <string.h>

#include "read/capture/inside.h"

enum { ARGS = 20 };

/* Arguments of one row in the making. */
typedef struct {
  tdm_capture_reading *reading;
  uint32_t count;
  tdm_one_arg arg[ARGS];
} arg_row;

static void add(arg_row *row, const char *key, tdm_arg_type type, int64_t value) {
  row->arg[row->count++] =
      (tdm_one_arg){tdm_record_text(row->reading->recorder, key), (uint32_t)type, value};
}

static void add_int(arg_row *row, const char *key, int64_t value) {
  add(row, key, TDM_ARG_INT, value);
}

static void add_text(arg_row *row, const char *key, const char *text) {
  add(row, key, TDM_ARG_TEXT,
      text != NULL ? (int64_t)tdm_record_text(row->reading->recorder, text) : TDM_NONE);
}

static void add_correlation(arg_row *row, const tdm_capture_record *record) {
  add_int(row, "correlation", record->correlation != 0 ? record->correlation : TDM_NONE);
}

static int64_t amount_of(const tdm_capture_record *record) {
  return record->amount <= INT64_MAX ? (int64_t)record->amount : INT64_MAX;
}

static int64_t length_of(tdm_capture_reading *reading, const tdm_capture_record *record) {
  if (record->end_ns >= record->start_ns) return record->end_ns - record->start_ns;
  tdm_record_problem(reading->recorder, "events that end before they start (duration 0)", 1);
  return 0;
}

static void write(arg_row *row, const char *category, tdm_shape shape,
                  const tdm_capture_record *record, uint32_t track, uint32_t name) {
  tdm_capture_reading *reading = row->reading;
  if ((reading->options->dropped & tdm_read_kind(category)) != 0) return;
  int64_t dur_ns = shape == TDM_SHAPE_INSTANT ? 0
                   : shape == TDM_SHAPE_OPEN  ? reading->last_ns - record->start_ns
                                              : length_of(reading, record);
  tdm_arg_row(&reading->layouts, tdm_record_text(reading->recorder, category), shape,
              record->start_ns, dur_ns, track, name, row->arg, row->count);
}

/* ---- calls ---- */

static void add_launch(arg_row *row, const tdm_capture_record *launch) {
  add(row, "function", TDM_ARG_TEXT, tdm_capture_name_of(row->reading, launch->name, "kernel"));
  static const char *const grid[] = {"grid_x", "grid_y", "grid_z"};
  static const char *const block[] = {"block_x", "block_y", "block_z"};
  for (size_t i = 0; i < 3; i++) add_int(row, grid[i], launch->ran.grid[i]);
  for (size_t i = 0; i < 3; i++) add_int(row, block[i], launch->ran.block[i]);
  add_int(row, "shared_bytes", launch->ran.shared_bytes);
  add_int(row, "device", launch->ran.device_id);
  add_int(row, "stream", launch->ran.stream_id);
}

/* How long a thread was between two calls: at least what recording one costs. */
static void note_gap(tdm_capture_reading *reading, tdm_capture_thread *thread,
                     const tdm_capture_record *record) {
  int64_t gap = thread->call_end_ns != TDM_NONE ? record->start_ns - thread->call_end_ns : -1;
  if (gap >= 0 && gap < TDM_CAPTURE_GAPS * TDM_CAPTURE_GAP_NS)
    reading->gaps[gap / TDM_CAPTURE_GAP_NS]++;
  thread->call_end_ns = record->end_ns;
}

static void write_call(tdm_capture_reading *reading, tdm_capture_thread *thread) {
  if (!thread->held) return;
  thread->held = false;
  const tdm_capture_record *record = &thread->call;
  arg_row row = {.reading = reading};
  add_correlation(&row, record);
  add_int(&row, "return_code", record->result);
  int64_t bytes = amount_of(record);
  if (bytes == 0) bytes = tdm_capture_allocated(reading, thread->pid, record->correlation);
  if (bytes != 0) add_int(&row, "bytes", bytes);
  if ((record->flags & TDM_CAPTURE_CAPTURED) != 0) add(&row, "captured", TDM_ARG_BOOL, 1);
  if (record->correlation != 0 && thread->launch.kind == TDM_CAPTURE_LAUNCH &&
      thread->launch.correlation == record->correlation) {
    add_launch(&row, &thread->launch);
    thread->promised = false;
  }
  reading->calls++;
  note_gap(reading, thread, record);
  bool runtime = record->detail == TDM_CAPTURE_RUNTIME;
  write(&row, runtime ? "runtime" : "driver", TDM_SHAPE_SPAN, record, thread->track,
        tdm_capture_name_of(reading, record->name, "CUDA call"));
}

static void make_call(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                      const tdm_capture_record *record) {
  uint32_t tid = owner->tid;
  if (tid == 0 && record->address <= INT32_MAX) tid = (uint32_t)record->address;
  tdm_capture_thread *thread = tdm_capture_thread_of(reading, owner->pid, tid);
  if (thread == NULL) return;
  write_call(reading, thread);
  thread->call = *record;
  thread->held = true;
}

static void write_promise(tdm_capture_reading *reading, tdm_capture_thread *thread) {
  if (!thread->promised) return;
  thread->promised = false;
  tdm_record_problem(reading->recorder, "launches without a call (kept as instants)", 1);
  arg_row row = {.reading = reading};
  add_correlation(&row, &thread->launch);
  add_launch(&row, &thread->launch);
  write(&row, "driver", TDM_SHAPE_INSTANT, &thread->launch, thread->track,
        tdm_record_text(reading->recorder, "cuLaunchKernel"));
}

static void make_launch(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                        const tdm_capture_record *record) {
  tdm_capture_thread *thread = tdm_capture_thread_of(reading, owner->pid, owner->tid);
  if (thread == NULL) return;
  write_promise(reading, thread);
  thread->launch = *record;
  thread->promised = true;
  if (thread->call.correlation == record->correlation) write_call(reading, thread);
}

void tdm_capture_make_rest(tdm_capture_reading *reading) {
  for (size_t i = 0; i < reading->thread_keys.count; i++) {
    write_call(reading, &reading->threads[i]);
    write_promise(reading, &reading->threads[i]);
  }
}

/* ---- devices ---- */

static void add_estimated(arg_row *row, const tdm_capture_record *record) {
  if ((record->flags & TDM_CAPTURE_ESTIMATED) == 0) return;
  row->reading->estimated++;
  add(row, "estimated", TDM_ARG_BOOL, 1);
}

static uint32_t stream_of(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                          const tdm_capture_record *record) {
  int64_t stream = record->stream <= INT64_MAX ? (int64_t)record->stream : -1;
  int64_t device = tdm_capture_device_of(reading, owner, record);
  return tdm_capture_stream(reading, owner->pid, device, record->context, stream);
}

static void make_kernel(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                        const tdm_capture_record *record) {
  arg_row row = {.reading = reading};
  add_correlation(&row, record);
  add_int(&row, "registers_per_thread",
          record->ran.registers != 0 ? record->ran.registers : TDM_NONE);
  static const char *const grid[] = {"grid_x", "grid_y", "grid_z"};
  static const char *const block[] = {"block_x", "block_y", "block_z"};
  for (size_t i = 0; i < 3; i++) add_int(&row, grid[i], record->ran.grid[i]);
  for (size_t i = 0; i < 3; i++) add_int(&row, block[i], record->ran.block[i]);
  add_int(&row, "shared_bytes", record->ran.shared_bytes);
  add_estimated(&row, record);
  uint32_t track = tdm_capture_stream(reading, owner->pid, record->ran.device_id,
                                      record->ran.context_id, record->ran.stream_id);
  write(&row, "kernel", TDM_SHAPE_SPAN, record, track,
        tdm_capture_name_of(reading, record->name, "kernel"));
}

static void make_copy(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                      const tdm_capture_record *record) {
  static const struct {
    const char *kind, *from, *to;
  } ways[] = {[TDM_CAPTURE_H2D] = {"HtoD", "host", "device"},
              [TDM_CAPTURE_D2H] = {"DtoH", "device", "host"},
              [TDM_CAPTURE_D2D] = {"DtoD", "device", "device"},
              [TDM_CAPTURE_H2H] = {"HtoH", "host", "host"},
              [TDM_CAPTURE_P2P] = {"PtoP", "device", "device"},
              [TDM_CAPTURE_ANY] = {NULL, NULL, NULL}};
  size_t way = record->detail >= TDM_CAPTURE_H2D && record->detail < TDM_CAPTURE_ANY
                   ? record->detail
                   : TDM_CAPTURE_ANY;
  bool estimated = (record->flags & TDM_CAPTURE_ESTIMATED) != 0; /* by who does not know memory */
  const char *host = (record->flags & TDM_CAPTURE_PAGEABLE) != 0 ? "pageable"
                     : estimated                                 ? NULL
                                                                 : "pinned";
  const char *from = ways[way].from, *to = ways[way].to;
  char name[32];
  snprintf(name, sizeof name, "Memcpy %s", ways[way].kind != NULL ? ways[way].kind : "unknown");
  arg_row row = {.reading = reading};
  add_correlation(&row, record);
  add_int(&row, "bytes", amount_of(record));
  add_text(&row, "kind", ways[way].kind);
  add_text(&row, "src_kind", from != NULL && from[0] == 'h' ? host : from);
  add_text(&row, "dst_kind", to != NULL && to[0] == 'h' ? host : to);
  add_estimated(&row, record);
  write(&row, "memcpy", TDM_SHAPE_SPAN, record, stream_of(reading, owner, record),
        tdm_record_text(reading->recorder, name));
}

static void make_fill(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                      const tdm_capture_record *record) {
  arg_row row = {.reading = reading};
  add_correlation(&row, record);
  add_int(&row, "bytes", amount_of(record));
  add_estimated(&row, record);
  write(&row, "memset", TDM_SHAPE_SPAN, record, stream_of(reading, owner, record),
        tdm_record_text(reading->recorder, "Memset"));
}

static void make_graph(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                       const tdm_capture_record *record) {
  int64_t graph = record->address <= INT64_MAX ? (int64_t)record->address : TDM_NONE;
  char name[40] = "CUDA graph";
  if (graph > 0) snprintf(name, sizeof name, "CUDA graph %lld", (long long)graph);
  arg_row row = {.reading = reading};
  add_correlation(&row, record);
  add_int(&row, "graph_id", graph);
  add_estimated(&row, record);
  write(&row, "graph", TDM_SHAPE_SPAN, record, stream_of(reading, owner, record),
        tdm_record_text(reading->recorder, name));
}

/* The host waits while the stream runs: it may overlap what is on the track. */
static void make_sync(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                      const tdm_capture_record *record) {
  static const char *const kinds[] = {NULL, "event_synchronize", "stream_wait_event",
                                      "stream_synchronize", "context_synchronize"};
  const char *kind = record->detail < sizeof kinds / sizeof *kinds ? kinds[record->detail] : NULL;
  arg_row row = {.reading = reading};
  add_correlation(&row, record);
  add_text(&row, "kind", kind);
  write(&row, "sync", TDM_SHAPE_ASYNC, record, stream_of(reading, owner, record),
        tdm_capture_name_of(reading, record->name, kind != NULL ? kind : "synchronize"));
}

static void make_memory(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                        const tdm_capture_record *record) {
  static const char *const kinds[] = {[TDM_CAPTURE_MEMORY_DEVICE] = "device",
                                      [TDM_CAPTURE_MEMORY_PINNED] = "pinned",
                                      [TDM_CAPTURE_MEMORY_MANAGED] = "managed",
                                      [TDM_CAPTURE_MEMORY_ARRAY] = "array"};
  const char *kind = record->detail < sizeof kinds / sizeof *kinds ? kinds[record->detail] : NULL;
  bool freed = (record->flags & TDM_CAPTURE_FREED) != 0;
  arg_row row = {.reading = reading};
  add_correlation(&row, record);
  add_int(&row, "bytes", amount_of(record));
  add_int(&row, "address", (int64_t)record->address);
  add_text(&row, "memory_kind", kind != NULL ? kind : "device");
  /* A failed one allocates nothing; its call says why. */
  const char *name = record->result != 0 ? "failed allocation"
                     : freed             ? "deallocation"
                                         : "allocation";
  write(&row, "memory", TDM_SHAPE_INSTANT, record,
        tdm_capture_device(reading, owner->pid, record->device),
        tdm_record_text(reading->recorder, name));
}

/* ---- ranges ---- */

static void make_range(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                       const tdm_capture_record *record, tdm_shape shape) {
  uint32_t tid =
      record->nvtx.tid != 0 && record->nvtx.tid <= INT32_MAX ? record->nvtx.tid : owner->tid;
  tdm_capture_thread *thread = tdm_capture_thread_of(reading, owner->pid, tid);
  if (thread == NULL) return;
  arg_row row = {.reading = reading};
  if (record->nvtx.domain != 0)
    add(&row, "domain", TDM_ARG_TEXT, tdm_capture_name_of(reading, record->nvtx.domain, "domain"));
  if (record->nvtx.category != 0) {
    uint32_t name = tdm_id_map_get(&reading->names, record->nvtx.category);
    char text[40]; /* of a category that has a number alone */
    snprintf(text, sizeof text, "category %llu", (unsigned long long)record->nvtx.category);
    add(&row, "nvtx_category", TDM_ARG_TEXT,
        name != TDM_ID_NONE ? name : tdm_record_text(reading->recorder, text));
  }
  if (record->nvtx.color != 0) add_int(&row, "color", record->nvtx.color);
  write(&row, "nvtx", shape, record, thread->track,
        tdm_capture_name_of(reading, record->name, "range"));
}

static void make_open(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                      const tdm_capture_record *record) {
  if (tdm_capture_ended(reading, owner, record)) return;
  tdm_record_problem(reading->recorder, "ranges without an end (ended with the capture)", 1);
  make_range(reading, owner, record, TDM_SHAPE_OPEN);
}

/* ---- the rest ---- */

static void make_device(tdm_capture_reading *reading, const tdm_capture_record *record) {
  char key[64];
  size_t length;
  const char *name = tdm_recorder_name(reading->recorder,
                                       tdm_capture_name_of(reading, record->name, "GPU"), &length);
  snprintf(key, sizeof key, "gpu.%u.name", record->device);
  if (name != NULL) tdm_record_fact(reading->recorder, key, name);
  snprintf(key, sizeof key, "gpu.%u.memory_bytes", record->device);
  if (record->amount != 0) tdm_record_fact_int(reading->recorder, key, amount_of(record));
}

/* The recorder keeps names as long as it lives. */
static void make_message(tdm_capture_reading *reading, const tdm_capture_record *record) {
  const char *text = tdm_recorder_name(
      reading->recorder, tdm_capture_name_of(reading, record->name, "a message"), NULL);
  if (text != NULL && reading->messages++ < 100) tdm_record_problem(reading->recorder, text, 1);
}

void tdm_capture_make(tdm_capture_reading *reading, const tdm_capture_owner *owner,
                      const tdm_capture_record *record, size_t slots) {
  (void)slots;
  switch (record->kind) {
  case TDM_CAPTURE_NAME:
  case TDM_CAPTURE_NOTHING: return;
  case TDM_CAPTURE_DEVICE: make_device(reading, record); return;
  case TDM_CAPTURE_MESSAGE: make_message(reading, record); return;
  case TDM_CAPTURE_CAUGHT:
    tdm_record_problem(reading->recorder, "records lost by the program's profiling library",
                       record->amount);
    return;
  default: break;
  }
  if (record->kind > TDM_CAPTURE_CAUGHT) {
    tdm_record_problem(reading->recorder, "records of kinds that are not known (left out)", 1);
    return;
  }
  if (!tdm_capture_timely(reading, record)) {
    tdm_record_problem(reading->recorder, "records whose times are not of this capture (left out)",
                       1);
    return;
  }
  reading->records++;
  switch (record->kind) {
  case TDM_CAPTURE_CALL: make_call(reading, owner, record); break;
  case TDM_CAPTURE_LAUNCH: make_launch(reading, owner, record); break;
  case TDM_CAPTURE_KERNEL: make_kernel(reading, owner, record); break;
  case TDM_CAPTURE_COPY: make_copy(reading, owner, record); break;
  case TDM_CAPTURE_FILL: make_fill(reading, owner, record); break;
  case TDM_CAPTURE_GRAPH: make_graph(reading, owner, record); break;
  case TDM_CAPTURE_SYNC: make_sync(reading, owner, record); break;
  case TDM_CAPTURE_MEMORY: make_memory(reading, owner, record); break;
  case TDM_CAPTURE_RANGE:
    make_range(reading, owner, record,
               (record->flags & TDM_CAPTURE_PUSHED) != 0 ? TDM_SHAPE_SPAN : TDM_SHAPE_ASYNC);
    break;
  case TDM_CAPTURE_OPEN: make_open(reading, owner, record); break;
  case TDM_CAPTURE_MARK: make_range(reading, owner, record, TDM_SHAPE_INSTANT); break;
  default: break;
  }
}
