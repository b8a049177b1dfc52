/* Capture files for tests of who writes them: made as tandem makes them, and read whole. Owns what
 * it reads. */
#ifndef TDM_TESTS_TRACED_FIXTURE_H
#define TDM_TESTS_TRACED_FIXTURE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/format.h"

enum { CAPTURE_ALL = 0x1F };

typedef struct {
  uint32_t pid, tid;
  tdm_capture_record record;
} captured_record;

typedef struct {
  char *bytes;
  size_t size;
  const tdm_capture_header *header;
  captured_record *records;
  size_t count;
  size_t opened; /* chunks that hold something */
} capture;

static inline void capture_make(const char *path, uint32_t wanted, uint64_t limit_bytes,
                                bool recording) {
  tdm_capture_header header = {.version = TDM_CAPTURE_VERSION,
                               .wanted = wanted,
                               .limit_bytes = limit_bytes,
                               .recording = recording};
  struct timespec now;
  char page[TDM_CAPTURE_HEADER_BYTES] = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  header.start_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  memcpy(header.magic, TDM_CAPTURE_MAGIC, sizeof header.magic);
  memcpy(page, &header, sizeof header);
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(write(fd, page, sizeof page), sizeof page);
  close(fd);
}

/* Has NVTX ranges of a name switch recording in a file that was made. */
static inline void capture_set_range(const char *path, const char *name) {
  int fd = open(path, O_WRONLY);
  ssize_t length = (ssize_t)strlen(name) + 1;
  assert_int_equal(pwrite(fd, name, (size_t)length, offsetof(tdm_capture_header, range)), length);
  close(fd);
}

/* The chunk's slots, each whole. */
static inline void capture_add_chunk(capture *of, const tdm_capture_chunk *chunk) {
  uint32_t slots = chunk->records, tid = chunk->tid;
  assert_true(slots <= TDM_CAPTURE_CHUNK_RECORDS);
  assert_memory_equal(&chunk->program[sizeof chunk->program - 1], "", 1);
  const tdm_capture_record *record = (const tdm_capture_record *)(chunk + 1);
  for (uint32_t i = 0; i < slots;) {
    const tdm_capture_name *name = (const tdm_capture_name *)&record[i];
    assert_in_range(record[i].kind, TDM_CAPTURE_NAME, TDM_CAPTURE_THREAD);
    if (record[i].kind == TDM_CAPTURE_NAME) assert_true(name->slots >= 1);
    if (record[i].kind == TDM_CAPTURE_THREAD) {
      tid = (uint32_t)record[i++].address;
      continue;
    }
    if ((of->count & (of->count - 1)) == 0) /* a power of two: full */
      of->records = realloc(of->records, (of->count ? 2 * of->count : 1) * sizeof *of->records);
    of->records[of->count++] = (captured_record){chunk->pid, tid, record[i]};
    i += record[i].kind == TDM_CAPTURE_NAME ? name->slots : 1;
  }
}

static inline capture capture_read(const char *path) {
  capture of = {0};
  int fd = open(path, O_RDONLY);
  struct stat file;
  assert_int_equal(fstat(fd, &file), 0);
  of.size = (size_t)file.st_size;
  of.bytes = malloc(of.size);
  for (size_t at = 0; at < of.size;) {
    ssize_t got = read(fd, of.bytes + at, of.size - at);
    assert_true(got > 0);
    at += (size_t)got;
  }
  close(fd);
  of.header = (const tdm_capture_header *)of.bytes;
  for (uint64_t i = 0; i < of.header->chunks; i++) {
    size_t at = TDM_CAPTURE_HEADER_BYTES + (size_t)i * TDM_CAPTURE_CHUNK_BYTES;
    if (at + TDM_CAPTURE_CHUNK_BYTES > of.size) break;
    const tdm_capture_chunk *chunk = (const tdm_capture_chunk *)(of.bytes + at);
    if (!chunk->pid) continue;
    of.opened++;
    capture_add_chunk(&of, chunk);
  }
  return of;
}

static inline void capture_free(capture *of) {
  free(of->bytes);
  free(of->records);
}

/* The text of a name; "" for none, fails for one that was never written. */
static inline const char *capture_text(const capture *of, uint64_t id, char text[1 << 16]) {
  text[0] = '\0';
  if (!id) return text;
  for (uint64_t i = 0; i < of->header->chunks; i++) {
    const char *chunk = of->bytes + TDM_CAPTURE_HEADER_BYTES + (size_t)i * TDM_CAPTURE_CHUNK_BYTES;
    if (chunk + TDM_CAPTURE_CHUNK_BYTES > of->bytes + of->size) break;
    uint32_t slots = ((const tdm_capture_chunk *)chunk)->records;
    for (uint32_t at = 1; at <= slots;) {
      const char *slot = chunk + (size_t)at * TDM_CAPTURE_RECORD_BYTES;
      const tdm_capture_name *name = (const tdm_capture_name *)slot;
      if (name->kind == TDM_CAPTURE_NAME && name->id == id) {
        memcpy(text, slot + offsetof(tdm_capture_name, text), name->length);
        text[name->length] = '\0';
        return text;
      }
      at += name->kind == TDM_CAPTURE_NAME ? name->slots : 1;
    }
  }
  fail_msg("name %llx was never written", (unsigned long long)id);
  return NULL;
}

static inline uint64_t capture_id(const char *text) {
  uint64_t hash = 14695981039346656037u;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return hash;
}

/* How many there are of that kind and name (NULL: any), and the last of them. */
static inline size_t capture_count(const capture *of, tdm_capture_kind kind, const char *name,
                                   const captured_record **last) {
  size_t count = 0;
  for (size_t i = 0; i < of->count; i++) {
    const tdm_capture_record *record = &of->records[i].record;
    if (record->kind != kind || (name && record->name != capture_id(name))) continue;
    count++;
    if (last) *last = &of->records[i];
  }
  return count;
}

#endif
