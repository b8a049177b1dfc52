/* Any bytes through a reader into a recorder whose sink checks what comes. Included by the fuzzers
 * of readers, one program each. */
#ifndef TESTS_FUZZ_READ_FUZZ_H
#define TESTS_FUZZ_READ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "read/reader.h"

enum { READ_FUZZ_LAYOUTS = 256 };

static struct {
  uint32_t names, tracks, layouts;
  struct {
    tdm_shape shape;
    uint32_t args;
    tdm_arg_type types[TDM_LAYOUT_ARGS];
  } layout[READ_FUZZ_LAYOUTS];
} seen;

static void expect(bool true_or_bug) {
  if (!true_or_bug) abort();
}

static tdm_status see_name(void *context, uint32_t id, const char *text, size_t length,
                           tdm_error *error) {
  (void)context;
  (void)error;
  expect(id == seen.names++ && strlen(text) == length);
  return TDM_OK;
}

static tdm_status see_track(void *context, uint32_t id, const tdm_track *track, tdm_error *error) {
  (void)context;
  (void)error;
  expect(id == seen.tracks++ && track->process != NULL && track->name != NULL);
  return TDM_OK;
}

static tdm_status see_layout(void *context, uint32_t id, const tdm_layout *layout,
                             tdm_error *error) {
  (void)context;
  (void)error;
  expect(id == seen.layouts++ && id < READ_FUZZ_LAYOUTS);
  seen.layout[id].shape = layout->shape;
  seen.layout[id].args = layout->args;
  for (uint32_t i = 0; i < layout->args; i++) seen.layout[id].types[i] = layout->arg[i].type;
  return TDM_OK;
}

/* Ids are known, durations not negative. */
static tdm_status see_rows(void *context, const tdm_rows *rows, tdm_error *error) {
  (void)context;
  (void)error;
  expect(rows->layout < seen.layouts);
  for (size_t i = 0; i < rows->count; i++) {
    expect((uint64_t)rows->column[TDM_TRACK][i] < seen.tracks);
    expect((uint64_t)rows->column[TDM_NAME][i] < seen.names);
    int64_t dur_ns = rows->column[TDM_DUR][i];
    expect(dur_ns >= 0 || seen.layout[rows->layout].shape == TDM_SHAPE_EDGE);
    for (uint32_t a = 0; a < seen.layout[rows->layout].args; a++) {
      int64_t value = rows->column[TDM_ARGS + a][i];
      tdm_arg_type type = seen.layout[rows->layout].types[a];
      if (value != TDM_NONE && (type == TDM_ARG_TEXT || type == TDM_ARG_JSON))
        expect((uint64_t)value < seen.names);
    }
  }
  return TDM_OK;
}

static tdm_status see_artifact(void *context, const char *name, const char *type, const void *bytes,
                               size_t length, tdm_error *error) {
  (void)context;
  (void)error;
  expect(name[0] != 0 && type[0] != 0 && (bytes != NULL || length == 0));
  return TDM_OK;
}

static void read_fuzz(const tdm_reader *reader, const uint8_t *data, size_t size) {
  static const tdm_record_sink sink = {.name = see_name,
                                       .track = see_track,
                                       .layout = see_layout,
                                       .rows = see_rows,
                                       .artifact = see_artifact};
  tdm_read_options options = {0};
  tdm_error error = {0};
  tdm_input *input;
  seen.names = seen.tracks = seen.layouts = 0;
  reader->detect(data, size, "fuzz");
  if (tdm_input_open_memory(data, size, &input, &error) != TDM_OK) return;
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  if (recorder != NULL) {
    tdm_recorder_begin_source(recorder, "fuzz", reader->name);
    tdm_status status = reader->read(input, &options, recorder, &error);
    expect(status == TDM_OK || (status == error.status && error.message[0] != 0));
    expect(tdm_recorder_end_source(recorder, &error) == TDM_OK);
    expect(tdm_recorder_finish(recorder, &error) == TDM_OK);
    tdm_recorder_free(recorder);
  }
  tdm_input_close(input);
}

#endif
