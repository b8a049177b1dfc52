/* Any bytes as a PyTorch memory timeline and as a memory snapshot. */
#include "read_fuzz.h"

#include "read/torch/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *list = memchr(data, '[', size < 16 ? size : 16);
  const char *object = memchr(data, '{', size < 16 ? size : 16);
  if (list != NULL) read_fuzz(&tdm_reader_torch_timeline, data, size);
  if (object != NULL || list == NULL) read_fuzz(&tdm_reader_torch_snapshot, data, size);
  return 0;
}
