/* The memory timeline of torch.profiler (export_memory_timeline).
 *
 * Two forms. Raw (".raw.json"): a list of [time in ns, action, bytes, category], bytes negative
 * where memory goes; a tensor that changes its category appears twice, with -n and n. What lived
 * before has the time -1 and is put at the first time there is, as PyTorch does when it draws.
 * Coalesced (".json"): [times in us, for each time the live bytes of each category], one column too
 * many in front. Raw events become instants of category "memory", named by their action, with kind
 * = the tensor's category. Both become counters of live bytes. The files do not say which device
 * they are of, so there is one track without a number. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "read/json/json.h"
#include "read/torch/inside.h"

enum { CATEGORIES = 8, ACTIONS = 5, TOTAL = CATEGORIES, RECORD = 4, PROGRESS_ROWS = 8192 };

/* _CATEGORY_TO_INDEX and Action of torch/profiler/_memory_profiler.py */
static const char *const categories[CATEGORIES + 1] = {
    "parameter", "optimizer_state", "input",   "temporary", "activation",
    "gradient",  "autograd_detail", "unknown", "total"};
static const char *const actions[ACTIONS] = {"", "preexisting", "create", "increment_version",
                                             "destroy"};

typedef struct {
  int64_t *items;
  size_t count, room;
  uint64_t bad; /* items that are no whole numbers */
} number_list;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_error *error;
  uint32_t track, unit, layout, counters[CATEGORIES + 1];
  int64_t live[CATEGORIES + 1], shown[CATEGORIES + 1], peak[CATEGORIES + 1];
  bool ever[CATEGORIES + 1]; /* has a sample */
  int64_t now_ns;
  bool begun;          /* now_ns is the time of an event */
  number_list earlier; /* action, bytes, category of what lived before the first time */
  uint64_t records;
  tdm_status status;
} timeline;

/* ---- counters ---- */

static void change(timeline *t, size_t category, int64_t bytes) {
  if (__builtin_add_overflow(t->live[category], bytes, &t->live[category]))
    tdm_record_problem(t->recorder, "sums of bytes beyond 2^63", 1);
}

/* Samples of what is different from what was last shown. */
static void show(timeline *t) {
  int64_t total = 0;
  for (size_t i = 0; i < CATEGORIES; i++) total = (int64_t)((uint64_t)total + (uint64_t)t->live[i]);
  t->live[TOTAL] = total;
  for (size_t i = 0; i <= CATEGORIES; i++) {
    if (t->live[i] == t->shown[i] && (t->ever[i] || t->live[i] == 0)) continue;
    t->shown[i] = t->live[i];
    t->ever[i] = true;
    if (t->live[i] > t->peak[i]) t->peak[i] = t->live[i];
    tdm_record_sample(t->recorder, t->now_ns, t->track, t->counters[i], (double)t->live[i],
                      t->unit);
  }
}

static void show_peaks(timeline *t) {
  for (size_t i = 0; i <= CATEGORIES; i++) {
    tdm_metric peak = {.scope = "memory",
                       .subject = categories[i],
                       .ordinal = TDM_NONE,
                       .name = "peak_live_bytes",
                       .unit = "bytes",
                       .value = (double)t->peak[i]};
    if (t->ever[i]) tdm_record_metric(t->recorder, &peak);
  }
}

/* ---- numbers ---- */

static bool add_number(timeline *t, number_list *list, int64_t number) {
  if (!tdm_array_grow(&list->items, &list->room, list->count + 1, sizeof *list->items)) {
    t->status = tdm_error_memory(t->error, "a memory timeline", list->count * sizeof number);
    return false;
  }
  list->items[list->count++] = number;
  return true;
}

/* The rest of a list whose first token was taken already. */
static void read_numbers(timeline *t, tdm_json_token token, number_list *list) {
  list->count = 0;
  list->bad = 0;
  for (; token != TDM_JSON_ARRAY_END && token != TDM_JSON_END; token = tdm_json_next(t->json)) {
    size_t length;
    const char *text = tdm_json_value(t->json, &length);
    int64_t number = 0;
    if (token != TDM_JSON_NUMBER || !tdm_number_integer(text, length, &number)) {
      list->bad++;
      if (token == TDM_JSON_ARRAY || token == TDM_JSON_OBJECT) tdm_json_skip(t->json);
    }
    if (!add_number(t, list, number)) return;
  }
}

static int64_t to_ns(timeline *t, int64_t time, int64_t unit_ns) {
  int64_t ns;
  if (!__builtin_mul_overflow(time, unit_ns, &ns)) return ns;
  tdm_record_problem(t->recorder, "times beyond 2^63 ns (placed at the one before)", 1);
  return t->now_ns;
}

static int64_t unit_ns(const timeline *t, int64_t usual) {
  switch (t->options->time_unit) {
  case TDM_UNIT_NS: return 1;
  case TDM_UNIT_US: return 1000;
  case TDM_UNIT_MS: return 1000000;
  case TDM_UNIT_S: return 1000000000;
  default: return usual;
  }
}

