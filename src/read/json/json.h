/* Tolerant JSON, token by token: what the JSON readers are made of.
 *
 * Streams: memory is one token and a few buffers. Real traces break JSON's rules, so this repairs
 * and counts instead of refusing: raw control characters and bad escapes in strings, bytes that are
 * not UTF-8, NaN and Infinity, missing and trailing commas, text that ends in the middle (every
 * open array and object is then closed). Where nothing sensible follows it skips to the next
 * structural character. What comes out is well formed whatever goes in: ends match beginnings, and
 * every KEY has a value, NULL where it is missing. Nesting beyond TDM_JSON_DEPTH is skipped and
 * counted; so is what a string has beyond TDM_JSON_STRING_BYTES, so that no input is held whole.
 * Numbers stay text, so that nanoseconds and ids survive. Owns its buffers, not the input. Called
 * by the JSON readers. */
#ifndef TDM_READ_JSON_JSON_H
#define TDM_READ_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "read/input.h"
#include "read/number.h"

#define TDM_JSON_DEPTH 256
/* More is kept of a longer string: it is cut where the bytes at hand end. */
#define TDM_JSON_STRING_BYTES ((size_t)16 << 20)

typedef enum {
  TDM_JSON_END, /* of the input */
  TDM_JSON_OBJECT,
  TDM_JSON_OBJECT_END,
  TDM_JSON_ARRAY,
  TDM_JSON_ARRAY_END,
  TDM_JSON_KEY,    /* of the value that follows */
  TDM_JSON_STRING, /* text: unescaped UTF-8 */
  TDM_JSON_NUMBER, /* text: as written; NaN, Infinity, -Infinity too */
  TDM_JSON_TRUE,
  TDM_JSON_FALSE,
  TDM_JSON_NULL
} tdm_json_token;

typedef enum {
  TDM_JSON_CONTROL,     /* raw control characters in strings (kept) */
  TDM_JSON_ESCAPE,      /* bad escapes in strings (kept as written; \u0000: replaced) */
  TDM_JSON_QUOTE,       /* quotes inside strings without a backslash (kept) */
  TDM_JSON_UTF8,        /* strings with bytes that are not UTF-8, or NUL (replaced) */
  TDM_JSON_NONFINITE,   /* NaN, Infinity */
  TDM_JSON_PUNCTUATION, /* commas, colons, brackets missing or too many */
  TDM_JSON_TRUNCATED,   /* the text ends too early */
  TDM_JSON_GARBAGE,     /* characters that are no JSON, values behind the one (skipped) */
  TDM_JSON_DEEP,        /* values nested too deeply (skipped) */
  TDM_JSON_LONG,        /* strings of an input of more than 16 MiB (cut) */
  TDM_JSON_REPAIRS
} tdm_json_repair;

typedef struct tdm_json tdm_json;

tdm_json *tdm_json_new(tdm_input *input); /* NULL: out of memory */
/* Over a text in memory, which must outlive it. May be called again with another text: tokens start
 * anew, repairs are kept. For JSON Lines. */
tdm_json *tdm_json_new_text(void);
void tdm_json_text(tdm_json *json, const char *text, size_t length);
void tdm_json_free(tdm_json *json);

/* The next token. A failure of the input ends the tokens; look at tdm_json_status then. */
tdm_json_token tdm_json_next(tdm_json *json);
tdm_status tdm_json_status(const tdm_json *json, tdm_error *error);

/* Of a KEY, STRING or NUMBER: good until the next token. NUL-terminated. */
const char *tdm_json_value(const tdm_json *json, size_t *length);
uint32_t tdm_json_depth(const tdm_json *json); /* open arrays and objects */

/* After OBJECT or ARRAY: goes on behind its end. After KEY: behind its value. Otherwise nothing. */
void tdm_json_skip(tdm_json *json);

/* After KEY: is its value an array, whose items are next? Another value is passed over. */
bool tdm_json_enter_array(tdm_json *json);
/* In an array: goes on to the next of its objects, over all else. False: behind its end. */
bool tdm_json_next_object(tdm_json *json);

/* When a reader has its one value: reads what is left, which belongs to nothing and is counted, so
 * that compressed data that is damaged behind the value is noticed. The status. */
tdm_status tdm_json_finish(tdm_json *json, tdm_error *error);

/* After OBJECT or ARRAY: its text, compact valid JSON, keys in order; goes on behind its end. NULL:
 * out of memory. Good until the next token. */
const char *tdm_json_compact(tdm_json *json, size_t *length);

/* How often each repair was needed, and its words for a report ("bad escapes in strings"). */
uint64_t tdm_json_repaired(const tdm_json *json, tdm_json_repair repair);
const char *tdm_json_repair_name(tdm_json_repair repair);

/* Strings of JSON unescaped, mended, escaped. Owns no state. */

/* Undoes the escapes in place; the new length is never more. Bad escapes stay as written, \u0000
 * and halves of surrogate pairs become U+FFFD; both are counted. */
size_t tdm_json_unescape(char *text, size_t length, uint64_t *bad);

/* Copies to `out` (room for 3 * length + 1 bytes) with U+FFFD for each NUL and each byte that is
 * not UTF-8, and ends it with a NUL. Returns the length. */
size_t tdm_json_mend(const char *text, size_t length, char *out);

/* Writes well-formed UTF-8 to `out` (room for 6 * length + 2 bytes) as a JSON string with its
 * quotes; returns its length. */
size_t tdm_json_escape(const char *text, size_t length, char *out);

#endif
