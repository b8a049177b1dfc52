/* UTF-8 checked, mended, and written as a JSON string; texts that are not for spreadsheets. Owns no
 * state. */
#ifndef TDM_TRACE_UTF8_H
#define TDM_TRACE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* How many leading bytes are UTF-8 without NUL; `length` when all are. */
size_t tdm_utf8_valid(const char *text, size_t length);

/* Copies the text to `out` (room for 3 * length bytes) with U+FFFD for each byte that is not UTF-8;
 * ends at a NUL. Returns the length. */
size_t tdm_utf8_mend(const char *text, size_t length, char *out);

/* Text as a JSON string. Called by the writers. `text` with its quotes; quotes, backslashes and
 * control characters escaped, bytes that are not UTF-8 replaced by U+FFFD. The caller frees it.
 * NULL: out of memory. */
char *tdm_json_quote(const char *text, size_t *length);

/* Whether a spreadsheet may take the text for a formula, whatever quotes stand before it: such a
 * cell gets one more when it is written as CSV, and loses it when it is read, so that no name
 * changes. */
bool tdm_text_is_formula(const char *text);

#endif
