/* core.pieces: the bytes of a file or a text for Lua, a piece at a time, what gzip or zstd has
 * packed unpacked on the way and Arrow's tables as CSV, so that a file larger than memory can be
 * read. Owns the input; what the bytes mean is the callers' affair. Called by
 * lua/tandem/io/text_file.lua. */
#include <lauxlib.h>

#include "bind/bind.h"
#include "read/arrow/arrow.h"
#include "read/input.h"

static const char type_name[] = "tandem.pieces";

typedef struct {
  tdm_input *input;
  tdm_arrow_csv *table; /* NULL: the bytes are given as they are */
} pieces;

static int pieces_close(lua_State *L) {
  pieces *p = luaL_checkudata(L, 1, type_name);
  tdm_arrow_csv_close(p->table);
  tdm_input_close(p->input);
  p->table = NULL;
  p->input = NULL;
  return 0;
}

static tdm_status open_table(pieces *p, tdm_error *error) {
  const unsigned char *head;
  size_t length;
  tdm_status status = tdm_input_head(p->input, &head, &length, error);
  if (status != TDM_OK || !tdm_arrow_detect(head, length)) return status;
  return tdm_arrow_csv_open(p->input, &p->table, error);
}

/* core.pieces(path|nil, text) → pieces | nil, message, code. The text is that of no path. */
static int open_pieces(lua_State *L) {
  const char *path = luaL_optstring(L, 1, NULL), *text = NULL;
  size_t length = 0;
  if (path == NULL) text = luaL_checklstring(L, 2, &length);
  lua_settop(L, 2);
  pieces *p = lua_newuserdatauv(L, sizeof *p, 1);
  *p = (pieces){0};
  luaL_setmetatable(L, type_name);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, 1); /* the text stays as long as its pieces are read */
  tdm_error error = {0};
  tdm_status status = path != NULL ? tdm_input_open(path, &p->input, &error)
                                   : tdm_input_open_memory(text, length, &p->input, &error);
  if (status == TDM_OK) status = open_table(p, &error);
  return status == TDM_OK ? 1 : tdm_bind_failure(L, &error);
}

/* pieces:next() → bytes, "" at the end | nil, message, code */
static int pieces_next(lua_State *L) {
  pieces *p = luaL_checkudata(L, 1, type_name);
  luaL_argcheck(L, p->input != NULL, 1, "closed");
  const unsigned char *bytes = NULL;
  const char *lines = NULL;
  size_t length = 0;
  tdm_error error = {0};
  tdm_status status = p->table != NULL ? tdm_arrow_csv_next(p->table, &lines, &length, &error)
                                       : tdm_input_next(p->input, &bytes, &length, &error);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  lua_pushlstring(L, p->table != NULL ? lines : (const char *)bytes, length);
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
