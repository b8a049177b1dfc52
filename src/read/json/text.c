/* Strings of JSON unescaped, mended, escaped; see json.h. */
#include "read/json/json.h"

#include <string.h>

#include "trace/utf8.h"

static int hex4(const char *p) {
  int value = 0;
  for (int i = 0; i < 4; i++) {
    char c = p[i];
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static char *put_utf8(char *out, unsigned code) {
  if (code < 0x80) {
    *out++ = (char)code;
    return out;
  }
  if (code < 0x800) {
    *out++ = (char)(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      *out++ = (char)(0xe0 | code >> 12);
    } else {
      *out++ = (char)(0xf0 | code >> 18);
      *out++ = (char)(0x80 | (code >> 12 & 0x3f));
    }
    *out++ = (char)(0x80 | (code >> 6 & 0x3f));
  }
  *out++ = (char)(0x80 | (code & 0x3f));
  return out;
}

/* The \uXXXX at *from, or the pair of them, goes to *out; both move on. 0: it is none. */
static int unescape_unicode(const char **from, const char *end, char **out, uint64_t *bad) {
  const char *p = *from;
  int code = end - p >= 6 ? hex4(p + 2) : -1;
  if (code < 0) return 0;
  p += 6;
  if (code >= 0xd800 && code < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
    int low = hex4(p + 2);
    if (low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      p += 6;
    }
  }
  if (code == 0 || (code >= 0xd800 && code < 0xe000)) {
    ++*bad;
    code = 0xfffd;
  }
  *from = p;
  *out = put_utf8(*out, (unsigned)code);
  return 1;
}

size_t tdm_json_unescape(char *text, size_t length, uint64_t *bad) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  const char *p = text, *end = text + length;
  char *out = text;
  for (;;) {
    const char *escape = memchr(p, '\\', (size_t)(end - p));
    size_t plain = (size_t)((escape != NULL ? escape : end) - p);
    memmove(out, p, plain);
    out += plain;
    p += plain;
    if (escape == NULL) return (size_t)(out - text);
    char letter = end - p >= 2 ? p[1] : 0;
    const char *simple = letter != 0 ? strchr(letters, letter) : NULL;
    if (simple != NULL) {
      *out++ = meanings[simple - letters];
      p += 2;
    } else if (letter != 'u' || !unescape_unicode(&p, end, &out, bad)) {
      ++*bad;
      *out++ = *p++;
    }
  }
}

size_t tdm_json_mend(const char *text, size_t length, char *out) {
  char *start = out;
  while (length > 0) {
    size_t good = tdm_utf8_valid(text, length);
    memcpy(out, text, good);
    out += good;
    text += good;
    length -= good;
    if (length == 0) break;
    memcpy(out, "\xef\xbf\xbd", 3);
    out += 3;
    text++;
    length--;
  }
  *out = 0;
  return (size_t)(out - start);
}

size_t tdm_json_escape(const char *text, size_t length, char *out) {
  static const char hex[] = "0123456789abcdef";
  char *start = out;
  *out++ = '"';
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    char letter = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : c;
    if (c == '"' || c == '\\' || letter != c) {
      *out++ = '\\';
      *out++ = letter;
    } else if ((unsigned char)c < ' ') {
      memcpy(out, "\\u00", 4);
      out[4] = hex[c >> 4];
      out[5] = hex[c & 15];
      out += 6;
    } else {
      *out++ = c;
    }
  }
  *out++ = '"';
  return (size_t)(out - start);
}
