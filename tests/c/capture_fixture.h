/* Capture files made in memory, record by record: for tests and fuzzers of their reader. */
#ifndef TDM_TESTS_CAPTURE_FIXTURE_H
#define TDM_TESTS_CAPTURE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "capture/format.h"

enum { CAPTURE_CHUNKS = 4 };

typedef struct {
  char *bytes;
  size_t length;
  tdm_capture_chunk *chunk; /* being filled */
} capture;

static inline tdm_capture_header *capture_header(const capture *c) {
  return (tdm_capture_header *)c->bytes;
}

/* Begins at 1 s of the clock, at 1970-01-01 00:00:10. */
static inline capture capture_new(void) {
  capture c = {.length = TDM_CAPTURE_HEADER_BYTES};
  c.bytes = calloc(1, TDM_CAPTURE_HEADER_BYTES + CAPTURE_CHUNKS * TDM_CAPTURE_CHUNK_BYTES);
  tdm_capture_header *header = capture_header(&c);
  memcpy(header->magic, TDM_CAPTURE_MAGIC, sizeof header->magic);
  header->version = TDM_CAPTURE_VERSION;
  header->wanted = 0x3f;
  header->start_ns = 1000000000;
  header->start_utc_ns = 10000000000;
  strcpy(header->command, "./infer --fast");
  return c;
}

static inline void capture_chunk(capture *c, uint32_t pid, uint32_t tid) {
  c->chunk = (tdm_capture_chunk *)(c->bytes + c->length);
  c->chunk->pid = pid;
  c->chunk->tid = tid;
  strcpy(c->chunk->program, "infer");
  c->length += TDM_CAPTURE_CHUNK_BYTES;
  capture_header(c)->chunks++;
}

static inline tdm_capture_record *capture_put(capture *c, tdm_capture_record record) {
  tdm_capture_record *to = (tdm_capture_record *)(c->chunk + 1) + c->chunk->records++;
  record.start_ns += 1000000000;
  record.end_ns += 1000000000;
  *to = record;
  return to;
}

static inline uint64_t capture_hash(const char *text) {
  uint64_t hash = 14695981039346656037u;
  for (; *text != 0; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

/* Writes the name; its id. */
static inline uint64_t capture_name(capture *c, const char *text) {
  tdm_capture_name name = {.kind = TDM_CAPTURE_NAME, .id = capture_hash(text)};
  size_t length = strlen(text);
  name.length = (uint16_t)length;
  name.slots = length <= 48 ? 1 : (uint32_t)(1 + (length - 48 + 63) / 64);
  char *to = (char *)(c->chunk + 1 + c->chunk->records);
  memcpy(to, &name, sizeof name);
  memcpy(to + offsetof(tdm_capture_name, text), text, length);
  c->chunk->records += name.slots;
  return name.id;
}

#endif
