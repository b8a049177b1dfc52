/* Memory snapshots of PyTorch's caching allocator (torch.cuda.memory._snapshot()) as JSON.
 *
 * "device_traces" is a list of events for each device: instants of category "memory", named by
 * their action, with bytes, address, stream and stack. Sizes are what was asked for, as the
 * allocator says them there, and always positive. The trace is a ring: it may begin in the middle.
 * So the counters (allocated, active, reserved) are reckoned backwards from what the segments hold
 * at the end. Annotations (record_function with the snapshot's recorder) become spans. A snapshot
 * is usually a pickle; that is refused with the command that makes JSON of it.
 * torch.cuda.memory_snapshot(), the segments alone, is read too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/json/json.h"
#include "read/torch/inside.h"
#include "read/torch/segments.h"

enum { PROGRESS_EVENTS = 2048 };

enum { ALLOCATED, ACTIVE, RESERVED, COUNTERS };

static const char *const counter_names[COUNTERS] = {"memory: allocated", "memory: active",
                                                    "memory: reserved"};

/* What an action adds to the counters, in times its size. */
static const struct {
  const char *name;
  int8_t sign[COUNTERS];
} actions[] = {{"alloc", {1, 1, 0}},           {"free_requested", {-1, 0, 0}},
               {"free_completed", {0, -1, 0}}, {"segment_alloc", {0, 0, 1}},
               {"segment_free", {0, 0, -1}},   {"segment_map", {0, 0, 1}},
               {"segment_unmap", {0, 0, -1}},  {"oom", {0, 0, 0}},
               {"snapshot", {0, 0, 0}},        {"workspace_snapshot", {0, 0, 0}},
               {"user_defined", {0, 0, 0}}};

enum { ACTIONS = sizeof actions / sizeof *actions };

enum { BYTES, ADDRESS, STREAM, DEVICE_FREE, KIND, FRAME, STACK, COMPILE_CONTEXT, METADATA, ARGS };

static const tdm_arg event_args[ARGS] = {
    {"bytes", TDM_ARG_INT},         {"address", TDM_ARG_INT},
    {"stream", TDM_ARG_INT},        {"device_free", TDM_ARG_INT},
    {"kind", TDM_ARG_TEXT},         {"frame", TDM_ARG_TEXT},
    {"stack", TDM_ARG_TEXT},        {"compile_context", TDM_ARG_TEXT},
    {"user_metadata", TDM_ARG_TEXT}};

typedef struct {
  int64_t time_ns, bytes;
  uint32_t action;
} change;

typedef struct {
  change *changes;
  size_t count, room;
} change_list;

typedef struct {
  int64_t device, time_ns;
  uint32_t name;
} open_annotation;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_error *error;
  tdm_status status;
  tdm_torch_segments segments;
  tdm_torch_stack stack;
  tdm_torch_text text;
  change_list *devices;
  size_t device_count, device_room;
  open_annotation *open;
  size_t open_count, open_room;
  uint32_t event_layout, span_layout; /* + 1; 0: not made yet */
  uint64_t events;
} snapshot;

static bool out_of_memory(snapshot *s) {
  s->status = tdm_error_memory(s->error, "a memory snapshot", sizeof(change));
  return false;
}

static bool keep_on(snapshot *s) {
  if (s->status == TDM_OK && ++s->events % PROGRESS_EVENTS == 0)
    s->status = tdm_read_progress(s->input, s->options, s->error);
  return s->status == TDM_OK && !tdm_recorder_failed(s->recorder);
}

static uint32_t device_track(snapshot *s, int64_t device) {
  char process[32];
  snprintf(process, sizeof process, "GPU #%lld", (long long)device);
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = process;
  track.name = "memory";
  track.kind = TDM_TRACK_DEVICE;
  track.lane = TDM_LANE_GPU;
  track.device = device;
  return tdm_record_track(s->recorder, &track);
}

/* ---- values ---- */

static int64_t take_number(snapshot *s, int power) {
  size_t length;
  int64_t number;
  tdm_json_token token = tdm_json_next(s->json);
  const char *text = tdm_json_value(s->json, &length);
  if (token == TDM_JSON_NUMBER && tdm_number_scaled(text, length, power, &number)) return number;
  tdm_json_skip(s->json);
  return TDM_NONE;
}

