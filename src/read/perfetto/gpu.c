/* GPU render stages of a Perfetto trace: what ran on a GPU's queues. PyTorch writes kernels and
 * copies this way. See inside.h. */
#include <stdio.h>
#include <stdlib.h>

#include "read/number.h"
#include "read/perfetto/inside.h"

typedef struct {
  uint64_t id, duration_ns, queue, stage, context, kernel;
  int64_t gpu;
  uint32_t name;
  int has_duration, has_context;
} stage_event;

static uint32_t look_up(const tdm_pftrace_sequence *q, int table, uint64_t iid) {
  return iid != 0 ? tdm_id_map_get(&q->table[table], iid) : TDM_ID_NONE;
}

static void add_int(tdm_pftrace_state *s, const char *key, int64_t value) {
  tdm_arg_add(s->recorder, &s->args, tdm_record_text(s->recorder, key), TDM_ARG_INT, value);
}

/* grid and block. */
static void take_dimensions(tdm_pftrace_state *s, const tdm_proto_field *data, const char *what) {
  static const char *const axes[] = {"x", "y", "z"};
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  char key[16];
  while (tdm_proto_next(&scan, &field)) {
    if (field.number < 1 || field.number > 3) continue;
    snprintf(key, sizeof key, "%s_%s", what, axes[field.number - 1]);
    add_int(s, key, (int64_t)field.value);
  }
}

/* A typed argument of a launch. */
static void take_launch_arg(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                            const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  uint32_t key = TDM_ID_NONE, text;
  tdm_arg_type type = TDM_ARG_INT;
  int64_t value = TDM_NONE;
  while (tdm_proto_next(&scan, &field)) switch (field.number) {
    case TDM_PF_COMPUTE_NAME_IID: key = look_up(q, TDM_PF_COMPUTE_KEYS, field.value); break;
    case TDM_PF_COMPUTE_NAME: key = tdm_pftrace_name(s, &field); break;
    case TDM_PF_COMPUTE_INT:
    case TDM_PF_COMPUTE_UINT: value = (int64_t)field.value; break;
    case TDM_PF_COMPUTE_DOUBLE:
      type = TDM_ARG_REAL;
      value = tdm_record_real(tdm_record_double((int64_t)field.value));
      break;
    case TDM_PF_COMPUTE_STRING:
      type = TDM_ARG_TEXT;
      value = tdm_pftrace_name(s, &field);
      break;
    case TDM_PF_COMPUTE_STRING_IID:
      type = TDM_ARG_TEXT;
      text = look_up(q, TDM_PF_TEXTS, field.value);
      value = text != TDM_ID_NONE ? text : TDM_NONE;
      break;
    default: break;
    }
  if (key == TDM_ID_NONE || value == TDM_NONE) {
    tdm_record_problem(s->recorder, "arguments of launches without a name or value (left out)", 1);
    return;
  }
  tdm_arg_add(s->recorder, &s->args, tdm_pftrace_key(s, key), type, value);
}

static void take_launch(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                        const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    if (field.wire != TDM_PROTO_BYTES) continue;
    if (field.number == TDM_PF_LAUNCH_GRID) take_dimensions(s, &field, "grid");
    if (field.number == TDM_PF_LAUNCH_WORKGROUP) take_dimensions(s, &field, "block");
    if (field.number == TDM_PF_LAUNCH_ARGS) take_launch_arg(s, q, &field);
  }
}

/* Name and value as texts; whole numbers become numbers again. */
static void take_extra(tdm_pftrace_state *s, const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  uint32_t key = TDM_ID_NONE;
  tdm_arg_type type = TDM_ARG_TEXT;
  int64_t value = TDM_NONE;
  while (tdm_proto_next(&scan, &field)) {
    if (field.wire != TDM_PROTO_BYTES) continue;
    if (field.number == 1) key = tdm_pftrace_name(s, &field);
    if (field.number != 2) continue;
    int whole = tdm_number_integer((const char *)field.bytes, field.length, &value);
    type = whole ? TDM_ARG_INT : TDM_ARG_TEXT;
    if (!whole) value = tdm_pftrace_name(s, &field);
  }
  if (key != TDM_ID_NONE && value != TDM_NONE)
    tdm_arg_add(s->recorder, &s->args, tdm_pftrace_key(s, key), type, value);
}

