/* See json.h. Bytes are copied into a buffer of its own, where every token lies in one piece: the
 * start of an unfinished one moves to the front and the buffer grows when that is not enough. So
 * texts are pointers into it, unescaped and ended in place. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/json/inside.h"
#include "read/json/json.h"
#include "trace/utf8.h"

enum { ROOM = 1 << 16 };

const char *tdm_json_repair_name(tdm_json_repair repair) {
  static const char *const names[TDM_JSON_REPAIRS] = {
      "control characters in strings (kept)",
      "bad escapes in strings (kept)",
      "quotes inside strings without a backslash (kept)",
      "strings that are not UTF-8 (mended)",
      "NaN and infinite numbers",
      "commas, colons or brackets missing or too many (repaired)",
      "end of the text too early (closed)",
      "characters that are not JSON (skipped)",
      "values nested too deeply (skipped)",
      "strings of more than 16 MiB (cut)"};
  return (unsigned)repair < TDM_JSON_REPAIRS ? names[repair] : "";
}

uint64_t tdm_json_repaired(const tdm_json *json, tdm_json_repair repair) {
  return json->repaired[repair];
}

tdm_json *tdm_json_new(tdm_input *input) {
  tdm_json *json = tdm_array_new(1, sizeof *json);
  if (json == NULL) return NULL;
  json->buffer = malloc(ROOM + PAD);
  if (json->buffer == NULL) {
    free(json);
    return NULL;
  }
  memset(json->buffer, 0, PAD);
  json->room = ROOM;
  json->input = input;
  json->at = json->end = json->buffer;
  json->text = "";
  json->drained = input == NULL;
  return json;
}

tdm_json *tdm_json_new_text(void) {
  return tdm_json_new(NULL);
}

void tdm_json_text(tdm_json *json, const char *text, size_t length) {
  json->piece = text;
  json->piece_left = length;
  json->at = json->end = json->buffer;
  memset(json->end, 0, PAD);
  json->patched = NULL;
  json->drained = json->begun = json->truncated = false;
  json->awaits = AT_FIRST;
  json->depth = 0;
}

void tdm_json_free(tdm_json *json) {
  if (json == NULL) return;
  free(json->buffer);
  free(json->mended);
  free(json->compact);
  free(json);
}

tdm_status tdm_json_status(const tdm_json *json, tdm_error *error) {
  if (json->status != TDM_OK && error != NULL) *error = json->error;
  return json->status;
}

const char *tdm_json_value(const tdm_json *json, size_t *length) {
  if (length != NULL) *length = json->length;
  return json->text;
}

uint32_t tdm_json_depth(const tdm_json *json) {
  return json->depth;
}

/* ---- bytes ---- */

void tdm_json_fail_memory(tdm_json *json, size_t bytes) {
  json->status = tdm_error_memory(&json->error, "a JSON text", bytes);
  json->drained = true;
}

/* Takes the next piece of the input when the last one is used up. False: no more bytes. */
static bool next_piece(tdm_json *json) {
  while (json->piece_left == 0 && !json->drained) {
    const unsigned char *bytes = NULL;
    size_t length = 0;
    if (json->input != NULL)
      json->status = tdm_input_next(json->input, &bytes, &length, &json->error);
    json->piece = (const char *)bytes;
    json->piece_left = length;
    if (length == 0 || json->status != TDM_OK) json->drained = true;
    if (json->status != TDM_OK) json->piece_left = 0;
  }
  return json->piece_left > 0;
}

/* More bytes behind the end. What lies before *keep is given up; *keep and json->at move with their
 * bytes. False: there are none. */
static bool refill(tdm_json *json, char **keep) {
  if (!next_piece(json)) return false;
  size_t kept = (size_t)(json->end - *keep), at = (size_t)(json->at - *keep);
  if (kept > json->room / 2) {
    size_t room = json->room * 2;
    char *grown = malloc(room + PAD);
    if (grown == NULL) {
      tdm_json_fail_memory(json, room);
      return false;
    }
    memcpy(grown, *keep, kept);
    free(json->buffer);
    json->buffer = grown;
    json->room = room;
  } else if (*keep != json->buffer) {
    memmove(json->buffer, *keep, kept);
  }
  size_t count = json->room - kept < json->piece_left ? json->room - kept : json->piece_left;
  memcpy(json->buffer + kept, json->piece, count);
  json->piece += count;
  json->piece_left -= count;
  *keep = json->buffer;
  json->at = json->buffer + at;
  json->end = json->buffer + kept + count;
  memset(json->end, 0, PAD);
  return true;
}

