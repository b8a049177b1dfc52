/* Any bytes as a table of Arrow: as tandem's own, whose records are checked, and as CSV. */
#include "read/arrow/arrow.h"
#include "read_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tdm_error error = {0};
  tdm_input *input = NULL;
  tdm_arrow_csv *csv = NULL;
  const char *lines;
  size_t length = 1;
  read_fuzz(&tdm_reader_tandem_arrow, data, size);
  if (tdm_input_open_memory(data, size, &input, &error) != TDM_OK) return 0;
  tdm_status status = tdm_arrow_csv_open(input, &csv, &error);
  while (status == TDM_OK && length > 0) {
    status = tdm_arrow_csv_next(csv, &lines, &length, &error);
    expect(status != TDM_OK || length == 0 || lines[length - 1] == '\n');
  }
  expect(status == TDM_OK || (status == error.status && error.message[0] != 0));
  tdm_arrow_csv_close(csv);
  tdm_input_close(input);
  return 0;
}
