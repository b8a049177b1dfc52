/* Analyses for Lua: core.view(path, run, filter) → view | nil, message, code;
 * view:answer(name, options) → answer | nil, message, code; view:trim(bytes); view:close().
 * core.diff({ view… }, { view… }, options) → answer | nil, message, code. core.analyses() → groups.
 *
 * A view has a connection of its own, so that it depends on no other object's life; it is made only
 * when something is asked. Owns both. The descriptions for people are lua/tandem/analysis. */
#include <lauxlib.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/diff/diff.h"
#include "bind/analysis.h"
#include "bind/bind.h"
#include "trace/store/pages.h"
#include "trace/store/store.h"

static const char type_name[] = "tandem.view";

typedef struct {
  tdm_store *store;
  tdm_run_view *view; /* NULL: closed */
  atomic_int *flag;
} opened;

static int was_stopped(void *context) {
  const opened *o = context;
  return o->flag != NULL && atomic_load_explicit(o->flag, memory_order_relaxed) != 0;
}

/* ---- opening and closing ---- */

static int64_t number_field(lua_State *L, int at, const char *key, int64_t otherwise) {
  int64_t value = otherwise;
  if (lua_getfield(L, at, key) != LUA_TNIL) value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

static const char *text_field(lua_State *L, int at, const char *key) {
  lua_getfield(L, at, key);
  return lua_isnil(L, -1) ? NULL : luaL_checkstring(L, -1); /* kept on the stack */
}

static tdm_run_view_filter check_filter(lua_State *L, int at) {
  tdm_run_view_filter filter = TDM_RUN_VIEW_ALL;
  if (lua_isnoneornil(L, at)) return filter;
  luaL_checktype(L, at, LUA_TTABLE);
  filter.from_ns = number_field(L, at, "from_ns", INT64_MIN);
  filter.to_ns = number_field(L, at, "to_ns", INT64_MAX);
  filter.device = number_field(L, at, "device", TDM_NONE);
  filter.stream = number_field(L, at, "stream", TDM_NONE);
  filter.pid = number_field(L, at, "pid", TDM_NONE);
  filter.tid = number_field(L, at, "tid", TDM_NONE);
  filter.rank = number_field(L, at, "rank", TDM_NONE);
  filter.range = text_field(L, at, "range");
  filter.domain = text_field(L, at, "domain");
  return filter;
}

static int close_view(lua_State *L) {
  opened *o = luaL_checkudata(L, 1, type_name);
  tdm_run_view_close(o->view);
  tdm_store_close(o->store);
  o->view = NULL;
  o->store = NULL;
  return 0;
}

/* core.view(path, run number, { from_ns, to_ns, device, stream, pid, tid, rank, range, domain }?)
 */
static int open_view(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  int64_t run = luaL_checkinteger(L, 2);
  lua_settop(L, 3);
  luaL_checkstack(L, 8, "view");
  opened *o = lua_newuserdatauv(L, sizeof *o, 0);
  *o = (opened){.flag = tdm_bind_interrupt(L)};
  luaL_setmetatable(L, type_name);
  int object = lua_gettop(L);
  tdm_run_view_filter filter = check_filter(L, 3);
  tdm_error error;
  tdm_status status = tdm_store_open(path, was_stopped, o, &o->store, &error);
  if (status == TDM_OK)
    status = tdm_run_view_open(tdm_store_database(o->store), run, &filter, was_stopped, o, &o->view,
                               &error);
  if (status != TDM_OK) return tdm_bind_failure(L, &error);
  lua_pushvalue(L, object);
  return 1;
}

tdm_run_view *tdm_bind_view(lua_State *L, int at) {
  opened *o = luaL_checkudata(L, at, type_name);
  if (o->view == NULL) luaL_error(L, "this view is closed");
  return o->view;
}

/* ---- answers ---- */

/* The options of the table at `at`; their texts stay in it. */
static tdm_options check_options(lua_State *L, int at) {
  tdm_options options = {0};
  if (lua_isnoneornil(L, at)) return options;
  luaL_checktype(L, at, LUA_TTABLE);
  size_t room = 0;
  for (lua_pushnil(L); lua_next(L, at) != 0; lua_pop(L, 1)) room++;
  tdm_option *list = lua_newuserdatauv(L, (room + 1) * sizeof *list, 0);
  for (lua_pushnil(L); lua_next(L, at) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) luaL_argerror(L, at, "options have names");
    tdm_option option = {.key = lua_tostring(L, -2)};
    switch (lua_type(L, -1)) {
    case LUA_TSTRING: option.text = lua_tostring(L, -1); break;
    case LUA_TNUMBER: option.number = lua_tonumber(L, -1); break;
    case LUA_TBOOLEAN: option.number = lua_toboolean(L, -1); break;
    default:
      option.object = tdm_bind_rule_set(L, -1);
      if (option.object == NULL) luaL_argerror(L, at, "options are texts, numbers, flags or rules");
    }
    list[options.count++] = option;
  }
  options.option = list;
  return options;
}

