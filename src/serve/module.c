/* serve.so: the module that `tandem serve` and `tandem mcp` load, so that the program itself starts
 * fast and runs where libmicrohttpd is not. serve.run{…} listens until SIGINT, SIGTERM or SIGHUP,
 * serve.attend{…} reads lines (attend.c). Owns the settings while the server runs. Called by
 * lua/tandem/cli/serve.lua and mcp.lua. */
#include <lauxlib.h>
#include <lua.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bind/bind.h"
#include "serve/attend.h"
#include "serve/guard.h"
#include "serve/server.h"

enum { TOKEN_ROOM = 4096 };

static lua_Integer number_field(lua_State *L, const char *key) {
  lua_getfield(L, 1, key);
  lua_Integer value = luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return value;
}

static const char *text_field(lua_State *L, const char *key) {
  lua_getfield(L, 1, key);
  return luaL_checkstring(L, -1); /* kept on the stack */
}

/* A NULL-ended list of the strings of list `key`, which the stack keeps. */
static const char **list_field(lua_State *L, const char *key) {
  luaL_checkstack(L, 8, "settings");
  if (lua_getfield(L, 1, key) != LUA_TTABLE) luaL_error(L, "'%s' is not a list", key);
  lua_Integer count = luaL_len(L, -1);
  const char **texts = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *texts, 0);
  for (lua_Integer i = 0; i < count; i++) {
    lua_rawgeti(L, -2, i + 1);
    texts[i] = luaL_checkstring(L, -1);
    lua_pop(L, 1);
  }
  texts[count] = NULL;
  return texts;
}

static tdm_settings settings_of(lua_State *L) {
  tdm_settings settings = {.address = text_field(L, "address"),
                           .token = text_field(L, "token"),
                           .spool = text_field(L, "spool"),
                           .names = list_field(L, "names"),
                           .open = list_field(L, "open"),
                           .large = list_field(L, "large")};
  settings.port = (uint16_t)number_field(L, "port");
  settings.body_bytes = (uint64_t)number_field(L, "body_bytes");
  settings.upload_bytes = (uint64_t)number_field(L, "upload_bytes");
  settings.connections = (unsigned)number_field(L, "connections");
  settings.patience_s = (unsigned)number_field(L, "patience_s");
  settings.workers = (unsigned)number_field(L, "workers");
  settings.jobs = (unsigned)number_field(L, "jobs");
  settings.waiting = (unsigned)number_field(L, "waiting");
  settings.job_s = (unsigned)number_field(L, "job_s");
  settings.job_bytes = (uint64_t)number_field(L, "job_bytes");
  settings.job_file_bytes = (uint64_t)number_field(L, "job_file_bytes");
  settings.files = text_field(L, "files");
  return settings;
}

/* Calls ready(port) and waits for a signal; every thread of the server has them blocked. */
static int wait_for_the_end(lua_State *L, const tdm_server *server, const sigset_t *ends) {
  lua_getfield(L, 1, "ready");
  lua_pushinteger(L, tdm_server_port(server));
  int status = lua_pcall(L, 1, 0, 0);
  int signal_number = 0;
  if (status == LUA_OK) sigwait(ends, &signal_number);
  return status;
}

/* run { address, port, token, spool, names, open, large, body_bytes, … module, setup, ready } →
 * true | nil, message. Returns after a signal, when all has ended. */
static int serve_run(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  luaL_checkstack(L, 40, "settings");
  tdm_settings settings = settings_of(L);
  const char *module = text_field(L, "module"), *setup = text_field(L, "setup");
  sigset_t ends, before;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  struct sigaction hangs_up;
  if (sigaction(SIGHUP, NULL, &hangs_up) == 0 && hangs_up.sa_handler != SIG_IGN)
    sigaddset(&ends, SIGHUP); /* under nohup it is ignored */
  signal(SIGPIPE, SIG_IGN);
  pthread_sigmask(SIG_BLOCK, &ends, &before);
  tdm_server *server = NULL;
  tdm_error error;
  int lock = -1;
  tdm_status status = tdm_spool_claim(settings.spool, &lock, &error);
  if (status == TDM_OK)
    status = tdm_server_open(&settings, tdm_bind_maker(L), module, setup, &server, &error);
  int failed = LUA_OK;
  if (status == TDM_OK) {
    failed = wait_for_the_end(L, server, &ends);
    tdm_server_close(server);
  }
  if (lock >= 0) close(lock);
  struct timespec none = {0};
  while (sigtimedwait(&ends, NULL, &none) > 0) {
  } /* more of the same were meant for the server too */
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed != LUA_OK) return lua_error(L);
  if (status != TDM_OK) {
    luaL_pushfail(L);
    lua_pushstring(L, error.message);
    return 2;
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* token(path) → text | nil, message */
static int serve_token(lua_State *L) {
  char text[TOKEN_ROOM];
  tdm_error error;
  if (tdm_token_read(luaL_checkstring(L, 1), text, sizeof text, &error) == TDM_OK) {
    lua_pushstring(L, text);
    return 1;
  }
  luaL_pushfail(L);
  lua_pushstring(L, error.message);
  return 2;
}

int luaopen_tandem_serve_module(lua_State *L);
int luaopen_tandem_serve_module(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"run", serve_run}, {"token", serve_token}, {"attend", tdm_attend}, {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
