/* The arguments of an event, and the layouts that they make; see event.h. Keys come in the same
 * order again and again: each remembers which followed it, and one comparison then saves a hash. */
#include "read/kineto/event.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "read/json/json.h"
#include "trace/intern.h"

enum {
  LAYOUTS = 2000,                 /* of more kinds of events the arguments become one JSON text */
  LIST_ROOM = TDM_LAYOUT_ARGS - 3 /* a grid or block makes three of one */
};

typedef struct {
  const char *key; /* as it is written in layouts */
  uint32_t target; /* the first key of this table that is written so */
  tdm_arg_type type;
  bool typed;    /* known to be of `type` */
  bool fraction; /* some of its numbers had one */
  tdm_kineto_use use;
  uint32_t parts[3]; /* grid: the keys of grid_x and so on */
  uint32_t follows;  /* the key that came after it last time */
  uint64_t stamp;    /* of the last list that has it … */
  uint32_t at;       /* … and where */
} key_info;

struct tdm_kineto_args {
  tdm_recorder *recorder;
  tdm_intern keys;
  key_info *infos;
  size_t info_room;
  tdm_kineto_arg list[TDM_LAYOUT_ARGS];
  uint32_t count;
  uint64_t stamp;
  uint32_t previous; /* key; 0 at the beginning, which no argument is */
  int64_t number[3];
  tdm_intern layouts;
  uint32_t *layout_ids;
  size_t layout_room;
  uint32_t last_layouts[64]; /* by category, in `layouts`: most events are of the kind before */
  char *text;                /* arguments as JSON */
  size_t text_room, text_used;
};

static uint32_t key_index(tdm_kineto_args *args, const char *text, size_t length);

tdm_kineto_args *tdm_kineto_args_new(tdm_recorder *recorder) {
  tdm_kineto_args *args = tdm_array_new(1, sizeof *args);
  if (args == NULL) return NULL;
  args->recorder = recorder;
  key_index(args, "", 0);
  tdm_kineto_args_clear(args);
  if (args->infos != NULL) return args;
  tdm_kineto_args_free(args);
  return NULL;
}

void tdm_kineto_args_free(tdm_kineto_args *args) {
  if (args == NULL) return;
  tdm_intern_clear(&args->keys);
  tdm_intern_clear(&args->layouts);
  free(args->infos);
  free(args->layout_ids);
  free(args->text);
  free(args);
}

/* ---- keys ---- */

static void fill_info(tdm_kineto_args *args, uint32_t index, const char *text) {
  const tdm_kineto_key *known = tdm_kineto_key_of(text);
  key_info info = {.key = text, .target = index};
  if (known != NULL) {
    info.key = known->key;
    info.type = known->type;
    info.typed = true;
    info.use = known->use;
  }
  args->infos[index] = info;
  if (strcmp(info.key, text) != 0) {
    uint32_t target = key_index(args, info.key, strlen(info.key)); /* may move infos */
    args->infos[index].target = target;
  }
  if (info.use == TDM_KINETO_GRID || info.use == TDM_KINETO_BLOCK) {
    static const char *const names[2][3] = {{"grid_x", "grid_y", "grid_z"},
                                            {"block_x", "block_y", "block_z"}};
    for (int i = 0; i < 3; i++) {
      const char *part = names[info.use == TDM_KINETO_BLOCK][i];
      uint32_t part_index = key_index(args, part, strlen(part));
      args->infos[index].parts[i] = part_index;
    }
  }
}

/* 0, the key "", when memory is short. */
static uint32_t key_index(tdm_kineto_args *args, const char *text, size_t length) {
  int fresh;
  uint32_t index = tdm_intern_put(&args->keys, text, length, &fresh);
  if (index == TDM_INTERN_FAILED) return 0;
  if (fresh) {
    if (!tdm_array_grow(&args->infos, &args->info_room, (size_t)index + 1, sizeof *args->infos))
      return 0;
    fill_info(args, index, args->keys.entries[index].bytes);
  }
  return index;
}

/* The key after the previous one. */
static uint32_t next_key(tdm_kineto_args *args, const char *text, size_t length) {
  uint32_t guess = args->infos[args->previous].follows;
  const tdm_intern_entry *entry = &args->keys.entries[guess];
  if (entry->length != length || memcmp(entry->bytes, text, length) != 0) {
    guess = key_index(args, text, length);
    args->infos[args->previous].follows = guess;
  }
  args->previous = guess;
  return guess;
}