/* The next byte that is not white, at json->at; 0 at the end of the text. */
static inline char peek(tdm_json *json) {
  for (;;) {
    json->at = past_white(json->at);
    if (json->at < json->end || !refill(json, &json->at)) return *json->at;
  }
}

static bool at_end(const tdm_json *json) {
  return json->at == json->end;
}

/* ---- strings ---- */

enum { HAS_ESCAPE = 1, HAS_HIGH = 2, HAS_CONTROL = 4 };

/* Whether a quote ends the value of an object, by what follows, white left out: older writers
 * forget backslashes, and C++ names hold quotes. A comma must have a key behind it. */
static inline bool ends_string(char *next) {
  switch (*next) {
  case ',': next = past_white(next + 1); return *next == '"' || *next == '}' || *next == 0;
  case '}':
  case ']':
  case ':':
  case '"':
  case '{':
  case '[':
  case 0: return true;
  default: return false;
  }
}

/* Bytes that are not UTF-8 become U+FFFD, in a buffer of its own since that is longer. */
static void mend(tdm_json *json) {
  json->repaired[TDM_JSON_UTF8]++;
  size_t room = 3 * json->length + 1;
  if (!tdm_array_grow(&json->mended, &json->mended_room, room, 1)) {
    tdm_json_fail_memory(json, room);
    json->length = 0;
    json->text = "";
    return;
  }
  json->length = tdm_json_mend(json->text, json->length, json->mended);
  json->text = json->mended;
}

static void finish_string(tdm_json *json, char *text, size_t length, int has) {
  if (has & HAS_ESCAPE) length = tdm_json_unescape(text, length, &json->repaired[TDM_JSON_ESCAPE]);
  if (has & HAS_CONTROL) json->repaired[TDM_JSON_CONTROL]++;
  text[length] = 0;
  json->text = text;
  json->length = length;
  if ((has & (HAS_HIGH | HAS_CONTROL)) && tdm_utf8_valid(text, length) < length) mend(json);
}

/* As refill, for a string from *start of which all before json->at is known; of a long one what
 * came behind *cut is given up. */
static bool refill_string(tdm_json *json, char **start, size_t *cut) {
  size_t length = (size_t)(json->at - *start), rest = (size_t)(json->end - json->at);
  if (*cut == 0 && length > TDM_JSON_STRING_BYTES && next_piece(json)) {
    *cut = length;
    json->repaired[TDM_JSON_LONG]++;
  }
  if (*cut > 0) {
    memmove(*start + *cut, json->at, rest);
    json->at = *start + *cut;
    json->end = json->at + rest;
    memset(json->end, 0, PAD);
  }
  return refill(json, start);
}

/* The string whose quote is at json->at; goes on behind its end, and with *next at the next byte
 * that is not white. */
static void take_string(tdm_json *json, bool may_hold_quotes, char *next) {
  char *start = json->at; /* the quote: there is room for a NUL even when the text ends here */
  char *p = start + 1;
  int has = 0;
  size_t cut = 0; /* where a long one was: bytes from its start */
  for (;;) {
    p = past_plain(p);
    json->at = p;
    switch (*p) {
    case '"':
      json->at = p + 1;
      *next = *json->at;
      if ((unsigned char)*next <= ' ') {
        size_t offset = (size_t)(p - start);
        for (;;) {
          json->at = past_white(json->at);
          if (json->at < json->end || !refill(json, &start)) break;
        }
        p = start + offset;
        *next = *json->at;
      }
      if (!may_hold_quotes || ends_string(json->at)) {
        finish_string(json, start + 1, (size_t)(p - start - 1), has);
        return;
      }
      json->repaired[TDM_JSON_QUOTE]++;
      p++;
      break;
    case '\\':
      has |= HAS_ESCAPE;
      if (p + 1 == json->end) {
        if (!refill_string(json, &start, &cut)) {
          p = json->at + 1;
          break;
        }
        p = json->at;
      }
      if ((unsigned char)p[1] < ' ' || (unsigned char)p[1] >= 0x80) {
        p++; /* a bad escape; what follows is looked at */
        break;
      }
      p += 2;
      break;
    default:
      if ((unsigned char)*p >= 0x80) {
        has |= HAS_HIGH;
        p++;
      } else if (p < json->end) {
        has |= HAS_CONTROL;
        p++;
      } else if (refill_string(json, &start, &cut)) {
        p = json->at;
      } else {
        p = json->at;
        finish_string(json, start + 1, (size_t)(p - start - 1), has);
        *next = 0;
        return; /* what is open gets closed and counted by the end of the text */
      }
    }
  }
}

