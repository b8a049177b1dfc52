/* Text that grows: what the PyTorch readers put names, stacks and JSON together in.
 *
 * Zeroed memory is an empty text. Running out of memory sticks: later additions do nothing. */
#ifndef TDM_READ_TORCH_TEXT_H
#define TDM_READ_TORCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *bytes; /* NUL-terminated, unless nothing was ever added: NULL */
  size_t length, room;
  bool failed;
} tdm_torch_text;

void tdm_torch_text_free(tdm_torch_text *text);
void tdm_torch_text_clear(tdm_torch_text *text); /* keeps the room */
void tdm_torch_text_add(tdm_torch_text *text, const char *bytes, size_t length);
void tdm_torch_text_put(tdm_torch_text *text, const char *string);
void tdm_torch_text_number(tdm_torch_text *text, int64_t number);
/* As a JSON string with its quotes; the bytes are well-formed UTF-8. */
void tdm_torch_text_quote(tdm_torch_text *text, const char *bytes, size_t length);

/* What was put together; "" when nothing was. */
const char *tdm_torch_text_string(const tdm_torch_text *text);

#endif
