/* See sha256.h. */
#include "base/sha256.h"

#include <string.h>

enum { BLOCK = 64, LENGTH_AT = 56 /* where the length stands in the last block */ };

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int bits) {
  return x >> bits | x << (32 - bits);
}

static uint32_t read_big(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void take_block(uint32_t state[8], const uint8_t *data) {
  uint32_t w[64], v[8];
  for (int i = 0; i < 16; i++) w[i] = read_big(data + 4 * i);
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] +
           (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
  }
  memcpy(v, state, sizeof v);
  for (int i = 0; i < 64; i++) {
    uint32_t e = v[4], a = v[0];
    uint32_t first = v[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                     ((e & v[5]) ^ (~e & v[6])) + constants[i] + w[i];
    uint32_t second =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
    memmove(v + 1, v, 7 * sizeof *v);
    v[4] += first;
    v[0] = first + second;
  }
  for (int i = 0; i < 8; i++) state[i] += v[i];
}

void tdm_sha256_begin(tdm_sha256 *hash) {
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(hash->state, start, sizeof start);
  hash->bytes = 0;
}

void tdm_sha256_add(tdm_sha256 *hash, const void *data, size_t bytes) {
  const uint8_t *at = data;
  size_t held = (size_t)(hash->bytes % BLOCK);
  hash->bytes += bytes;
  if (held > 0) {
    size_t part = bytes < BLOCK - held ? bytes : BLOCK - held;
    memcpy(hash->block + held, at, part);
    if (held + part < BLOCK) return;
    take_block(hash->state, hash->block);
    at += part;
    bytes -= part;
  }
  for (; bytes >= BLOCK; at += BLOCK, bytes -= BLOCK) take_block(hash->state, at);
  if (bytes > 0) memcpy(hash->block, at, bytes);
}

void tdm_sha256_end(tdm_sha256 *hash, uint8_t digest[TDM_SHA256_BYTES]) {
  static const uint8_t padding[BLOCK] = {0x80};
  uint64_t bits = hash->bytes * 8;
  size_t held = (size_t)(hash->bytes % BLOCK);
  tdm_sha256_add(hash, padding, held < LENGTH_AT ? LENGTH_AT - held : BLOCK + LENGTH_AT - held);
  uint8_t length[8];
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  tdm_sha256_add(hash, length, sizeof length);
  for (int i = 0; i < TDM_SHA256_BYTES; i++)
    digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void tdm_sha256_hex(const uint8_t digest[TDM_SHA256_BYTES], char hex[TDM_SHA256_HEX + 1]) {
  static const char digits[] = "0123456789abcdef";
  for (int i = 0; i < TDM_SHA256_BYTES; i++) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[TDM_SHA256_HEX] = 0;
}
