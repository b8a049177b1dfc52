/* One plane of an XSpace: its names, what it says of its device or session, its lines as tracks.
 * See inside.h. */
#include "read/xplane/inside.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/number.h"
#include "trace/utf8.h"

/* Times above this are of the epoch, those below of the session: three years, and 1973. */
#define EPOCH_NS ((int64_t)100000000000000000)

/* ---- names ---- */

/* An entry of a map: number → {its number, its name, …}. */
static bool take_entry(const tdm_proto_field *entry, uint64_t *id, tdm_proto_field *meta) {
  tdm_proto_scan scan = tdm_proto_inside(entry);
  tdm_proto_field field;
  bool told = false, found = false;
  *id = 0;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number == 1 && field.wire == TDM_PROTO_VARINT) {
      *id = field.value;
      told = true;
    }
    if (field.number != 2 || field.wire != TDM_PROTO_BYTES) continue;
    *meta = field;
    found = true;
  }
  if (!found) *meta = (tdm_proto_field){.wire = TDM_PROTO_BYTES};
  if (told || scan.bad) return !scan.bad;
  scan = tdm_proto_inside(meta);
  while (tdm_proto_next(&scan, &field))
    if (field.number == META_ID && field.wire == TDM_PROTO_VARINT) *id = field.value;
  return !scan.bad;
}

static tdm_xplane_text text_in(const tdm_proto_field *message, uint32_t number) {
  tdm_proto_scan scan = tdm_proto_inside(message);
  tdm_proto_field field;
  tdm_xplane_text text = {"", 0};
  while (tdm_proto_next(&scan, &field))
    if (field.number == number && field.wire == TDM_PROTO_BYTES) text = tdm_xplane_text_of(&field);
  return text;
}

static void take_stat_name(tdm_xplane *x, const tdm_proto_field *entry) {
  tdm_proto_field meta;
  uint64_t id;
  if (!take_entry(entry, &id, &meta)) {
    tdm_record_problem(x->recorder, "names that cannot be read (left out)", 1);
    return;
  }
  if (!tdm_array_grow(&x->stat, &x->stat_room, x->stats + 1, sizeof *x->stat) ||
      !tdm_id_map_put(&x->stat_ids, id, (uint32_t)x->stats)) {
    x->failed = true;
    return;
  }
  const char *key;
  tdm_xplane_text name = text_in(&meta, META_NAME);
  tdm_xplane_use use = tdm_xplane_use_of(name.text, name.length, &key);
  x->stat[x->stats++] =
      (tdm_xplane_stat_name){.name = name,
                             .use = (uint8_t)use,
                             .key = key != NULL ? tdm_record_text(x->recorder, key) : TDM_ID_NONE};
}

static void take_event_name(tdm_xplane *x, const tdm_proto_field *entry) {
  tdm_proto_field meta;
  uint64_t id;
  if (!take_entry(entry, &id, &meta)) {
    tdm_record_problem(x->recorder, "names that cannot be read (left out)", 1);
    return;
  }
  if (!tdm_array_grow(&x->event, &x->event_room, x->events + 1, sizeof *x->event) ||
      !tdm_id_map_put(&x->event_ids, id, (uint32_t)x->events)) {
    x->failed = true;
    return;
  }
  x->event[x->events++] = (tdm_xplane_event_name){.name = text_in(&meta, META_NAME),
                                                  .display = text_in(&meta, META_DISPLAY),
                                                  .meta = meta,
                                                  .id = TDM_ID_NONE};
}

/* ---- what it is ---- */

static bool after(tdm_xplane_text name, const char *prefix, tdm_xplane_text *rest) {
  size_t length = strlen(prefix);
  if (!tdm_xplane_begins(name, prefix)) return false;
  *rest = (tdm_xplane_text){name.text + length, name.length - length};
  return true;
}

