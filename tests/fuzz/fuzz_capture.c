/* Any bytes as a capture file. */
#include "read_fuzz.h"

#include "read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_fuzz(&tdm_reader_capture, data, size);
  return 0;
}
