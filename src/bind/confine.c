/* core.confine, core.confinement: that this process opens files of one folder only, for all of its
 * Lua states. Owns the folders' names, which stand for good; what they mean is
 * lua/tandem/sandbox/confined.lua's. A state that threads or workers open enters the same rule
 * before anything of a script reaches it (bind/ship/open.c). */
#include "bind/confine.h"

#include <lauxlib.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/memory.h"

enum { FOLDERS = 3 };

static struct {
  pthread_mutex_t lock;
  bool set;
  char *folder[FOLDERS]; /* the directory, the store, what may be read; NULL: none */
} confined = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_confined(void) {
  pthread_mutex_lock(&confined.lock);
  bool set = confined.set;
  pthread_mutex_unlock(&confined.lock);
  return set;
}

/* core.confine(directory, store|nil, readable|nil): the first call's hold. */
static int confine(lua_State *L) {
  const char *given[FOLDERS];
  for (int i = 0; i < FOLDERS; i++)
    given[i] = i == 0 ? luaL_checkstring(L, 1) : luaL_optstring(L, i + 1, NULL);
  bool kept = true;
  pthread_mutex_lock(&confined.lock);
  for (int i = 0; i < FOLDERS && !confined.set; i++) {
    confined.folder[i] = given[i] != NULL ? tdm_string_copy(given[i]) : NULL;
    kept = kept && (given[i] == NULL || confined.folder[i] != NULL);
  }
  confined.set = true;
  pthread_mutex_unlock(&confined.lock);
  return kept ? 0 : luaL_error(L, "not enough memory");
}

/* core.confinement() → directory, store, readable | nothing where the process is free */
static int confinement(lua_State *L) {
  if (!is_confined()) return 0;
  for (int i = 0; i < FOLDERS; i++) lua_pushstring(L, confined.folder[i]); /* NULL: nil */
  return FOLDERS;
}

void tdm_bind_confine(lua_State *L) {
  if (!is_confined()) return;
  int top = lua_gettop(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "tandem.sandbox.confined");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "again");
  lua_call(L, 0, 0);
  lua_settop(L, top);
}

void tdm_bind_open_confine(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"confine", confine}, {"confinement", confinement}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