bool tdm_xplane_side_of(const char *name, size_t length, tdm_xplane_side *side, int64_t *device) {
  tdm_xplane_text text = {name, length}, rest;
  *device = TDM_NONE;
  *side = TDM_XPLANE_CUSTOM;
  if (tdm_xplane_is(text, "Task Environment")) *side = TDM_XPLANE_TASK;
  if (after(text, "/host:", &rest)) *side = TDM_XPLANE_HOST;
  if (after(text, "/device:GPU:", &rest) && tdm_number_integer(rest.text, rest.length, device))
    *side = TDM_XPLANE_GPU;
  if (after(text, "/device:TPU:", &rest) && tdm_number_integer(rest.text, rest.length, device))
    *side = TDM_XPLANE_TPU;
  return *side != TDM_XPLANE_CUSTOM || after(text, "/device:", &rest);
}

/* ---- what it says of its device ---- */

typedef struct {
  char vendor[24], name[40];
  int64_t major, minor;
} device_words;

static void gpu_fact(tdm_xplane *x, const char *what, const char *value) {
  char key[80];
  snprintf(key, sizeof key, "gpu.%lld.%s", (long long)x->device, what);
  tdm_record_fact(x->recorder, key, value);
}

/* Names of facts that other formats have too. */
static const struct {
  const char *spelled, *key;
  int64_t factor;
} device_facts[] = {{"clock_rate", "clock_hz", 1000}, /* kHz */
                    {"core_count", "sm_count", 1},
                    {"memory_bandwidth", "memory_bytes_per_s", 1},
                    {"memory_size", "memory_bytes", 1}};

static void device_number(tdm_xplane *x, device_words *words, tdm_xplane_text name, int64_t value) {
  char text[32];
  if (tdm_xplane_is(name, "compute_cap_major")) words->major = value;
  if (tdm_xplane_is(name, "compute_cap_minor")) words->minor = value;
  for (size_t i = 0; i < sizeof device_facts / sizeof *device_facts; i++) {
    if (!tdm_xplane_is(name, device_facts[i].spelled)) continue;
    if (__builtin_mul_overflow(value, device_facts[i].factor, &value)) return;
    snprintf(text, sizeof text, "%lld", (long long)value);
    gpu_fact(x, device_facts[i].key, text);
  }
}

/* Cut between characters, and where it is no UTF-8. */
static void copy_text(char *out, size_t room, tdm_xplane_text text) {
  size_t length = tdm_utf8_valid(text.text, text.length < room ? text.length : room - 1);
  memcpy(out, text.text, length);
  out[length] = 0;
}

static void take_plane_stats(tdm_xplane *x, const tdm_proto_field *plane, device_words *words) {
  tdm_proto_scan scan = tdm_proto_inside(plane);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    if (field.number != PLANE_STAT || field.wire != TDM_PROTO_BYTES) continue;
    tdm_xplane_value value = tdm_xplane_stat(x, &field);
    if (value.name == NULL) continue;
    tdm_xplane_text name = value.name->name;
    if (x->side == TDM_XPLANE_TASK && value.type == TDM_ARG_INT) {
      if (tdm_xplane_is(name, "profile_start_time")) x->session_utc_ns = value.value;
      if (tdm_xplane_is(name, "profile_stop_time")) x->session_end_utc_ns = value.value;
    }
    if (x->side != TDM_XPLANE_GPU && x->side != TDM_XPLANE_TPU) continue;
    if (value.type == TDM_ARG_INT) device_number(x, words, name, value.value);
    if (value.type != TDM_ARG_TEXT) continue;
    if (tdm_xplane_is(name, "device_vendor"))
      copy_text(words->vendor, sizeof words->vendor, value.text);
    if (tdm_xplane_is(name, "device_type_string"))
      copy_text(words->name, sizeof words->name, value.text);
  }
}

static void describe_device(tdm_xplane *x, const device_words *words) {
  char text[64];
  const char *sort = x->side == TDM_XPLANE_TPU ? "TPU" : "GPU";
  const char *vendor = strcmp(words->vendor, "Nvidia") == 0 ? "NVIDIA" : words->vendor;
  long long device = (long long)x->device;
  if (*words->name != 0)
    snprintf(x->heading, sizeof x->heading, "%s #%lld", words->name, device);
  else
    snprintf(x->heading, sizeof x->heading, "%s%s%s #%lld", vendor, *vendor != 0 ? " " : "", sort,
             device);
  uint32_t heading = tdm_record_text(x->recorder, x->heading);
  x->failed |= !tdm_id_map_put(&x->quiet, (uint64_t)device, heading);
  if (*words->name != 0) gpu_fact(x, "name", words->name);
  if (*vendor != 0) gpu_fact(x, "vendor", vendor);
  if (words->major == TDM_NONE || words->minor == TDM_NONE) return;
  snprintf(text, sizeof text, "%lld.%lld", (long long)words->major, (long long)words->minor);
  gpu_fact(x, "compute_capability", text);
}

