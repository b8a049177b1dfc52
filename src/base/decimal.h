/* Finite doubles as decimal text and back, the same 64 bits and the same text on every machine.
 * printf and strtod do that too, at five times the price: sweeps write and read some dozen numbers
 * a point. Thread-safe. Used by bind/exact. */
#ifndef TDM_BASE_DECIMAL_H
#define TDM_BASE_DECIMAL_H

#include <stddef.h>

#define TDM_DECIMAL_SIZE 32 /* room for any text that is printed, with its end */

/* 15 digits when they suffice, else 16, else 17, and always as a float ("2.0", "1e+30"): reading
 * it gives `value` back. Returns the length. Infinity and NaN are the caller's affair. */
size_t tdm_decimal_print(char out[TDM_DECIMAL_SIZE], double value);

/* The nearest double, ties to even, infinity where it overflows. `text` begins with a number in
 * JSON's grammar, which the caller has checked; what follows it is not looked at. */
double tdm_decimal_read(const char *text);

#endif
