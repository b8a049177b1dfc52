/* Any bytes as what is deployed, manifests, chart values or launch scripts: refused in words, or
 * read. */
#define LUA_SCRIPT "tests/fuzz/readers.lua"
#include "lua_lines.h"
#include "lua_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  script_input(data, size, "manifests");
  return 0;
}