/* "/host:CPU" is "host", "/host:X" is "host:X", "/device:CUSTOM:Megascale Trace" what stands last.
 */
static void describe_other(tdm_xplane *x, tdm_xplane_text name) {
  tdm_xplane_text rest;
  if (tdm_xplane_is(name, "/host:CPU"))
    strcpy(x->heading, "host");
  else if (after(name, "/", &rest) && tdm_xplane_begins(rest, "host:"))
    copy_text(x->heading, sizeof x->heading, rest);
  else if (after(name, "/device:CUSTOM:", &rest) || after(name, "/device:", &rest))
    copy_text(x->heading, sizeof x->heading, rest);
  else
    copy_text(x->heading, sizeof x->heading, name);
}

/* ---- lines ---- */

tdm_xplane_line tdm_xplane_line_of(const tdm_proto_field *data) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  tdm_xplane_line l = {.name = {"", 0}};
  tdm_xplane_text display = {"", 0};
  while (tdm_proto_next(&scan, &field)) switch (field.number) {
    case LINE_ID: l.id = (int64_t)field.value; break;
    case LINE_TIME: l.time_ns = (int64_t)field.value; break;
    case LINE_NAME:
      if (field.wire == TDM_PROTO_BYTES) l.name = tdm_xplane_text_of(&field);
      break;
    case LINE_DISPLAY:
      if (field.wire == TDM_PROTO_BYTES) display = tdm_xplane_text_of(&field);
      break;
    case LINE_EVENT: l.has_events |= field.wire == TDM_PROTO_BYTES; break;
    default: break;
    }
  if (display.length > 0) l.name = display;
  return l;
}

/* Of two lines that are one thread both lie on one track, with the name of one and the number of
 * the other. */
static void thread_track(const tdm_xplane *x, const tdm_xplane_line *l, tdm_track *track,
                         char *name, size_t room) {
  tdm_xplane_text number;
  int64_t tid;
  track->kind = TDM_TRACK_THREAD;
  track->lane = TDM_LANE_CPU;
  track->tid = l->id;
  for (size_t p = 0; p < x->pairs; p++) {
    if (x->pair[p].calls != l->id && x->pair[p].thread != l->id) continue;
    track->tid = x->pair[p].calls;
    copy_text(name, room, x->pair[p].name);
    return;
  }
  if (after(l->name, "Host Threads/", &number) &&
      tdm_number_integer(number.text, number.length, &tid))
    snprintf(name, room, "thread %lld", (long long)tid);
  else if (l->name.length > 0)
    copy_text(name, room, l->name);
  else
    snprintf(name, room, "thread %lld", (long long)l->id);
}

/* "Stream #17(Kernel)" → 17. Only such lines are work; the others of a GPU repeat it by step,
 * module or operator. */
static bool is_stream(tdm_xplane_text name, int64_t *stream) {
  tdm_xplane_text rest;
  if (!after(name, "Stream #", &rest)) return false;
  size_t digits = 0;
  while (digits < rest.length && rest.text[digits] >= '0' && rest.text[digits] <= '9') digits++;
  return tdm_number_integer(rest.text, digits, stream);
}

