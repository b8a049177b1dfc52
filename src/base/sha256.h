/* SHA-256 (FIPS 180-4): names bytes by what they are. Uploads use it as their key and to see
 * damage; both ends may be strangers, so that a fast hash that can be forged will not do. Owns
 * nothing: the state is the caller's. Called by bind/digest.c. */
#ifndef TDM_BASE_SHA256_H
#define TDM_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define TDM_SHA256_BYTES 32
#define TDM_SHA256_HEX   64 /* digits, without the zero */

typedef struct {
  uint32_t state[8];
  uint64_t bytes; /* taken so far */
  uint8_t block[64];
} tdm_sha256;

void tdm_sha256_begin(tdm_sha256 *hash);
void tdm_sha256_add(tdm_sha256 *hash, const void *data, size_t bytes);
void tdm_sha256_end(tdm_sha256 *hash, uint8_t digest[TDM_SHA256_BYTES]);

/* The digest in lower-case hexadecimal digits. */
void tdm_sha256_hex(const uint8_t digest[TDM_SHA256_BYTES], char hex[TDM_SHA256_HEX + 1]);

#endif
