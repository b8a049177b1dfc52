/* One event of an XPlane and its arguments: what it is, in the words of trace/record.h. See
 * inside.h. */
#include "read/xplane/inside.h"

#include <ctype.h>
#include <strings.h>

#include "base/memory.h"
#include "read/copy_name.h"
#include "read/number.h"

/* ---- arguments ---- */

static const struct {
  const char *spelled;
  tdm_xplane_use use;
  const char *key; /* NULL: as it is spelled */
} uses[] = {{"correlation_id", TDM_XPLANE_CORRELATION, "correlation"},
            {"kernel_details", TDM_XPLANE_KERNEL, NULL},
            {"memcpy_details", TDM_XPLANE_MEMCPY, NULL},
            {"memset_details", TDM_XPLANE_MEMSET, NULL},
            {"allocator_name", TDM_XPLANE_ALLOCATOR, "allocator"},
            {"allocation_bytes", TDM_XPLANE_ARG, "bytes"},
            {"bytes_allocated", TDM_XPLANE_ARG, "Total Allocated"},
            {"addr", TDM_XPLANE_ARG, "address"},
            {"name", TDM_XPLANE_ARG, "op_name"},
            {"step_num", TDM_XPLANE_STEP, NULL},
            {"theoretical_occupancy_pct", TDM_XPLANE_NOT_ZERO, NULL},
            {"occupancy_min_grid_size", TDM_XPLANE_NOT_ZERO, NULL},
            {"occupancy_suggested_block_size", TDM_XPLANE_NOT_ZERO, NULL},
            {"bytes_reserved", TDM_XPLANE_NOT_ZERO, NULL},
            {"id", TDM_XPLANE_NOT_ZERO, NULL},
            {"data_type", TDM_XPLANE_NOT_ZERO, NULL},
            {"_pt", TDM_XPLANE_PRODUCER_TYPE, NULL},
            {"_p", TDM_XPLANE_PRODUCER, NULL},
            {"_ct", TDM_XPLANE_CONSUMER_TYPE, NULL},
            {"_c", TDM_XPLANE_CONSUMER, NULL},
            {"_r", TDM_XPLANE_LEAVE_OUT, NULL},
            {"_a", TDM_XPLANE_LEAVE_OUT, NULL}};

tdm_xplane_use tdm_xplane_use_of(const char *name, size_t length, const char **key) {
  *key = NULL;
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
    if (length != strlen(uses[i].spelled) || strncasecmp(name, uses[i].spelled, length) != 0)
      continue;
    *key = uses[i].key;
    return uses[i].use;
  }
  return TDM_XPLANE_ARG;
}

/* A text may stand as the name of an argument that is not used otherwise. */
static void take_ref(tdm_xplane *x, uint64_t id, tdm_xplane_value *value) {
  uint32_t at = tdm_id_map_get(&x->stat_ids, id);
  if (at == TDM_ID_NONE) return;
  value->type = TDM_ARG_TEXT;
  value->text = x->stat[at].name;
}

tdm_xplane_value tdm_xplane_stat(tdm_xplane *x, const tdm_proto_field *stat) {
  tdm_xplane_value value = {.type = -1};
  tdm_proto_scan scan = tdm_proto_inside(stat);
  tdm_proto_field field;
  uint64_t meta = 0;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == STAT_META) meta = field.value;
    if (field.number == STAT_DOUBLE && field.wire == TDM_PROTO_FIXED64) {
      value.type = TDM_ARG_REAL;
      value.value = tdm_record_real(tdm_record_double((int64_t)field.value));
    }
    if ((field.number == STAT_UINT || field.number == STAT_INT) && field.wire == TDM_PROTO_VARINT &&
        (int64_t)field.value != TDM_NONE) {
      value.type = TDM_ARG_INT; /* of those without a sign the upper half becomes negative */
      value.value = (int64_t)field.value;
    }
    if (field.number == STAT_TEXT && field.wire == TDM_PROTO_BYTES) {
      value.type = TDM_ARG_TEXT;
      value.text = tdm_xplane_text_of(&field);
    }
    if (field.number == STAT_REF && field.wire == TDM_PROTO_VARINT)
      take_ref(x, field.value, &value);
  }
  uint32_t at = tdm_id_map_get(&x->stat_ids, meta);
  if (at != TDM_ID_NONE && !scan.bad) value.name = &x->stat[at];
  return value;
}

