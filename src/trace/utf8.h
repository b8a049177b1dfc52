/* UTF-8 checked and mended. Called by the recorder and the JSON reader. */
#ifndef TDM_TRACE_UTF8_H
#define TDM_TRACE_UTF8_H

#include <stddef.h>

/* How many leading bytes are UTF-8 without NUL; `length` when all are. */
size_t tdm_utf8_valid(const char *text, size_t length);

/* Copies the text to `out` (room for 3 * length bytes) with U+FFFD for each byte that is not UTF-8;
 * ends at a NUL. Returns the length. */
size_t tdm_utf8_mend(const char *text, size_t length, char *out);

#endif
