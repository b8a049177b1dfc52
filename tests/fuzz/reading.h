/* Any bytes through one reader, and what comes out through the writers: for the fuzzers of formats.
 * Included by fuzz_pftrace, fuzz_speedscope and fuzz_folded. */
#ifndef TESTS_FUZZ_READING_H
#define TESTS_FUZZ_READING_H

#include <stdlib.h>

#include "read/reader.h"
#include "trace/recording.h"
#include "write/writer.h"

enum { WRITTEN_ROWS = 2000 }; /* larger recordings are not written: that is not what is tested */

static void expect(int true_or_bug) {
  if (!true_or_bug) abort();
}

static size_t rows_of(const tdm_recording *recording) {
  size_t sum = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++)
    sum += tdm_recording_rows(recording, i)->count;
  return sum;
}

/* Every third input into memory and out again by `writer`; the others nowhere, which is faster. */
static int fuzz_reader(const tdm_reader *reader, const tdm_writer *writer, const uint8_t *data,
                       size_t size) {
  tdm_input *input;
  tdm_error error = {0};
  tdm_read_options options = {0};
  tdm_record_sink sink = {0};
  tdm_recording *recording = size % 3 == 0 ? tdm_recording_new() : NULL;
  if (recording != NULL) tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  if (size > 0) reader->detect(data, size, "fuzz");
  expect(tdm_input_open_memory(data, size, &input, &error) == TDM_OK);
  tdm_recorder_begin_source(recorder, "fuzz", reader->name);
  tdm_status status = reader->read(input, &options, recorder, &error);
  expect(status == TDM_OK || status == TDM_INVALID);
  expect(tdm_recorder_end_source(recorder, &error) == TDM_OK);
  expect(tdm_recorder_finish(recorder, &error) == TDM_OK);
  if (recording != NULL && rows_of(recording) <= WRITTEN_ROWS)
    expect(writer->write(recording, "/dev/null", NULL, &error) == TDM_OK);
  tdm_recorder_free(recorder);
  tdm_recording_free(recording);
  tdm_input_close(input);
  return 0;
}

#endif