/* ---- other values ---- */

/* The run of letters, digits and signs at json->at becomes the text. */
static void take_word(tdm_json *json) {
  char *start = json->at, *p = start;
  for (;;) {
    while (is_word(*p)) p++;
    json->at = p;
    if (p < json->end || !refill(json, &start)) break;
    p = json->at;
  }
  json->patched = json->at;
  json->patch = *json->at;
  *json->at = 0;
  json->text = start;
  json->length = (size_t)(json->at - start);
}

static bool is_nonfinite(const char *word) {
  if (*word == '-' || *word == '+') word++;
  static const char *const names[] = {"NaN", "nan", "Infinity", "inf", "Inf"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(word, names[i]) == 0) return true;
  return false;
}

static bool is_structural(char c) {
  return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':' || c == '"';
}

/* Skips at least one byte, up to the next structural one. */
static void skip_garbage(tdm_json *json) {
  json->repaired[TDM_JSON_GARBAGE]++;
  for (;;) {
    json->at++;
    if (json->at >= json->end && !refill(json, &json->at)) return;
    if (is_structural(*json->at)) return;
  }
}

static void restore(tdm_json *json) {
  if (json->patched == NULL) return;
  *json->patched = json->patch;
  json->patched = NULL;
}

static inline awaited behind_item(const tdm_json *json) {
  return json->depth > 0 ? AT_NEXT : AT_FIRST;
}

tdm_json_token tdm_json_close(tdm_json *json) {
  bool object = in_object(json);
  json->depth--;
  json->awaits = behind_item(json);
  return object ? TDM_JSON_OBJECT_END : TDM_JSON_ARRAY_END;
}

/* Skips an array or object that lies too deep, brackets and strings alone. */
static void skip_deep(tdm_json *json) {
  json->repaired[TDM_JSON_DEEP]++;
  uint64_t open = 0;
  do {
    char c = peek(json), next;
    if (at_end(json)) return;
    if (c == '"') {
      take_string(json, false, &next);
      continue;
    }
    open += c == '[' || c == '{';
    open -= c == ']' || c == '}';
    json->at++;
  } while (open > 0);
}

static tdm_json_token open_one(tdm_json *json, bool object) {
  if (json->depth == TDM_JSON_DEPTH) {
    skip_deep(json);
    json->awaits = AT_NEXT;
    return TDM_JSON_NULL;
  }
  json->at++;
  uint32_t top = json->depth++;
  uint64_t bit = (uint64_t)1 << (top % 64);
  if (object)
    json->objects[top / 64] |= bit;
  else
    json->objects[top / 64] &= ~bit;
  json->awaits = AT_FIRST;
  return object ? TDM_JSON_OBJECT : TDM_JSON_ARRAY;
}

