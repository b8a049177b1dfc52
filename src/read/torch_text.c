/* See torch_text.h. */
#include "read/torch_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/quote.h"

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

/* Most strings need no escape and are copied as they are. */
void tdm_torch_text_quote(tdm_torch_text *text, const char *bytes, size_t length) {
  bool plain = true;
  for (size_t i = 0; i < length && plain; i++) {
    unsigned char c = (unsigned char)bytes[i];
    plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
  }
  if (plain) {
    tdm_torch_text_add(text, "\"", 1);
    tdm_torch_text_add(text, bytes, length);
    tdm_torch_text_add(text, "\"", 1);
    return;
  }
  char *string = malloc(length + 1);
  size_t quoted_length = 0;
  char *quoted = NULL;
  if (string != NULL) {
    memcpy(string, bytes, length);
    string[length] = 0;
    quoted = tdm_json_quote(string, &quoted_length);
  }
  if (quoted != NULL)
    tdm_torch_text_add(text, quoted, quoted_length);
  else
    text->failed = true;
  free(quoted);
  free(string);
}

const char *tdm_torch_text_string(const tdm_torch_text *text) {
  return text->bytes != NULL ? text->bytes : "";
}
