/* The table of openers, and what all of bind/ shares; see bind.h. */
#include "bind/bind.h"

#include <errno.h>
#include <lauxlib.h>
#include <string.h>

/* One line per file of this folder. */
static void (*const openers[])(lua_State *L) = {
    tdm_bind_open_allowance, tdm_bind_open_analysis,    tdm_bind_open_capture,
    tdm_bind_open_confine,   tdm_bind_open_core,        tdm_bind_open_crew,
    tdm_bind_open_database,  tdm_bind_open_describe,    tdm_bind_open_digest,
    tdm_bind_open_dist,      tdm_bind_open_edit,        tdm_bind_open_envelope,
    tdm_bind_open_estimate,  tdm_bind_open_files,       tdm_bind_open_guard,
    tdm_bind_open_json_read, tdm_bind_open_json_stream, tdm_bind_open_json_write,
    tdm_bind_open_keep,      tdm_bind_open_llm,         tdm_bind_open_log,
    tdm_bind_open_metrics,   tdm_bind_open_overlay,     tdm_bind_open_pieces,
    tdm_bind_open_rules,     tdm_bind_open_run,         tdm_bind_open_serving,
    tdm_bind_open_sheet,     tdm_bind_open_ship,        tdm_bind_open_stats,
    tdm_bind_open_store,     tdm_bind_open_timeline,    tdm_bind_open_visits,
};

int luaopen_tandem_core(lua_State *L) {
  lua_newtable(L);
  for (size_t i = 0; i < sizeof openers / sizeof *openers; i++) openers[i](L);
  return 1;
}

static const char interrupt_key[] = "tandem.interrupt";

void tdm_bind_set_interrupt(lua_State *L, atomic_int *flag) {
  lua_pushlightuserdata(L, flag);
  lua_setfield(L, LUA_REGISTRYINDEX, interrupt_key);
}

atomic_int *tdm_bind_interrupt(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, interrupt_key);
  atomic_int *flag = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return flag;
}

static const char maker_key[] = "tandem.maker";

void tdm_bind_set_maker(lua_State *L, tdm_state_maker maker) {
  tdm_state_maker *kept = lua_newuserdatauv(L, sizeof *kept, 0);
  *kept = maker;
  lua_setfield(L, LUA_REGISTRYINDEX, maker_key);
}

tdm_state_maker tdm_bind_maker(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, maker_key);
  tdm_state_maker *kept = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return kept != NULL ? *kept : NULL;
}

static bool ends(const char *text, size_t length, const char *words) {
  size_t wanted = strlen(words);
  return length >= wanted && strncmp(text + length - wanted, words, wanted) == 0;
}

bool tdm_bind_tells_of_memory(const char *message) {
  if (message == NULL) return false;
  size_t first = strcspn(message, "\n");
  if (ends(message, first, "not enough memory")) return true;
  if (strstr(message, "error loading module") == NULL || message[first] == 0) return false;
  const char *second = message + first + 1;
  return ends(second, strcspn(second, "\n"), strerror(ENOMEM));
}