/* ---- what an event says ---- */

typedef struct {
  uint64_t meta, occurrences;
  int64_t offset_ps, duration_ps;
  bool has_duration, has_correlation, is_step;
  bool produces, consumes;
  uint64_t produced_type, produced, consumed_type, consumed;
  tdm_xplane_text kernel, memcpy, memset, allocator; /* text NULL: not said */
} event;

static void add(tdm_xplane *x, const char *key, tdm_arg_type type, int64_t value) {
  tdm_arg_add(x->recorder, &x->args, tdm_record_text(x->recorder, key), type, value);
}

static void add_text(tdm_xplane *x, const char *key, const char *text) {
  add(x, key, TDM_ARG_TEXT, (int64_t)tdm_record_text(x->recorder, text));
}

static void keep(tdm_xplane *x, tdm_xplane_value value) {
  size_t index = (size_t)(value.name - x->stat);
  tdm_xplane_stat_name *name = &x->stat[index];
  if (name->key == TDM_ID_NONE)
    name->key = tdm_record_name(x->recorder, name->name.text, name->name.length);
  if (value.type == TDM_ARG_TEXT) {
    if (value.text.length == 0 || tdm_xplane_is(value.text, "(null)")) return;
    value.value = (int64_t)tdm_record_name(x->recorder, value.text.text, value.text.length);
  }
  tdm_arg_add(x->recorder, &x->args, name->key, (tdm_arg_type)value.type, value.value);
}

static void take_stat(tdm_xplane *x, event *e, const tdm_proto_field *data) {
  tdm_xplane_value value = tdm_xplane_stat(x, data);
  if (value.name == NULL || value.type < 0) return;
  bool is_text = value.type == TDM_ARG_TEXT;
  switch ((tdm_xplane_use)value.name->use) {
  case TDM_XPLANE_KERNEL:
    if (is_text) e->kernel = value.text;
    return;
  case TDM_XPLANE_MEMCPY:
    if (is_text) e->memcpy = value.text;
    return;
  case TDM_XPLANE_MEMSET:
    if (is_text) e->memset = value.text;
    return;
  case TDM_XPLANE_ALLOCATOR:
    if (is_text) e->allocator = value.text;
    break;
  case TDM_XPLANE_CORRELATION: e->has_correlation = !is_text; break;
  case TDM_XPLANE_STEP: e->is_step = true; break;
  case TDM_XPLANE_NOT_ZERO:
    if (!is_text && value.value == 0) return;
    break;
  case TDM_XPLANE_PRODUCER_TYPE: e->produced_type = (uint64_t)value.value; return;
  case TDM_XPLANE_CONSUMER_TYPE: e->consumed_type = (uint64_t)value.value; return;
  case TDM_XPLANE_PRODUCER:
    e->produces = true;
    e->produced = (uint64_t)value.value;
    return;
  case TDM_XPLANE_CONSUMER:
    e->consumes = true;
    e->consumed = (uint64_t)value.value;
    return;
  case TDM_XPLANE_LEAVE_OUT: return;
  case TDM_XPLANE_ARG: break;
  }
  keep(x, value);
}

static void take_stats(tdm_xplane *x, event *e, const tdm_proto_field *data, uint32_t number) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field))
    if (field.number == number && field.wire == TDM_PROTO_BYTES) take_stat(x, e, &field);
}

/* ---- texts with details ---- */

typedef struct {
  tdm_xplane_text key, value;
} detail;

/* The next "key:value" of a text; false: none. */
static bool next_detail(tdm_xplane_text *rest, detail *out) {
  const char *at = rest->text, *end = rest->text + rest->length;
  while (at < end && *at == ' ') at++;
  const char *word = at, *colon = NULL;
  for (; at < end && *at != ' '; at++)
    if (*at == ':' && colon == NULL) colon = at;
  *rest = (tdm_xplane_text){at, (size_t)(end - at)};
  if (word == at) return false;
  if (colon == NULL) colon = at;
  out->key = (tdm_xplane_text){word, (size_t)(colon - word)};
  out->value = (tdm_xplane_text){colon + (colon < at), (size_t)(at - colon - (colon < at))};
  return true;
}

static bool whole(tdm_xplane_text text, int64_t *value) {
  return tdm_number_integer(text.text, text.length, value);
}

