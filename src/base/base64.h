/* Bytes as text of 64 characters, and back (RFC 4648, section 4). Owns nothing. */
#ifndef TDM_BASE_BASE64_H
#define TDM_BASE_BASE64_H

#include <stddef.h>

/* The length of `length` bytes as text, padded. */
#define TDM_BASE64_LENGTH(length) (((length) + 2) / 3 * 4)

/* Writes TDM_BASE64_LENGTH(length) characters, no NUL; returns how many. */
size_t tdm_base64_encode(const unsigned char *bytes, size_t length, char *text);

/* In place; returns the number of bytes. Characters that are none of the alphabet are skipped. */
size_t tdm_base64_decode(char *text, size_t length);

#endif
