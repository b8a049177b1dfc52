/* What a JSON reader holds, and what its files share: scanning without a function call. Nothing
 * outside read/json and read/json_compact includes this. */
#ifndef TDM_READ_JSON_STATE_H
#define TDM_READ_JSON_STATE_H

#include "read/json.h"

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
} place;

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
  place place;
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

#endif
