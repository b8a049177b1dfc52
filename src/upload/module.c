/* upload.so: HTTP requests for Lua, and what goes with them: a token's file, a wait that Ctrl-C
 * ends. Loaded by tandem.upload.transport when something is to be sent, so that the program itself
 * does not link libcurl. What is asked, how often and of whom is Lua's.
 *
 * An open transport owns its connection until it is collected or closed. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "upload/http.h"

enum { HEADERS_MOST = 32, SECRET_MOST = 8192 };

static const char type_name[] = "tandem.transport";
static const char interrupt_key[] = "tandem.interrupt"; /* bind/bind.c's */

typedef struct {
  tdm_http *http;
} transport;

static atomic_int *flag_of(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, interrupt_key);
  atomic_int *flag = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return flag;
}

static int is_set(void *flag) {
  return flag != NULL && atomic_load_explicit((atomic_int *)flag, memory_order_relaxed) != 0;
}

/* ---- a request's fields ---- */

static const char *text_field(lua_State *L, const char *key, size_t *size) {
  lua_getfield(L, 2, key); /* kept on the stack, which owns it */
  return lua_isnil(L, -1) ? NULL : luaL_checklstring(L, -1, size);
}

static lua_Number number_field(lua_State *L, const char *key, lua_Number otherwise) {
  lua_getfield(L, 2, key);
  lua_Number value = luaL_optnumber(L, -1, otherwise);
  lua_pop(L, 1);
  return value;
}

static size_t read_headers(lua_State *L, const char *headers[HEADERS_MOST]) {
  size_t count = 0;
  if (lua_getfield(L, 2, "headers") == LUA_TNIL) return 0;
  luaL_checktype(L, -1, LUA_TTABLE);
  int list = lua_gettop(L);
  for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; i++) {
    if (count == HEADERS_MOST) luaL_error(L, "too many headers");
    headers[count++] = luaL_checkstring(L, -1);
    if (strpbrk(headers[count - 1], "\r\n") != NULL) luaL_error(L, "a header with a line end");
  }
  return count;
}

/* ---- an answer as a table ---- */

/* Header lines as { name in lower case = value }. */
static void push_headers(lua_State *L, const char *head, size_t bytes) {
  lua_newtable(L);
  const char *end = head + bytes;
  while (head != NULL && head < end) {
    const char *stop = memchr(head, '\n', (size_t)(end - head));
    if (stop == NULL) stop = end;
    const char *colon = memchr(head, ':', (size_t)(stop - head));
    if (colon != NULL) {
      luaL_Buffer name;
      luaL_buffinit(L, &name);
      for (const char *c = head; c < colon; c++)
        luaL_addchar(&name, *c >= 'A' && *c <= 'Z' ? (char)(*c + 32) : *c);
      luaL_pushresult(&name);
      const char *from = colon + 1, *to = stop;
      while (from < to && (*from == ' ' || *from == '\t')) from++;
      while (to > from && (to[-1] == '\r' || to[-1] == ' ')) to--;
      lua_pushlstring(L, from, (size_t)(to - from));
      lua_rawset(L, -3);
    }
    head = stop + 1;
  }
}

/* answer * → { status, headers, body } */
static int push_answer(lua_State *L) {
  const tdm_http_answer *answer = lua_touserdata(L, 1);
  lua_createtable(L, 0, 3);
  lua_pushinteger(L, answer->status);
  lua_setfield(L, -2, "status");
  push_headers(L, answer->head, answer->head_bytes);
  lua_setfield(L, -2, "headers");
  lua_pushlstring(L, answer->body != NULL ? answer->body : "", answer->body_bytes);
  lua_setfield(L, -2, "body");
  return 1;
}

/* transport:ask { method, url, headers?, body? | file?, from?, bytes?, connect_s?, stall_s?,
 * authorities?, most? } → { status, headers, body } | nil, message, kind: "timeout", "cut",
 * "unreached", "untrusted", "unsecured", "unusable", "stopped" */
