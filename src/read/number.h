/* Numbers as text, read exactly: nanoseconds and ids must not go through a double.
 *
 * Exactly `length` bytes are the number; what surrounds them does not matter. Owns no state. Called
 * by the readers of text formats. */
#ifndef TDM_READ_NUMBER_H
#define TDM_READ_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text × 10^power, rounded half away from zero, exact for any number of digits: "5845.1234" with 3
 * → 5845123. False: no number, or beyond int64 (value then saturates; 0 when it is no number). */
bool tdm_number_scaled(const char *text, size_t length, int power, int64_t *value);

/* A whole number in int64 ("12", "12.0", "1e3"); false otherwise. */
bool tdm_number_integer(const char *text, size_t length, int64_t *value);

/* Infinity and -Infinity too; NaN when it is none. Any locale. */
double tdm_number_double(const char *text, size_t length);

/* Whether JSON's grammar has it. */
bool tdm_number_is_json(const char *text, size_t length);

/* Numbers as ncu prints them: by the locale, with separators of thousands. Called by read/ncu. How
 * many bytes of the text are a number ("1,234.5", "1.234,5", "-3e-05"), 0 when it begins with none;
 * *value is that number. Of a lone separator before three digits a comma is one of thousands and a
 * point is not. */
size_t tdm_ncu_number(const char *text, double *value);

#endif
