/* Any bytes as a file of prices, CSV or JSON: refused in words, or read. */
#define LUA_SCRIPT "tests/fuzz/readers.lua"
#include "lua_lines.h"
#include "lua_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  script_input(data, size, "prices");
  return 0;
}