/* "16,16,2" as three arguments. */
static void add_axes(tdm_xplane *x, const char *const keys[3], tdm_xplane_text text) {
  const char *at = text.text, *end = text.text + text.length;
  for (int axis = 0; axis < 3 && at < end; axis++) {
    const char *from = at;
    int64_t value;
    while (at < end && *at != ',') at++;
    if (whole((tdm_xplane_text){from, (size_t)(at - from)}, &value))
      add(x, keys[axis], TDM_ARG_INT, value);
    at += at < end;
  }
}

/* ROCm's older traces have numbers there that nobody set. */
enum { MOST_REGISTERS = 4096 };

static void add_kernel(tdm_xplane *x, tdm_xplane_text details) {
  static const char *const grid[] = {"grid_x", "grid_y", "grid_z"};
  static const char *const block[] = {"block_x", "block_y", "block_z"};
  static const char *const words[][2] = {{"static_shared", "static_shared_bytes"},
                                         {"group_mem", "static_shared_bytes"},
                                         {"dynamic_shared", "dynamic_shared_bytes"},
                                         {"private_mem", "local_bytes_per_thread"}};
  bool unset = false;
  for (detail d; next_detail(&details, &d);) {
    int64_t value;
    if (tdm_xplane_is(d.key, "grid")) add_axes(x, grid, d.value);
    if (tdm_xplane_is(d.key, "block")) add_axes(x, block, d.value);
    if (tdm_xplane_is(d.key, "occ_pct") && d.value.length > 0) {
      double percent = tdm_number_double(d.value.text, d.value.length);
      if (percent > 0) add(x, "occupancy_pct", TDM_ARG_REAL, tdm_record_real(percent));
    }
    if (!whole(d.value, &value)) continue;
    if (tdm_xplane_is(d.key, "regs")) {
      unset = value < 0 || value > MOST_REGISTERS;
      if (!unset) add(x, "registers_per_thread", TDM_ARG_INT, value);
    }
    for (size_t i = 0; !unset && i < sizeof words / sizeof *words; i++)
      if (tdm_xplane_is(d.key, words[i][0])) add(x, words[i][1], TDM_ARG_INT, value);
  }
  if (unset) tdm_record_problem(x->recorder, "register counts that no GPU has (left out)", 1);
}

/* "kind_src:pinned kind_dst:device size:8 dest:0 async:1"; older ones have one "kind". */
static void add_copy(tdm_xplane *x, tdm_xplane_text details, const char *name) {
  tdm_copy_name copy = tdm_copy_name_of(name);
  if (copy.kind != NULL) add_text(x, "kind", copy.kind);
  for (detail d; next_detail(&details, &d);) {
    int64_t value;
    bool from = tdm_xplane_is(d.key, "kind_src"), to = tdm_xplane_is(d.key, "kind_dst");
    if ((from || to) && strncasecmp(d.value.text, "unknown", d.value.length) != 0)
      add(x, from ? "src_kind" : "dst_kind", TDM_ARG_TEXT,
          (int64_t)tdm_record_name(x->recorder, d.value.text, d.value.length));
    if (!whole(d.value, &value)) continue;
    if (tdm_xplane_is(d.key, "size")) add(x, "bytes", TDM_ARG_INT, value);
    if (tdm_xplane_is(d.key, "async")) add(x, "async", TDM_ARG_BOOL, value != 0);
  }
}

static void add_memset(tdm_xplane *x, tdm_xplane_text details) {
  for (detail d; next_detail(&details, &d);) {
    int64_t value;
    if (tdm_xplane_is(d.key, "kind") && strncasecmp(d.value.text, "unknown", d.value.length) != 0)
      add(x, "kind", TDM_ARG_TEXT,
          (int64_t)tdm_record_name(x->recorder, d.value.text, d.value.length));
    if (!whole(d.value, &value)) continue;
    if (tdm_xplane_is(d.key, "num_bytes") || tdm_xplane_is(d.key, "size"))
      add(x, "bytes", TDM_ARG_INT, value);
    if (tdm_xplane_is(d.key, "async")) add(x, "async", TDM_ARG_BOOL, value != 0);
  }
}

