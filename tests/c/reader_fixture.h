/* Text or a file, read by one reader into a recording; and questions to the recording. */
#ifndef TDM_TESTS_READER_FIXTURE_H
#define TDM_TESTS_READER_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "read/reader.h"
#include "trace/recording.h"

typedef struct {
  tdm_recording *recording;
  tdm_status status;
  tdm_error error;
} reading;

static inline reading read_bytes(const tdm_reader *reader, const void *bytes, size_t length,
                                 tdm_read_options options) {
  reading r = {.recording = tdm_recording_new()};
  tdm_record_sink sink;
  tdm_recording_sink(r.recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_input *input = NULL;
  assert_int_equal(tdm_input_open_memory(bytes, length, &input, &r.error), TDM_OK);
  tdm_recorder_begin_source(recorder, "memory", reader->name);
  r.status = reader->read(input, &options, recorder, &r.error);
  tdm_error error;
  assert_int_equal(tdm_recorder_end_source(recorder, &error), TDM_OK);
  assert_int_equal(tdm_recorder_finish(recorder, &error), TDM_OK);
  tdm_input_close(input);
  tdm_recorder_free(recorder);
  return r;
}

static inline reading read_text(const tdm_reader *reader, const char *text) {
  return read_bytes(reader, text, strlen(text), (tdm_read_options){0});
}

/* The content of a file, plain or gzip. NULL when there is none. */
static inline char *load_file(const char *path, size_t *length) {
  *length = 0;
  gzFile file = gzopen(path, "rb");
  if (file == NULL) return NULL;
  char *bytes = NULL;
  size_t room = 0;
  *length = 0;
  for (int n = 1; n > 0; *length += (size_t)n) {
    if (room - *length < 65536) bytes = realloc(bytes, room = 2 * room + 65536);
    n = gzread(file, bytes + *length, 65535);
    if (n <= 0) break;
  }
  gzclose(file);
  bytes[*length] = 0;
  return bytes;
}

static inline void reading_free(reading *r) {
  tdm_recording_free(r->recording);
  r->recording = NULL;
}

static inline uint64_t problem_count(const reading *r, const char *kind) {
  size_t count;
  const tdm_problem *problems = tdm_recording_problems(r->recording, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(problems[i].kind, kind) == 0) return problems[i].count;
  return 0;
}

static inline const char *fact_value(const reading *r, const char *key) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(r->recording, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(facts[i].key, key) == 0) return facts[i].value;
  return NULL;
}

static inline const char *name_of(const reading *r, int64_t id) {
  return tdm_recording_name(r->recording, (uint32_t)id, NULL);
}

#endif
