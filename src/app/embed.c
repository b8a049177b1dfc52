/* Finds embedded files and gives them to Lua; see app.h. The table itself is assembly that
 * embed.awk writes. Owns no memory: the files are part of the program. */
#include "app/app.h"

#include <dirent.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare_name(const void *key, const void *element) {
  return strcmp(key, ((const tdm_embedded *)element)->name);
}

const tdm_embedded *tdm_embedded_find(const char *name) {
  return bsearch(name, tdm_embedded_files, tdm_embedded_count, sizeof *tdm_embedded_files,
                 compare_name);
}

/* The directory that replaces the embedded files, or NULL. argparse stays embedded: it is not
 * part of the source tree. */
static const char *disk_root(void) {
  const char *root = getenv("TANDEM_ROOT");
  return root != NULL && root[0] != '\0' ? root : NULL;
}

static bool is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The chunk is named "@name", and compiled where there is code, which has the same lines and names.
 */
bool tdm_embedded_load(lua_State *L, const char *name) {
  const char *root = disk_root();
  int status;
  const char *chunk = lua_pushfstring(L, "@%s", name);
  const tdm_embedded *file = tdm_embedded_find(name);
  if (root != NULL && strchr(name, '/') != NULL) {
    const char *path = lua_pushfstring(L, "%s/%s", root, name);
    if (!is_file(path)) {
      lua_pop(L, 2);
      return false;
    }
    status = luaL_loadfilex(L, path, "t");
    lua_remove(L, -2);
  } else if (file != NULL && file->code != NULL) {
    status = luaL_loadbufferx(L, file->code, (size_t)(file->code_end - file->code), chunk, "b");
  } else if (file != NULL) {
    status = luaL_loadbufferx(L, file->start, (size_t)(file->end - file->start), chunk, "t");
  } else {
    lua_pop(L, 1);
    return false;
  }
  lua_remove(L, -2); /* the chunk name */
  if (status != LUA_OK) lua_error(L);
  return true;
}

/* package.searchers entry: name → loader, file name | message. */
static int search(lua_State *L) {
  static const char *const endings[] = {".lua", "/init.lua"};
  const char *module = luaL_checkstring(L, 1);
  bool ours = strcmp(module, "tandem") == 0 || strncmp(module, "tandem.", 7) == 0;
  if (!ours && strncmp(module, "lib.", 4) != 0 && strchr(module, '.') != NULL) return 0;
  const char *path = luaL_gsub(L, module, ".", "/");
  if (ours) path = lua_pushfstring(L, "lua/%s", path);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const char *name = lua_pushfstring(L, "%s%s", path, endings[i]);
    if (tdm_embedded_load(L, name)) {
      lua_insert(L, -2); /* loader, file name */
      return 2;
    }
  }
  lua_pushfstring(L, "no embedded module '%s'", module);
  return 1;
}

/* embedded.read(name) → text | nil, message */
static int read_file(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  const char *root = disk_root();
  if (root == NULL || strchr(name, '/') == NULL) {
    const tdm_embedded *file = tdm_embedded_find(name);
    if (file == NULL) {
      luaL_pushfail(L);
      lua_pushfstring(L, "no embedded file '%s'", name);
      return 2;
    }
    lua_pushlstring(L, file->start, (size_t)(file->end - file->start));
    return 1;
  }
  /* io.open(root/name, "rb"):read "a" — with the garbage collector as owner of the handle. */
  lua_getglobal(L, "io");
  lua_getfield(L, -1, "open");
  lua_pushfstring(L, "%s/%s", root, name);
  lua_pushliteral(L, "rb");
  lua_call(L, 2, 2);
  if (lua_isnil(L, -2)) return 2;
  lua_pop(L, 1); /* the handle is on top */
  lua_getfield(L, -1, "read");
  lua_pushvalue(L, -2);
  lua_pushliteral(L, "a");
  lua_call(L, 2, 1);
  lua_getfield(L, -2, "close");
  lua_pushvalue(L, -3);
  lua_call(L, 1, 0);
  return 1;
}

/* Appends the files under root/name whose name starts with prefix to the list at index `list`. */
static void walk(lua_State *L, int list, const char *root, const char *name, const char *prefix) {
  luaL_checkstack(L, 8, "directories nested too deeply");
  struct dirent **entries = NULL;
  int count = scandir(lua_pushfstring(L, "%s/%s", root, name), &entries, NULL, NULL);
  lua_pop(L, 1);
  for (int i = 0; i < count; i++) {
    if (entries[i]->d_name[0] != '.') {
      const char *child = lua_pushfstring(L, "%s/%s", name, entries[i]->d_name);
      if (!is_file(lua_pushfstring(L, "%s/%s", root, child))) {
        walk(L, list, root, child, prefix);
      } else if (strncmp(child, prefix, strlen(prefix)) == 0) {
        lua_pushvalue(L, -2);
        lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
      }
      lua_pop(L, 2);
    }
    free(entries[i]);
  }
  free(entries);
}

/* embedded.list(prefix) → sorted list of names */
static int list_files(lua_State *L) {
  static const char *const tops[] = {"lib", "lua", "scenarios"};
  const char *prefix = luaL_optstring(L, 1, "");
  const char *root = disk_root();
  lua_newtable(L);
  int list = lua_gettop(L);
  if (root != NULL) {
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) walk(L, list, root, tops[i], prefix);
    lua_getglobal(L, "table");
    lua_getfield(L, -1, "sort");
    lua_pushvalue(L, list);
    lua_call(L, 1, 0);
  } else {
    lua_Integer next = 1;
    for (size_t i = 0; i < tdm_embedded_count; i++) {
      if (strncmp(tdm_embedded_files[i].name, prefix, strlen(prefix)) != 0) continue;
      lua_pushstring(L, tdm_embedded_files[i].name);
      lua_rawseti(L, list, next++);
    }
  }
  lua_settop(L, list);
  return 1;
}

static int open_embedded(lua_State *L) {
  static const luaL_Reg functions[] = {{"read", read_file}, {"list", list_files}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}

void tdm_embedded_install(lua_State *L) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, open_embedded);
  lua_setfield(L, -2, "tandem.embedded");
  lua_getfield(L, -2, "searchers");
  lua_getglobal(L, "table");
  lua_getfield(L, -1, "insert"); /* second: after preload, before the search path */
  lua_pushvalue(L, -3);
  lua_pushinteger(L, 2);
  lua_pushcfunction(L, search);
  lua_call(L, 3, 0);
  lua_pop(L, 4);
}
