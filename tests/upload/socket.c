/* TCP on loopback for the proxy and the endpoint of the upload tests, which break connections at a
 * byte that the test chooses. A Lua module of its own, compiled by tests/run-all; owns no state. */
#include <errno.h>
#include <lauxlib.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int fail(lua_State *L) {
  luaL_pushfail(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

/* listen() → descriptor, port */
static int open_listener(lua_State *L) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0 || bind(socket_fd, (struct sockaddr *)&address, size) != 0 ||
      listen(socket_fd, 64) != 0 || getsockname(socket_fd, (struct sockaddr *)&address, &size) != 0)
    return fail(L);
  lua_pushinteger(L, socket_fd);
  lua_pushinteger(L, ntohs(address.sin_port));
  return 2;
}

/* accept(descriptor, timeout_ms) → connection | nil */
static int take(lua_State *L) {
  struct pollfd wait = {.fd = (int)luaL_checkinteger(L, 1), .events = POLLIN};
  if (poll(&wait, 1, (int)luaL_checkinteger(L, 2)) <= 0) return fail(L);
  int connection = accept4(wait.fd, NULL, NULL, SOCK_CLOEXEC);
  if (connection < 0) return fail(L);
  lua_pushinteger(L, connection);
  return 1;
}

/* connect(port) → connection */
static int reach(lua_State *L) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                .sin_port = htons((uint16_t)luaL_checkinteger(L, 1))};
  int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return fail(L);
  if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) {
    int reason = errno;
    close(connection);
    errno = reason;
    return fail(L);
  }
  lua_pushinteger(L, connection);
  return 1;
}

/* ready(descriptors, timeout_ms) → list of those that can be read */
static int await_any(lua_State *L) {
  enum { MOST = 64 };
  struct pollfd waits[MOST];
  luaL_checktype(L, 1, LUA_TTABLE);
  nfds_t count = (nfds_t)lua_rawlen(L, 1);
  luaL_argcheck(L, count <= MOST, 1, "too many");
  for (nfds_t i = 0; i < count; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    waits[i] = (struct pollfd){.fd = (int)luaL_checkinteger(L, -1), .events = POLLIN};
    lua_pop(L, 1);
  }
  poll(waits, count, (int)luaL_checkinteger(L, 2));
  lua_newtable(L);
  for (nfds_t i = 0; i < count; i++) {
    if (waits[i].revents == 0) continue;
    lua_pushinteger(L, waits[i].fd);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  }
  return 1;
}

/* receive(connection, most) → bytes | nil: it ended */
static int receive(lua_State *L) {
  char bytes[65536];
  size_t most = (size_t)luaL_checkinteger(L, 2);
  struct pollfd wait = {.fd = (int)luaL_checkinteger(L, 1), .events = POLLIN};
  if (poll(&wait, 1, 60000) <= 0) return fail(L);
  ssize_t count = recv(wait.fd, bytes, most < sizeof bytes ? most : sizeof bytes, 0);
  if (count <= 0) return fail(L);
  lua_pushlstring(L, bytes, (size_t)count);
  return 1;
}

/* send(connection, bytes) → true | nil */
static int give(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 2, &size);
  for (size_t at = 0; at < size;) {
    ssize_t count = send((int)luaL_checkinteger(L, 1), bytes + at, size - at, MSG_NOSIGNAL);
    if (count <= 0) return fail(L);
    at += (size_t)count;
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* close(connection, reset): with a reset, or in peace */
static int end(lua_State *L) {
  struct linger at_once = {.l_onoff = 1, .l_linger = 0};
  int connection = (int)luaL_checkinteger(L, 1);
  if (lua_toboolean(L, 2)) setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(connection);
  return 0;
}

int luaopen_socket_of_tests(lua_State *L);
int luaopen_socket_of_tests(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"listen", open_listener}, {"accept", take},     {"receive", receive}, {"send", give},
      {"connect", reach},        {"ready", await_any}, {"close", end},       {NULL, NULL}};
  luaL_newlib(L, functions);
  return 1;
}
