/* Any bytes as CSV of ncu: metrics have a kernel, a name, and a number or a text. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "read/reader.h"

static void expect(bool true_or_bug) {
  if (!true_or_bug) abort();
}

static tdm_status take_metric(void *context, const tdm_metric *metric, tdm_error *error) {
  (void)context, (void)error;
  expect(metric->subject[0] != 0 && metric->name[0] != 0);
  expect(metric->text != NULL ? isnan(metric->value) != 0 : !isnan(metric->value));
  expect(metric->ordinal >= 0 || metric->ordinal == TDM_NONE);
  return TDM_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tdm_record_sink sink = {.metric = take_metric};
  tdm_read_options options = {0};
  tdm_error error;
  tdm_input *input;
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  expect(tdm_input_open_memory(data, size, &input, &error) == TDM_OK);
  tdm_reader_ncu.detect(data, size, "memory");
  tdm_recorder_begin_source(recorder, "memory", "ncu-csv");
  tdm_status status = tdm_reader_ncu.read(input, &options, recorder, &error);
  expect(status == TDM_OK || status == TDM_INVALID);
  expect(tdm_recorder_end_source(recorder, &error) == TDM_OK);
  expect(tdm_recorder_finish(recorder, &error) == TDM_OK);
  tdm_input_close(input);
  tdm_recorder_free(recorder);
  return 0;
}
