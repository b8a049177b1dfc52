/* Any bytes as a Chakra graph in JSON. */
#include "read/reader.h"
#include "reading.h"
#include "write/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(&tdm_reader_chakra_json, &tdm_writer_chrome, data, size);
}