const char *tdm_kineto_args_key(const tdm_kineto_args *args, uint32_t key) {
  return args->infos[key].key;
}

/* ---- the list ---- */

void tdm_kineto_args_clear(tdm_kineto_args *args) {
  args->count = 0;
  args->previous = 0;
  args->stamp++;
  for (int i = 0; i < 3; i++) args->number[i] = TDM_NONE;
}

void tdm_kineto_args_put(tdm_kineto_args *args, uint32_t key, tdm_arg_type type, int64_t value,
                         bool replace) {
  key_info *info = &args->infos[args->infos[key].target];
  uint32_t at = args->count;
  if (info->stamp == args->stamp) {
    if (!replace) return;
    at = info->at;
  } else if (at == LIST_ROOM) {
    tdm_record_problem(args->recorder, "arguments beyond 93 of an event (dropped)", 1);
    return;
  } else {
    args->count++;
  }
  info->stamp = args->stamp;
  info->at = at;
  args->list[at] = (tdm_kineto_arg){(uint32_t)(info - args->infos), type, value};
}

void tdm_kineto_args_put_text(tdm_kineto_args *args, const char *key, const char *text) {
  uint32_t index = key_index(args, key, strlen(key));
  tdm_kineto_args_put(args, index, TDM_ARG_TEXT, tdm_record_text(args->recorder, text), true);
}

bool tdm_kineto_args_has(tdm_kineto_args *args, const char *key) {
  uint32_t index = tdm_intern_find(&args->keys, key, strlen(key));
  return index != TDM_INTERN_FAILED && args->infos[index].stamp == args->stamp;
}

const tdm_kineto_arg *tdm_kineto_args_all(const tdm_kineto_args *args, uint32_t *count) {
  *count = args->count;
  return args->list;
}

int64_t tdm_kineto_args_number(const tdm_kineto_args *args, tdm_kineto_use use) {
  return args->number[use - TDM_KINETO_DEVICE];
}

static void put_name(tdm_kineto_args *args, uint32_t key, tdm_arg_type type, const char *text,
                     size_t length) {
  tdm_kineto_args_put(args, key, type, tdm_record_name(args->recorder, text, length), true);
}

/* Without point and exponent. */
static bool is_plain(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((text[i] < '0' || text[i] > '9') && text[i] != '-') return false;
  return true;
}

/* A number is INT where it is one and its key never had a fraction, so that a column does not come
 * and go with its values; beyond int64 it stays text. */
static void put_number(tdm_kineto_args *args, uint32_t key, const char *text, size_t length) {
  key_info *info = &args->infos[key];
  int64_t value;
  bool whole = tdm_number_integer(text, length, &value);
  bool written_whole = is_plain(text, length);
  bool wants_real = info->typed ? info->type == TDM_ARG_REAL : info->fraction;
  if (whole && !wants_real && (written_whole || info->typed)) {
    tdm_kineto_args_put(args, key, TDM_ARG_INT, value, true);
  } else if (written_whole && !whole && value != 0) {
    put_name(args, key, TDM_ARG_TEXT, text, length);
  } else {
    info->fraction = true;
    tdm_kineto_args_put(args, key, TDM_ARG_REAL, tdm_record_real(tdm_number_double(text, length)),
                        true);
  }
}

void tdm_kineto_args_put_number(tdm_kineto_args *args, const char *key, const char *text,
                                size_t length) {
  put_number(args, key_index(args, key, strlen(key)), text, length);
}

static void put_string(tdm_kineto_args *args, uint32_t key, const char *text, size_t length) {
  const key_info *info = &args->infos[key];
  int64_t value;
  bool number = info->typed && info->type == TDM_ARG_INT;
  if (number && tdm_number_integer(text, length, &value))
    tdm_kineto_args_put(args, key, TDM_ARG_INT, value, true);
  else
    put_name(args, key, TDM_ARG_TEXT, text, length);
}

/* "[x,y,z]" as three arguments. False: it is something else. */
static bool put_parts(tdm_kineto_args *args, uint32_t key, const char *text) {
  int64_t value[3];
  for (int i = 0; i < 3; i++) {
    size_t length = strcspn(++text, ",]");
    if (!tdm_number_integer(text, length, &value[i])) return false;
    text += length;
    if (*text != (i < 2 ? ',' : ']')) return false;
  }
  if (text[1] != 0) return false;
  for (int i = 0; i < 3; i++)
    tdm_kineto_args_put(args, args->infos[key].parts[i], TDM_ARG_INT, value[i], true);
  return true;
}

