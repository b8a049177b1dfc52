/* The embedded files, and a Lua state that is opened with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>

#include "app/app.h"

static void files_are_sorted_and_found(void **state) {
  (void)state;
  size_t count = tdm_embedded_count;
  const tdm_embedded *files = tdm_embedded_files;
  assert_true(count > 0);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) assert_true(strcmp(files[i - 1].name, files[i].name) < 0);
    assert_ptr_equal(tdm_embedded_find(files[i].name), &files[i]);
    assert_true(files[i].start <= files[i].end);
    assert_int_equal(*files[i].end, 0);
  }
  assert_null(tdm_embedded_find("lua/no/such.lua"));
  assert_non_null(tdm_embedded_find("argparse.lua"));
}

/* Modules are carried compiled as well, and only they. */
static void modules_have_code(void **state) {
  (void)state;
  size_t count = tdm_embedded_count;
  const tdm_embedded *files = tdm_embedded_files;
  for (size_t i = 0; i < count; i++) {
    const char *ending = strrchr(files[i].name, '.');
    bool module = ending != NULL && strcmp(ending, ".lua") == 0 &&
                  strncmp(files[i].name, "scenarios/", 10) != 0;
    if (!module) {
      assert_null(files[i].code);
      continue;
    }
    assert_non_null(files[i].code);
    size_t length = (size_t)(files[i].code_end - files[i].code);
    assert_true(length > sizeof LUA_SIGNATURE);
    assert_memory_equal(files[i].code, LUA_SIGNATURE, sizeof LUA_SIGNATURE - 1);
    lua_State *L = luaL_newstate();
    assert_int_equal(luaL_loadbufferx(L, files[i].code, length, files[i].name, "b"), LUA_OK);
    lua_close(L);
  }
}

static void modules_load_from_the_program(void **state) {
  (void)state;
  unsetenv("TANDEM_ROOT");
  lua_State *L = tdm_state_open();
  assert_non_null(L);
  assert_int_equal(luaL_dostring(L, "local argparse, where = require 'argparse' return where"),
                   LUA_OK);
  assert_string_equal(lua_tostring(L, -1), "argparse.lua");
  lua_close(L);
}

static void modules_load_from_tandem_root(void **state) {
  (void)state;
  setenv("TANDEM_ROOT", "/nowhere", 1);
  lua_State *L = tdm_state_open();
  assert_non_null(L);
  assert_int_equal(luaL_dostring(L, "return require 'tandem.embedded'.read 'lua/x.lua'"), LUA_OK);
  assert_true(lua_isnil(L, -2));
  assert_non_null(strstr(lua_tostring(L, -1), "/nowhere/lua/x.lua"));
  assert_int_equal(luaL_dostring(L, "return #require 'tandem.embedded'.list()"), LUA_OK);
  assert_int_equal(lua_tointeger(L, -1), 0);
  lua_close(L);
  unsetenv("TANDEM_ROOT");
}

static void interruption_is_seen_from_lua(void **state) {
  (void)state;
  lua_State *L = tdm_state_open();
  const char *script = "return require 'tandem.core'.interrupted()";
  atomic_store(tdm_interrupt_flag(), 1);
  assert_int_equal(luaL_dostring(L, script), LUA_OK);
  assert_true(lua_toboolean(L, -1));
  atomic_store(tdm_interrupt_flag(), 0);
  assert_int_equal(luaL_dostring(L, script), LUA_OK);
  assert_false(lua_toboolean(L, -1));
  lua_close(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_sorted_and_found),
      cmocka_unit_test(modules_have_code),
      cmocka_unit_test(modules_load_from_the_program),
      cmocka_unit_test(modules_load_from_tandem_root),
      cmocka_unit_test(interruption_is_seen_from_lua),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
