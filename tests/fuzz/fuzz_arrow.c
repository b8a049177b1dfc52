/* Any bytes as a table of Arrow: as tandem's own, whose records are checked, and as CSV. */
#include "read/arrow/arrow.h"
#include "read_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tdm_error error = {0};
  char *csv = NULL;
  size_t length;
  read_fuzz(&tdm_reader_tandem_arrow, data, size);
  tdm_status status = tdm_arrow_as_csv(data, size, &csv, &length, &error);
  expect(status == TDM_OK || (status == error.status && error.message[0] != 0));
  free(csv);
  return 0;
}