static void push_cell(lua_State *L, const tdm_frame *frame, size_t row, size_t field,
                      tdm_field_type type) {
  int64_t number = 0;
  double real = 0;
  const char *text = NULL;
  if (!tdm_frame_value(frame, row, field, &number, &real, &text))
    lua_pushnil(L);
  else if (type == TDM_FIELD_REAL)
    lua_pushnumber(L, real);
  else if (type == TDM_FIELD_TEXT)
    lua_pushstring(L, text);
  else if (type == TDM_FIELD_BOOL)
    lua_pushboolean(L, (int)number);
  else
    lua_pushinteger(L, number);
}

/* { name, columns = { name… }, rows = { { column = value… }… } } */
static void push_frame(lua_State *L, const tdm_frame *frame) {
  size_t fields;
  const tdm_field *field = tdm_frame_fields(frame, &fields);
  size_t rows = tdm_frame_rows(frame);
  lua_createtable(L, 0, 3);
  lua_pushstring(L, tdm_frame_title(frame));
  lua_setfield(L, -2, "name");
  lua_createtable(L, (int)fields, 0);
  int names = lua_gettop(L);
  for (size_t f = 0; f < fields; f++) {
    lua_pushstring(L, field[f].name);
    lua_rawseti(L, names, (lua_Integer)f + 1);
  }
  lua_createtable(L, (int)rows, 0);
  for (size_t r = 0; r < rows; r++) {
    lua_createtable(L, 0, (int)fields);
    for (size_t f = 0; f < fields; f++) {
      lua_rawgeti(L, names, (lua_Integer)f + 1);
      push_cell(L, frame, r, f, field[f].type);
      lua_rawset(L, -3);
    }
    lua_rawseti(L, -2, (lua_Integer)r + 1);
  }
  lua_setfield(L, -3, "rows");
  lua_setfield(L, -2, "columns");
}

