/* See record.h. A table of spellings says what to do with each key; keys that it does not
 * know become arguments under their own names. */
#include "read/cuda_api/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DEEPEST = 4, DIRECTIONS = 16 };

/* What would take a column's own name, or means something only outside of details. */
static bool is_reserved(tdm_api_action what) {
  return what == TDM_API_KEY_TIME || what == TDM_API_KEY_END ||
         (what >= TDM_API_KEY_PHASE && what <= TDM_API_KEY_PROCESS) || what == TDM_API_KEY_DATA;
}

struct tdm_api_parser {
  tdm_recorder *recorder;
  tdm_json *json;
  tdm_api_words words;
  tdm_intern keys, texts; /* keys: the spellings come first; texts: categories and processes */
  tdm_api_own own;
  uint32_t (*after)[2]; /* by key: the two that came behind it last, since records repeat */
  size_t after_room;
  uint32_t last_key;
  struct {
    const char *kind;
    uint32_t name;
  } directions[DIRECTIONS]; /* of copies, that are in the recorder */
  char *printed;            /* a record within a record */
  size_t printed_room;
  bool again;     /* `printed` is to be read */
  bool inside;    /* the JSON is that of `printed` */
  int64_t arg[2]; /* a list of plain "args" */
  uint32_t arg_count;
  bool failed;
};

tdm_api_parser *tdm_api_parser_new(tdm_recorder *recorder) {
  tdm_api_parser *parser = tdm_array_new(1, sizeof *parser);
  if (parser == NULL) return NULL;
  parser->recorder = recorder;
  parser->json = tdm_json_new_text();
  for (size_t i = 0; i < tdm_api_key_count; i++)
    if (tdm_intern_put(&parser->keys, tdm_api_keys[i].text, strlen(tdm_api_keys[i].text), NULL) !=
        i)
      parser->failed = true;
  parser->after_room = 2 * tdm_api_key_count;
  parser->after = tdm_array_new(parser->after_room, sizeof *parser->after);
  if (parser->json == NULL || parser->after == NULL || parser->failed) {
    tdm_api_parser_free(parser);
    return NULL;
  }
  return parser;
}

void tdm_api_parser_free(tdm_api_parser *parser) {
  if (parser == NULL) return;
  tdm_json_free(parser->json);
  tdm_api_words_clear(&parser->words);
  tdm_intern_clear(&parser->keys);
  tdm_intern_clear(&parser->texts);
  tdm_api_own_free(&parser->own);
  free(parser->after);
  free(parser->printed);
  free(parser);
}

bool tdm_api_parser_failed(const tdm_api_parser *parser) {
  return parser->failed;
}

const char *const *tdm_api_parser_own(const tdm_api_parser *parser) {
  return parser->own.name;
}

void tdm_api_parser_text(tdm_api_parser *parser, const char *text, size_t length) {
  tdm_json_text(parser->json, text, length);
  parser->again = parser->inside = false;
}

void tdm_api_parser_report(const tdm_api_parser *parser) {
  for (int i = 0; i < TDM_JSON_REPAIRS; i++) {
    uint64_t count = tdm_json_repaired(parser->json, (tdm_json_repair)i);
    if (count > 0)
      tdm_record_problem(parser->recorder, tdm_json_repair_name((tdm_json_repair)i), count);
  }
}

/* ---- arguments ---- */

static void put(tdm_api_parser *parser, tdm_api_record *record, uint8_t key, tdm_arg_type type,
                int64_t value) {
  if (!tdm_api_args_put(&record->args, key, type, value))
    tdm_record_problem(parser->recorder, "arguments beyond the 32nd of a record (left out)", 1);
}

/* The argument of a key that the table does not know, or -1: there is no room. */
static int own_arg(tdm_api_parser *parser, uint32_t key, bool reserved) {
  int arg;
  if (!tdm_api_own_arg(&parser->own, parser->recorder, key, parser->keys.entries[key].bytes,
                       reserved, &arg))
    parser->failed = true;
  return arg;
}

