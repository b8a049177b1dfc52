/* Whole values: skipped, or as compact JSON text. See json.h. Arrays and objects that are well
 * formed and lie in the buffer are copied byte by byte; the others are written anew from their
 * tokens. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/json/inside.h"
#include "read/json/json.h"

void tdm_json_skip(tdm_json *json) {
  uint32_t depth = json->depth;
  bool after_key = json->awaits == AT_VALUE || json->awaits == AT_COLON;
  bool opened = json->awaits == AT_FIRST && depth > 0;
  if (after_key) {
    tdm_json_next(json);
    if (json->depth == depth) return;
  } else if (opened) {
    depth--;
  } else {
    return;
  }
  while (json->depth > depth)
    if (tdm_json_next(json) == TDM_JSON_END) return;
}

bool tdm_json_enter_array(tdm_json *json) {
  tdm_json_token token = tdm_json_next(json);
  if (token == TDM_JSON_OBJECT) tdm_json_skip(json);
  return token == TDM_JSON_ARRAY;
}

bool tdm_json_next_object(tdm_json *json) {
  for (;;) {
    tdm_json_token token = tdm_json_next(json);
    if (token == TDM_JSON_OBJECT) return true;
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return false;
    tdm_json_skip(json);
  }
}

tdm_status tdm_json_finish(tdm_json *json, tdm_error *error) {
  for (;;) {
    bool outside = json->depth == 0;
    if (tdm_json_next(json) == TDM_JSON_END) return tdm_json_status(json, error);
    json->repaired[TDM_JSON_GARBAGE] += outside;
    tdm_json_skip(json);
  }
}

static bool reserve_compact(tdm_json *json, size_t more) {
  size_t need = json->compact_used + more;
  if (tdm_array_grow(&json->compact, &json->compact_room, need, 1)) return true;
  tdm_json_fail_memory(json, need);
  return false;
}

static void put(tdm_json *json, const char *text, size_t length) {
  if (!reserve_compact(json, length + 1)) return;
  memcpy(json->compact + json->compact_used, text, length);
  json->compact_used += length;
}

static void put_string(tdm_json *json) {
  if (!reserve_compact(json, 6 * json->length + 2)) return;
  char *out = json->compact + json->compact_used;
  json->compact_used += tdm_json_escape(json->text, json->length, out);
}

/* Copying from the buffer to the compact text, as far as there is room. */
typedef struct {
  const char *from;
  char *to, *limit;
} copier;

static bool copy_bytes(copier *c, size_t length) {
  if ((size_t)(c->limit - c->to) < length) return false;
  memcpy(c->to, c->from, length);
  c->to += length;
  c->from += length;
  return true;
}

/* A string without escapes; a key with its colon. */
static bool copy_string(copier *c, bool key) {
  const char *behind = past_plain((char *)c->from + 1);
  if (*behind != '"' || !copy_bytes(c, (size_t)(behind - c->from) + 1)) return false;
  if (!key) return true;
  while (*c->from == ' ') c->from++;
  return *c->from == ':' && copy_bytes(c, 1);
}

static bool copy_word(copier *c) {
  const char *word = c->from, *end = word;
  while (is_word(*end)) end++;
  size_t length = (size_t)(end - word);
  bool good = (length == 4 && memcmp(word, "true", 4) == 0) ||
              (length == 4 && memcmp(word, "null", 4) == 0) ||
              (length == 5 && memcmp(word, "false", 5) == 0) || tdm_number_is_json(word, length);
  return good && copy_bytes(c, length);
}

/* The bytes of a well-formed array or object without escapes that lies in the buffer as a whole, as
 * nearly all do, without what is white. False: it is not that simple, and nothing happened. */
static bool compact_quickly(tdm_json *json) {
  enum { USUAL_BYTES = 512, LEVELS = 60 };
  if (!reserve_compact(json, USUAL_BYTES)) return false;
  copier c = {json->at, json->compact, json->compact + json->compact_room - 2};
  uint64_t objects = in_object(json); /* a bit a level, the innermost last */
  int depth = 1;
  awaited at = AT_FIRST;
  *c.to++ = objects ? '{' : '[';
  while (depth > 0) {
    char next = *c.from;
    if (next == ' ' || next == '\n') {
      c.from++;
      continue;
    }
    bool item = at == AT_FIRST || at == AT_ITEM, wants_key = item && (objects & 1);
    bool good;
    switch (next) {
    case ',':
      good = at == AT_NEXT && copy_bytes(&c, 1);
      at = AT_ITEM;
      break;
    case ']':
    case '}':
      good =
          (at == AT_FIRST || at == AT_NEXT) && (next == '}') == (objects & 1) && copy_bytes(&c, 1);
      objects >>= 1;
      depth--;
      at = AT_NEXT;
      break;
    case '"':
      good = at != AT_NEXT && copy_string(&c, wants_key);
      at = wants_key ? AT_VALUE : AT_NEXT;
      break;
    case '[':
    case '{':
      good = at != AT_NEXT && !wants_key && ++depth < LEVELS && copy_bytes(&c, 1);
      objects = objects << 1 | (next == '{');
      at = AT_FIRST;
      break;
    default:
      good = at != AT_NEXT && !wants_key && copy_word(&c);
      at = AT_NEXT;
      break;
    }
    if (!good) return false;
  }
  *c.to = 0;
  json->compact_used = (size_t)(c.to - json->compact);
  json->at += c.from - json->at;
  tdm_json_close(json);
  return true;
}

static void compact_value(tdm_json *json, tdm_json_token token) {
  switch (token) {
  case TDM_JSON_STRING: put_string(json); break;
  case TDM_JSON_NUMBER: /* what JSON has no number for stays what it is, as a string */
    if (tdm_number_is_json(json->text, json->length))
      put(json, json->text, json->length);
    else
      put_string(json);
    break;
  case TDM_JSON_TRUE: put(json, "true", 4); break;
  case TDM_JSON_FALSE: put(json, "false", 5); break;
  default: put(json, "null", 4); break;
  }
}

const char *tdm_json_compact(tdm_json *json, size_t *length) {
  json->compact_used = 0;
  if (json->status != TDM_MEMORY && !compact_quickly(json)) {
    uint32_t outside = json->depth - 1;
    bool first = true, named = false;
    json->compact_used = 0;
    put(json, in_object(json) ? "{" : "[", 1);
    while (json->depth > outside) {
      tdm_json_token token = tdm_json_next(json);
      bool closes = token == TDM_JSON_OBJECT_END || token == TDM_JSON_ARRAY_END;
      if (!first && !named && !closes) put(json, ",", 1);
      first = token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY;
      named = token == TDM_JSON_KEY;
      if (token == TDM_JSON_END) break;
      if (token == TDM_JSON_OBJECT || token == TDM_JSON_OBJECT_END) {
        put(json, first ? "{" : "}", 1);
      } else if (token == TDM_JSON_ARRAY || token == TDM_JSON_ARRAY_END) {
        put(json, first ? "[" : "]", 1);
      } else if (named) {
        put_string(json);
        put(json, ":", 1);
      } else {
        compact_value(json, token);
      }
    }
    put(json, "", 0);
    if (json->compact != NULL) json->compact[json->compact_used] = 0;
  }
  if (length != NULL) *length = json->compact_used;
  return json->status != TDM_MEMORY ? json->compact : NULL;
}
