/* Any bytes as spans of OpenTelemetry, or a benchmark that is imported as a run: refused in words,
 * or read. */
#define LUA_SCRIPT "tests/fuzz/readers.lua"
#include "lua_lines.h"
#include "lua_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  script_input(data, size, "spans");
  return 0;
}
