/* Any bytes as a Kineto or Chrome trace. */
#include <stdint.h>
#include <stdlib.h>

#include "read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tdm_record_sink sink = {0};
  tdm_read_options options = {0};
  tdm_error error;
  tdm_input *input;
  if (tdm_input_open_memory(data, size, &input, &error) != TDM_OK) abort();
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, "memory", "kineto");
  tdm_reader_kineto.detect(data, size, "memory");
  tdm_reader_kineto.read(input, &options, recorder, &error);
  if (tdm_recorder_end_source(recorder, &error) != TDM_OK) abort();
  if (tdm_recorder_finish(recorder, &error) != TDM_OK) abort();
  tdm_recorder_free(recorder);
  tdm_input_close(input);
  return 0;
}
