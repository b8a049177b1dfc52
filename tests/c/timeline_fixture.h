/* Recordings of a timeline made by hand, and what was written of them read back: blocks by base 85,
 * zlib and the unpacker of chunks, keys out of the JSON. Included by one file of tests each. */
#ifndef TIMELINE_FIXTURE_H
#define TIMELINE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/chunk.h"
#include "trace/recorder.h"
#include "trace/recording.h"
#include "write/timeline/timeline.h"

/* ---- recordings by hand ---- */

typedef struct {
  tdm_recording *recording;
  tdm_recorder *recorder;
} maker;

static inline maker begin(void) {
  maker m = {.recording = tdm_recording_new()};
  tdm_record_sink sink;
  tdm_recording_sink(m.recording, &sink);
  m.recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(m.recorder, "memory", "test");
  return m;
}

static inline tdm_recording *end(maker *m) {
  tdm_error error;
  assert_int_equal(tdm_recorder_end_source(m->recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_finish(m->recorder, &error), TDM_OK);
  tdm_recorder_free(m->recorder);
  return m->recording;
}

static inline uint32_t track(maker *m, const char *name, tdm_track_kind kind, tdm_lane lane,
                             int64_t capacity) {
  tdm_track about = TDM_TRACK_PLAIN;
  about.process = "L40#0";
  about.name = name;
  about.kind = kind;
  about.lane = lane;
  about.capacity = capacity;
  return tdm_record_track(m->recorder, &about);
}

static inline void span(maker *m, uint32_t on, const char *category, const char *name,
                        int64_t from_ns, int64_t to_ns) {
  uint32_t layout = tdm_record_layout(m->recorder, category, TDM_SHAPE_SPAN, NULL, 0);
  tdm_record_row(m->recorder, layout, from_ns, to_ns - from_ns, on,
                 tdm_record_text(m->recorder, name), NULL, 0);
}

/* ---- reading what was written ---- */

typedef struct {
  char *json;
  tdm_blocks *blocks;
} written;

static inline written write_wanted(tdm_recording *recording, const tdm_timeline_wish *wish) {
  tdm_error error;
  written w = {.blocks = tdm_blocks_new()};
  if (tdm_timeline_run_write(recording, wish, w.blocks, &w.json, &error) != TDM_OK)
    fail_msg("%s", error.message);
  return w;
}

static inline written write_out(tdm_recording *recording) {
  return write_wanted(recording, NULL);
}

static inline void forget(written *w) {
  tdm_blocks_free(w->blocks);
  free(w->json);
}

static inline uint32_t digit(char c) {
  static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "!#$%()*+,-.:;=?@[]^_{|}";
  const char *at = strchr(digits, c);
  assert_non_null(at);
  return (uint32_t)(at - digits);
}

/* The bytes of a block: base 85 undone, then inflated by zlib. */
static inline unsigned char *block_bytes(const tdm_blocks *blocks, size_t block, size_t *length) {
  const char *text = tdm_blocks_text(blocks, &(size_t){0});
  for (size_t i = 0; i < block; i++) text += tdm_blocks_length(blocks, i) + 1;
  size_t characters = tdm_blocks_length(blocks, block), count = 0;
  unsigned char *squeezed = malloc(characters + 4), *out = malloc(1 << 22);
  assert_int_not_equal(characters % 5, 1);
  assert_int_equal(text[characters], '\n');
  for (size_t i = 0; i < characters; i += 5) {
    size_t some = characters - i < 5 ? characters - i : 5;
    uint32_t word = 0;
    for (size_t k = 0; k < 5; k++) word = word * 85 + (k < some ? digit(text[i + k]) : 84);
    for (size_t k = 0; k + 1 < some; k++) squeezed[count++] = (unsigned char)(word >> (24 - 8 * k));
  }
  z_stream stream = {
      .next_in = squeezed, .avail_in = (uInt)count, .next_out = out, .avail_out = 1 << 22};
  assert_int_equal(inflateInit(&stream), Z_OK);
  assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
  *length = stream.total_out;
  inflateEnd(&stream);
  free(squeezed);
  return out;
}

/* Column `column` of the blocks of the list at `at`, "[4,5]"; the caller frees it. */
static inline int64_t *column_of(const written *w, const char *at, uint32_t column, size_t *rows) {
  int64_t *out = malloc(TDM_CHUNK_ROWS * 64 * sizeof *out);
  tdm_unpacker *unpacker = tdm_unpacker_new();
  tdm_error error;
  *rows = 0;
  assert_int_equal(*at, '[');
  while (*at != ']') {
    char *after;
    size_t length, count;
    uint32_t columns;
    if (at[1] == ']') break;
    unsigned char *bytes = block_bytes(w->blocks, strtoul(at + 1, &after, 10), &length);
    assert_int_equal(tdm_unpack_open(unpacker, bytes, length, &columns, &count, &error), TDM_OK);
    assert_in_range(column, 0, columns - 1);
    assert_int_equal(tdm_unpack(unpacker, column, out + *rows, &error), TDM_OK);
    *rows += count;
    free(bytes);
    at = after;
  }
  tdm_unpacker_free(unpacker);
  return out;
}

static inline const char *value_at(const char *json, const char *key) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *at = strstr(json, quoted);
  if (at == NULL) fail_msg("no %s in %s", key, json);
  return at + strlen(quoted);
}

static inline int64_t integer_at(const char *json, const char *key) {
  return strtoll(value_at(json, key), NULL, 10);
}

static inline double real_at(const char *json, const char *key) {
  return strtod(value_at(json, key), NULL);
}

#endif
