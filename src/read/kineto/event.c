/* See event.h. */
#include "read/kineto/event.h"

#include <stdlib.h>

#include "base/memory.h"

typedef enum {
  OTHER,
  PHASE,
  CATEGORY,
  NAME,
  TIME,
  DURATION,
  THREAD_DURATION,
  PID,
  TID,
  ID,
  ID2,
  FRAME,
  ARGS,
  BINDING
} field;

static bool is(const char *key, const char *word, size_t length) {
  return memcmp(key, word, length) == 0;
}

static field field_of(const char *key, size_t length) {
  switch (length) {
  case 2:
    if (is(key, "ph", 2)) return PHASE;
    if (is(key, "ts", 2)) return TIME;
    if (is(key, "id", 2)) return ID;
    if (is(key, "bp", 2)) return BINDING;
    return is(key, "sf", 2) ? FRAME : OTHER;
  case 3:
    if (is(key, "cat", 3)) return CATEGORY;
    if (is(key, "pid", 3)) return PID;
    if (is(key, "tid", 3)) return TID;
    if (is(key, "dur", 3)) return DURATION;
    return is(key, "id2", 3) ? ID2 : OTHER;
  case 4:
    if (is(key, "name", 4)) return NAME;
    if (is(key, "args", 4)) return ARGS;
    return is(key, "tdur", 4) ? THREAD_DURATION : OTHER;
  default: return OTHER;
  }
}

static void set_text(tdm_kineto_text *text, const char *from, size_t length) {
  if (!tdm_array_grow(&text->bytes, &text->room, length + 1, 1)) return;
  memcpy(text->bytes, from, length);
  text->bytes[length] = 0;
  text->length = length;
}

static void skip_value(tdm_json *json, tdm_json_token token) {
  if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(json);
}

static bool is_scalar(tdm_json_token token) {
  return token == TDM_JSON_STRING || token == TDM_JSON_NUMBER;
}

/* "0x1a" and 26 and "26" are the same id. */
static int64_t id_of(const tdm_kineto_event_reader *reader, const char *text, size_t length) {
  if (length > 2 && length <= 18 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    char *end;
    unsigned long long value = strtoull(text + 2, &end, 16);
    if (end == text + length && value <= INT64_MAX) return (int64_t)value;
  }
  return tdm_kineto_text_id(reader->tracks, text, length);
}

/* {"local": "0x1"} or {"global": "0x1"}. */
static void read_id2(const tdm_kineto_event_reader *reader, tdm_kineto_event *event,
                     tdm_json_token token) {
  tdm_json *json = reader->json;
  if (token != TDM_JSON_OBJECT) {
    skip_value(json, token);
    return;
  }
  while (tdm_json_next(json) == TDM_JSON_KEY) {
    bool local = strcmp(tdm_json_value(json, NULL), "local") == 0;
    token = tdm_json_next(json);
    size_t length;
    const char *text = tdm_json_value(json, &length);
    if (is_scalar(token)) {
      event->id = id_of(reader, text, length);
      event->has_id = true;
      event->local_id = local;
    }
    skip_value(json, token);
  }
}

static void read_args(const tdm_kineto_event_reader *reader, tdm_kineto_event *event,
                      tdm_json_token token) {
  tdm_json *json = reader->json;
  if (token != TDM_JSON_OBJECT) {
    if (token != TDM_JSON_NULL) tdm_kineto_args_take(reader->args, "args", 4, json, token);
    return;
  }
  event->has_args = true;
  if (event->phase == 'M') { /* its one text is all that is asked for */
    while (tdm_json_next(json) == TDM_JSON_KEY) {
      token = tdm_json_next(json);
      size_t length;
      const char *text = tdm_json_value(json, &length);
      if (is_scalar(token)) set_text(&event->value, text, length);
      skip_value(json, token);
    }
    return;
  }
  while (tdm_json_next(json) == TDM_JSON_KEY) tdm_kineto_args_read(reader->args, json);
}

static void read_phase(tdm_kineto_event *event, const char *text, size_t length) {
  event->phase = length == 1 ? text[0] : 0;
}

static void read_field(const tdm_kineto_event_reader *reader, tdm_kineto_event *event, field what) {
  tdm_json_token token = tdm_json_next(reader->json);
  if (what == ARGS || what == ID2) {
    (what == ARGS ? read_args : read_id2)(reader, event, token);
    return;
  }
  if (!is_scalar(token)) {
    skip_value(reader->json, token);
    return;
  }
  size_t length;
  const char *text = tdm_json_value(reader->json, &length);
  switch (what) {
  case PHASE: read_phase(event, text, length); break;
  case CATEGORY:
    set_text(&event->category, text, length);
    event->has_category = length > 0;
    break;
  case NAME:
    set_text(&event->name, text, length);
    event->has_name = true;
    break;
  case TIME:
    event->has_time = tdm_number_scaled(text, length, reader->time_power, &event->time_ns);
    break;
  case THREAD_DURATION:
    if (event->has_dur) break;
    event->has_dur = tdm_number_scaled(text, length, reader->time_power, &event->dur_ns);
    break;
  case DURATION:
    event->has_dur = tdm_number_scaled(text, length, reader->time_power, &event->dur_ns);
    break;
  case PID: event->pid = tdm_kineto_text_id(reader->tracks, text, length); break;
  case TID: event->tid = tdm_kineto_text_id(reader->tracks, text, length); break;
  case ID:
    event->id = id_of(reader, text, length);
    event->has_id = true;
    break;
  case FRAME: set_text(&event->value, text, length); break;
  default: break; /* the binding point of a flow: always its time */
  }
}

static void clear(tdm_kineto_event *event) {
  tdm_kineto_text name = event->name, category = event->category, value = event->value;
  *event = (tdm_kineto_event){.pid = TDM_NONE, .tid = TDM_NONE, .id = TDM_NONE};
  event->name = name;
  event->category = category;
  event->value = value;
  event->name.length = event->category.length = event->value.length = 0;
}

bool tdm_kineto_event_read(const tdm_kineto_event_reader *reader, tdm_kineto_event *event) {
  tdm_json *json = reader->json;
  bool wanted = true, asked = false;
  clear(event);
  tdm_kineto_args_clear(reader->args);
  while (tdm_json_next(json) == TDM_JSON_KEY) {
    size_t length;
    const char *key = tdm_json_value(json, &length);
    field what = field_of(key, length);
    if (what == ARGS && !asked && event->has_category) {
      wanted = reader->wanted(reader->context, event);
      asked = true;
    }
    bool only_args =
        event->phase == 'M' || event->phase == 'C'; /* what is beside them is no series */
    if (what == OTHER && wanted && !only_args)
      tdm_kineto_args_read(reader->args, json);
    else if (what == OTHER || !wanted)
      tdm_json_skip(json);
    else
      read_field(reader, event, what);
  }
  event->cut_off = tdm_json_repaired(json, TDM_JSON_TRUNCATED) > 0;
  return asked ? wanted : reader->wanted(reader->context, event);
}

void tdm_kineto_event_free(tdm_kineto_event *event) {
  free(event->name.bytes);
  free(event->category.bytes);
  free(event->value.bytes);
}
