/* Any bytes as tandem's JSON Lines: they are read without harm, and whatever recording comes of
 * them every writer can write. */
#include <stdint.h>
#include <stdlib.h>

#include "read/jsonl.h"
#include "trace/recording.h"
#include "write/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tdm_error error;
  tdm_input *input = NULL;
  tdm_record_sink sink;
  tdm_recording *recording = tdm_recording_new();
  tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  if (tdm_input_open_memory(data, size, &input, &error) != TDM_OK) abort();
  tdm_recorder_begin_source(recorder, "memory", tdm_reader_jsonl.name);
  tdm_status status = tdm_reader_jsonl.read(input, &(tdm_read_options){0}, recorder, &error);
  if (tdm_recorder_end_source(recorder, &error) != TDM_OK) abort();
  tdm_recorder_free(recorder);
  tdm_input_close(input);
  size_t writers = 0;
  while (tdm_writers[writers] != NULL) writers++;
  const tdm_writer *writer = size > 0 ? tdm_writers[data[size - 1] % writers] : NULL;
  if (status == TDM_OK && writer != NULL &&
      writer->write(recording, "/dev/null", NULL, &error) != TDM_OK)
    abort();
  tdm_recording_free(recording);
  return 0;
}
