/* core.pieces: the bytes of a file for Lua, a piece at a time, what gzip or zstd has packed
 * unpacked on the way, so that a file larger than memory can be read. Owns the input; what the
 * bytes mean is the callers' affair. Called by lua/tandem/io/text_file.lua. */
#include <lauxlib.h>

#include "bind/bind.h"
#include "read/input.h"

static const char type_name[] = "tandem.pieces";

typedef struct {
  tdm_input *input;
} pieces;

static int pieces_close(lua_State *L) {
  pieces *p = luaL_checkudata(L, 1, type_name);
  tdm_input_close(p->input);
  p->input = NULL;
  return 0;
}

/* core.pieces(path) → pieces | nil, message, code */
static int open_pieces(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  pieces *p = lua_newuserdatauv(L, sizeof *p, 0);
  p->input = NULL;
  luaL_setmetatable(L, type_name);
  tdm_error error = {0};
  return tdm_input_open(path, &p->input, &error) == TDM_OK ? 1 : tdm_bind_failure(L, &error);
}

/* pieces:next() → bytes, "" at the end | nil, message, code */
static int pieces_next(lua_State *L) {
  pieces *p = luaL_checkudata(L, 1, type_name);
  luaL_argcheck(L, p->input != NULL, 1, "closed");
  const unsigned char *bytes = NULL;
  size_t length = 0;
  tdm_error error = {0};
  if (tdm_input_next(p->input, &bytes, &length, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  lua_pushlstring(L, (const char *)bytes, length);
  return 1;
}

void tdm_bind_open_pieces(lua_State *L) {
  static const luaL_Reg methods[] = {{"next", pieces_next}, {"close", pieces_close}, {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, pieces_close);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, pieces_close);
  lua_setfield(L, -2, "__close");
  lua_pop(L, 1);
  lua_pushcfunction(L, open_pieces);
  lua_setfield(L, -2, "pieces");
}
