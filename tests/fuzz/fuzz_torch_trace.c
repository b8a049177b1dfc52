/* Any bytes as a TORCH_TRACE log. */
#include "read_fuzz.h"

#include "read/torch/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_fuzz(&tdm_reader_torch_trace, data, size);
  return 0;
}
