/* Any bytes as a speedscope file. */
#include "read/reader.h"
#include "reading.h"
#include "write/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_reader(&tdm_reader_speedscope, &tdm_writer_speedscope, data, size);
}