static int64_t intern_text(tdm_api_parser *parser) {
  size_t length;
  const char *text = tdm_json_value(parser->json, &length);
  return tdm_record_name(parser->recorder, text, length);
}

/* The value that `token` begins, as an argument. */
static void put_plain(tdm_api_parser *parser, tdm_api_record *record, uint8_t key,
                      tdm_json_token token) {
  size_t length;
  const char *text;
  int64_t whole;
  switch (token) {
  case TDM_JSON_NUMBER:
    text = tdm_json_value(parser->json, &length);
    if (tdm_number_integer(text, length, &whole))
      put(parser, record, key, TDM_ARG_INT, whole);
    else
      put(parser, record, key, TDM_ARG_REAL, tdm_record_real(tdm_number_double(text, length)));
    break;
  case TDM_JSON_STRING: put(parser, record, key, TDM_ARG_TEXT, intern_text(parser)); break;
  case TDM_JSON_TRUE:
  case TDM_JSON_FALSE: put(parser, record, key, TDM_ARG_BOOL, token == TDM_JSON_TRUE); break;
  case TDM_JSON_OBJECT:
  case TDM_JSON_ARRAY:
    text = tdm_json_compact(parser->json, &length);
    if (text == NULL)
      parser->failed = true;
    else
      put(parser, record, key, TDM_ARG_JSON, tdm_record_name(parser->recorder, text, length));
    break;
  default: break; /* null */
  }
}

/* A whole number, also as a string and in hexadecimal. False: it is none. */
static bool whole_number(tdm_api_parser *parser, tdm_json_token token, int64_t *value) {
  if (token != TDM_JSON_NUMBER && token != TDM_JSON_STRING) return false;
  size_t length;
  const char *text = tdm_json_value(parser->json, &length);
  if (length < 19) { /* nearly all of them */
    int64_t plain = 0;
    size_t i = 0;
    for (; i < length && text[i] >= '0' && text[i] <= '9'; i++)
      plain = 10 * plain + (text[i] - '0');
    *value = plain;
    if (i == length && i > 0) return true;
  }
  if (tdm_number_integer(text, length, value)) return true;
  if (length < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) return false;
  char *end;
  *value = (int64_t)strtoull(text, &end, 16);
  return *end == 0;
}

static void put_whole(tdm_api_parser *parser, tdm_api_record *record, uint8_t key,
                      tdm_json_token token) {
  int64_t value;
  if (whole_number(parser, token, &value)) {
    put(parser, record, key, TDM_ARG_INT, value);
    return;
  }
  if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(parser->json);
  if (token != TDM_JSON_NULL)
    tdm_record_problem(parser->recorder, "arguments that should be whole numbers (left out)", 1);
}

/* `kind` is one of the words of tdm_api_direction. */
static void put_direction(tdm_api_parser *parser, tdm_api_record *record, const char *kind) {
  uint32_t i = 0;
  while (i < DIRECTIONS - 1 && parser->directions[i].kind != kind &&
         parser->directions[i].kind != NULL)
    i++;
  if (parser->directions[i].kind != kind) {
    parser->directions[i].kind = kind;
    parser->directions[i].name = tdm_record_text(parser->recorder, kind);
  }
  put(parser, record, TDM_API_KIND, TDM_ARG_TEXT, parser->directions[i].name);
}

static void put_kind(tdm_api_parser *parser, tdm_api_record *record, tdm_json_token token) {
  const char *kind = NULL;
  int64_t number;
  if (token == TDM_JSON_STRING) kind = tdm_api_direction(tdm_json_value(parser->json, NULL));
  if (kind == NULL && whole_number(parser, token, &number)) kind = tdm_api_direction_number(number);
  if (kind != NULL)
    put_direction(parser, record, kind);
  else if (token == TDM_JSON_STRING)
    put_plain(parser, record, TDM_API_KIND, token);
  else if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY)
    tdm_json_skip(parser->json);
}

