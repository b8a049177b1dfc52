/* Text as a JSON string. Called by the writers. */
#ifndef TDM_TRACE_QUOTE_H
#define TDM_TRACE_QUOTE_H

#include <stddef.h>

/* `text` with its quotes; quotes, backslashes and control characters escaped, bytes that are not
 * UTF-8 replaced by U+FFFD. The caller frees it. NULL: out of memory. */
char *tdm_json_quote(const char *text, size_t *length);

#endif
