/* See lz4.h. */
#include "read/arrow/lz4.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAGIC_BYTES = 4,
  LEAST_MATCH = 4,
  STORED = 1U << 31,
  REACH = 1 << 16,      /* how far back a match goes */
  BLOCK_BYTES = 4 << 20 /* of a block, unpacked, at most */
};

typedef struct {
  const unsigned char *bytes;
  size_t length, at;
  unsigned char *out;
  size_t room, used;
} job;

static uint32_t number(const job *j, size_t size) {
  uint32_t value = 0;
  for (size_t i = size; i > 0; i--) value = value << 8 | j->bytes[j->at + i - 1];
  return value;
}

static bool has(const job *j, size_t count) {
  return j->length - j->at >= count;
}

/* A length's rest: bytes of 255 and one that is less. */
static bool add_length(job *j, size_t end, size_t *length) {
  unsigned char more = 255;
  while (more == 255) {
    if (j->at >= end || *length > j->room) return false;
    more = j->bytes[j->at++];
    *length += more;
  }
  return true;
}

static bool put_match(job *j, size_t back, size_t length) {
  if (back == 0 || back > j->used || length > j->room - j->used) return false;
  for (size_t i = 0; i < length; i++, j->used++) j->out[j->used] = j->out[j->used - back];
  return true;
}

/* One block of sequences: literals, then a match in what was written before. */
static bool unpack_block(job *j, size_t end) {
  while (j->at < end) {
    unsigned token = j->bytes[j->at++];
    size_t literals = token >> 4, match = token & 15;
    if (literals == 15 && !add_length(j, end, &literals)) return false;
    if (literals > end - j->at || literals > j->room - j->used) return false;
    memcpy(j->out + j->used, j->bytes + j->at, literals);
    j->used += literals;
    j->at += literals;
    if (j->at == end) return true; /* the last sequence has no match */
    if (end - j->at < 2) return false;
    size_t back = number(j, 2);
    j->at += 2;
    if (match == 15 && !add_length(j, end, &match)) return false;
    if (!put_match(j, back, match + LEAST_MATCH)) return false;
  }
  return true;
}

/* Steps over the frame's head; false: it is none. */
static bool read_head(job *j, bool *checked) {
  if (!has(j, MAGIC_BYTES + 3) || number(j, MAGIC_BYTES) != 0x184D2204U) return false;
  unsigned flags = j->bytes[MAGIC_BYTES];
  if (flags >> 6 != 1) return false;
  *checked = (flags & 16) != 0;
  j->at = MAGIC_BYTES + 3;
  if ((flags & 8) != 0) j->at += 8; /* the content's size */
  if ((flags & 1) != 0) j->at += 4; /* a dictionary's number */
  return j->at <= j->length;
}

/* The next block behind what was written; *last: there was none. */
static bool next_block(job *j, bool checked, bool *last) {
  if (!has(j, 4)) return false;
  uint32_t size = number(j, 4);
  j->at += 4;
  *last = size == 0;
  if (*last) return true;
  size_t count = size & ~STORED;
  if (!has(j, count)) return false;
  size_t end = j->at + count;
  if ((size & STORED) != 0) {
    if (count > j->room - j->used) return false;
    memcpy(j->out + j->used, j->bytes + j->at, count);
    j->used += count;
  } else if (!unpack_block(j, end)) {
    return false;
  }
  j->at = end;
  if (checked && !has(j, 4)) return false;
  if (checked) j->at += 4;
  return true;
}

bool tdm_lz4_unpack(const unsigned char *bytes, size_t length, unsigned char *out, size_t room) {
  job j = {.bytes = bytes, .length = length, .out = out, .room = room};
  bool checked, last = false, sound = read_head(&j, &checked);
  while (sound && !last) sound = next_block(&j, checked, &last);
  return sound && j.used == room;
}

bool tdm_lz4_pass(const unsigned char *bytes, size_t length, size_t room,
                  bool (*take)(void *context, const unsigned char *bytes, size_t length),
                  void *context) {
  job j = {.bytes = bytes, .length = length, .room = REACH + BLOCK_BYTES};
  size_t passed = 0;
  bool checked, last = false;
  j.out = malloc(j.room);
  bool sound = j.out != NULL && read_head(&j, &checked);
  while (sound && !last) {
    size_t before = j.used;
    sound = next_block(&j, checked, &last) && j.used - before <= room - passed &&
            take(context, j.out + before, j.used - before);
    passed += j.used - before;
    if (j.used <= REACH) continue;
    memmove(j.out, j.out + j.used - REACH, REACH);
    j.used = REACH;
  }
  free(j.out);
  return sound && passed == room;
}