static bool keep_on(timeline *t) {
  if (t->status == TDM_OK && ++t->records % PROGRESS_ROWS == 0)
    t->status = tdm_read_progress(t->input, t->options, t->error);
  return t->status == TDM_OK && !tdm_recorder_failed(t->recorder);
}

/* ---- the raw form ---- */

/* The name of a number that PyTorch gives; later ones may be added to its lists. */
static uint32_t word(timeline *t, const char *const *words, int64_t count, int64_t number,
                     const char *what) {
  if (number >= 0 && number < count && words[number][0] != 0)
    return tdm_record_text(t->recorder, words[number]);
  char text[48];
  snprintf(text, sizeof text, "%s %lld", what, (long long)number);
  tdm_record_problem(t->recorder, "actions and categories without a known name (kept)", 1);
  return tdm_record_text(t->recorder, text);
}

static void put_event(timeline *t, int64_t action, int64_t bytes, int64_t category) {
  bool known = category >= 0 && category < CATEGORIES;
  int64_t args[] = {bytes, word(t, categories, CATEGORIES, category, "category")};
  tdm_record_row(t->recorder, t->layout, t->now_ns, 0, t->track,
                 word(t, actions, ACTIONS, action, "action"), args, 2);
  change(t, known ? (size_t)category : CATEGORIES - 1, bytes);
}

static void put_earlier(timeline *t) {
  for (size_t i = 0; i + 2 < t->earlier.count; i += 3)
    put_event(t, t->earlier.items[i], t->earlier.items[i + 1], t->earlier.items[i + 2]);
  if (t->earlier.count > 0)
    tdm_record_fact_int(t->recorder, "memory_timeline.preexisting",
                        (int64_t)(t->earlier.count / 3));
  t->earlier.count = 0;
}

static void put_record(timeline *t, const number_list *list, int64_t unit) {
  if (list->count != RECORD || list->bad > 0) {
    tdm_record_problem(t->recorder,
                       "records that are not [time, action, bytes, category] (skipped)", 1);
    return;
  }
  const int64_t *item = list->items;
  if (item[0] < 0 && !t->begun) {
    for (size_t i = 1; i < RECORD; i++)
      if (!add_number(t, &t->earlier, item[i])) return;
    return;
  }
  int64_t time_ns = item[0] < 0 ? t->now_ns : to_ns(t, item[0], unit);
  if (!t->begun) {
    t->begun = true;
    t->now_ns = time_ns;
    put_earlier(t);
  } else if (time_ns != t->now_ns) {
    show(t);
    t->now_ns = time_ns;
  }
  put_event(t, item[1], item[2], item[3]);
}

static void read_raw(timeline *t, number_list *list, tdm_json_token token) {
  int64_t unit = unit_ns(t, 1);
  put_record(t, list, unit);
  for (; token != TDM_JSON_ARRAY_END && token != TDM_JSON_END && keep_on(t);
       token = tdm_json_next(t->json)) {
    if (token == TDM_JSON_ARRAY) {
      read_numbers(t, tdm_json_next(t->json), list);
    } else {
      tdm_json_skip(t->json);
      list->count = 0;
    }
    put_record(t, list, unit);
  }
  if (t->earlier.count > 0) {
    tdm_record_problem(t->recorder, "blocks from before, with no time after them (placed at 0)",
                       t->earlier.count / 3);
    put_earlier(t);
  }
  show(t);
}

/* ---- the coalesced form ---- */

static void read_coalesced(timeline *t, const number_list *times, tdm_json_token token) {
  int64_t unit = unit_ns(t, 1000);
  number_list sizes = {0};
  size_t row = 0;
  for (; token != TDM_JSON_ARRAY_END && token != TDM_JSON_END && keep_on(t);
       token = tdm_json_next(t->json)) {
    if (token != TDM_JSON_ARRAY) {
      tdm_json_skip(t->json);
      tdm_record_problem(t->recorder, "rows that are not lists of bytes (skipped)", 1);
      row++;
      continue;
    }
    read_numbers(t, tdm_json_next(t->json), &sizes);
    if (sizes.count != CATEGORIES + 1 || sizes.bad > 0 || row >= times->count) {
      tdm_record_problem(t->recorder, "rows without a time or not of 9 columns (skipped)", 1);
    } else {
      t->now_ns = to_ns(t, times->items[row], unit);
      for (size_t i = 0; i < CATEGORIES; i++) t->live[i] = sizes.items[i + 1];
      if (sizes.items[0] != 0)
        tdm_record_problem(t->recorder, "bytes in the column without a category (left out)", 1);
      show(t);
    }
    row++;
  }
  if (row < times->count && t->status == TDM_OK)
    tdm_record_problem(t->recorder, "times without sizes (skipped)", times->count - row);
  free(sizes.items);
}