static int64_t take_text(snapshot *s) {
  size_t length;
  tdm_json_token token = tdm_json_next(s->json);
  if (token == TDM_JSON_STRING) {
    const char *text = tdm_json_value(s->json, &length);
    return length > 0 ? (int64_t)tdm_record_name(s->recorder, text, length) : TDM_NONE;
  }
  tdm_json_skip(s->json);
  return TDM_NONE;
}

/* ---- events ---- */

static void take_stack(snapshot *s, int64_t *args) {
  tdm_torch_stack_clear(&s->stack);
  tdm_torch_text_clear(&s->text);
  if (tdm_json_next(s->json) != TDM_JSON_ARRAY) {
    tdm_json_skip(s->json);
    return;
  }
  uint64_t bad = tdm_torch_stack_read(&s->stack, s->json, NULL);
  tdm_record_problem(s->recorder, "stack frames without a file and function (left out)", bad);
  if (s->stack.count == 0) return;
  tdm_torch_stack_fold(&s->stack, true, &s->text);
  if (s->text.failed || tdm_torch_stack_failed(&s->stack)) {
    out_of_memory(s);
    return;
  }
  args[FRAME] = tdm_record_text(s->recorder, tdm_torch_stack_frame(&s->stack, 0));
  args[STACK] = tdm_record_name(s->recorder, s->text.bytes, s->text.length);
}

static uint32_t action_named(const char *name) {
  for (uint32_t i = 0; i < ACTIONS; i++)
    if (strcmp(actions[i].name, name) == 0) return i;
  return ACTIONS;
}

/* Behind the OBJECT of an event, up to its end. */
static void read_event(snapshot *s, change_list *list, uint32_t track, int64_t *last_ns) {
  int64_t args[ARGS], time_ns = TDM_NONE;
  for (size_t i = 0; i < ARGS; i++) args[i] = TDM_NONE;
  uint32_t action = ACTIONS, name = 0;
  bool named = false;
  while (tdm_json_next(s->json) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(s->json, NULL);
    if (strcmp(key, "action") == 0) {
      tdm_json_token token = tdm_json_next(s->json);
      size_t length;
      const char *text = tdm_json_value(s->json, &length);
      named = token == TDM_JSON_STRING;
      if (named) {
        action = action_named(text);
        name = tdm_record_name(s->recorder, text, length);
      } else {
        tdm_json_skip(s->json);
      }
    } else if (strcmp(key, "addr") == 0) {
      args[ADDRESS] = take_number(s, 0);
    } else if (strcmp(key, "size") == 0) {
      args[BYTES] = take_number(s, 0);
    } else if (strcmp(key, "stream") == 0) {
      args[STREAM] = take_number(s, 0);
    } else if (strcmp(key, "time_us") == 0) {
      time_ns = take_number(s, 3);
    } else if (strcmp(key, "frames") == 0) {
      take_stack(s, args);
    } else if (strcmp(key, "device_free") == 0) {
      args[DEVICE_FREE] = take_number(s, 0);
    } else if (strcmp(key, "category") == 0) {
      args[KIND] = take_text(s);
    } else if (strcmp(key, "compile_context") == 0) {
      args[COMPILE_CONTEXT] = take_text(s);
    } else if (strcmp(key, "user_metadata") == 0) {
      args[METADATA] = take_text(s);
    } else {
      tdm_json_skip(s->json);
    }
  }
  if (!named) {
    tdm_record_problem(s->recorder, "events without an action (skipped)", 1);
    return;
  }
  if (action == ACTIONS)
    tdm_record_problem(s->recorder, "events with an action that is not known (kept)", 1);
  if (time_ns == TDM_NONE) {
    tdm_record_problem(s->recorder, "events without a time (placed at the one before)", 1);
    time_ns = *last_ns;
  }
  *last_ns = time_ns;
  if (s->event_layout == 0)
    s->event_layout =
        tdm_record_layout(s->recorder, "memory", TDM_SHAPE_INSTANT, event_args, ARGS) + 1;
  tdm_record_row(s->recorder, s->event_layout - 1, time_ns, 0, track, name, args, ARGS);
  if (action == ACTIONS || args[BYTES] == TDM_NONE) return;
  if (!tdm_array_grow(&list->changes, &list->room, list->count + 1, sizeof *list->changes)) {
    out_of_memory(s);
    return;
  }
  list->changes[list->count++] =
      (change){.time_ns = time_ns, .bytes = args[BYTES], .action = action};
}

