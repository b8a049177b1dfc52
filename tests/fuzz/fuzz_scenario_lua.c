/* Any bytes as a scenario script: refused in words, or loaded and run. */
#include "scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  scenario_input(data, size, "fuzz.lua");
  return 0;
}
