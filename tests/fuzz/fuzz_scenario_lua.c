/* Any bytes as a scenario script: refused in words, or loaded and run. */
#define LUA_SCRIPT "tests/fuzz/scenario.lua"
#include "lua_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  script_input(data, size, "fuzz.lua");
  return 0;
}
