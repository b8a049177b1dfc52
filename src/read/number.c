/* Digit by digit. See number.h. */
#include "read/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

/* The parts of "-12.50e3". */
typedef struct {
  bool negative;
  const char *digits; /* "12.50" */
  size_t length;      /* with the point */
  size_t whole;       /* digits before the point */
  size_t count;       /* digits */
  int64_t exponent;
} parts;

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* False: no number. Longer exponents are as good as endless ones. */
static bool take_apart(const char *text, size_t length, parts *out) {
  const char *p = text, *end = text + length;
  *out = (parts){0};
  if (p < end && (*p == '-' || *p == '+')) out->negative = *p++ == '-';
  out->digits = p;
  while (p < end && is_digit(*p)) p++;
  out->whole = out->count = (size_t)(p - out->digits);
  if (p < end && *p == '.') {
    const char *point = p++;
    while (p < end && is_digit(*p)) p++;
    out->count += (size_t)(p - point) - 1;
  }
  out->length = (size_t)(p - out->digits);
  if (out->count == 0) return false;
  if (p < end && (*p == 'e' || *p == 'E')) {
    p++;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end) return false;
    for (; p < end && is_digit(*p); p++)
      if (out->exponent < 1000000000) out->exponent = out->exponent * 10 + (*p - '0');
    if (negative) out->exponent = -out->exponent;
  }
  return p == end;
}

/* Appends a digit; false: beyond int64. */
static bool append(uint64_t *value, unsigned digit) {
  const uint64_t most = (uint64_t)INT64_MAX;
  if (*value > (most - digit) / 10) return false;
  *value = *value * 10 + digit;
  return true;
}

/* The digits with the point moved right by `exponent`. *dropped: what was cut off is not 0. False:
 * beyond int64. */
static bool shift(const parts *number, int64_t exponent, uint64_t *value, bool *dropped) {
  int64_t keep = (int64_t)number->whole + exponent; /* so many digits stand before the new point */
  bool up = false, fits = true;
  *value = 0;
  *dropped = false;
  for (size_t i = 0; i < number->length; i++) {
    if (number->digits[i] == '.') continue;
    unsigned digit = (unsigned)(number->digits[i] - '0');
    if (keep > 0)
      fits = fits && append(value, digit);
    else if (keep == 0)
      up = digit >= 5;
    if (keep <= 0) *dropped = *dropped || digit > 0;
    keep--;
  }
  for (; keep > 0 && fits && *value > 0; keep--) fits = append(value, 0);
  if (fits && up) {
    fits = *value < (uint64_t)INT64_MAX;
    *value += fits;
  }
  return fits;
}

static bool scaled(const char *text, size_t length, int power, int64_t *value, bool *dropped) {
  parts number;
  uint64_t size;
  *value = 0;
  if (!take_apart(text, length, &number)) return false;
  if (!shift(&number, number.exponent + power, &size, dropped)) {
    *value = number.negative ? -INT64_MAX : INT64_MAX;
    return false;
  }
  *value = number.negative ? -(int64_t)size : (int64_t)size;
  return true;
}

/* Up to 18 digits and a point, the usual time stamp. False: something else. */
static bool scaled_quickly(const char *text, size_t length, int power, int64_t *value) {
  if (length == 0 || length > 18 || power < 0 || power > 9) return false;
  int64_t sum = 0;
  size_t i = 0;
  for (; i < length && is_digit(text[i]); i++) sum = sum * 10 + (text[i] - '0');
  if (i == 0) return false;
  if (i < length) {
    if (text[i++] != '.') return false;
    for (; i < length && power > 0 && is_digit(text[i]); i++, power--)
      sum = sum * 10 + (text[i] - '0');
    if (i < length) return false;
  }
  for (; power > 0; power--)
    if (__builtin_mul_overflow(sum, 10, &sum)) return false;
  *value = sum;
  return true;
}

bool tdm_number_scaled(const char *text, size_t length, int power, int64_t *value) {
  bool dropped;
  return scaled_quickly(text, length, power, value) || scaled(text, length, power, value, &dropped);
}

bool tdm_number_integer(const char *text, size_t length, int64_t *value) {
  bool dropped;
  if (scaled_quickly(text, length, 0, value)) return true;
  return scaled(text, length, 0, value, &dropped) && !dropped;
}

