/* Any bytes as tandem's own CSV. */
#include "read/reader.h"
#include "reading.h"
#include "write/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(&tdm_reader_tandem_csv, &tdm_writer_chrome, data, size);
}
