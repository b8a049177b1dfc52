/* The Chrome events inside PyTorch's structured log: what compiling spent its time on; see log.h.
 */
#include "read/torch/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SPAN, CROSSED, OPEN, INSTANT, SHAPES };
enum { KIND, COMPILE_ID, FRAME_ID, FRAME_COMPILE_ID, ATTEMPT, RANK, CAT, JSON, ARGS };

_Static_assert(sizeof((tdm_torch_open_span *)0)->args == ARGS * sizeof(int64_t),
               "an open span keeps all arguments");

void tdm_torch_chrome_begin(tdm_torch_chrome *chrome, tdm_recorder *recorder,
                            tdm_torch_artifacts *artifacts) {
  *chrome = (tdm_torch_chrome){.recorder = recorder, .artifacts = artifacts, .last_ns = TDM_NONE};
}

static uint32_t layout_of(tdm_torch_chrome *chrome, int shape) {
  static const tdm_arg args[ARGS] = {{"kind", TDM_ARG_TEXT},    {"compile_id", TDM_ARG_TEXT},
                                     {"frame_id", TDM_ARG_INT}, {"frame_compile_id", TDM_ARG_INT},
                                     {"attempt", TDM_ARG_INT},  {"rank", TDM_ARG_INT},
                                     {"cat", TDM_ARG_TEXT},     {"args", TDM_ARG_JSON}};
  static const tdm_shape shapes[SHAPES] = {TDM_SHAPE_SPAN, TDM_SHAPE_ASYNC, TDM_SHAPE_OPEN,
                                           TDM_SHAPE_INSTANT};
  if (chrome->layouts[shape] == 0)
    chrome->layouts[shape] =
        tdm_record_layout(chrome->recorder, "compile", shapes[shape], args, ARGS) + 1;
  return chrome->layouts[shape] - 1;
}

void tdm_torch_chrome_free(tdm_torch_chrome *chrome) {
  tdm_torch_value_free(&chrome->args);
  tdm_torch_text_free(&chrome->text);
  free(chrome->open);
  chrome->open = NULL;
}

typedef struct {
  char phase;
  bool named;
  int64_t time_ns, dur_ns;
  uint32_t name;
  int64_t args[ARGS];
} event;

/* "None" is what PyTorch writes outside of a compilation. */
static int64_t own_compile_id(const tdm_torch_chrome *chrome) {
  int64_t id = chrome->args.field[TDM_TORCH_COMPILE_ID];
  if (id == TDM_NONE) return TDM_NONE;
  const char *text = tdm_recorder_name(chrome->recorder, (uint32_t)id, NULL);
  return text == NULL || strcmp(text, "None") == 0 ? TDM_NONE : id;
}

/* Behind the OBJECT of an event, up to its end. */
static bool read_event(tdm_torch_chrome *chrome, tdm_json *json, event *out) {
  tdm_recorder *recorder = chrome->recorder;
  while (tdm_json_next(json) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(json, NULL);
    enum {
      NAME,
      TS,
      DURATION,
      PHASE,
      CATEGORY,
      ARGUMENTS,
      OTHER
    } member = strcmp(key, "name") == 0   ? NAME
               : strcmp(key, "ts") == 0   ? TS
               : strcmp(key, "dur") == 0  ? DURATION
               : strcmp(key, "ph") == 0   ? PHASE
               : strcmp(key, "cat") == 0  ? CATEGORY
               : strcmp(key, "args") == 0 ? ARGUMENTS
                                          : OTHER;
    if (member == OTHER) {
      tdm_json_skip(json);
      continue;
    }
    tdm_json_token token = tdm_json_next(json);
    size_t length;
    const char *text = tdm_json_value(json, &length);
    int64_t number;
    if (member == ARGUMENTS && token == TDM_JSON_OBJECT) {
      if (!tdm_torch_value_read(&chrome->args, json, token, NULL, recorder)) return false;
    } else if (token == TDM_JSON_STRING && member == NAME) {
      out->name = tdm_record_name(recorder, text, length);
      out->named = true;
    } else if (token == TDM_JSON_STRING && member == CATEGORY) {
      out->args[CAT] = tdm_record_name(recorder, text, length);
    } else if (token == TDM_JSON_STRING && member == PHASE) {
      out->phase = text[0];
    } else if (token == TDM_JSON_NUMBER && (member == TS || member == DURATION) &&
               tdm_number_scaled(text, length, 3, &number)) {
      *(member == TS ? &out->time_ns : &out->dur_ns) = number;
    } else {
      tdm_json_skip(json);
    }
  }
  return true;
}

static void put(tdm_torch_chrome *chrome, int shape, const tdm_torch_open_span *span,
                int64_t dur_ns) {
  tdm_record_row(chrome->recorder, layout_of(chrome, shape), span->start_ns, dur_ns, span->track,
                 span->name, span->args, ARGS);
}