/* [x, y, z] or x to three arguments from `first` on. */
static void put_size(tdm_api_parser *parser, tdm_api_record *record, uint8_t first,
                     tdm_json_token token) {
  if (token != TDM_JSON_ARRAY) {
    put_whole(parser, record, first, token);
    return;
  }
  for (uint32_t i = 0;; i++) {
    token = tdm_json_next(parser->json);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    if (i < 3)
      put_whole(parser, record, (uint8_t)(first + i), token);
    else
      tdm_json_skip(parser->json);
  }
}

/* ---- the other values ---- */

static void take_time(tdm_api_parser *parser, tdm_api_time *time, tdm_time_unit unit,
                      tdm_json_token token) {
  if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(parser->json);
  if (token != TDM_JSON_NUMBER && token != TDM_JSON_STRING) return;
  if (time->length > 0 && unit == TDM_UNIT_AUTO) return; /* the one with a unit was here */
  size_t length;
  const char *text = tdm_json_value(parser->json, &length);
  if (length == 0 || length >= sizeof time->text) return;
  memcpy(time->text, text, length + 1);
  time->length = (uint32_t)length;
  time->quoted = token == TDM_JSON_STRING;
  time->unit = unit;
}

static const char *keep_text(tdm_api_parser *parser) {
  size_t length;
  const char *text = tdm_json_value(parser->json, &length);
  uint32_t id = tdm_intern_put(&parser->texts, text, length, NULL);
  if (id == TDM_INTERN_FAILED) parser->failed = true;
  return id == TDM_INTERN_FAILED ? NULL : parser->texts.entries[id].bytes;
}

static void take_name(tdm_api_parser *parser, tdm_api_record *record) {
  size_t length;
  const char *text = tdm_json_value(parser->json, &length);
  if (length == 0) return;
  const tdm_api_word *word = tdm_api_words_find(&parser->words, parser->recorder, text, length);
  if (word == NULL)
    parser->failed = true;
  else
    record->word = *word;
}

static void take_source(tdm_api_parser *parser, tdm_api_record *record) {
  size_t length;
  const char *text = tdm_json_value(parser->json, &length);
  record->source = tdm_api_source_of(text, length);
  if (record->source == TDM_API_OTHER && record->category == NULL)
    record->category = keep_text(parser);
}

static void take_printed(tdm_api_parser *parser, tdm_json_token token) {
  size_t length;
  if (token != TDM_JSON_STRING || parser->inside) {
    tdm_json_skip(parser->json);
    return;
  }
  const char *text = tdm_json_value(parser->json, &length);
  if (!tdm_array_grow(&parser->printed, &parser->printed_room, length + 1, 1)) {
    parser->failed = true;
    return;
  }
  memcpy(parser->printed, text, length + 1);
  parser->again = text[0] == '{';
}

static void take_text(tdm_api_parser *parser, tdm_api_record *record, tdm_api_action what) {
  switch (what) {
  case TDM_API_KEY_PHASE: record->phase = tdm_api_phase(tdm_json_value(parser->json, NULL)); break;
  case TDM_API_KEY_NAME: take_name(parser, record); break;
  case TDM_API_KEY_OP: /* a name is better: "op" may be a sort of the record's type */
    if (record->word.does & TDM_API_UNNAMED) take_name(parser, record);
    break;
  case TDM_API_KEY_TYPE:
  case TDM_API_KEY_SOURCE: take_source(parser, record); break;
  case TDM_API_KEY_CATEGORY: record->category = keep_text(parser); break;
  case TDM_API_KEY_PROCESS: record->process = keep_text(parser); break;
  default: break;
  }
}

static void take_number(tdm_api_parser *parser, tdm_api_record *record, tdm_api_action what,
                        tdm_json_token token) {
  int64_t value;
  if (!whole_number(parser, token, &value)) return;
  switch (what) {
  case TDM_API_KEY_PID: record->pid = value; break;
  case TDM_API_KEY_TID: record->tid = value; break;
  case TDM_API_KEY_DEPTH: record->depth = value; break;
  case TDM_API_KEY_OP_ID: record->op_id = value; break;
  case TDM_API_KEY_TYPE: record->type = value; break;
  case TDM_API_KEY_TOTAL: record->total_allocated = value; break;
  default: break;
  }
}