static void put_null(tdm_kineto_args *args, uint32_t key) {
  const key_info *info = &args->infos[key];
  bool real = info->typed ? info->type == TDM_ARG_REAL : info->fraction;
  tdm_kineto_args_put(args, key, real ? TDM_ARG_REAL : TDM_ARG_INT,
                      real ? tdm_record_real(NAN) : TDM_NONE, true);
}

static void take_value(tdm_kineto_args *args, uint32_t key, tdm_json *json, tdm_json_token token) {
  size_t length;
  const char *text;
  tdm_kineto_use use = args->infos[key].use;
  switch (token) {
  case TDM_JSON_NUMBER:
    text = tdm_json_value(json, &length);
    put_number(args, key, text, length);
    break;
  case TDM_JSON_STRING:
    text = tdm_json_value(json, &length);
    put_string(args, key, text, length);
    break;
  case TDM_JSON_TRUE:
  case TDM_JSON_FALSE:
    tdm_kineto_args_put(args, key, TDM_ARG_BOOL, token == TDM_JSON_TRUE, true);
    break;
  case TDM_JSON_OBJECT:
  case TDM_JSON_ARRAY:
    text = tdm_json_compact(json, &length);
    if (text == NULL) break;
    if ((use == TDM_KINETO_GRID || use == TDM_KINETO_BLOCK) && put_parts(args, key, text)) break;
    put_name(args, key, TDM_ARG_JSON, text, length);
    break;
  default: put_null(args, key); break;
  }
  if (use >= TDM_KINETO_DEVICE && use <= TDM_KINETO_STREAM && args->count > 0) {
    const key_info *info = &args->infos[args->infos[key].target];
    const tdm_kineto_arg *arg = &args->list[info->at];
    if (info->stamp == args->stamp && arg->type == TDM_ARG_INT)
      args->number[use - TDM_KINETO_DEVICE] = arg->value;
  }
}

void tdm_kineto_args_read(tdm_kineto_args *args, tdm_json *json) {
  size_t length;
  const char *text = tdm_json_value(json, &length);
  uint32_t key = next_key(args, text, length);
  take_value(args, key, json, tdm_json_next(json));
}

void tdm_kineto_args_take(tdm_kineto_args *args, const char *key, size_t length, tdm_json *json,
                          tdm_json_token token) {
  take_value(args, key_index(args, key, length), json, token);
}

/* ---- arguments as one JSON text ---- */

static void append(tdm_kineto_args *args, const char *text, size_t length) {
  if (!tdm_array_grow(&args->text, &args->text_room, args->text_used + length + 1, 1)) return;
  memcpy(args->text + args->text_used, text, length);
  args->text_used += length;
}

static void append_quoted(tdm_kineto_args *args, const char *text, size_t length) {
  if (!tdm_array_grow(&args->text, &args->text_room, args->text_used + 6 * length + 3, 1)) return;
  args->text_used += tdm_json_escape(text, length, args->text + args->text_used);
}

static void append_value(tdm_kineto_args *args, const tdm_kineto_arg *arg) {
  char number[TDM_DECIMAL_SIZE];
  size_t length = 0;
  if (arg->type == TDM_ARG_TEXT || arg->type == TDM_ARG_JSON) {
    const char *text = tdm_recorder_name(args->recorder, (uint32_t)arg->value, &length);
    if (text != NULL && arg->type == TDM_ARG_TEXT)
      append_quoted(args, text, length);
    else
      append(args, text != NULL ? text : "null", text != NULL ? length : 4);
  } else if (arg->type == TDM_ARG_BOOL) {
    append(args, arg->value ? "true" : "false", arg->value ? 4 : 5);
  } else if (arg->type == TDM_ARG_REAL && isfinite(tdm_record_double(arg->value))) {
    append(args, number, tdm_decimal_print(number, tdm_record_double(arg->value)));
  } else if (arg->type == TDM_ARG_INT && arg->value != TDM_NONE) {
    append(args, number, (size_t)snprintf(number, sizeof number, "%lld", (long long)arg->value));
  } else {
    append(args, "null", 4);
  }
}