/* ---- the file ---- */

static void begin(timeline *t) {
  static const tdm_arg args[] = {{"bytes", TDM_ARG_INT}, {"kind", TDM_ARG_TEXT}};
  tdm_track track = TDM_TRACK_PLAIN;
  track.process = "PyTorch memory";
  track.name = "memory";
  track.kind = TDM_TRACK_DEVICE;
  track.lane = TDM_LANE_GPU;
  t->track = tdm_record_track(t->recorder, &track);
  t->unit = tdm_record_text(t->recorder, "bytes");
  t->layout = tdm_record_layout(t->recorder, "memory", TDM_SHAPE_INSTANT, args, 2);
  for (size_t i = 0; i <= CATEGORIES; i++) {
    char name[32];
    snprintf(name, sizeof name, "memory: %s", categories[i]);
    t->counters[i] = tdm_record_text(t->recorder, name);
  }
  tdm_recorder_utc(t->recorder, 0); /* the profiler's clock counts from 1970 */
}

/* The first list says which form it is: raw when it has four numbers and no list of lists follows.
 */
static void read_forms(timeline *t) {
  number_list first = {0};
  tdm_json_token token = tdm_json_next(t->json);
  bool list = token == TDM_JSON_ARRAY;
  if (list) token = tdm_json_next(t->json);
  if (!list || (token != TDM_JSON_ARRAY && token != TDM_JSON_ARRAY_END)) {
    t->status =
        tdm_error_set(t->error, TDM_INVALID, "%s: a memory timeline is a list of lists of numbers",
                      tdm_input_path(t->input));
    return;
  }
  if (token == TDM_JSON_ARRAY_END) return;
  begin(t);
  read_numbers(t, tdm_json_next(t->json), &first);
  token = tdm_json_next(t->json);
  tdm_json_token inner = token == TDM_JSON_ARRAY ? tdm_json_next(t->json) : TDM_JSON_END;
  bool coalesced = token == TDM_JSON_ARRAY &&
                   (inner == TDM_JSON_ARRAY || (first.count != RECORD && inner != TDM_JSON_NUMBER));
  tdm_recorder_detail(t->recorder, coalesced ? "coalesced" : "raw");
  if (coalesced) {
    read_coalesced(t, &first, inner);
  } else if (token == TDM_JSON_ARRAY) {
    number_list second = {0};
    read_numbers(t, inner, &second);
    int64_t unit = unit_ns(t, 1);
    put_record(t, &first, unit);
    read_raw(t, &second, tdm_json_next(t->json));
    free(second.items);
  } else {
    read_raw(t, &first, token);
  }
  show_peaks(t);
  free(first.items);
}

static tdm_status read_timeline(tdm_input *input, const tdm_read_options *options,
                                tdm_recorder *recorder, tdm_error *error) {
  timeline t = {.input = input, .options = options, .recorder = recorder, .error = error};
  t.json = tdm_json_new(input);
  if (t.json == NULL) return tdm_error_memory(error, "a JSON text", 0);
  read_forms(&t);
  if (t.status == TDM_OK) t.status = tdm_json_finish(t.json, error);
  for (tdm_json_repair i = 0; i < TDM_JSON_REPAIRS; i++)
    tdm_record_problem(recorder, tdm_json_repair_name(i), tdm_json_repaired(t.json, i));
  tdm_json_free(t.json);
  free(t.earlier.items);
  return t.status;
}

static const unsigned char *past_white(const unsigned char *p, const unsigned char *end) {
  while (p < end && *p <= ' ') p++;
  return p;
}

/* A list whose first item is a list of numbers. */
static int detect(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  const unsigned char *p = head, *end = head + length;
  for (int brackets = 0; brackets < 2; brackets++) {
    p = past_white(p, end);
    if (p == end || *p++ != '[') return 0;
  }
  for (size_t count = 1;; count++) {
    p = past_white(p, end);
    const unsigned char *start = p;
    while (p < end && ((*p >= '0' && *p <= '9') || *p == '-')) p++;
    if (p == start && p < end) return 0;
    p = past_white(p, end);
    if (p == end) return count > RECORD ? 60 : 0; /* times, as many as they are */
    if (*p == ',') {
      p++;
      continue;
    }
    if (*p++ != ']') return 0;
    p = past_white(p, end);
    if (p < end && *p == ',') p = past_white(p + 1, end);
    if (p < end && *p == '[' && (p = past_white(p + 1, end)) < end && *p == '[') return 80;
    return count == RECORD ? 90 : 0;
  }
}

const tdm_reader tdm_reader_torch_timeline = {
    .name = "torch-memory-timeline",
    .title = "PyTorch profiler memory timeline",
    .accepts = "*.raw.json[.gz], *.json (export_memory_timeline)",
    .detect = detect,
    .read = read_timeline,
};
