/* See utf8.h. Owns no state. */
#include "trace/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of the character at `at`, 0 when it is none (overlong, surrogate, beyond U+10FFFF). */
static size_t character(const unsigned char *at, size_t left) {
  unsigned char first = at[0];
  if (first < 0x80) return first != 0;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || length > left) return 0;
  for (size_t i = 1; i < length; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  if (first == 0xe0 && at[1] < 0xa0) return 0;
  if (first == 0xed && at[1] > 0x9f) return 0;
  if (first == 0xf0 && at[1] < 0x90) return 0;
  if (first == 0xf4 && at[1] > 0x8f) return 0;
  return length;
}

size_t tdm_utf8_valid(const char *text, size_t length) {
  const unsigned char *bytes = (const unsigned char *)text;
  const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
  size_t at = 0;
  while (at < length) {
    for (; length - at >= 8; at += 8) { /* eight bytes, all ASCII and none of them NUL */
      uint64_t word;
      memcpy(&word, bytes + at, 8);
      if ((word & high) != 0 || ((word - ones) & ~word & high) != 0) break;
    }
    if (at == length) break;
    size_t step = character(bytes + at, length - at);
    if (step == 0) break;
    at += step;
  }
  return at;
}

size_t tdm_utf8_mend(const char *text, size_t length, char *out) {
  size_t used = 0;
  while (length > 0 && text[0] != 0) {
    size_t good = tdm_utf8_valid(text, length);
    memcpy(out + used, text, good);
    used += good;
    text += good;
    length -= good;
    if (length == 0 || text[0] == 0) break;
    memcpy(out + used, "\xef\xbf\xbd", 3);
    used += 3;
    text++;
    length--;
  }
  return used;
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
  for (const unsigned char *s = (const unsigned char *)text, *end = s + bytes; s < end;) {
    size_t sequence = character(s, (size_t)(end - s));
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

bool tdm_text_is_formula(const char *text) {
  text += strspn(text, "'");
  return text[0] != 0 && strchr("=+-@\t\r", text[0]) != NULL;
}