/* ---- objects ---- */

/* Keys are short, and this is asked of each of them: a call of memcmp would cost more. */
static inline bool is_key(const tdm_api_parser *parser, uint32_t key, const char *text,
                          size_t length) {
  const tdm_intern_entry *entry = &parser->keys.entries[key];
  if (entry->length != length) return false;
  const char *bytes = entry->bytes;
  uint64_t x, y;
  uint16_t v, w;
  for (; length > 8; length -= 8, text += 8, bytes += 8) {
    memcpy(&x, text, 8);
    memcpy(&y, bytes, 8);
    if (x != y) return false;
  }
  for (; length >= 2; length -= 2, text += 2, bytes += 2) {
    memcpy(&v, text, 2);
    memcpy(&w, bytes, 2);
    if (v != w) return false;
  }
  return length == 0 || *text == *bytes;
}

/* The key's number: a spelling or one of the file's own. */
static uint32_t find_key(tdm_api_parser *parser) {
  size_t length;
  const char *text = tdm_json_value(parser->json, &length);
  uint32_t *guess = parser->after[parser->last_key];
  if (is_key(parser, guess[0], text, length)) return parser->last_key = guess[0];
  uint32_t key = guess[1];
  if (!is_key(parser, key, text, length)) {
    key = tdm_intern_put(&parser->keys, text, length, NULL);
    size_t room = parser->after_room;
    if (key == TDM_INTERN_FAILED || !tdm_array_grow(&parser->after, &parser->after_room,
                                                    (size_t)key + 1, sizeof *parser->after)) {
      parser->failed = true;
      return parser->last_key = 0;
    }
    if (parser->after_room > room)
      memset(parser->after + room, 0, (parser->after_room - room) * sizeof *parser->after);
    guess = parser->after[parser->last_key];
  }
  guess[1] = guess[0];
  guess[0] = key;
  return parser->last_key = key;
}

static void take_object(tdm_api_parser *parser, tdm_api_record *record, uint32_t depth);

