/* Tables that Lua made, as the bytes of files of typed columns. Owns the cells and their list of
 * texts for the length of a call; the formats are src/write's, and where the bytes go is Lua's
 * affair, which may be confined. Called by lua/tandem/io/columns.lua. */
#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bind/bind.h"
#include "trace/record.h"
#include "write/sheet.h"

typedef struct {
  const char *at;
  size_t length;
} text;

/* All of it lies in userdata on the stack; texts are anchored by the caller's columns. */
typedef struct {
  tdm_sheet sheet;
  int64_t *cells; /* [column][row] */
  text *texts;
} table;

static const char *text_of(const void *of, uint32_t number, size_t *length) {
  const text *one = &((const table *)of)->texts[number];
  *length = one->length;
  return one->at;
}

static void fill(const void *of, uint32_t column, size_t first, size_t count, int64_t *out) {
  const table *t = of;
  if (count > 0) memcpy(out, t->cells + column * t->sheet.row_count + first, count * sizeof *out);
}

static const char *const types[] = {"int", "real", "text", NULL};

/* The cell on top, of a column; texts that are new are counted by the table at `seen`. */
static int64_t read_cell(lua_State *L, table *t, tdm_column_type type, int seen) {
  if (lua_isnil(L, -1)) return TDM_NONE;
  int64_t cell;
  double real;
  switch (type) {
  case TDM_COLUMN_INT: return luaL_checkinteger(L, -1);
  case TDM_COLUMN_REAL:
    real = luaL_checknumber(L, -1);
    if (isnan(real)) return TDM_NONE;
    memcpy(&cell, &real, sizeof cell);
    return cell;
  default:
    luaL_checktype(L, -1, LUA_TSTRING);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, seen) == LUA_TNIL) {
      text *one = &t->texts[t->sheet.text_count];
      one->at = lua_tolstring(L, -2, &one->length);
      lua_pushvalue(L, -2);
      lua_pushinteger(L, t->sheet.text_count++);
      lua_rawset(L, seen);
      cell = t->sheet.text_count - 1;
    } else {
      cell = lua_tointeger(L, -1);
    }
    lua_pop(L, 1);
    return cell;
  }
}

/* Reads what a file in memory holds into a Lua string, on top. */
static tdm_status push_file(lua_State *L, int fd, tdm_error *error) {
  off_t size = lseek(fd, 0, SEEK_END);
  if (size < 0) return tdm_error_set(error, TDM_IO, "a table: %s", strerror(errno));
  luaL_Buffer buffer;
  char *at = luaL_buffinitsize(L, &buffer, (size_t)size);
  size_t have = 0;
  while (have < (size_t)size) {
    ssize_t got = pread(fd, at + have, (size_t)size - have, (off_t)have);
    if (got <= 0) return tdm_error_set(error, TDM_IO, "a table: %s", strerror(errno));
    have += (size_t)got;
  }
  luaL_pushresultsize(&buffer, have);
  return TDM_OK;
}

/* core.pack_columns(format, rows, {{name, type, {cells}}, …}) → bytes | nil, message, code; type:
 * int, real or text; a cell that is not there is nil. */
static int pack_columns(lua_State *L) {
  static const char *const formats[] = {"arrow", "parquet", NULL};
  int format = luaL_checkoption(L, 1, NULL, formats);
  size_t rows = (size_t)luaL_checkinteger(L, 2);
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  size_t count = lua_rawlen(L, 3);
  tdm_sheet_column *columns = lua_newuserdatauv(L, (count + 1) * sizeof *columns, 0);
  table t = {.cells = lua_newuserdatauv(L, (count * rows + 1) * sizeof *t.cells, 0),
             .texts = lua_newuserdatauv(L, (count * rows + 1) * sizeof *t.texts, 0)};
  t.sheet = (tdm_sheet){.of = &t,
                        .row_count = rows,
                        .columns = columns,
                        .column_count = (uint32_t)count,
                        .text = text_of,
                        .fill = fill};
  lua_newtable(L);
  int seen = lua_gettop(L);
  for (size_t c = 0; c < count; c++) {
    lua_rawgeti(L, 3, (lua_Integer)c + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    lua_rawgeti(L, -1, 1);
    columns[c].name = luaL_checkstring(L, -1); /* the table keeps it */
    lua_rawgeti(L, -2, 2);
    columns[c].type = (tdm_column_type)luaL_checkoption(L, -1, NULL, types);
    columns[c].optional = true;
    lua_rawgeti(L, -3, 3);
    luaL_checktype(L, -1, LUA_TTABLE);
    for (size_t r = 0; r < rows; r++) {
      lua_rawgeti(L, -1, (lua_Integer)r + 1);
      t.cells[c * rows + r] = read_cell(L, &t, columns[c].type, seen);
      lua_pop(L, 1);
    }
    lua_pop(L, 4);
  }
  tdm_error error;
  char path[32];
  int fd = memfd_create("table", MFD_CLOEXEC);
  snprintf(path, sizeof path, "/dev/fd/%d", fd);
  tdm_status status = fd < 0        ? tdm_error_set(&error, TDM_IO, "a table: %s", strerror(errno))
                      : format == 0 ? tdm_sheet_write_arrow(&t.sheet, path, &error)
                                    : tdm_sheet_write_parquet(&t.sheet, path, &error);
  if (status == TDM_OK) status = push_file(L, fd, &error);
  if (fd >= 0) close(fd);
  return status == TDM_OK ? 1 : tdm_bind_failure(L, &error);
}

void tdm_bind_open_sheet(lua_State *L) {
  static const luaL_Reg functions[] = {{"pack_columns", pack_columns}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
