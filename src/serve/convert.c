/* See convert.h. */
#include "serve/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

static const char jobs_key[] = "tandem.serve.jobs", stats_key[] = "tandem.serve.stats";

static tdm_jobs *jobs_of(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, jobs_key);
  tdm_jobs **jobs = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return *jobs;
}

/* ---- requests */

static void put_text(lua_State *L, const char *key, const char *text) {
  if (text == NULL) return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

/* A key that is given twice has its first value. */
static void put_pairs(lua_State *L, const char *key, const tdm_pairs *pairs) {
  lua_createtable(L, 0, (int)pairs->count);
  for (size_t i = pairs->count; i > 0; i--)
    put_text(L, pairs->items[i - 1].key, pairs->items[i - 1].value);
  lua_setfield(L, -2, key);
}

static void put_body(lua_State *L, const tdm_body *body, const char *text, const char *file,
                     const char *bytes) {
  if (body->path != NULL) {
    put_text(L, file, body->path);
  } else if (body->length > 0) {
    lua_pushlstring(L, body->text, body->length);
    lua_setfield(L, -2, text);
  }
  lua_pushinteger(L, (lua_Integer)body->bytes);
  lua_setfield(L, -2, bytes);
}

void tdm_convert_request(lua_State *L, const tdm_request *request) {
  lua_createtable(L, 0, 10);
  put_text(L, "method", request->method);
  put_text(L, "path", request->path);
  put_text(L, "sender", request->sender);
  put_pairs(L, "headers", &request->headers);
  put_pairs(L, "query", &request->query);
  put_body(L, &request->body, "body", "body_file", "body_bytes");
  if (request->job[0] != '\0') put_text(L, "job", request->job);
  lua_createtable(L, (int)request->part_count, 0);
  for (size_t i = 0; i < request->part_count; i++) {
    lua_createtable(L, 0, 4);
    put_text(L, "name", request->parts[i].name);
    put_text(L, "filename", request->parts[i].filename);
    put_body(L, &request->parts[i].body, "text", "file", "bytes");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "parts");
}

/* ---- answers */

static void take_headers(lua_State *L, tdm_answer *answer) {
  if (lua_getfield(L, -1, "headers") == LUA_TTABLE) {
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING) luaL_error(L, "a header's name is not a text");
      const char *value = luaL_tolstring(L, -1, NULL);
      if (!tdm_pairs_add(&answer->headers, lua_tostring(L, -3), value))
        luaL_error(L, "not enough memory");
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
}

static void take_file(lua_State *L, tdm_answer *answer, const char *path) {
  struct stat status;
  answer->file = open(path, O_RDONLY | O_CLOEXEC);
  if (answer->file < 0 || fstat(answer->file, &status) != 0)
    luaL_error(L, "%s: %s", path, strerror(errno));
  answer->bytes = (uint64_t)status.st_size;
}

static void take_body(lua_State *L, tdm_answer *answer) {
  if (lua_getfield(L, -1, "file") == LUA_TSTRING) take_file(L, answer, lua_tostring(L, -1));
  lua_pop(L, 1);
  if (lua_getfield(L, -1, "events") == LUA_TSTRING)
    strncpy(answer->events, lua_tostring(L, -1), sizeof answer->events - 1);
  lua_pop(L, 1);
  if (lua_getfield(L, -1, "body") == LUA_TSTRING) {
    const char *text = lua_tolstring(L, -1, &answer->length);
    answer->text = malloc(answer->length + 1);
    if (answer->text == NULL) luaL_error(L, "not enough memory");
    memcpy(answer->text, text, answer->length);
  }
  lua_pop(L, 1);
}

void tdm_convert_answer(lua_State *L, tdm_request *request) {
  luaL_checktype(L, -1, LUA_TTABLE);
  request->wait_until_ns = 0;
  if (lua_getfield(L, -1, "job") == LUA_TSTRING) {
    const char *job = lua_tostring(L, -1);
    if (strlen(job) > TDM_JOB_ID) luaL_error(L, "'%s' is not a job", job);
    strcpy(request->job, job);
    lua_getfield(L, -2, "wait_s");
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    request->wait_until_ns =
        (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + (int64_t)(luaL_checknumber(L, -1) * 1e9) + 1;
    lua_pop(L, 3);
    return;
  }
  lua_pop(L, 1);
  lua_getfield(L, -1, "status");
  lua_Integer status = luaL_checkinteger(L, -1);
  luaL_argcheck(L, status >= 200 && status < 600, -1, "no status");
  lua_pop(L, 1);
  request->answer = tdm_answer_new((unsigned)status);
  if (request->answer == NULL) luaL_error(L, "not enough memory");
  take_headers(L, request->answer);
  take_body(L, request->answer);
  lua_pop(L, 1);
}

/* ---- what handlers may ask */

/* native.job_new(kind, detail) → id | nil: too many wait */
static int job_new(lua_State *L) {
  char id[TDM_JOB_ID + 1];
  const char *kind = luaL_checkstring(L, 1), *detail = luaL_checkstring(L, 2);
  if (tdm_jobs_new(jobs_of(L), kind, detail, id))
    lua_pushstring(L, id);
  else
    luaL_pushfail(L);
  return 1;
}

/* native.job_start(id, arguments) → whether it is queued */
static int job_start(lua_State *L) {
  const char *id = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_Integer count = luaL_len(L, 2);
  const char **arguments = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *arguments, 0);
  for (lua_Integer i = 0; i < count; i++) {
    if (lua_rawgeti(L, 2, i + 1) != LUA_TSTRING) return luaL_error(L, "an argument is not a text");
    arguments[i] = lua_tostring(L, -1); /* the table keeps it */
    lua_pop(L, 1);
  }
  arguments[count] = NULL;
  lua_pushboolean(L, tdm_jobs_start(jobs_of(L), id, arguments));
  return 1;
}

static void push_view(lua_State *L, const tdm_job_view *view) {
  lua_createtable(L, 0, 9);
  put_text(L, "id", view->id);
  put_text(L, "state", tdm_job_state_name(view->state));
  put_text(L, "kind", view->kind);
  put_text(L, "detail", view->detail);
  put_text(L, "directory", view->directory);
  put_text(L, "why", view->why);
  lua_pushboolean(L, tdm_job_ended(view->state));
  lua_setfield(L, -2, "ended");
  lua_pushnumber(L, view->seconds);
  lua_setfield(L, -2, "seconds");
  if (tdm_job_ended(view->state)) {
    lua_pushinteger(L, view->code);
    lua_setfield(L, -2, "code");
  }
  if (view->percent >= 0) {
    lua_pushnumber(L, view->percent / 100.0);
    lua_setfield(L, -2, "progress");
  }
}

/* native.job(id) → { id, state, kind, detail, directory, why?, ended, code?, progress?, seconds }
 * | nil */
static int job_look(lua_State *L) {
  tdm_job_view view;
  if (!tdm_jobs_look(jobs_of(L), luaL_checkstring(L, 1), &view)) {
    luaL_pushfail(L);
    return 1;
  }
  push_view(L, &view);
  tdm_job_view_free(&view);
  return 1;
}

/* native.jobs() → such tables, the newest first */
static int job_list(lua_State *L) {
  size_t count;
  tdm_job_view *views = tdm_jobs_list(jobs_of(L), &count);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    push_view(L, &views[i]);
    tdm_job_view_free(&views[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  free(views);
  return 1;
}

/* native.job_cancel(id) → whether there is such a job */
static int job_cancel(lua_State *L) {
  lua_pushboolean(L, tdm_jobs_cancel(jobs_of(L), luaL_checkstring(L, 1)));
  return 1;
}

static void put_count(lua_State *L, const char *key, int64_t count) {
  lua_pushinteger(L, count);
  lua_setfield(L, -2, key);
}

/* native.stats() → { answers = { ["2"] = … }, latencies = {{ end_s?, count }}, latency_s,
 * received_bytes, refused, cut, in_flight } */
static int stats(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, stats_key);
  tdm_stats *s = lua_touserdata(L, -1);
  lua_createtable(L, 0, 7);
  put_count(L, "received_bytes", (int64_t)atomic_load(&s->received_bytes));
  put_count(L, "refused", (int64_t)atomic_load(&s->refused));
  put_count(L, "cut", (int64_t)atomic_load(&s->cut));
  put_count(L, "in_flight", (int64_t)atomic_load(&s->in_flight));
  lua_pushnumber(L, (double)atomic_load(&s->latency_ns) / 1e9);
  lua_setfield(L, -2, "latency_s");
  lua_newtable(L);
  for (int i = 1; i < 6; i++) {
    lua_pushinteger(L, (lua_Integer)atomic_load(&s->answers[i]));
    lua_rawseti(L, -2, i);
  }
  lua_setfield(L, -2, "answers");
  lua_newtable(L);
  for (int i = 0; i < TDM_LATENCIES; i++) {
    lua_createtable(L, 0, 2);
    if (i < TDM_LATENCIES - 1) {
      lua_pushnumber(L, tdm_latency_ends_s[i]);
      lua_setfield(L, -2, "end_s");
    }
    put_count(L, "count", (int64_t)atomic_load(&s->latencies[i]));
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "latencies");
  return 1;
}

static int open_native(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"job_new", job_new},       {"job_start", job_start}, {"job", job_look}, {"jobs", job_list},
      {"job_cancel", job_cancel}, {"stats", stats},         {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}

void tdm_convert_install(lua_State *L, tdm_jobs **jobs, tdm_stats *counted) {
  lua_pushlightuserdata(L, jobs);
  lua_setfield(L, LUA_REGISTRYINDEX, jobs_key);
  lua_pushlightuserdata(L, counted);
  lua_setfield(L, LUA_REGISTRYINDEX, stats_key);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, open_native);
  lua_setfield(L, -2, "tandem.serve.native");
  lua_pop(L, 1);
}
