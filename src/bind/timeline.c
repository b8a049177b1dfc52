/* Stored runs as data for a timeline: core.timeline.
 *
 * core.timeline { { store, run, from_ns?, to_ns?, most?, moments? }, … } → { runs = { JSON of each,
 * … }, lengths = { characters of each block, … }, data = the blocks } | nil, message, code. What
 * these mean is write/timeline/timeline.h's. `run` is an id's beginning or "last". Called by
 * tandem.timeline. */
#include <lauxlib.h>
#include <stdlib.h>

#include "base/order.h"
#include "bind/bind.h"
#include "trace/store/store.h"
#include "write/timeline/timeline.h"

typedef struct {
  lua_State *L;
  atomic_int *flag;
} watch;

static int was_stopped(void *context) {
  const watch *w = context;
  return w->flag != NULL && atomic_load(w->flag) != 0;
}

typedef struct {
  const char *store, *run;
  int64_t from_ns, to_ns;
  tdm_timeline_wish wish;
  bool thinned; /* where there are more than it says */
} wanted;

static int64_t moment(lua_State *L, const char *key, int64_t otherwise) {
  int64_t value = otherwise;
  if (lua_getfield(L, -1, key) != LUA_TNIL) value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

static int by_time(const void *left, const void *right) {
  return TDM_ORDER(*(const int64_t *)left, *(const int64_t *)right);
}

/* Of the item on top: `most` and the list `moments`, whose numbers live as userdata in the item. */
static void take_wish(lua_State *L, wanted *w) {
  w->thinned = lua_getfield(L, -1, "most") != LUA_TNIL;
  if (w->thinned) w->wish.most = (size_t)luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  if (lua_getfield(L, -1, "moments") == LUA_TTABLE) {
    size_t count = (size_t)luaL_len(L, -1);
    int64_t *moment = lua_newuserdatauv(L, (count + 1) * sizeof *moment, 0);
    for (size_t i = 0; i < count; i++) {
      lua_rawgeti(L, -2, (lua_Integer)i + 1);
      moment[i] = luaL_checkinteger(L, -1);
      lua_pop(L, 1);
    }
    if (count > 1) qsort(moment, count, sizeof *moment, by_time);
    w->wish.moment = moment;
    w->wish.moments = count;
    lua_setfield(L, -3, "moments");
  }
  lua_pop(L, 1);
}

/* Item i of the list at 1, whose strings it keeps alive. */
static wanted wanted_at(lua_State *L, lua_Integer i) {
  wanted w = {0};
  lua_geti(L, 1, i);
  luaL_checktype(L, -1, LUA_TTABLE);
  lua_getfield(L, -1, "store");
  w.store = luaL_checkstring(L, -1);
  lua_getfield(L, -2, "run");
  w.run = luaL_checkstring(L, -1);
  lua_pop(L, 2);
  w.from_ns = moment(L, "from_ns", INT64_MIN);
  w.to_ns = moment(L, "to_ns", INT64_MAX);
  take_wish(L, &w);
  lua_pop(L, 1);
  return w;
}

static tdm_status load(const wanted *w, const watch *stop, tdm_recording *recording,
                       tdm_error *error) {
  tdm_store *store;
  tdm_record_sink sink;
  int64_t number;
  tdm_recording_sink(recording, &sink);
  tdm_status status = tdm_store_open(w->store, was_stopped, (void *)(uintptr_t)stop, &store, error);
  if (status != TDM_OK) return status;
  struct sqlite3 *database = tdm_store_database(store);
  status = tdm_store_number(database, w->run, &number, NULL, error);
  if (status == TDM_OK)
    status = tdm_store_load(database, number, w->from_ns, w->to_ns, &sink, error);
  tdm_store_close(store);
  return status;
}

static tdm_status write_run(const wanted *w, const watch *stop, tdm_blocks *blocks, char **json,
                            tdm_error *error) {
  tdm_recording *recording = tdm_recording_new();
  if (recording == NULL) return tdm_error_memory(error, "a trace", 0);
  tdm_status status = load(w, stop, recording, error);
  if (status == TDM_OK)
    status = tdm_timeline_run_write(recording, w->thinned ? &w->wish : NULL, blocks, json, error);
  tdm_recording_free(recording);
  return status;
}

/* Frees what is written as it goes over to Lua. */
static int free_blocks(lua_State *L) {
  tdm_blocks **blocks = lua_touserdata(L, 1);
  tdm_blocks_free(*blocks);
  *blocks = NULL;
  return 0;
}

static tdm_blocks *new_blocks(lua_State *L) {
  tdm_blocks **kept = lua_newuserdatauv(L, sizeof *kept, 0);
  *kept = NULL;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, free_blocks);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return *kept = tdm_blocks_new();
}

static void push_blocks(lua_State *L, const tdm_blocks *blocks) {
  size_t length, count = tdm_blocks_count(blocks);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushinteger(L, (lua_Integer)tdm_blocks_length(blocks, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "lengths");
  const char *text = tdm_blocks_text(blocks, &length);
  lua_pushlstring(L, text, length);
  lua_setfield(L, -2, "data");
}

static int timeline(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  watch stop = {L, tdm_bind_interrupt(L)};
  tdm_error error;
  lua_createtable(L, 0, 3); /* at 2 */
  lua_newtable(L);          /* runs, at 3 */
  tdm_blocks *blocks = new_blocks(L);
  if (blocks == NULL) {
    tdm_error_memory(&error, "a timeline", 0);
    return tdm_bind_failure(L, &error);
  }
  for (lua_Integer i = 1; i <= luaL_len(L, 1); i++) {
    wanted w = wanted_at(L, i);
    char *json;
    if (write_run(&w, &stop, blocks, &json, &error) != TDM_OK) return tdm_bind_failure(L, &error);
    lua_pushstring(L, json);
    free(json);
    lua_rawseti(L, 3, i);
  }
  lua_pushvalue(L, 3);
  lua_setfield(L, 2, "runs");
  lua_pushvalue(L, 2);
  push_blocks(L, blocks);
  return 1;
}

void tdm_bind_open_timeline(lua_State *L) {
  lua_pushcfunction(L, timeline);
  lua_setfield(L, -2, "timeline");
}
