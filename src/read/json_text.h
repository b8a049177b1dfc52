/* Strings of JSON unescaped, mended, escaped. Owns no state. Called by read/json. */
#ifndef TDM_READ_JSON_TEXT_H
#define TDM_READ_JSON_TEXT_H

#include <stddef.h>
#include <stdint.h>

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
