/* Whole values: skipped, or as compact JSON text. See json.h. Arrays and objects that are well
 * formed and lie in the buffer are copied byte by byte; the others are written anew from their
 * tokens. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/json_state.h"
#include "read/json_text.h"

void tdm_json_skip(tdm_json *json) {
  uint32_t depth = json->depth;
  bool after_key = json->place == AT_VALUE || json->place == AT_COLON;
  bool opened = json->place == AT_FIRST && depth > 0;
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

/* The bytes of a well-formed array or object without escapes that lies in the buffer as a whole, as
 * nearly all do, without what is white. False: it is not that simple, and nothing happened. */
static bool compact_quickly(tdm_json *json) {
  uint64_t objects = in_object(json);
  unsigned depth = 1;
  const char *p = json->at;
  if (!reserve_compact(json, (size_t)(json->end - p) < 512 ? (size_t)(json->end - p) + 2 : 512))
    return false;
  char *out = json->compact, *limit = out + json->compact_room - 2;
  bool item = false, first = true, named = false; /* item: one just ended; named: behind a key */
  *out++ = objects ? '{' : '[';
  while (depth > 0) {
    if (out >= limit) return false;
    char c = *p;
    if (c == ' ' || c == '\n') {
      p++;
      continue;
    }
    if (c == ',' ? !item : c == ']' || c == '}' ? !(item || first) : item) return false;
    if (c == '"') {
      const char *behind = past_plain((char *)p + 1);
      size_t length = (size_t)(behind - p) + 1;
      if (*behind != '"' || (size_t)(limit - out) < length + 1) return false;
      memcpy(out, p, length);
      out += length;
      p += length;
      if (!named && (objects & 1)) {
        while (*p == ' ') p++;
        if (*p++ != ':') return false;
        *out++ = ':';
        named = true;
        first = false;
        continue;
      }
    } else if (c == ']' || c == '}') {
      if ((c == '}') != (objects & 1) || named) return false;
      objects >>= 1;
      depth--;
      *out++ = c;
      p++;
    } else if (c == ',') {
      if (named) return false;
      *out++ = c;
      p++;
      item = first = false;
      continue;
    } else if ((objects & 1) && !named) {
      return false;
    } else if (c == '[' || c == '{') {
      if (++depth > 60) return false;
      objects = objects << 1 | (c == '{');
      *out++ = c;
      p++;
      named = false;
      first = true;
      continue;
    } else {
      const char *word = p;
      while (is_word(*p)) p++;
      size_t length = (size_t)(p - word);
      if (length == 0 || (size_t)(limit - out) < length + 1) return false;
      bool literal =
          (length == 4 && (memcmp(word, "true", 4) == 0 || memcmp(word, "null", 4) == 0)) ||
          (length == 5 && memcmp(word, "false", 5) == 0);
      if (!literal && !tdm_number_is_json(word, length)) return false;
      memcpy(out, word, length);
      out += length;
    }
    item = true;
    named = first = false;
  }
  *out = 0;
  json->compact_used = (size_t)(out - json->compact);
  json->at = (char *)p;
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
  if (json->status == TDM_OK && !compact_quickly(json)) {
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
  return json->status == TDM_OK || json->status == TDM_IO ? json->compact : NULL;
}
