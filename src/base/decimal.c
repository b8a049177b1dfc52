/* Decimal text by one multiplication with a power of ten of 128 bits; see decimal.h. Owns the
 * table of powers, which is filled once. What is too close to call goes to the C library. */
#include "base/decimal.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { POWER_MAX = 345, DIGITS_MAX = 19 };

/* 10^k = powers[k + POWER_MAX] · 2^power_exponent(k), the factor in [2^127, 2^128) and rounded
 * down. Each step away from 10^0 adds less than two units to the error: below 2^10 in all, which
 * is 2^10 in the products too. */
static wide powers[2 * POWER_MAX + 1];
static const wide margin = (wide)1 << 16;

static void fill_powers(void) {
  const wide top = (wide)1 << 127;
  wide power = top;
  powers[POWER_MAX] = power;
  for (int k = 1; k <= POWER_MAX; k++) { /* · 10 = · 5/8, or 5/4, and a shift */
    wide quarter = power >> 2;
    power = power > (top / 5) * 8 ? (power >> 1) + (power >> 3) : power + quarter;
    powers[POWER_MAX + k] = power;
  }
  power = top;
  for (int k = 1; k <= POWER_MAX; k++) {
    wide quotient = power / 10, rest = power % 10;
    int shift = quotient >> 124 != 0 ? 3 : 4;
    power = (quotient << shift) | ((rest << shift) / 10);
    powers[POWER_MAX - k] = power;
  }
}

static wide power_of_ten(int k) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fill_powers);
  return powers[k + POWER_MAX];
}

/* floor(k · log2(10)) - 127; right shifts of negative numbers round down here. */
static int power_exponent(int k) {
  return (k * 217706 >> 16) - 127;
}

/* The upper 128 of the 192 bits of a product. */
static wide multiply_high(uint64_t a, wide b) {
  return (wide)a * (uint64_t)(b >> 64) + ((wide)a * (uint64_t)b >> 64);
}

/* ---- printing ---- */

/* `count` digits times 10^exponent, the last digit not 0. */
static size_t lay_out(char *out, bool negative, bool plain, const char *digits, int count,
                      int exponent) {
  char *at = out;
  int point = count + exponent; /* digits before the point */
  int widest = !plain ? 17 : count > 15 ? count : 15;
  if (negative) *at++ = '-';
  if (point > widest || point < (plain ? -3 : -4)) {
    *at++ = digits[0];
    if (count > 1) *at++ = '.';
    memcpy(at, digits + 1, (size_t)(count - 1));
    at += count - 1;
    at += snprintf(at, 8, "e%+03d", point - 1);
  } else if (point <= 0) {
    memcpy(at, "0.0000", 6);
    at += 2 - point;
    memcpy(at, digits, (size_t)count);
    at += count;
  } else {
    int whole = count < point ? count : point;
    memcpy(at, digits, (size_t)whole);
    memset(at + whole, '0', (size_t)(point - whole));
    at += point;
    if (count > point || !plain) *at++ = '.';
    if (count > point) {
      memcpy(at, digits + point, (size_t)(count - point));
      at += count - point;
    } else if (!plain) {
      *at++ = '0';
    }
  }
  *at = 0;
  return (size_t)(at - out);
}

static size_t print_integer(char *out, bool negative, bool plain, uint64_t digits, int exponent) {
  char text[DIGITS_MAX + 1];
  int first = sizeof text, end = sizeof text;
  for (; digits % 10 == 0; digits /= 10) exponent++;
  for (; digits > 0; digits /= 10) text[--first] = (char)('0' + digits % 10);
  return lay_out(out, negative, plain, text + first, end - first, exponent);
}

/* Zero, what is so small that it has fewer bits, and ties. */
static size_t print_slowly(char *out, double value, bool plain) {
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(out, TDM_DECIMAL_SIZE, "%.*g", digits, value);
    if (strtod(out, NULL) == value) break;
  }
  for (char *c = out; *c != 0; c++)
    if (*c == ',') *c = '.'; /* the process may run in a locale with decimal commas */
  if (!plain && strpbrk(out, ".e") == NULL) length += snprintf(out + length, 3, ".0");
  return (size_t)length;
}