bool tdm_number_is_json(const char *text, size_t length) {
  parts number;
  if (!take_apart(text, length, &number)) return false;
  if (text[0] == '+' || number.whole == 0) return false;
  if (number.digits[0] == '0' && number.whole > 1) return false;
  return is_digit(number.digits[number.length - 1]);
}

static bool is_text(const char *text, size_t length, const char *word) {
  return length == strlen(word) && memcmp(text, word, length) == 0;
}

double tdm_number_double(const char *text, size_t length) {
  char room[64];
  parts number;
  if (!take_apart(text, length, &number)) {
    bool negative = length > 0 && text[0] == '-';
    size_t sign = length > 0 && (negative || text[0] == '+');
    bool endless = is_text(text + sign, length - sign, "Infinity") ||
                   is_text(text + sign, length - sign, "inf") ||
                   is_text(text + sign, length - sign, "Inf");
    return !endless ? NAN : negative ? -INFINITY : INFINITY;
  }
  size_t skipped = text[0] == '+';
  char *copy = length < sizeof room ? room : malloc(length + 1);
  if (copy == NULL) return NAN;
  memcpy(copy, text + skipped, length - skipped);
  copy[length - skipped] = 0;
  double value = tdm_decimal_read(copy);
  if (copy != room) free(copy);
  return value;
}

/* Numbers as ncu prints them. */

/* One to three digits, then groups of three behind `separator`, then perhaps `point` and more. */
static bool is_grouped(const char *text, size_t length, char separator, char point) {
  size_t i = 0, digits = 0;
  while (i < length && is_digit(text[i])) i++;
  if (i == 0 || i > 3) return false;
  while (i < length && text[i] == separator) {
    for (digits = 0, i++; i < length && is_digit(text[i]); i++) digits++;
    if (digits != 3) return false;
  }
  if (i < length && text[i] == point)
    for (i++; i < length && is_digit(text[i]); i++) {
    }
  return i == length;
}

/* Which sign stands for what in these digits, commas and points. False: they are no number. */
static bool read_signs(const char *text, size_t length, char *separator, char *point) {
  size_t commas = 0, points = 0;
  for (size_t i = 0; i < length; i++) {
    commas += text[i] == ',';
    points += text[i] == '.';
  }
  *separator = 0;
  *point = '.';
  if (commas == 0 && points < 2) return true;
  *separator = ',';
  if (is_grouped(text, length, ',', '.')) return true;
  *separator = '.';
  *point = ',';
  if (is_grouped(text, length, '.', ',')) return true;
  *separator = 0;
  return commas == 1 && points == 0;
}

size_t tdm_ncu_number(const char *text, double *value) {
  char plain[2 * TDM_DECIMAL_SIZE];
  size_t used = 0, from = text[0] == '-' || text[0] == '+', whole = from, digits = 0;
  while (is_digit(text[whole]) || text[whole] == ',' || text[whole] == '.') whole++;
  size_t length = whole;
  if (whole > from && (text[whole] == 'e' || text[whole] == 'E')) {
    size_t exponent = whole + 1;
    if (text[exponent] == '-' || text[exponent] == '+') exponent++;
    if (is_digit(text[exponent])) {
      while (is_digit(text[exponent])) exponent++;
      length = exponent;
    }
  }
  char separator, point;
  if (whole == from || length + 2 > sizeof plain ||
      !read_signs(text + from, whole - from, &separator, &point))
    return 0;
  bool fraction = false;
  if (text[0] == '-') plain[used++] = '-';
  for (size_t i = from; i < whole; i++) {
    if (text[i] == separator) continue;
    if (text[i] == point) {
      if (fraction || digits == 0 || i + 1 == whole) return 0;
      fraction = true;
      plain[used++] = '.';
      continue;
    }
    /* JSON's grammar, which the decimal reader wants, has no zeros before a number. */
    if (!fraction && digits == 1 && plain[used - 1] == '0')
      used--;
    else
      digits++;
    plain[used++] = text[i];
  }
  if (digits == 0) return 0;
  memcpy(plain + used, text + whole, length - whole);
  plain[used + length - whole] = 0;
  *value = tdm_decimal_read(plain);
  return length;
}
