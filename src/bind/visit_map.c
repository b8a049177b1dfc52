/* See visit_map.h. */
#include "bind/visit_map.h"

#include <lauxlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/record.h"

/* In the order of tdm_selector; operators are ranges of their category. */
static const char *const selectors[TDM_SELECTORS] = {"range", "kernel", "comm", "copy", "memset",
                                                     "graph", "call",   "sync", "phase"};

/* A field as text, kept on the stack; NULL: absent. */
static const char *text_field(lua_State *L, int at, const char *key) {
  return lua_getfield(L, at, key) == LUA_TNIL ? NULL : luaL_checkstring(L, -1);
}

static char *copied(lua_State *L, const char *text) {
  char *copy = tdm_string_copy(text);
  if (copy == NULL) luaL_error(L, "not enough memory");
  return copy;
}

tdm_lane tdm_bind_check_lane(lua_State *L, const char *name) {
  for (tdm_lane lane = 0; lane < TDM_LANES; lane++)
    if (strcmp(tdm_lane_name(lane), name) == 0) return lane;
  luaL_error(L, "there is no lane '%s'", name);
  return TDM_LANE_OTHER;
}

static void read_categories(lua_State *L, int at, tdm_visit_rule *rule) {
  int type = lua_getfield(L, at, "category");
  if (type == LUA_TSTRING) rule->category[0] = copied(L, lua_tostring(L, -1));
  for (int i = 0; type == LUA_TTABLE && i < (int)lua_rawlen(L, -1); i++) {
    if (i == TDM_RULE_CATEGORIES)
      luaL_error(L, "a rule can name %d categories", TDM_RULE_CATEGORIES);
    lua_rawgeti(L, -1, i + 1);
    rule->category[i] = copied(L, luaL_checkstring(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* The rule of the table at `at`. */
static tdm_status read_rule(lua_State *L, int at, tdm_visit_rule *rule, tdm_error *error) {
  int top = lua_gettop(L);
  const char *pattern = NULL;
  for (int s = 0; s < TDM_SELECTORS && pattern == NULL; s++) {
    pattern = text_field(L, at, selectors[s]);
    if (pattern != NULL) rule->selector = (tdm_selector)s;
  }
  if (pattern == NULL) {
    pattern = text_field(L, at, "op");
    if (pattern == NULL) luaL_error(L, "a rule of a map says what it takes");
    rule->selector = TDM_SELECT_RANGE;
    rule->category[0] = copied(L, "cpu_op");
  } else {
    read_categories(L, at, rule);
  }
  const char *on = text_field(L, at, "on"), *domain = text_field(L, at, "domain");
  rule->on_gpu = on != NULL && strcmp(on, "gpu") == 0;
  rule->has_domain = domain != NULL;
  tdm_status status = tdm_pattern_open(pattern, &rule->name, error);
  if (status == TDM_OK && domain != NULL) status = tdm_pattern_open(domain, &rule->domain, error);
  lua_settop(L, top);
  return status;
}

/* ---- requests ---- */

/* A word of a sequence: "kernel", "HtoD". */
static tdm_status read_step(lua_State *L, const char *word, tdm_visit_rule *rule,
                            tdm_error *error) {
  rule->selector = TDM_SELECT_COPY;
  for (int s = TDM_SELECT_KERNEL; s <= TDM_SELECT_GRAPH; s++)
    if (strcmp(selectors[s], word) == 0) rule->selector = (tdm_selector)s;
  bool any = strcmp(selectors[rule->selector], word) == 0;
  (void)L;
  return tdm_pattern_open(any ? NULL : word, &rule->name, error);
}

static tdm_status read_sequence(lua_State *L, int at, tdm_visit_map *map, tdm_error *error) {
  size_t count = lua_rawlen(L, at);
  tdm_status status = TDM_OK;
  if (count == 0 || count > TDM_SEQUENCE_STEPS)
    return tdm_error_set(error, TDM_INVALID, "a sequence has 1 to %d steps", TDM_SEQUENCE_STEPS);
  map->kind = TDM_REQUEST_SEQUENCE;
  for (size_t i = 0; i < count && status == TDM_OK; i++) {
    lua_rawgeti(L, at, (lua_Integer)i + 1);
    map->steps = (uint32_t)i + 1;
    status = lua_istable(L, -1) ? read_rule(L, lua_gettop(L), &map->rule[i], error)
                                : read_step(L, luaL_checkstring(L, -1), &map->rule[i], error);
    lua_pop(L, 1);
  }
  return status;
}

static void read_options(lua_State *L, int at, tdm_visit_map *map) {
  static const char *const each[] = {"stream", "device", "process"};
  const char *text = text_field(L, at, "each");
  for (int i = 0; text != NULL && i < 3; i++)
    if (strcmp(text, each[i]) == 0) map->each = (tdm_each)i;
  text = text_field(L, at, "attribute");
  if (text != NULL)
    map->attribute = strcmp(text, "launch") == 0 ? TDM_ATTRIBUTE_LAUNCH
                     : strcmp(text, "time") == 0 ? TDM_ATTRIBUTE_TIME
                                                 : TDM_ATTRIBUTE_AUTO;
  lua_pop(L, 2);
}

static tdm_status read_request(lua_State *L, int at, tdm_visit_map *map, tdm_error *error) {
  read_options(L, at, map);
  if (lua_getfield(L, at, "sequence") == LUA_TTABLE)
    return read_sequence(L, lua_gettop(L), map, error);
  map->steps = 1;
  if (lua_getfield(L, at, "starts") == LUA_TTABLE) {
    map->kind = TDM_REQUEST_STARTS;
    return read_rule(L, lua_gettop(L), &map->rule[0], error);
  }
  lua_getfield(L, at, "phases");
  if (lua_toboolean(L, -1)) {
    map->kind = TDM_REQUEST_PHASES;
    map->steps = 0;
    return TDM_OK;
  }
  map->kind = TDM_REQUEST_RANGE;
  return read_rule(L, at, &map->rule[0], error);
}

/* ---- stages and sizes ---- */

static tdm_status read_stages(lua_State *L, int at, tdm_visit_map *map, tdm_error *error) {
  size_t count = lua_rawlen(L, at);
  tdm_status status = TDM_OK;
  if (count > TDM_VISIT_STAGES)
    return tdm_error_set(error, TDM_LIMIT, "%zu stages; at most %d can be told apart", count,
                         TDM_VISIT_STAGES);
  map->stage = tdm_array_new(count + 1, sizeof *map->stage);
  map->stage_rule = tdm_array_new(count + 1, sizeof *map->stage_rule);
  if (map->stage == NULL || map->stage_rule == NULL) luaL_error(L, "not enough memory");
  for (size_t i = 0; i < count && status == TDM_OK; i++) {
    lua_rawgeti(L, at, (lua_Integer)i + 1);
    int stage = lua_gettop(L);
    map->stages = (uint32_t)i + 1;
    if (lua_rawgeti(L, stage, 1) == LUA_TNIL) lua_getfield(L, stage, "name");
    map->stage[i].name = copied(L, luaL_checkstring(L, -1));
    map->stage[i].capacity = TDM_NONE;
    status = read_rule(L, stage, &map->stage_rule[i], error);
    const char *lane = text_field(L, stage, "lane");
    map->stage[i].lane =
        lane != NULL ? tdm_bind_check_lane(L, lane) : tdm_visit_rule_lane(&map->stage_rule[i]);
    lua_settop(L, stage - 1);
  }
  return status;
}

/* The rule in the table on top. */
static tdm_status read_size(lua_State *L, tdm_size_rule *size, tdm_error *error) {
  int at = lua_gettop(L);
  if (lua_type(L, at) == LUA_TSTRING)
    return tdm_pattern_open(lua_tostring(L, at), &size->rule.name, error);
  const char *arg = text_field(L, at, "arg");
  if (arg != NULL) {
    size->kind = TDM_SIZE_ARG;
    size->arg = copied(L, arg);
    return TDM_OK;
  }
  size->kind = lua_getfield(L, at, "count") == LUA_TTABLE ? TDM_SIZE_COUNT : TDM_SIZE_BYTES;
  if (size->kind == TDM_SIZE_BYTES) lua_getfield(L, at, "bytes");
  return read_rule(L, lua_gettop(L), &size->rule, error);
}

/* Rules in the order of the names in the list at `names`. */
static tdm_status read_sizes(lua_State *L, int at, int names, tdm_visit_map *map,
                             tdm_error *error) {
  size_t count = lua_rawlen(L, names);
  tdm_status status = TDM_OK;
  map->size = tdm_array_new(count + 1, sizeof *map->size);
  if (map->size == NULL) luaL_error(L, "not enough memory");
  for (size_t i = 0; i < count && status == TDM_OK; i++) {
    int top = lua_gettop(L);
    lua_rawgeti(L, names, (lua_Integer)i + 1);
    lua_gettable(L, at);
    map->sizes = (uint32_t)i + 1;
    status = read_size(L, &map->size[i], error);
    lua_settop(L, top);
  }
  return status;
}

tdm_status tdm_bind_read_map(lua_State *L, int at, tdm_visit_map *map, tdm_error *error) {
  luaL_checkstack(L, 32, "map");
  luaL_checktype(L, at, LUA_TTABLE);
  int top = lua_gettop(L);
  lua_getfield(L, at, "request");
  luaL_checktype(L, -1, LUA_TTABLE);
  tdm_status status = read_request(L, top + 1, map, error);
  lua_settop(L, top);
  if (status == TDM_OK && lua_getfield(L, at, "stages") == LUA_TTABLE)
    status = read_stages(L, top + 1, map, error);
  lua_settop(L, top);
  if (status == TDM_OK && lua_getfield(L, at, "sizes") == LUA_TTABLE &&
      lua_getfield(L, at, "size_names") == LUA_TTABLE)
    status = read_sizes(L, top + 1, top + 2, map, error);
  lua_settop(L, top);
  return status;
}
