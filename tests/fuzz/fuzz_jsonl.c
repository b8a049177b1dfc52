/* Any bytes as tandem's JSON Lines: they are read without harm, and whatever recording comes of
 * them every writer can write. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/reader.h"
#include "trace/recording.h"
#include "write/writer.h"

/* A database needs a file, and refuses a recording that has no place in it. */
static void write_nsys(const tdm_writer *writer, const tdm_recording *recording) {
  char path[64];
  tdm_error error;
  snprintf(path, sizeof path, "/tmp/tandem-fuzz-%ld.sqlite", (long)getpid());
  writer->write(recording, path, NULL, &error);
  unlink(path);
}

static void write_somehow(const tdm_writer *writer, const tdm_recording *recording) {
  tdm_error error;
  if (strcmp(writer->name, "nsys") == 0)
    write_nsys(writer, recording);
  else if (writer->write(recording, "/dev/null", NULL, &error) != TDM_OK)
    abort();
}

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
  if (status == TDM_OK && size > 0) write_somehow(tdm_writers[data[size - 1] % writers], recording);
  tdm_recording_free(recording);
  return 0;
}
