/* See ncu_number.h. */
#include "read/ncu_number.h"

#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

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