/* A device that has memory and no work is a track too, so that it has its name. */
static void announce(tdm_xplane *x, int64_t device) {
  uint32_t heading = tdm_id_map_get(&x->quiet, (uint64_t)device);
  const char *text = tdm_recorder_name(x->recorder, heading, NULL);
  if (heading == TDM_ID_NONE || text == NULL) return;
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = text;
  track.name = "GPU";
  track.kind = TDM_TRACK_DEVICE;
  track.lane = TDM_LANE_GPU;
  track.device = device;
  (void)tdm_record_track(x->recorder, &track);
  x->failed |= !tdm_id_map_put(&x->quiet, (uint64_t)device, TDM_ID_NONE);
}

/* "GPU_7_bfc" is the allocator of GPU 7; others are the host's. */
static void add_space(tdm_xplane *x, tdm_xplane_text allocator) {
  size_t digits = 4;
  int64_t device;
  bool card = allocator.length > 4 && (strncasecmp(allocator.text, "GPU_", 4) == 0 ||
                                       strncasecmp(allocator.text, "TPU_", 4) == 0);
  while (card && digits < allocator.length && isdigit((unsigned char)allocator.text[digits]))
    digits++;
  card = card && tdm_number_integer(allocator.text + 4, digits - 4, &device);
  add(x, "Device Type", TDM_ARG_INT, card);
  if (!card) return;
  add(x, "Device Id", TDM_ARG_INT, device);
  announce(x, device);
}

/* ---- what it is ---- */

static bool ends(tdm_xplane_text *text, const char *ending) {
  size_t length = strlen(ending);
  if (text->length <= length || memcmp(text->text + text->length - length, ending, length) != 0)
    return false;
  text->length -= length;
  return true;
}

/* HIP's kernels are called by their descriptor, the tracer of Python marks its functions. */
static tdm_xplane_text name_of(const tdm_xplane *x, tdm_xplane_text name, bool is_kernel) {
  if (is_kernel && (ends(&name, " [clone .kd]") || ends(&name, ".kd"))) return name;
  if (x->side == TDM_XPLANE_HOST && name.length > 1 && *name.text == '$')
    return (tdm_xplane_text){name.text + 1, name.length - 1};
  return name;
}

static bool is_driver_call(tdm_xplane_text name) {
  return tdm_xplane_begins(name, "hsa_") ||
         (tdm_xplane_begins(name, "cu") && name.length > 2 && isupper((unsigned char)name.text[2]));
}

static const char *category_on_host(const event *e, tdm_xplane_text name) {
  if (e->allocator.text != NULL &&
      (tdm_xplane_is(name, "MemoryAllocation") || tdm_xplane_is(name, "MemoryDeallocation")))
    return "memory";
  if (e->has_correlation) return is_driver_call(name) ? "driver" : "runtime";
  if (e->is_step) return "user_annotation";
  return name.length > 1 && *name.text == '$' ? "python_function" : "cpu_op";
}

static const char *category_of(const tdm_xplane *x, const event *e, tdm_xplane_text name) {
  if (x->side == TDM_XPLANE_HOST) return category_on_host(e, name);
  if (strcmp(x->line_category, "kernel") != 0 || e->kernel.text != NULL) return x->line_category;
  if (e->memcpy.text != NULL || tdm_xplane_begins(name, "Memcpy")) return "memcpy";
  if (e->memset.text != NULL || tdm_xplane_begins(name, "Memset")) return "memset";
  return x->line_category;
}

static tdm_shape shape_of(const tdm_xplane *x, const event *e, const char *category) {
  if (strcmp(category, "memory") == 0) return TDM_SHAPE_INSTANT;
  if (x->side == TDM_XPLANE_HOST && !e->has_duration) return TDM_SHAPE_INSTANT;
  return x->line_shape;
}

/* The arguments that a category has by its details. */
static void add_details(tdm_xplane *x, const event *e, const char *category, uint32_t name) {
  if (strcmp(category, "kernel") == 0 && e->kernel.text != NULL) add_kernel(x, e->kernel);
  if (strcmp(category, "memory") == 0) add_space(x, e->allocator);
  if (strcmp(category, "memset") == 0 && e->memset.text != NULL) add_memset(x, e->memset);
  if (strcmp(category, "memcpy") != 0) return;
  const char *text = tdm_recorder_name(x->recorder, name, NULL);
  add_copy(x, e->memcpy.text != NULL ? e->memcpy : (tdm_xplane_text){"", 0},
           text != NULL ? text : "");
}

/* ---- rows ---- */

