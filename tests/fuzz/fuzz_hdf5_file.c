/* Bytes as an HDF5 file, the whole way: libhdf5 in its process may crash or come to no end, and
 * then the reading fails in one line. A run costs milliseconds: fuzz_hdf5 is the fast one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/hdf5/hdf5.h"

static void must(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tdm_error error = {0};
  tdm_input *input;
  tdm_record_sink sink = {0};
  if (tdm_hdf5_detect(data, size) == 0) return -1;
  if (tdm_input_open_memory(data, size, &input, &error) != TDM_OK) abort();
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_recorder_begin_source(recorder, "fuzz", "fuzz");
  tdm_status status = tdm_reader_tandem_hdf5.read(input, &(tdm_read_options){0}, recorder, &error);
  must(status == TDM_OK || status == TDM_INVALID || status == TDM_LIMIT || status == TDM_IO,
       error.message);
  must(status == TDM_OK || strchr(error.message, '\n') == NULL, "more than one line");
  tdm_recorder_end_source(recorder, &error);
  tdm_recorder_free(recorder);
  tdm_input_close(input);
  return 0;
}
