/* Any bytes as a Chakra execution trace. */
#include "read/reader.h"
#include "reading.h"
#include "write/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(&tdm_reader_chakra, &tdm_writer_chrome, data, size);
}