bool tdm_xplane_times(int64_t line_ns, int64_t offset_ps, int64_t duration_ps, int64_t *start_ns,
                      int64_t *end_ns) {
  int64_t end_ps;
  if (duration_ps < 0 || __builtin_add_overflow(offset_ps, duration_ps, &end_ps)) return false;
  int64_t from_ns = offset_ps / 1000 - (offset_ps % 1000 < 0);
  int64_t to_ns = end_ps / 1000 - (end_ps % 1000 < 0);
  return !__builtin_add_overflow(line_ns, from_ns, start_ns) &&
         !__builtin_add_overflow(line_ns, to_ns, end_ns) && *start_ns != TDM_NONE;
}

static void put_end(tdm_xplane *x, tdm_xplane_ends *ends_of, uint64_t type, uint64_t id,
                    int64_t time_ns) {
  if (!tdm_array_grow(&ends_of->end, &ends_of->room, ends_of->count + 1, sizeof *ends_of->end)) {
    x->failed = true;
    return;
  }
  ends_of->end[ends_of->count++] = (tdm_xplane_end){type, id, time_ns, x->track};
}

static uint32_t event_name(tdm_xplane *x, tdm_xplane_event_name *about, tdm_xplane_text name,
                           bool is_kernel, bool is_memory) {
  if (is_memory)
    return tdm_record_text(x->recorder,
                           tdm_xplane_is(name, "MemoryAllocation") ? "allocation" : "deallocation");
  if (about->id == TDM_ID_NONE) {
    tdm_xplane_text shown = name_of(x, name, is_kernel);
    about->id = tdm_record_name(x->recorder, shown.text, shown.length);
  }
  return about->id;
}

static void record(tdm_xplane *x, const event *e, tdm_xplane_event_name *about) {
  int64_t start_ns, end_ns, dur_ns;
  tdm_xplane_text name = about->display.length > 0 ? about->display : about->name;
  const char *category = category_of(x, e, name);
  if ((x->dropped & tdm_read_kind(category)) != 0) return;
  if (!tdm_xplane_times(x->line_ns, e->offset_ps, e->duration_ps, &start_ns, &end_ns) ||
      __builtin_sub_overflow(end_ns, start_ns, &dur_ns)) {
    tdm_record_problem(x->recorder, "events whose times do not fit 64 bits (left out)", 1);
    return;
  }
  bool is_kernel = x->side == TDM_XPLANE_GPU && strcmp(category, "kernel") == 0;
  uint32_t id = event_name(x, about, name, is_kernel, strcmp(category, "memory") == 0);
  tdm_shape shape = shape_of(x, e, category);
  add_details(x, e, category, id);
  tdm_arg_row(&x->layouts, tdm_record_text(x->recorder, category), shape, start_ns,
              shape == TDM_SHAPE_INSTANT ? 0 : dur_ns, x->track, id, x->args.arg, x->args.count);
  if (e->produces) put_end(x, &x->producers, e->produced_type, e->produced, start_ns);
  if (e->consumes) put_end(x, &x->consumers, e->consumed_type, e->consumed, start_ns);
  x->records++;
}

void tdm_xplane_event(tdm_xplane *x, const tdm_proto_field *data) {
  static tdm_xplane_event_name none;
  tdm_xplane_event_name unnamed = none;
  event e = {0};
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  x->args.count = 0;
  while (tdm_proto_next(&scan, &field)) switch (field.number) {
    case EVENT_META: e.meta = field.value; break;
    case EVENT_OFFSET: e.offset_ps = (int64_t)field.value; break;
    case EVENT_DURATION:
      e.duration_ps = (int64_t)field.value;
      e.has_duration = true;
      break;
    case EVENT_OCCURRENCES: e.occurrences = field.value; break;
    default: break;
    }
  if (scan.bad || e.occurrences > 0) {
    tdm_record_problem(x->recorder,
                       scan.bad ? "events that cannot be read (left out)"
                                : "events that are sums over many and have no time (left out)",
                       1);
    return;
  }
  uint32_t at = tdm_id_map_get(&x->event_ids, e.meta);
  tdm_xplane_event_name *about = at != TDM_ID_NONE ? &x->event[at] : &unnamed;
  if (at != TDM_ID_NONE)
    take_stats(x, &e, &about->meta, META_STAT);
  else
    tdm_record_problem(x->recorder, "events without a name", 1);
  unnamed.id = at == TDM_ID_NONE ? tdm_record_text(x->recorder, "") : 0;
  take_stats(x, &e, data, EVENT_STAT);
  record(x, &e, about);
}
