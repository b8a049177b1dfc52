/* What a JSON reader holds, and what its files share: scanning without a function call, and the
 * usual case of tokens inline. */
#ifndef TDM_READ_JSON_INSIDE_H
#define TDM_READ_JSON_INSIDE_H

#include "read/json/json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
  PAD = 32, /* bytes behind the end that may be looked at; the first is 0 and stops all scans */
  STACK_WORDS = TDM_JSON_DEPTH / 64
};

/* What may follow. */
typedef enum {
  AT_FIRST, /* an item or the end: behind a bracket */
  AT_ITEM,  /* an item: behind a comma */
  AT_VALUE, /* the value of a key; its colon is behind us */
  AT_COLON, /* the colon of a key, then its value */
  AT_NEXT   /* a comma or the end: behind an item */
} awaited;

struct tdm_json {
  tdm_input *input; /* NULL: a text */
  const char *piece;
  size_t piece_left; /* not copied yet */
  char *buffer;
  size_t room; /* without PAD */
  char *at, *end;
  bool drained, begun, truncated;
  char *patched; /* where a NUL stands for `patch` */
  char patch;
  const char *text;
  size_t length;
  awaited awaits;
  uint32_t depth;
  uint64_t objects[STACK_WORDS]; /* which of the open ones are no arrays: bits */
  char *mended, *compact;
  size_t mended_room, compact_room, compact_used;
  uint64_t repaired[TDM_JSON_REPAIRS];
  tdm_status status;
  tdm_error error;
};

static inline bool is_object(const tdm_json *json, uint32_t level) {
  return (json->objects[level / 64] >> (level % 64) & 1) != 0;
}

static inline bool in_object(const tdm_json *json) {
  return json->depth > 0 && is_object(json, json->depth - 1);
}

/* The first byte that is not white; 0 also at the end. */
static inline char *past_white(char *p) {
  if ((unsigned char)*p > ' ') return p;
  while ((unsigned char)(*p - 1) < ' ') {
    p++;
#ifdef __SSE2__
    for (;; p += 16) {
      __m128i bytes = _mm_loadu_si128((const __m128i *)p);
      __m128i white = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_setzero_si128()),
                                    _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ' + 1)));
      unsigned other = ~(unsigned)_mm_movemask_epi8(white) & 0xffff;
      if (other != 0) return p + __builtin_ctz(other);
    }
#endif
  }
  return p;
}

/* The first byte of a string that is not plain: a quote, a backslash, control or not ASCII. */
static inline char *past_plain(char *p) {
#ifdef __SSE2__
  for (;; p += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    /* As signed bytes what is not ASCII is less than a space, too. */
    __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                                   _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
    unsigned found = (unsigned)_mm_movemask_epi8(special);
    if (found != 0) return p + __builtin_ctz(found);
  }
#else
  while ((signed char)*p >= ' ' && *p != '"' && *p != '\\') p++;
  return p;
#endif
}

static inline bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
         c == '-' || c == '.' || c == '_';
}

/* Out of memory: nothing more is read. */
void tdm_json_fail_memory(tdm_json *json, size_t bytes);

/* Leaves the innermost open array or object: its end token. */
tdm_json_token tdm_json_close(tdm_json *json);

/* The usual case, inline, for json.c.
 *
 * Well-formed tokens of an object that lie in the buffer as a whole, which nearly all are, each by
 * one look at its bytes. END: it is something else, and nothing happened. */

static inline tdm_json_token quick_key(tdm_json *json, char *p) {
  char *behind = past_plain(p + 1);
  if (*behind != '"' || behind[1] != ':') return TDM_JSON_END;
  *behind = 0;
  json->text = p + 1;
  json->length = (size_t)(behind - p - 1);
  json->at = behind + 2;
  json->awaits = AT_VALUE;
  return TDM_JSON_KEY;
}

static inline tdm_json_token quick_string(tdm_json *json, char *p) {
  char *behind = past_plain(p + 1), *next = behind + 1;
  if (*behind != '"') return TDM_JSON_END;
  if (*next == ',') {
    next = past_white(next + 1);
    if (*next != '"') return TDM_JSON_END;
    json->awaits = AT_ITEM;
  } else if (*next == '}') {
    json->awaits = AT_NEXT;
  } else {
    return TDM_JSON_END;
  }
  *behind = 0;
  json->text = p + 1;
  json->length = (size_t)(behind - p - 1);
  json->at = next;
  return TDM_JSON_STRING;
}

static inline tdm_json_token quick_number(tdm_json *json, char *p) {
  char *start = p++;
  while ((*p >= '0' && *p <= '9') || *p == '.') p++;
  json->at = p;
  json->awaits = AT_NEXT;
  if (*p == ',') { /* it need not come back */
    json->at = p + 1;
    json->awaits = AT_ITEM;
  } else if (*p == '}' || *p == ']' || *p == '\n' || *p == ' ') {
    json->patched = p;
    json->patch = *p;
  } else {
    json->at = start;
    json->awaits = AT_VALUE;
    return TDM_JSON_END;
  }
  *p = 0;
  json->text = start;
  json->length = (size_t)(p - start);
  return TDM_JSON_NUMBER;
}

static inline tdm_json_token tdm_json_quick(tdm_json *json) {
  char *p = json->at;
  if (json->awaits == AT_VALUE) {
    if (*p == ' ') p++;
    if (*p == '"') return quick_string(json, p);
    if ((*p >= '0' && *p <= '9') || *p == '-') return quick_number(json, p);
    return TDM_JSON_END;
  }
  if (!in_object(json)) return TDM_JSON_END;
  p = past_white(p);
  if (json->awaits == AT_NEXT) {
    if (*p == '}') {
      json->at = p + 1;
      return tdm_json_close(json);
    }
    if (*p != ',') return TDM_JSON_END;
    p = past_white(p + 1);
  }
  if (*p != '"' || json->awaits == AT_COLON) return TDM_JSON_END;
  return quick_key(json, p);
}

#endif