static void end_span(tdm_torch_chrome *chrome, const event *end, uint32_t track) {
  bool crossed = false; /* something that began later is still open */
  for (size_t i = chrome->count; i-- > 0;) {
    tdm_torch_open_span span = chrome->open[i];
    if (span.track != track) continue;
    if (span.name != end->name) {
      crossed = true;
      continue;
    }
    memmove(&chrome->open[i], &chrome->open[i + 1], (chrome->count - i - 1) * sizeof span);
    chrome->count--;
    if (end->args[JSON] != TDM_NONE) span.args[JSON] = end->args[JSON];
    if (end->args[COMPILE_ID] != TDM_NONE) span.args[COMPILE_ID] = end->args[COMPILE_ID];
    int64_t dur_ns;
    if (__builtin_sub_overflow(end->time_ns, span.start_ns, &dur_ns) || dur_ns < 0) {
      tdm_record_problem(chrome->recorder, "spans that end before they begin (made empty)", 1);
      dur_ns = 0;
    }
    put(chrome, crossed ? CROSSED : SPAN, &span, dur_ns);
    return;
  }
  tdm_record_problem(chrome->recorder, "ends without a begin (skipped)", 1);
}

static bool put_event(tdm_torch_chrome *chrome, const event *each, uint32_t track) {
  tdm_torch_open_span span = {.start_ns = each->time_ns, .track = track, .name = each->name};
  memcpy(span.args, each->args, sizeof span.args);
  switch (each->phase) {
  case 'B':
    if (!tdm_array_grow(&chrome->open, &chrome->room, chrome->count + 1, sizeof span)) return false;
    chrome->open[chrome->count++] = span;
    return true;
  case 'E': end_span(chrome, each, track); return true;
  case 'X':
    if (each->dur_ns == TDM_NONE || each->dur_ns < 0)
      tdm_record_problem(chrome->recorder, "spans without a duration (made empty)", 1);
    put(chrome, SPAN, &span, each->dur_ns < 0 ? 0 : each->dur_ns);
    return true;
  case 'i':
  case 'I': break;
  default:
    tdm_record_problem(chrome->recorder, "Chrome events of other phases (kept as instants)", 1);
  }
  put(chrome, INSTANT, &span, 0);
  return true;
}

bool tdm_torch_chrome_event(tdm_torch_chrome *chrome, const tdm_torch_record *record,
                            const char *payload, size_t length, uint32_t track, tdm_json *json,
                            int64_t *time_ns) {
  tdm_recorder *recorder = chrome->recorder;
  event each = {.time_ns = TDM_NONE, .dur_ns = TDM_NONE};
  *time_ns = TDM_NONE;
  tdm_torch_value_clear(&chrome->args);
  for (size_t i = 0; i < ARGS; i++) each.args[i] = TDM_NONE;
  tdm_json_text(json, payload, length);
  bool object = tdm_json_next(json) == TDM_JSON_OBJECT;
  if (object && !read_event(chrome, json, &each)) return false;
  if (!object || !each.named || each.time_ns == TDM_NONE) {
    tdm_record_problem(recorder, "Chrome events without a name or time (skipped)", 1);
    return true;
  }
  *time_ns = each.time_ns;
  if (chrome->last_ns == TDM_NONE || each.time_ns > chrome->last_ns) chrome->last_ns = each.time_ns;
  each.args[KIND] = tdm_record_text(recorder, "chromium_event");
  each.args[FRAME_ID] = record->frame_id;
  each.args[FRAME_COMPILE_ID] = record->frame_compile_id;
  each.args[ATTEMPT] = record->attempt;
  each.args[RANK] = record->rank;
  each.args[COMPILE_ID] = own_compile_id(chrome);
  if (each.args[COMPILE_ID] == TDM_NONE) {
    tdm_torch_text_clear(&chrome->text);
    tdm_torch_record_compile_id(record, &chrome->text);
    if (chrome->text.length > 0)
      each.args[COMPILE_ID] = tdm_record_name(recorder, chrome->text.bytes, chrome->text.length);
  }
  const tdm_torch_text *args = &chrome->args.json;
  if (args->length > TDM_TORCH_JSON_ROOM) {
    const char *name = tdm_recorder_name(recorder, each.name, NULL);
    if (name != NULL && tdm_torch_artifact_put(chrome->artifacts, recorder, record, name, "json",
                                               args->bytes, args->length) == TDM_NONE)
      return false;
  } else if (args->length > 2) {
    each.args[JSON] = tdm_record_name(recorder, args->bytes, args->length);
  }
  return put_event(chrome, &each, track) && !chrome->text.failed;
}

void tdm_torch_chrome_end(tdm_torch_chrome *chrome, int64_t last_ns) {
  if (chrome->last_ns != TDM_NONE && chrome->last_ns > last_ns) last_ns = chrome->last_ns;
  tdm_record_problem(chrome->recorder, "events without an end (kept as open)", chrome->count);
  for (size_t i = 0; i < chrome->count; i++) {
    int64_t dur_ns;
    if (__builtin_sub_overflow(last_ns, chrome->open[i].start_ns, &dur_ns) || dur_ns < 0)
      dur_ns = 0;
    put(chrome, OPEN, &chrome->open[i], dur_ns);
  }
  chrome->count = 0;
}
