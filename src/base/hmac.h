/* HMAC-SHA256 (RFC 2104): says that a text comes from somebody who knows a key. Owns nothing: the
 * state is the caller's. Called by base/envelope. */
#ifndef TDM_BASE_HMAC_H
#define TDM_BASE_HMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

typedef struct {
  tdm_sha256 inner;
  uint8_t outer_key[64];
} tdm_hmac;

void tdm_hmac_begin(tdm_hmac *hmac, const void *key, size_t key_bytes);
void tdm_hmac_add(tdm_hmac *hmac, const void *data, size_t bytes);
void tdm_hmac_end(tdm_hmac *hmac, uint8_t digest[TDM_SHA256_BYTES]);

/* Are both texts of `bytes` equal? Takes the same time wherever they differ. */
bool tdm_hmac_same(const void *a, const void *b, size_t bytes);

#endif
