/* Rules for Lua: core.rule_set { { id, file, match, category, phase, library, dtype, tensor_core,
 * priority, any_case }… } → set | nil, message, code; set:match(name) → labels.
 *
 * A set is immutable and lives until it is collected. Which rules it is made of is chosen in
 * lua/tandem/categories. */
#include "bind/analysis.h"

#include <lauxlib.h>

#include "bind/bind.h"

static const char type_name[] = "tandem.rule_set";

static const char *const label_keys[TDM_LABELS] = {"category", "phase", "library", "dtype",
                                                   "tensor_core"};

tdm_rule_set *tdm_bind_rule_set(lua_State *L, int at) {
  tdm_rule_set **kept = luaL_testudata(L, at, type_name);
  return kept != NULL ? *kept : NULL;
}

/* Texts stay alive in the rule's table; numbers are not taken for texts, since converting them
 * would make texts that nothing holds. */
static const char *text_at(lua_State *L, int at, const char *key, size_t *length) {
  int type = lua_getfield(L, at, key);
  const char *text = type == LUA_TSTRING ? lua_tolstring(L, -1, length) : NULL;
  lua_pop(L, 1);
  if (text == NULL && type != LUA_TNIL) luaL_error(L, "rules: %s is not a text", key);
  return text;
}

static const char *needed_at(lua_State *L, int at, const char *key, size_t *length) {
  const char *text = text_at(L, at, key, length);
  if (text == NULL) luaL_error(L, "rules: %s is missing", key);
  return text;
}

static tdm_rule check_rule(lua_State *L, int at) {
  tdm_rule rule = {.id = needed_at(L, at, "id", NULL), .file = needed_at(L, at, "file", NULL)};
  rule.match = needed_at(L, at, "match", &rule.match_length);
  for (int l = 0; l < TDM_LABEL_TENSOR_CORE; l++)
    rule.label[l] = text_at(L, at, label_keys[l], NULL);
  if (lua_getfield(L, at, label_keys[TDM_LABEL_TENSOR_CORE]) != LUA_TNIL)
    rule.label[TDM_LABEL_TENSOR_CORE] = lua_toboolean(L, -1) ? "yes" : "no";
  if (lua_getfield(L, at, "priority") != LUA_TNIL) rule.priority = luaL_checkinteger(L, -1);
  lua_getfield(L, at, "any_case");
  rule.any_case = lua_toboolean(L, -1);
  lua_pop(L, 3);
  return rule;
}

static int new_set(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  size_t count = (size_t)luaL_len(L, 1);
  tdm_rule *rules = lua_newuserdatauv(L, (count + 1) * sizeof *rules, 0);
  for (size_t i = 0; i < count; i++) {
    if (lua_geti(L, 1, (lua_Integer)i + 1) != LUA_TTABLE) luaL_error(L, "rules are tables");
    rules[i] = check_rule(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  tdm_rule_set **kept = lua_newuserdatauv(L, sizeof *kept, 0);
  *kept = NULL;
  luaL_setmetatable(L, type_name);
  tdm_error error;
  if (tdm_rule_set_new(rules, count, kept, &error) != TDM_OK) return tdm_bind_failure(L, &error);
  return 1;
}

static int free_set(lua_State *L) {
  tdm_rule_set **kept = luaL_checkudata(L, 1, type_name);
  tdm_rule_set_free(*kept);
  *kept = NULL;
  return 0;
}

/* set:match(name) → { category, rule, phase, library, dtype, tensor_core } */
static int match(lua_State *L) {
  tdm_rule_set *set = tdm_bind_rule_set(L, 1);
  size_t length;
  const char *name = luaL_checklstring(L, 2, &length);
  if (set == NULL) return luaL_argerror(L, 1, "not a set of rules");
  tdm_labels labels = tdm_rule_set_match(set, name, length);
  lua_createtable(L, 0, TDM_LABELS + 1);
  for (int l = 0; l < TDM_LABEL_TENSOR_CORE; l++) {
    lua_pushstring(L, labels.label[l]);
    lua_setfield(L, -2, label_keys[l]);
  }
  const char *tensor_core = labels.label[TDM_LABEL_TENSOR_CORE];
  if (tensor_core != NULL) {
    lua_pushboolean(L, tensor_core[0] == 'y');
    lua_setfield(L, -2, label_keys[TDM_LABEL_TENSOR_CORE]);
  }
  lua_pushstring(L, labels.rule);
  lua_setfield(L, -2, "rule");
  return 1;
}

void tdm_bind_open_rules(lua_State *L) {
  static const luaL_Reg methods[] = {{"match", match}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"rule_set", new_set}, {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  lua_pushcfunction(L, free_set);
  lua_setfield(L, -2, "__gc");
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