/* A literal or a number; END: neither, and nothing that needs a value. */
static tdm_json_token value_word(tdm_json *json) {
  take_word(json);
  char first = json->text[0];
  bool number = (first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.';
  json->awaits = behind_item(json);
  if (json->length == 4 && memcmp(json->text, "true", 4) == 0) return TDM_JSON_TRUE;
  if (json->length == 5 && memcmp(json->text, "false", 5) == 0) return TDM_JSON_FALSE;
  if (json->length == 4 && memcmp(json->text, "null", 4) == 0) return TDM_JSON_NULL;
  if (is_nonfinite(json->text)) {
    json->repaired[TDM_JSON_NONFINITE]++;
    return TDM_JSON_NUMBER;
  }
  if (number) return TDM_JSON_NUMBER;
  json->repaired[TDM_JSON_GARBAGE]++;
  restore(json);
  return json->depth > 0 ? TDM_JSON_NULL : TDM_JSON_END;
}

/* ---- tokens ---- */

/* The end of the text: closes what is open, a key first gets its value. */
static tdm_json_token end_of_text(tdm_json *json) {
  if (json->depth == 0) return TDM_JSON_END;
  if (json->awaits == AT_COLON || json->awaits == AT_VALUE) {
    json->awaits = AT_NEXT;
    return TDM_JSON_NULL;
  }
  json->repaired[TDM_JSON_TRUNCATED] += !json->truncated;
  json->truncated = true;
  return tdm_json_close(json);
}

/* A closing bracket where an item or a comma may stand. False: it is of the other kind and closes
 * nothing; it is skipped. */
static bool may_close(tdm_json *json, bool object) {
  if (json->depth > 0 && in_object(json) == object) {
    json->at++;
    return true;
  }
  json->repaired[TDM_JSON_PUNCTUATION]++;
  for (uint32_t i = json->depth; i > 0; i--)
    if (is_object(json, i - 1) == object) return true;
  json->at++;
  return false;
}

static tdm_json_token key(tdm_json *json) {
  char next;
  take_string(json, false, &next);
  if (next == ':') {
    json->at++;
    json->awaits = AT_VALUE;
  } else {
    json->awaits = AT_COLON;
  }
  return TDM_JSON_KEY;
}

static tdm_json_token string_value(tdm_json *json) {
  char next;
  take_string(json, json->awaits == AT_VALUE, &next);
  json->awaits = behind_item(json);
  if (next == ',' && json->depth > 0) {
    json->at++;
    json->awaits = AT_ITEM;
  }
  return TDM_JSON_STRING;
}

static tdm_json_token any_token(tdm_json *json) {
  if (!json->begun) {
    json->begun = true;
    if (json->at == json->end) refill(json, &json->at);
    if (json->end - json->at >= 3 && memcmp(json->at, "\xef\xbb\xbf", 3) == 0) json->at += 3;
  }
  for (;;) {
    char c = peek(json);
    if (c == 0 && at_end(json)) return end_of_text(json);
    bool object;
    switch (c) {
    case '"':
      if (json->awaits == AT_NEXT) {
        json->repaired[TDM_JSON_PUNCTUATION]++;
        json->awaits = AT_ITEM;
      }
      if (json->awaits == AT_COLON) {
        json->repaired[TDM_JSON_PUNCTUATION]++;
        json->awaits = AT_VALUE;
      }
      if (json->awaits != AT_VALUE && in_object(json)) return key(json);
      return string_value(json);
    case ',':
      json->at++;
      if (json->awaits == AT_NEXT) {
        json->awaits = AT_ITEM;
      } else {
        json->repaired[TDM_JSON_PUNCTUATION]++;
        if (json->awaits == AT_COLON || json->awaits == AT_VALUE) {
          json->awaits = AT_ITEM;
          return TDM_JSON_NULL;
        }
      }
      continue;
    case ':':
      json->at++;
      if (json->awaits == AT_COLON)
        json->awaits = AT_VALUE;
      else
        json->repaired[TDM_JSON_PUNCTUATION]++;
      continue;
    case '}':
    case ']':
      object = c == '}';
      if (json->awaits == AT_COLON || json->awaits == AT_VALUE) {
        json->repaired[TDM_JSON_PUNCTUATION]++;
        json->awaits = AT_NEXT;
        return TDM_JSON_NULL;
      }
      if (!may_close(json, object)) continue;
      if (json->awaits == AT_ITEM) json->repaired[TDM_JSON_PUNCTUATION]++;
      return tdm_json_close(json);
    default: break;
    }
    /* The beginning of a value, or nothing that makes sense. */
    if (json->awaits == AT_COLON || json->awaits == AT_NEXT) json->repaired[TDM_JSON_PUNCTUATION]++;
    bool wants_key = json->awaits != AT_VALUE && json->awaits != AT_COLON && in_object(json);
    if (wants_key && c == '{' && json->depth > 1 && !is_object(json, json->depth - 2)) {
      json->repaired[TDM_JSON_PUNCTUATION]++;
      return tdm_json_close(json); /* an object that was not finished before the next began */
    }
    bool opens = c == '{' || c == '[';
    if (opens && !wants_key) return open_one(json, c == '{');
    if (opens || wants_key || !is_word(c)) {
      bool wants_value = json->awaits == AT_VALUE || json->awaits == AT_COLON;
      skip_garbage(json);
      if (!wants_value) continue;
      json->awaits = AT_NEXT;
      return TDM_JSON_NULL;
    }
    tdm_json_token token = value_word(json);
    if (token != TDM_JSON_END) return token;
  }
}

tdm_json_token tdm_json_next(tdm_json *json) {
  restore(json);
  tdm_json_token token = tdm_json_quick(json);
  return token != TDM_JSON_END ? token : any_token(json);
}
