/* Text that grows: what the PyTorch readers put names, stacks and JSON together in; see inside.h.
 */
#include "read/torch/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/json/json.h"

void tdm_torch_text_free(tdm_torch_text *text) {
  free(text->bytes);
  *text = (tdm_torch_text){0};
}

void tdm_torch_text_clear(tdm_torch_text *text) {
  text->length = 0;
  if (text->bytes != NULL) text->bytes[0] = 0;
}

void tdm_torch_text_add(tdm_torch_text *text, const char *bytes, size_t length) {
  if (text->failed || !tdm_array_grow(&text->bytes, &text->room, text->length + length + 1, 1)) {
    text->failed = true;
    return;
  }
  if (length > 0) memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = 0;
}

void tdm_torch_text_put(tdm_torch_text *text, const char *string) {
  tdm_torch_text_add(text, string, strlen(string));
}

void tdm_torch_text_number(tdm_torch_text *text, int64_t number) {
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%lld", (long long)number);
  tdm_torch_text_add(text, digits, (size_t)length);
}

void tdm_torch_text_quote(tdm_torch_text *text, const char *bytes, size_t length) {
  if (text->failed ||
      !tdm_array_grow(&text->bytes, &text->room, text->length + 6 * length + 3, 1)) {
    text->failed = true;
    return;
  }
  text->length += tdm_json_escape(bytes, length, text->bytes + text->length);
  text->bytes[text->length] = 0;
}

const char *tdm_torch_text_string(const tdm_torch_text *text) {
  return text->bytes != NULL ? text->bytes : "";
}
