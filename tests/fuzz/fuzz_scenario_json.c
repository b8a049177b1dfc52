/* Any bytes as a scenario in JSON, the simple form or the full one. */
#define LUA_SCRIPT "tests/fuzz/scenario.lua"
#include "lua_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  script_input(data, size, "fuzz.json");
  return 0;
}
