/* Text as a JSON string. See quote.h. Owns no state. */
#include "trace/quote.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence at `s` (no overlong forms, no surrogates), or 0. */
static size_t utf8_length(const unsigned char *s) {
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  unsigned low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
  unsigned high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
  if (s[1] < low || s[1] > high) return 0;
  for (size_t i = 2; i < length; i++)
    if ((s[i] & 0xc0) != 0x80) return 0; /* a terminating 0 stops here, too */
  return length;
}

static char *put_escape(char *to, unsigned char c) {
  static const char hex[] = "0123456789abcdef";
  char letter = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : (char)c;
  *to++ = '\\';
  if (letter != (char)c || c == '"' || c == '\\') {
    *to++ = letter;
    return to;
  }
  const char code[5] = {'u', '0', '0', hex[c >> 4], hex[c & 15]};
  memcpy(to, code, sizeof code);
  return to + sizeof code;
}

char *tdm_json_quote(const char *text, size_t *length) {
  size_t bytes = strlen(text);
  if (bytes > (SIZE_MAX - 3) / 6) return NULL;
  char *quoted = malloc(6 * bytes + 3); /* every byte may become \uXXXX */
  if (quoted == NULL) return NULL;
  char *to = quoted;
  *to++ = '"';
  for (const unsigned char *s = (const unsigned char *)text; *s != 0;) {
    size_t sequence = utf8_length(s);
    if (*s < 0x20 || *s == 0x7f || *s == '"' || *s == '\\') {
      to = put_escape(to, *s++);
    } else if (sequence == 0) {
      memcpy(to, "\\ufffd", 6);
      to += 6;
      s++;
    } else {
      memcpy(to, s, sequence);
      to += sequence;
      s += sequence;
    }
  }
  *to++ = '"';
  *to = 0;
  if (length != NULL) *length = (size_t)(to - quoted);
  return quoted;
}