static void device_track(tdm_xplane *x, const tdm_xplane_line *l, tdm_track *track, char *name,
                         size_t room) {
  int64_t stream;
  track->lane = TDM_LANE_GPU;
  track->device = x->device;
  x->failed |= !tdm_id_map_put(&x->quiet, (uint64_t)x->device, TDM_ID_NONE);
  copy_text(name, room, l->name);
  if (x->side == TDM_XPLANE_GPU && is_stream(l->name, &stream)) {
    track->kind = TDM_TRACK_STREAM;
    track->stream = stream;
    snprintf(name, room, "stream %lld", (long long)stream);
    x->line_category = "kernel";
    x->line_shape = TDM_SHAPE_SPAN;
  } else if (x->side == TDM_XPLANE_TPU && tdm_xplane_is(l->name, "XLA Ops")) {
    track->kind = TDM_TRACK_STREAM;
    x->line_category = "kernel";
    x->line_shape = TDM_SHAPE_SPAN;
  } else {
    x->line_category = "gpu_user_annotation";
    x->line_shape = TDM_SHAPE_ASYNC;
  }
}

static uint32_t track_of(tdm_xplane *x, const tdm_xplane_line *l) {
  char name[200];
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = x->heading;
  track.name = name;
  x->line_category = "cpu_op";
  x->line_shape = TDM_SHAPE_SPAN;
  switch (x->side) {
  case TDM_XPLANE_HOST: thread_track(x, l, &track, name, sizeof name); break;
  case TDM_XPLANE_GPU:
  case TDM_XPLANE_TPU: device_track(x, l, &track, name, sizeof name); break;
  default:
    copy_text(name, sizeof name, l->name);
    x->line_category = "custom";
    x->line_shape = TDM_SHAPE_ASYNC;
    break;
  }
  return tdm_record_track(x->recorder, &track);
}

static void take_line(tdm_xplane *x, const tdm_proto_field *data) {
  tdm_xplane_line l = tdm_xplane_line_of(data);
  if (!l.has_events) return;
  int clock = l.time_ns >= EPOCH_NS ? 2 : 1;
  if (x->clock == 0) x->clock = clock;
  if (x->clock != clock) {
    tdm_record_problem(x->recorder, "lines on another clock than the first (left out)", 1);
    return;
  }
  x->track = track_of(x, &l);
  x->line_ns = l.time_ns;
  if (x->side == TDM_XPLANE_TPU && strcmp(x->line_category, "kernel") == 0) {
    tdm_xplane_ops(x, data);
    return;
  }
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  while (!x->failed && tdm_proto_next(&scan, &field))
    if (field.number == LINE_EVENT && field.wire == TDM_PROTO_BYTES) tdm_xplane_event(x, &field);
  if (scan.bad) tdm_record_problem(x->recorder, "lines that break off (kept up to there)", 1);
}

/* ---- all of it ---- */

/* Fields of one number, each given to `take`. */
static void each(tdm_xplane *x, const tdm_proto_field *plane, uint32_t number,
                 void (*take)(tdm_xplane *x, const tdm_proto_field *field)) {
  tdm_proto_scan scan = tdm_proto_inside(plane);
  tdm_proto_field field;
  while (!x->failed && !tdm_recorder_failed(x->recorder) && tdm_proto_next(&scan, &field))
    if (field.number == number && field.wire == TDM_PROTO_BYTES) take(x, &field);
}

void tdm_xplane_plane(tdm_xplane *x, const tdm_proto_field *plane) {
  tdm_xplane_text name = text_in(plane, PLANE_NAME);
  device_words words = {.major = TDM_NONE, .minor = TDM_NONE};
  x->planes++;
  x->stats = x->events = 0;
  tdm_id_map_clear(&x->stat_ids);
  tdm_id_map_clear(&x->event_ids);
  (void)tdm_xplane_side_of(name.text, name.length, &x->side, &x->device);
  each(x, plane, PLANE_STAT_NAMES, take_stat_name);
  take_plane_stats(x, plane, &words);
  if (x->side == TDM_XPLANE_GPU || x->side == TDM_XPLANE_TPU) {
    describe_device(x, &words);
    x->devices++;
  } else {
    describe_other(x, name);
  }
  each(x, plane, PLANE_EVENT_NAMES, take_event_name);
  x->pairs = 0;
  if (x->side == TDM_XPLANE_HOST) tdm_xplane_join_threads(x, plane);
  each(x, plane, PLANE_LINE, take_line);
  tdm_proto_scan scan = tdm_proto_inside(plane);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) continue;
  if (scan.bad) tdm_record_problem(x->recorder, "planes that break off (kept up to there)", 1);
}
