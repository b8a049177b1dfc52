/* Any bytes as recorded requests or an agent's session, as td.replay takes them: refused in words,
 * or read. */
#define LUA_SCRIPT "tests/fuzz/readers.lua"
#include "lua_lines.h"
#include "lua_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  script_input(data, size, "sessions");
  return 0;
}
