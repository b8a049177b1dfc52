/* See base64.h. */
#include "base/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t tdm_base64_encode(const unsigned char *bytes, size_t length, char *text) {
  char *out = text;
  size_t i = 0;
  for (; i + 2 < length; i += 3) {
    uint32_t three = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
    *out++ = digits[three >> 18];
    *out++ = digits[three >> 12 & 63];
    *out++ = digits[three >> 6 & 63];
    *out++ = digits[three & 63];
  }
  if (i < length) {
    uint32_t rest = (uint32_t)bytes[i] << 16 | (i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0);
    *out++ = digits[rest >> 18];
    *out++ = digits[rest >> 12 & 63];
    *out++ = i + 1 < length ? digits[rest >> 6 & 63] : '=';
    *out++ = '=';
  }
  return (size_t)(out - text);
}

static int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

size_t tdm_base64_decode(char *text, size_t length) {
  size_t used = 0;
  uint32_t bits = 0;
  int held = 0;
  for (size_t i = 0; i < length; i++) {
    int digit = digit_of(text[i]);
    if (digit < 0) continue;
    bits = bits << 6 | (uint32_t)digit;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    text[used++] = (char)(bits >> held & 255);
  }
  return used;
}