/* Replaces the list by one argument "args". */
static void fold(tdm_kineto_args *args) {
  args->text_used = 0;
  append(args, "{", 1);
  for (uint32_t i = 0; i < args->count; i++) {
    const char *key = args->infos[args->list[i].key].key;
    if (i > 0) append(args, ",", 1);
    append_quoted(args, key, strlen(key));
    append(args, ":", 1);
    append_value(args, &args->list[i]);
  }
  append(args, "}", 1);
  int64_t id = tdm_record_name(args->recorder, args->text, args->text_used);
  tdm_kineto_args_clear(args);
  tdm_kineto_args_put(args, key_index(args, "args", 4), TDM_ARG_JSON, id, true);
  tdm_record_problem(args->recorder,
                     "events of too many different kinds (their arguments kept as one JSON text)",
                     1);
}

/* ---- rows ---- */

static bool is_of_track(const tdm_kineto_args *args, const tdm_kineto_arg *arg) {
  tdm_kineto_use use = args->infos[arg->key].use;
  return use >= TDM_KINETO_DEVICE && use <= TDM_KINETO_STREAM && arg->type == TDM_ARG_INT;
}

static void drop_track(tdm_kineto_args *args) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < args->count; i++)
    if (!is_of_track(args, &args->list[i])) args->list[kept++] = args->list[i];
  args->count = kept;
}

static uint32_t new_layout(tdm_kineto_args *args, const char *category, tdm_shape shape) {
  tdm_arg arg[TDM_LAYOUT_ARGS];
  for (uint32_t i = 0; i < args->count; i++)
    arg[i] = (tdm_arg){args->infos[args->list[i].key].key, args->list[i].type};
  return tdm_record_layout(args->recorder, category, shape, arg, args->count);
}

/* The layout of the list; UINT32_MAX: there are too many, or no memory. */
static uint32_t layout_of(tdm_kineto_args *args, uint32_t category, const char *category_name,
                          tdm_shape shape, bool more) {
  uint32_t key[TDM_LAYOUT_ARGS + 1];
  key[0] = category << 3 | (uint32_t)shape;
  for (uint32_t i = 0; i < args->count; i++)
    key[i + 1] = args->list[i].key << 3 | (uint32_t)args->list[i].type;
  size_t length = (args->count + 1) * sizeof *key;
  uint32_t *last = &args->last_layouts[category % 64];
  if (*last < args->layouts.count) {
    const tdm_intern_entry *entry = &args->layouts.entries[*last];
    if (entry->length == length && memcmp(entry->bytes, key, length) == 0)
      return args->layout_ids[*last];
  }
  uint32_t known = tdm_intern_find(&args->layouts, key, length);
  if (known != TDM_INTERN_FAILED) {
    *last = known;
    return args->layout_ids[known];
  }
  if (args->layouts.count >= LAYOUTS && !more) return UINT32_MAX;
  known = tdm_intern_put(&args->layouts, key, length, NULL);
  if (known == TDM_INTERN_FAILED || !tdm_array_grow(&args->layout_ids, &args->layout_room,
                                                    (size_t)known + 1, sizeof *args->layout_ids))
    return UINT32_MAX;
  args->layout_ids[known] = new_layout(args, category_name, shape);
  return args->layout_ids[known];
}

void tdm_kineto_args_row(tdm_kineto_args *args, uint32_t category, const char *category_name,
                         bool gpu, tdm_shape shape, int64_t start_ns, int64_t dur_ns,
                         uint32_t track, uint32_t name) {
  if (gpu) drop_track(args);
  uint32_t layout = layout_of(args, category, category_name, shape, args->count == 0);
  if (layout == UINT32_MAX) {
    fold(args);
    layout = layout_of(args, category, category_name, shape, true);
    if (layout == UINT32_MAX) return;
  }
  tdm_row_buffer *rows = tdm_record_rows(args->recorder, layout);
  if (rows == NULL) return;
  size_t n = rows->count++;
  rows->column[TDM_START][n] = start_ns;
  rows->column[TDM_DUR][n] = dur_ns;
  rows->column[TDM_TRACK][n] = track;
  rows->column[TDM_NAME][n] = name;
  for (uint32_t i = 0; i < args->count; i++) rows->column[TDM_ARGS + i][n] = args->list[i].value;
}
