/* Any bytes as an execution trace of PyTorch. */
#include "read/reader.h"
#include "reading.h"
#include "write/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(&tdm_reader_execution, &tdm_writer_chrome, data, size);
}
