/* Any bytes as a scenario in JSON, the simple form or the full one. */
#include "scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  scenario_input(data, size, "fuzz.json");
  return 0;
}