static void push_sentences(lua_State *L, const tdm_answer *answer, const char *key,
                           size_t (*count)(const tdm_answer *),
                           const char *(*at)(const tdm_answer *, size_t)) {
  lua_newtable(L);
  for (size_t i = 0; i < count(answer); i++) {
    lua_pushstring(L, at(answer, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, key);
}

static int free_answer(lua_State *L) {
  tdm_answer **kept = lua_touserdata(L, 1);
  tdm_answer_free(*kept);
  *kept = NULL;
  return 0;
}

tdm_answer *tdm_bind_new_answer(lua_State *L) {
  tdm_answer **kept = lua_newuserdatauv(L, sizeof *kept, 0);
  *kept = NULL;
  if (luaL_newmetatable(L, "tandem.answer (C)")) {
    lua_pushcfunction(L, free_answer);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, free_answer);
    lua_setfield(L, -2, "__close");
  }
  lua_setmetatable(L, -2);
  lua_toclose(L, -1);
  *kept = tdm_answer_new();
  if (*kept == NULL) luaL_error(L, "not enough memory");
  return *kept;
}

int tdm_bind_answer(lua_State *L, const tdm_answer *made, tdm_status status, tdm_error *error) {
  if (status == TDM_OK) status = tdm_answer_status(made, error);
  if (status != TDM_OK) return tdm_bind_failure(L, error);
  lua_createtable(L, 0, 3);
  lua_createtable(L, (int)tdm_answer_frames(made), 0);
  for (size_t i = 0; i < tdm_answer_frames(made); i++) {
    push_frame(L, tdm_answer_frame_at(made, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "frames");
  push_sentences(L, made, "basis", tdm_answer_basis_count, tdm_answer_basis_at);
  push_sentences(L, made, "cannot", tdm_answer_cannot_count, tdm_answer_cannot_at);
  return 1;
}

/* view:answer(name, options?) */
static int answer(lua_State *L) {
  opened *o = luaL_checkudata(L, 1, type_name);
  if (o->view == NULL) return luaL_error(L, "this view is closed");
  const tdm_analysis *analysis = tdm_analysis_named(luaL_checkstring(L, 2));
  if (analysis == NULL) return luaL_argerror(L, 2, "there is no such analysis");
  lua_settop(L, 3);
  luaL_checkstack(L, 16, "answer");
  tdm_options options = check_options(L, 3);
  tdm_answer *made = tdm_bind_new_answer(L);
  tdm_error error;
  tdm_status status = analysis->answer(o->view, &options, made, &error);
  if (status == TDM_OK) status = tdm_run_view_sound(o->view, &error);
  return tdm_bind_answer(L, made, status, &error);
}

/* view:trim(bytes): between answers, when nothing else was made of this view */
static int trim(lua_State *L) {
  opened *o = luaL_checkudata(L, 1, type_name);
  lua_Integer most = luaL_checkinteger(L, 2);
  if (o->view != NULL && most >= 0) tdm_run_view_trim(o->view, (size_t)most);
  return 0;
}

/* core.analyses() → { { title, names = { … } }, … }: those that have a command, by what they are
 * about, in the order that help shows them */
static int analyses(lua_State *L) {
  static const char *const titles[] = {"What ran", "Where the time goes", "Memory and copies",
                                       "What to change"};
  size_t count;
  const tdm_analysis *list = tdm_analysis_list(&count);
  lua_newtable(L);
  for (int g = 0; g < TDM_ANALYSIS_INNER; g++) {
    lua_newtable(L);
    lua_pushstring(L, titles[g]);
    lua_setfield(L, -2, "title");
    lua_newtable(L);
    lua_Integer at = 0;
    for (size_t i = 0; i < count; i++) {
      if ((int)list[i].group != g) continue;
      lua_pushstring(L, list[i].name);
      lua_rawseti(L, -2, ++at);
    }
    lua_setfield(L, -2, "names");
    lua_rawseti(L, -2, g + 1);
  }
  return 1;
}

/* The views of the list at `at`; they stay in it. */
static tdm_diff_side check_views(lua_State *L, int at) {
  luaL_checktype(L, at, LUA_TTABLE);
  size_t count = lua_rawlen(L, at);
  luaL_argcheck(L, count > 0, at, "a diff wants views");
  tdm_run_view **views = lua_newuserdatauv(L, count * sizeof(tdm_run_view *), 0);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, at, (lua_Integer)i + 1);
    opened *o = luaL_checkudata(L, -1, type_name);
    if (o->view == NULL) luaL_error(L, "this view is closed");
    views[i] = o->view;
    lua_pop(L, 1);
  }
  return (tdm_diff_side){.view = views, .count = count};
}

/* core.diff({ view… }, { view… }, { by, over, unit, a_within, b_within }) */
static int diff(lua_State *L) {
  lua_settop(L, 3);
  luaL_checkstack(L, 16, "diff");
  tdm_diff_side a = check_views(L, 1), b = check_views(L, 2);
  tdm_options options = check_options(L, 3);
  a.within = tdm_option_text(&options, "a_within", NULL);
  b.within = tdm_option_text(&options, "b_within", NULL);
  a.unit = b.unit = (size_t)tdm_option_number(&options, "unit", 0);
  tdm_answer *made = tdm_bind_new_answer(L);
  tdm_error error;
  tdm_status status = tdm_answer_diff(&a, &b, &options, made, &error);
  for (size_t i = 0; i < a.count && status == TDM_OK; i++)
    status = tdm_run_view_sound(a.view[i], &error);
  for (size_t i = 0; i < b.count && status == TDM_OK; i++)
    status = tdm_run_view_sound(b.view[i], &error);
  return tdm_bind_answer(L, made, status, &error);
}

void tdm_bind_open_analysis(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"answer", answer}, {"trim", trim}, {"close", close_view}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"view", open_view}, {"diff", diff}, {"analyses", analyses}, {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  lua_pushcfunction(L, close_view);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, close_view);
  lua_setfield(L, -2, "__close");
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