static void read_traces(snapshot *s) {
  tdm_json_token token;
  int64_t device = 0;
  for (; (token = tdm_json_next(s->json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END;
       device++) {
    if (token != TDM_JSON_ARRAY || device >= TDM_TORCH_DEVICES) {
      tdm_record_problem(s->recorder, "device traces that are none or beyond 1024 (skipped)", 1);
      tdm_json_skip(s->json);
      continue;
    }
    if (!tdm_array_grow(&s->devices, &s->device_room, (size_t)device + 1, sizeof *s->devices)) {
      out_of_memory(s);
      return;
    }
    while (s->device_count <= (size_t)device) s->devices[s->device_count++] = (change_list){0};
    int64_t last_ns = 0;
    uint32_t track = 0;
    bool has_track = false; /* a device without events has none */
    while ((token = tdm_json_next(s->json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
      if (!keep_on(s)) return;
      if (token != TDM_JSON_OBJECT) {
        tdm_record_problem(s->recorder, "events that are not objects (skipped)", 1);
        tdm_json_skip(s->json);
        continue;
      }
      if (!has_track) track = device_track(s, device);
      has_track = true;
      read_event(s, &s->devices[device], track, &last_ns);
    }
  }
}

/* ---- counters ---- */

/* Where the counters stood before the first event: what is held at the end less all changes. */
static void reckon_back(snapshot *s, size_t device, int64_t value[COUNTERS]) {
  const tdm_torch_segments *segments = &s->segments;
  bool known = device < segments->device_count && segments->devices[device].segments > 0;
  tdm_torch_held held = known ? segments->devices[device] : (tdm_torch_held){0};
  uint64_t end[COUNTERS] = {(uint64_t)held.requested_allocated, (uint64_t)held.requested_active,
                            (uint64_t)held.reserved};
  const change_list *list = &s->devices[device];
  for (size_t i = 0; i < list->count; i++)
    for (size_t c = 0; c < COUNTERS; c++)
      end[c] -=
          (uint64_t)actions[list->changes[i].action].sign[c] * (uint64_t)list->changes[i].bytes;
  for (size_t c = 0; c < COUNTERS; c++) {
    value[c] = (int64_t)end[c];
    if (value[c] >= 0) continue;
    value[c] = 0;
    if (known)
      tdm_record_problem(s->recorder, "counters whose trace and segments disagree (from zero)", 1);
  }
}

static void put_counters(snapshot *s, size_t device) {
  const change_list *list = &s->devices[device];
  if (list->count == 0) return;
  uint32_t track = device_track(s, (int64_t)device), names[COUNTERS];
  uint32_t unit = tdm_record_text(s->recorder, "bytes");
  int64_t value[COUNTERS], shown[COUNTERS];
  reckon_back(s, device, value);
  for (size_t c = 0; c < COUNTERS; c++) {
    names[c] = tdm_record_text(s->recorder, counter_names[c]);
    shown[c] = TDM_NONE;
  }
  for (size_t i = 0; i < list->count; i++) {
    const change *each = &list->changes[i];
    for (size_t c = 0; c < COUNTERS; c++)
      value[c] = (int64_t)((uint64_t)value[c] +
                           (uint64_t)actions[each->action].sign[c] * (uint64_t)each->bytes);
    if (i + 1 < list->count && list->changes[i + 1].time_ns == each->time_ns) continue;
    for (size_t c = 0; c < COUNTERS; c++) {
      if (value[c] == shown[c]) continue;
      shown[c] = value[c];
      tdm_record_sample(s->recorder, each->time_ns, track, names[c], (double)value[c], unit);
    }
  }
}

/* ---- annotations ---- */

static void end_annotation(snapshot *s, const open_annotation *end) {
  for (size_t i = s->open_count; i-- > 0;) {
    open_annotation begin = s->open[i];
    if (begin.device != end->device || begin.name != end->name) continue;
    memmove(&s->open[i], &s->open[i + 1], (s->open_count - i - 1) * sizeof *s->open);
    s->open_count--;
    int64_t dur_ns;
    if (__builtin_sub_overflow(end->time_ns, begin.time_ns, &dur_ns) || dur_ns < 0) break;
    if (s->span_layout == 0)
      s->span_layout =
          tdm_record_layout(s->recorder, "user_annotation", TDM_SHAPE_ASYNC, NULL, 0) + 1;
    tdm_record_row(s->recorder, s->span_layout - 1, begin.time_ns, dur_ns,
                   device_track(s, begin.device), begin.name, NULL, 0);
    return;
  }
  tdm_record_problem(s->recorder, "annotations that end without a begin (skipped)", 1);
}

static void read_annotation(snapshot *s) {
  open_annotation each = {.device = 0, .time_ns = TDM_NONE};
  bool begins = false, named = false;
  while (tdm_json_next(s->json) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(s->json, NULL);
    if (strcmp(key, "stage") == 0) {
      tdm_json_token token = tdm_json_next(s->json);
      begins = token == TDM_JSON_STRING && strcmp(tdm_json_value(s->json, NULL), "START") == 0;
      tdm_json_skip(s->json);
    } else if (strcmp(key, "name") == 0) {
      int64_t name = take_text(s);
      named = name != TDM_NONE;
      if (named) each.name = (uint32_t)name;
    } else if (strcmp(key, "device") == 0) {
      each.device = take_number(s, 0);
    } else if (strcmp(key, "time_us") == 0) {
      each.time_ns = take_number(s, 3);
    } else {
      tdm_json_skip(s->json);
    }
  }
  if (!named || each.time_ns == TDM_NONE || each.device < 0 || each.device >= TDM_TORCH_DEVICES)
    tdm_record_problem(s->recorder, "annotations without a name, time or device (skipped)", 1);
  else if (!begins)
    end_annotation(s, &each);
  else if (tdm_array_grow(&s->open, &s->open_room, s->open_count + 1, sizeof *s->open))
    s->open[s->open_count++] = each;
  else
    out_of_memory(s);
}

/* ---- the file ---- */

/* A list of objects, each read by `read`. */
static void read_list(snapshot *s, void (*read)(snapshot *)) {
  tdm_json_token token;
  while ((token = tdm_json_next(s->json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
    if (!keep_on(s)) return;
    if (token == TDM_JSON_OBJECT) {
      read(s);
    } else {
      tdm_record_problem(s->recorder, "segments and annotations that are not objects (skipped)", 1);
      tdm_json_skip(s->json);
    }
  }
}

static void read_segment(snapshot *s) {
  if (!tdm_torch_segment_read(&s->segments, s->json, s->recorder)) out_of_memory(s);
}

/* Behind the OBJECT of the allocator's settings: facts. */
static void read_settings(snapshot *s) {
  while (tdm_json_next(s->json) == TDM_JSON_KEY) {
    tdm_torch_text_clear(&s->text);
    tdm_torch_text_put(&s->text, "allocator.");
    tdm_torch_text_put(&s->text, tdm_json_value(s->json, NULL));
    const char *value = NULL;
    switch (tdm_json_next(s->json)) {
    case TDM_JSON_STRING:
    case TDM_JSON_NUMBER: value = tdm_json_value(s->json, NULL); break;
    case TDM_JSON_TRUE: value = "true"; break;
    case TDM_JSON_FALSE: value = "false"; break;
    case TDM_JSON_OBJECT:
    case TDM_JSON_ARRAY: value = tdm_json_compact(s->json, NULL); break;
    default: break;
    }
    if (value != NULL && !s->text.failed) tdm_record_fact(s->recorder, s->text.bytes, value);
  }
}

static void read_root(snapshot *s) {
  while (s->status == TDM_OK && tdm_json_next(s->json) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(s->json, NULL);
    bool segments = strcmp(key, "segments") == 0, traces = strcmp(key, "device_traces") == 0;
    bool annotations = strcmp(key, "external_annotations") == 0;
    bool settings = strcmp(key, "allocator_settings") == 0;
    tdm_json_token token = tdm_json_next(s->json);
    if (segments && token == TDM_JSON_ARRAY)
      read_list(s, read_segment);
    else if (traces && token == TDM_JSON_ARRAY)
      read_traces(s);
    else if (annotations && token == TDM_JSON_ARRAY)
      read_list(s, read_annotation);
    else if (settings && token == TDM_JSON_OBJECT)
      read_settings(s);
    else
      tdm_json_skip(s->json);
  }
}

static void finish(snapshot *s) {
  for (size_t i = 0; i < s->device_count; i++) put_counters(s, i);
  if (!tdm_torch_segments_end(&s->segments, s->recorder)) out_of_memory(s);
  tdm_record_problem(s->recorder, "annotations without an end (skipped)", s->open_count);
}

static tdm_status refuse_pickle(const tdm_input *input, tdm_error *error) {
  const char *path = tdm_input_path(input);
  return tdm_error_set(
      error, TDM_INVALID,
      "%.140s is a pickle; of a memory snapshot make JSON first: python3 -c 'import "
      "json,pickle,sys; json.dump(pickle.load(open(sys.argv[1],\"rb\")), "
      "open(sys.argv[2],\"w\"))' '%.140s' snapshot.json",
      path, path);
}

static bool is_pickle(const unsigned char *head, size_t length) {
  return length > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
}

static void release(snapshot *s) {
  for (size_t i = 0; i < s->device_count; i++) free(s->devices[i].changes);
  free(s->devices);
  free(s->open);
  tdm_torch_segments_free(&s->segments);
  tdm_torch_stack_free(&s->stack);
  tdm_torch_text_free(&s->text);
  tdm_json_free(s->json);
}

static tdm_status read_snapshot(tdm_input *input, const tdm_read_options *options,
                                tdm_recorder *recorder, tdm_error *error) {
  const unsigned char *head;
  size_t length;
  tdm_status status = tdm_input_head(input, &head, &length, error);
  if (status != TDM_OK) return status;
  if (is_pickle(head, length)) return refuse_pickle(input, error);
  snapshot s = {.input = input, .options = options, .recorder = recorder, .error = error};
  s.json = tdm_json_new(input);
  if (s.json == NULL) return tdm_error_memory(error, "a JSON text", 0);
  tdm_recorder_utc(recorder, 0); /* the allocator's clock counts from 1970 */
  tdm_json_token token = tdm_json_next(s.json);
  if (token == TDM_JSON_OBJECT)
    read_root(&s);
  else if (token == TDM_JSON_ARRAY)
    read_list(&s, read_segment);
  else
    s.status = tdm_error_set(error, TDM_INVALID, "%s: a memory snapshot is an object or a list",
                             tdm_input_path(input));
  if (s.status == TDM_OK) s.status = tdm_json_finish(s.json, error);
  if (s.status == TDM_OK) finish(&s);
  for (tdm_json_repair i = 0; i < TDM_JSON_REPAIRS; i++)
    tdm_record_problem(recorder, tdm_json_repair_name(i), tdm_json_repaired(s.json, i));
  release(&s);
  return s.status;
}

static bool holds(const unsigned char *head, size_t length, const char *word) {
  return memmem(head, length, word, strlen(word)) != NULL;
}

static int detect(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  if (is_pickle(head, length))
    return holds(head, length, "segments") || holds(head, length, "device_traces") ? 90 : 40;
  size_t at = 0;
  while (at < length && head[at] <= ' ') at++;
  if (at == length || (head[at] != '{' && head[at] != '[')) return 0;
  if (holds(head, length, "\"device_traces\"")) return head[at] == '{' ? 90 : 0;
  if (!holds(head, length, "\"total_size\"") || !holds(head, length, "\"segment_type\"")) return 0;
  return head[at] == '[' || holds(head, length, "\"segments\"") ? 85 : 0;
}

const tdm_reader tdm_reader_torch_snapshot = {
    .name = "torch-memory-snapshot",
    .title = "PyTorch CUDA memory snapshot",
    .accepts = "*.json[.gz] (torch.cuda.memory._snapshot())",
    .detect = detect,
    .read = read_snapshot,
};