static void take_details(tdm_api_parser *parser, tdm_api_record *record, tdm_json_token token,
                         uint32_t depth, uint32_t key) {
  if (token == TDM_JSON_OBJECT && depth < DEEPEST) {
    take_object(parser, record, depth + 1);
  } else if (token == TDM_JSON_ARRAY && depth == 0) { /* "args": [4, 1] */
    while ((token = tdm_json_next(parser->json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
      int64_t value;
      if (parser->arg_count < 2 && whole_number(parser, token, &value))
        parser->arg[parser->arg_count++] = value;
      else
        tdm_json_skip(parser->json);
    }
  } else {
    int own = own_arg(parser, key, true);
    if (own >= 0)
      put_plain(parser, record, (uint8_t)own, token);
    else
      tdm_json_skip(parser->json);
  }
}

static void take_value(tdm_api_parser *parser, tdm_api_record *record, uint32_t key,
                       uint32_t depth) {
  static const tdm_api_key_spelling unknown = {"", TDM_API_KEY_OWN, 0};
  const tdm_api_key_spelling *spelled = key < tdm_api_key_count ? &tdm_api_keys[key] : &unknown;
  tdm_json_token token = tdm_json_next(parser->json);
  tdm_api_action what =
      depth > 0 && is_reserved(spelled->action) ? TDM_API_KEY_OWN : spelled->action;
  int own;
  switch (what) {
  case TDM_API_KEY_SKIP: tdm_json_skip(parser->json); break;
  case TDM_API_KEY_TIME:
    take_time(parser, &record->time, (tdm_time_unit)spelled->more, token);
    break;
  case TDM_API_KEY_END: take_time(parser, &record->end, (tdm_time_unit)spelled->more, token); break;
  case TDM_API_KEY_DURATION:
    take_time(parser, &record->duration, (tdm_time_unit)spelled->more, token);
    break;
  case TDM_API_KEY_DETAILS: take_details(parser, record, token, depth, key); break;
  case TDM_API_KEY_DATA: take_printed(parser, token); break;
  case TDM_API_KEY_DIRECTION: put_kind(parser, record, token); break;
  case TDM_API_KEY_GRID: put_size(parser, record, TDM_API_GRID_X, token); break;
  case TDM_API_KEY_BLOCK: put_size(parser, record, TDM_API_BLOCK_X, token); break;
  case TDM_API_KEY_WHOLE: put_whole(parser, record, (uint8_t)spelled->more, token); break;
  case TDM_API_KEY_PLAIN: put_plain(parser, record, (uint8_t)spelled->more, token); break;
  case TDM_API_KEY_OWN:
    own = own_arg(parser, key, is_reserved(spelled->action));
    if (own >= 0) {
      put_plain(parser, record, (uint8_t)own, token);
    } else {
      tdm_record_problem(parser->recorder, "arguments of too many kinds (left out)", 1);
      tdm_json_skip(parser->json);
    }
    break;
  default:
    if (what == TDM_API_KEY_EVENT_ID) record->numbered = true;
    if (token == TDM_JSON_STRING && what >= TDM_API_KEY_PHASE) take_text(parser, record, what);
    if (token == TDM_JSON_STRING || token == TDM_JSON_NUMBER)
      take_number(parser, record, what, token);
    else
      tdm_json_skip(parser->json);
  }
}

static void take_object(tdm_api_parser *parser, tdm_api_record *record, uint32_t depth) {
  for (;;) {
    tdm_json_token token = tdm_json_next(parser->json);
    if (token == TDM_JSON_OBJECT_END || token == TDM_JSON_END) return;
    if (token != TDM_JSON_KEY) continue;
    uint32_t key = find_key(parser);
    take_value(parser, record, key, depth);
  }
}

static void complete(tdm_api_parser *parser, tdm_api_record *record) {
  if (!tdm_api_list_name(record, parser->recorder, parser->arg, parser->arg_count))
    tdm_record_problem(parser->recorder, "arguments beyond the 32nd of a record (left out)", 1);
  if (record->word.phase != 0 && record->phase == 0) record->phase = record->word.phase;
  /* bpftrace and the host's tracepoints write a record when something returns. */
  record->timed_at_end = record->numbered || record->source == TDM_API_HOST ||
                         record->source == TDM_API_NET || record->source == TDM_API_IO;
  if (record->op_id != TDM_NONE) put(parser, record, TDM_API_OP_ID, TDM_ARG_INT, record->op_id);
  if (record->word.kind != NULL &&
      tdm_api_args_get(&record->args, TDM_API_KIND, TDM_ARG_TEXT) == NULL)
    put_direction(parser, record, record->word.kind);
}

/* All but the values of arguments that are not there: records are large and many. */
static void clear(tdm_api_record *record) {
  record->time.length = record->end.length = record->duration.length = 0;
  record->phase = 0;
  record->timed_at_end = record->numbered = false;
  record->pid = record->tid = record->depth = record->op_id = TDM_NONE;
  record->type = record->total_allocated = TDM_NONE;
  record->source = TDM_API_PLAIN;
  record->word = (tdm_api_word){.does = TDM_API_UNNAMED};
  record->category = record->process = NULL;
  record->args.count = 0;
}

bool tdm_api_parser_next(tdm_api_parser *parser, tdm_api_record *record) {
  for (;;) {
    if (parser->again) {
      parser->again = false;
      parser->inside = true;
      tdm_json_text(parser->json, parser->printed, strlen(parser->printed));
    }
    tdm_json_token token = tdm_json_next(parser->json);
    if (token == TDM_JSON_END || parser->failed) return false;
    if (token != TDM_JSON_OBJECT) {
      tdm_json_skip(parser->json);
      continue;
    }
    clear(record);
    parser->last_key = parser->arg_count = 0;
    take_object(parser, record, 0);
    if (parser->again) continue;
    complete(parser, record);
    return !parser->failed;
  }
}
