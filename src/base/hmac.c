/* See hmac.h. */
#include "base/hmac.h"

#include <string.h>

enum { INNER = 0x36, OUTER = 0x5c };

void tdm_hmac_begin(tdm_hmac *hmac, const void *key, size_t key_bytes) {
  uint8_t block[sizeof hmac->outer_key] = {0}, inner_key[sizeof block];
  if (key_bytes > sizeof block) { /* too long for a block: its hash is the key */
    tdm_sha256 hash;
    tdm_sha256_begin(&hash);
    tdm_sha256_add(&hash, key, key_bytes);
    tdm_sha256_end(&hash, block);
  } else if (key_bytes > 0) {
    memcpy(block, key, key_bytes);
  }
  for (size_t i = 0; i < sizeof block; i++) {
    inner_key[i] = block[i] ^ INNER;
    hmac->outer_key[i] = block[i] ^ OUTER;
  }
  tdm_sha256_begin(&hmac->inner);
  tdm_sha256_add(&hmac->inner, inner_key, sizeof inner_key);
}

void tdm_hmac_add(tdm_hmac *hmac, const void *data, size_t bytes) {
  if (bytes > 0) tdm_sha256_add(&hmac->inner, data, bytes);
}

void tdm_hmac_end(tdm_hmac *hmac, uint8_t digest[TDM_SHA256_BYTES]) {
  tdm_sha256 outer;
  tdm_sha256_end(&hmac->inner, digest);
  tdm_sha256_begin(&outer);
  tdm_sha256_add(&outer, hmac->outer_key, sizeof hmac->outer_key);
  tdm_sha256_add(&outer, digest, TDM_SHA256_BYTES);
  tdm_sha256_end(&outer, digest);
}

bool tdm_hmac_same(const void *a, const void *b, size_t bytes) {
  const volatile uint8_t *left = a, *right = b;
  uint8_t differs = 0;
  for (size_t i = 0; i < bytes; i++) differs |= (uint8_t)(left[i] ^ right[i]);
  return differs == 0;
}
