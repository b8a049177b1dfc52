/* Counted string and table functions: as Lua's own wherever those end, stopped where a hook says
 * so wherever they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <lauxlib.h>
#include <lualib.h>

#include "bind/counted/counted.h"

/* Pushes { string = …, table = … } with copies of both libraries. */
static void push_libraries(lua_State *L) {
  static const char copy[] =
      "local out = {} for _, name in ipairs { 'string', 'table' } do out[name] = {} "
      "for k, v in pairs(_G[name]) do out[name][k] = v end end return out";
  assert_int_equal(luaL_dostring(L, copy), LUA_OK);
}

static void as_luas_own(void **state) {
  (void)state;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  assert_int_equal(luaL_loadfile(L, "tests/c/counted_compare.lua"), LUA_OK);
  push_libraries(L);
  tdm_counted_install(L);
  push_libraries(L);
  lua_pushinteger(L, 20261126);
  lua_pushinteger(L, 20000);
  if (lua_pcall(L, 4, 1, 0) != LUA_OK) fail_msg("%s", lua_tostring(L, -1));
  assert_true(lua_tointeger(L, -1) > 100000);
  lua_close(L);
}

static int looks;

static void stop_at_tenth(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (++looks >= 10) luaL_error(L, "stopped");
}

/* Each would run for years; a hook that counts instructions ends it. */
static void endless_calls_are_stopped(void **state) {
  (void)state;
  static const char *const calls[] = {
      "return (('a'):rep(40)):find(('a*'):rep(40) .. 'b')",
      "return (('a'):rep(40)):match(('a-'):rep(40) .. 'b')",
      "return (('a'):rep(40)):gsub(('a?'):rep(40) .. ('a'):rep(40) .. 'b', '')",
      "for _ in (('a'):rep(40)):gmatch(('[abc]*'):rep(40) .. 'd') do end",
      "return (('('):rep(1000000)):find('%b()')",
      "return (('a'):rep(1000000)):match('(.*)b%1')",
      "return (('a'):rep(2000000)):find(('a'):rep(1000000) .. 'b', 1, true)",
      "return table.move({}, 1, 1 << 60, 2)",
      "return table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 1)",
      "return table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
      "return table.sort(setmetatable({}, { __len = function() return 1 << 30 end }), tonumber)",
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    tdm_counted_install(L);
    looks = 0;
    assert_int_equal(luaL_loadstring(L, calls[i]), LUA_OK);
    lua_sethook(L, stop_at_tenth, LUA_MASKCOUNT, 1000);
    assert_int_equal(lua_pcall(L, 0, 0, 0), LUA_ERRRUN);
    assert_non_null(strstr(lua_tostring(L, -1), "stopped"));
    lua_close(L);
  }
}

static void nothing_is_made_of_nothing(void **state) {
  (void)state;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  tdm_counted_install(L);
  assert_int_equal(luaL_dostring(L, "return (''):rep(1 << 60), ('ab'):rep(3, ',')"), LUA_OK);
  assert_string_equal(lua_tostring(L, -2), "");
  assert_string_equal(lua_tostring(L, -1), "ab,ab,ab");
  lua_close(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_luas_own),
      cmocka_unit_test(endless_calls_are_stopped),
      cmocka_unit_test(nothing_is_made_of_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