static int ask(lua_State *L) {
  static const char *const kinds[] = {
      [TDM_HTTP_TIMEOUT] = "timeout",     [TDM_HTTP_CUT] = "cut",
      [TDM_HTTP_UNREACHED] = "unreached", [TDM_HTTP_UNTRUSTED] = "untrusted",
      [TDM_HTTP_UNSECURED] = "unsecured", [TDM_HTTP_UNUSABLE] = "unusable",
      [TDM_HTTP_STOPPED] = "stopped"};
  transport *t = luaL_checkudata(L, 1, type_name);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  luaL_checkstack(L, HEADERS_MOST + 16, "ask");
  if (t->http == NULL) return luaL_error(L, "this transport is closed");
  const char *headers[HEADERS_MOST];
  size_t size = 0;
  tdm_http_request request = {
      .method = text_field(L, "method", NULL),
      .url = text_field(L, "url", NULL),
      .body = text_field(L, "body", &size),
      .file = text_field(L, "file", NULL),
      .authorities = text_field(L, "authorities", NULL),
      .headers = headers,
      .headers_count = read_headers(L, headers),
      .file_from = (int64_t)number_field(L, "from", 0),
      .file_bytes = (int64_t)number_field(L, "bytes", 0),
      .connect_s = number_field(L, "connect_s", 10),
      .stall_s = number_field(L, "stall_s", 30),
      .most_bytes = (size_t)number_field(L, "most", 1 << 20),
      .stopped = is_set,
      .context = flag_of(L),
  };
  request.body_bytes = size;
  if (request.method == NULL || request.url == NULL)
    return luaL_error(L, "'method' or 'url' is missing");
  tdm_http_answer answer;
  tdm_http_outcome outcome = tdm_http_ask(t->http, &request, &answer);
  if (outcome != TDM_HTTP_ANSWERED) {
    luaL_pushfail(L);
    lua_pushstring(L, answer.message);
    tdm_http_answer_free(&answer);
    lua_pushstring(L, kinds[outcome]);
    return 3;
  }
  lua_pushcfunction(L, push_answer);
  lua_pushlightuserdata(L, &answer);
  int status = lua_pcall(L, 1, 1, 0); /* the answer is freed whatever happens */
  tdm_http_answer_free(&answer);
  return status == LUA_OK ? 1 : lua_error(L);
}

/* transport:close(): twice is fine */
static int close_transport(lua_State *L) {
  transport *t = luaL_checkudata(L, 1, type_name);
  tdm_http_free(t->http);
  t->http = NULL;
  return 0;
}

/* open() → transport */
static int open_transport(lua_State *L) {
  transport *t = lua_newuserdatauv(L, sizeof *t, 0);
  t->http = NULL;
  luaL_setmetatable(L, type_name);
  t->http = tdm_http_new();
  return t->http != NULL ? 1 : luaL_error(L, "not enough memory for a connection");
}

/* ---- beside it ---- */

/* wait(seconds) → whether it was waited to the end: false when Ctrl-C came */
static int wait_for(lua_State *L) {
  atomic_int *flag = flag_of(L);
  lua_Number left_s = luaL_checknumber(L, 1);
  static const lua_Number glance_s = 0.05;
  while (left_s > 0 && !is_set(flag)) {
    lua_Number nap_s = left_s < glance_s ? left_s : glance_s;
    struct timespec nap = {.tv_nsec = (long)(nap_s * 1e9)};
    nanosleep(&nap, NULL);
    left_s -= nap_s;
  }
  lua_pushboolean(L, !is_set(flag));
  return 1;
}

static int refuse(lua_State *L, const char *path, const char *why) {
  luaL_pushfail(L);
  lua_pushfstring(L, "%s %s", path, why);
  return 2;
}

/* secret(path) → what is in a file that nobody else may read | nil, message */
static int secret(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  char text[SECRET_MOST + 1];
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t size = -1;
  int reason = 0;
  if (file < 0 || fstat(file, &status) != 0) {
    reason = errno;
  } else if (S_ISREG(status.st_mode) && (status.st_mode & 077) == 0) {
    size = read(file, text, sizeof text);
    if (size < 0) reason = errno;
  }
  if (file >= 0) close(file);
  if (reason != 0) return refuse(L, path, strerror(reason));
  if (!S_ISREG(status.st_mode)) return refuse(L, path, "is not a regular file");
  if ((status.st_mode & 077) != 0) {
    luaL_pushfail(L);
    lua_pushfstring(L, "%s can be read by others: chmod 600 %s", path, path);
    return 2;
  }
  if (size > SECRET_MOST) return refuse(L, path, "is too long for a token");
  lua_pushlstring(L, text, (size_t)size);
  memset(text, 0, sizeof text);
  return 1;
}

int luaopen_tandem_upload(lua_State *L);
int luaopen_tandem_upload(lua_State *L) {
  static const luaL_Reg methods[] = {{"ask", ask}, {"close", close_transport}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"open", open_transport}, {"wait", wait_for}, {"secret", secret}, {NULL, NULL}};
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return luaL_error(L, "libcurl cannot be used");
  luaL_newmetatable(L, type_name);
  lua_pushcfunction(L, close_transport);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, close_transport);
  lua_setfield(L, -2, "__close");
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  return 1;
}