static void take_field(tdm_pftrace_state *s, const tdm_pftrace_sequence *q, stage_event *e,
                       const tdm_proto_field *field) {
  switch (field->number) {
  case TDM_PF_STAGE_ID: e->id = field->value; break;
  case TDM_PF_STAGE_DURATION:
    e->duration_ns = field->value;
    e->has_duration = 1;
    break;
  case TDM_PF_STAGE_CONTEXT:
    e->context = field->value;
    e->has_context = 1;
    break;
  case TDM_PF_STAGE_EXTRA:
    if (field->wire == TDM_PROTO_BYTES) take_extra(s, field);
    break;
  case TDM_PF_STAGE_GPU: e->gpu = (int32_t)field->value; break;
  case TDM_PF_STAGE_QUEUE: e->queue = field->value; break;
  case TDM_PF_STAGE_STAGE: e->stage = field->value; break;
  case TDM_PF_STAGE_NAME: e->name = tdm_pftrace_name(s, field); break;
  case TDM_PF_STAGE_NAME_IID: e->name = look_up(q, TDM_PF_NAMES, field->value); break;
  case TDM_PF_STAGE_WAITS:
    tdm_record_problem(s->recorder, "dependencies between GPU stages (left out)", 1);
    break;
  case TDM_PF_STAGE_KERNEL: e->kernel = field->value; break;
  case TDM_PF_STAGE_LAUNCH:
    if (field->wire == TDM_PROTO_BYTES) take_launch(s, q, field);
    break;
  default: break;
  }
}

static uint32_t track_of(tdm_pftrace_state *s, const tdm_pftrace_sequence *q,
                         const stage_event *e) {
  char heading[32];
  uint32_t queue = look_up(q, TDM_PF_SPECIFICATIONS, e->queue);
  uint32_t pid =
      e->has_context ? tdm_id_map_get(&q->table[TDM_PF_CONTEXTS], e->context) : TDM_ID_NONE;
  const char *name = queue != TDM_ID_NONE ? tdm_recorder_name(s->recorder, queue, NULL) : NULL;
  tdm_track track = TDM_TRACK_PLAIN;
  snprintf(heading, sizeof heading, "GPU #%lld", (long long)e->gpu);
  track.process = heading;
  track.name = name != NULL ? name : "queue";
  track.kind = TDM_TRACK_STREAM;
  track.lane = TDM_LANE_GPU;
  track.device = e->gpu;
  if (e->has_context) track.context = (int64_t)e->context;
  if (pid != TDM_ID_NONE) track.pid = pid;
  if (strncmp(track.name, "stream ", 7) == 0 || strncmp(track.name, "Stream ", 7) == 0)
    track.stream = strtoll(track.name + 7, NULL, 10);
  return tdm_record_track(s->recorder, &track);
}

/* "kernel", "memcpy", "memset" by how the stage is called. */
static uint32_t category_of(tdm_pftrace_state *s, uint32_t stage) {
  static const char *const words[][2] = {
      {"Kernel", "kernel"}, {"Memcpy", "memcpy"}, {"Memset", "memset"}, {"Graph", "graph"}};
  const char *name = stage != TDM_ID_NONE ? tdm_recorder_name(s->recorder, stage, NULL) : NULL;
  if (name == NULL) return tdm_record_text(s->recorder, "kernel");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strncmp(name, words[i][0], strlen(words[i][0])) == 0)
      return tdm_record_text(s->recorder, words[i][1]);
  return stage;
}

void tdm_pftrace_stage(tdm_pftrace_state *s, const tdm_pftrace_sequence *q, int64_t time_ns,
                       const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  stage_event e = {.name = TDM_ID_NONE};
  s->args.count = 0;
  while (tdm_proto_next(&scan, &field)) take_field(s, q, &e, &field);
  uint32_t stage = look_up(q, TDM_PF_SPECIFICATIONS, e.stage);
  if (e.name == TDM_ID_NONE) e.name = look_up(q, TDM_PF_KERNELS, e.kernel);
  if (e.name == TDM_ID_NONE) e.name = stage;
  if (e.name == TDM_ID_NONE) e.name = tdm_record_text(s->recorder, "");
  uint32_t track = track_of(s, q, &e), category = category_of(s, stage);
  int64_t dur_ns = e.duration_ns > INT64_MAX ? 0 : (int64_t)e.duration_ns, end_ns;
  if (__builtin_add_overflow(time_ns, dur_ns, &end_ns)) end_ns = time_ns;
  if (end_ns > s->last_ns) s->last_ns = end_ns;
  if (tdm_pftrace_is_wanted(s, category))
    tdm_arg_row(&s->layouts, category, e.has_duration ? TDM_SHAPE_SPAN : TDM_SHAPE_INSTANT, time_ns,
                dur_ns, track, e.name, s->args.arg, s->args.count);
  tdm_pftrace_flow(s, e.id, s->launch_kind, time_ns, track, 1);
}
