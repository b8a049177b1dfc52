/* Any bytes as a CUDA-API trace: every row of a time has a duration that is not negative, and a
 * name and a track that were announced. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "read/reader.h"

typedef struct {
  uint32_t names, tracks, layouts;
  const tdm_layout *layout[1024];
  tdm_shape shape[1024];
} seen;

static void expect(bool true_or_bug) {
  if (!true_or_bug) abort();
}

static tdm_status take_name(void *context, uint32_t id, const char *text, size_t length,
                            tdm_error *error) {
  (void)text, (void)length, (void)error;
  expect(((seen *)context)->names++ == id);
  return TDM_OK;
}

static tdm_status take_track(void *context, uint32_t id, const tdm_track *track, tdm_error *error) {
  (void)error;
  expect(((seen *)context)->tracks++ == id && track->lane == TDM_LANE_CPU);
  return TDM_OK;
}

static tdm_status take_layout(void *context, uint32_t id, const tdm_layout *layout,
                              tdm_error *error) {
  (void)error;
  seen *s = context;
  expect(s->layouts++ == id && id < 1024 && layout->category[0] != 0);
  for (uint32_t i = 0; i < layout->args; i++) {
    expect(layout->arg[i].key[0] != 0 && layout->arg[i].type < TDM_ARG_TYPES);
    expect(tdm_layout_column(layout, layout->arg[i].key) == TDM_ARGS + i); /* no key twice */
  }
  s->layout[id] = layout;
  s->shape[id] = layout->shape;
  return TDM_OK;
}

static tdm_status take_rows(void *context, const tdm_rows *rows, tdm_error *error) {
  (void)error;
  const seen *s = context;
  expect(rows->layout < s->layouts);
  for (size_t i = 0; i < rows->count; i++) {
    expect(rows->column[TDM_START][i] != TDM_NONE && rows->column[TDM_DUR][i] >= 0);
    expect(s->shape[rows->layout] != TDM_SHAPE_INSTANT || rows->column[TDM_DUR][i] == 0);
    expect((uint64_t)rows->column[TDM_TRACK][i] < s->tracks);
    expect((uint64_t)rows->column[TDM_NAME][i] < s->names);
  }
  return TDM_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  static seen s;
  s = (seen){0};
  tdm_record_sink sink = {.context = &s,
                          .name = take_name,
                          .track = take_track,
                          .layout = take_layout,
                          .rows = take_rows};
  tdm_read_options options = {.time_unit = (tdm_time_unit)(data[0] % 5),
                              .dropped = data[0] / 5 % 8};
  tdm_error error;
  tdm_input *input;
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  expect(tdm_input_open_memory(data + 1, size - 1, &input, &error) == TDM_OK);
  tdm_reader_cuda_api.detect(data + 1, size - 1, "memory");
  tdm_recorder_begin_source(recorder, "memory", "cuda-api");
  tdm_status status = tdm_reader_cuda_api.read(input, &options, recorder, &error);
  expect(status == TDM_OK || status == TDM_INVALID);
  expect(tdm_recorder_end_source(recorder, &error) == TDM_OK);
  expect(tdm_recorder_finish(recorder, &error) == TDM_OK);
  tdm_input_close(input);
  tdm_recorder_free(recorder);
  return 0;
}