static size_t print(char *out, double value, bool plain) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int biased = (int)(bits >> 52 & 0x7ff);
  if (biased == 0 || biased == 0x7ff) return print_slowly(out, value, plain);
  uint64_t mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
  int exponent = biased - 1075 - 11; /* value = (mantissa << 11) · 2^exponent */
  /* The k that gives 17 digits: floor(log10(value)) is this or one more. */
  int k = 16 - ((exponent + 63) * 315653 >> 20);
  wide power, scaled;
  int shift;
  for (;; k--) {
    power = power_of_ten(k);
    scaled = multiply_high(mantissa << 11, power);
    shift = -(exponent + power_exponent(k) + 64);
    if (scaled >> shift < 100000000000000000) break;
  }
  /* scaled / 2^shift is value · 10^k. Any number nearer to it than half the way to the next double
   * reads back as value. That way is shorter by half below a power of two. */
  wide reach = power >> 54, nearest = mantissa == (uint64_t)1 << 52 ? reach >> 1 : reach;
  uint64_t digits = (uint64_t)(scaled >> shift);
  for (int dropped = 2; dropped >= 0; dropped--) {
    uint64_t unit = dropped == 2 ? 100 : dropped == 1 ? 10 : 1, kept = digits / unit;
    wide step = (wide)unit << shift, rest = scaled - ((wide)(kept * unit) << shift);
    bool up = rest > step >> 1;
    wide gap = up ? step - rest : rest;
    if (gap < reach + margin && (gap + margin >= nearest || gap + margin >= step >> 1))
      return print_slowly(out, value, plain); /* too close to call, such as 1e23 */
    if (gap + margin < nearest) return print_integer(out, value < 0, plain, kept + up, dropped - k);
  }
  return print_slowly(out, value, plain);
}

size_t tdm_decimal_print(char out[TDM_DECIMAL_SIZE], double value) {
  return print(out, value, false);
}

size_t tdm_decimal_print_plain(char out[TDM_DECIMAL_SIZE], double value) {
  return print(out, value, true);
}

/* ---- reading ---- */

/* The number's digits as an integer, and its power of ten. False: too many to be exact. */
static bool read_digits(const char *text, uint64_t *digits, int *exponent) {
  int count = 0, written = 0;
  *digits = 0;
  *exponent = 0;
  for (bool fraction = false;; text++) {
    if (*text == '.') {
      fraction = true;
      continue;
    }
    if (*text < '0' || *text > '9') break;
    if (count > 0 || *text != '0') count++;
    if (count > DIGITS_MAX) return false;
    *digits = *digits * 10 + (uint64_t)(*text - '0');
    *exponent -= fraction;
  }
  if (*text != 'e' && *text != 'E') return true;
  text++;
  bool negative = *text == '-';
  if (*text == '-' || *text == '+') text++;
  for (; *text >= '0' && *text <= '9' && written < 10000; text++)
    written = written * 10 + (*text - '0');
  *exponent += negative ? -written : written;
  return true;
}

double tdm_decimal_read(const char *text) {
  uint64_t digits;
  int k;
  bool negative = *text == '-';
  if (!read_digits(text + negative, &digits, &k)) return strtod(text, NULL);
  if (digits == 0) return negative ? -0.0 : 0.0;
  if (k < -POWER_MAX || k > POWER_MAX) return strtod(text, NULL);
  int zeros = __builtin_clzll(digits);
  wide product = multiply_high(digits << zeros, power_of_ten(k));
  int exponent = power_exponent(k) + 64 - zeros;
  if (product >> 127 == 0) {
    product <<= 1;
    exponent--;
  }
  /* 53 bits are the result, 75 decide its rounding. */
  const wide half = (wide)1 << 74;
  wide rest = product & (2 * half - 1);
  wide distance = rest > half ? rest - half : half - rest;
  if (distance <= 2 * margin) return strtod(text, NULL);
  uint64_t mantissa = (uint64_t)(product >> 75) + (rest > half);
  exponent += 75;
  if (mantissa >> 53 != 0) {
    mantissa >>= 1;
    exponent++;
  }
  int biased = exponent + 1075;
  if (biased < 1 || biased > 2046) return strtod(text, NULL);
  uint64_t bits =
      (uint64_t)negative << 63 | (uint64_t)biased << 52 | (mantissa & (((uint64_t)1 << 52) - 1));
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
