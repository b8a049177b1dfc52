/* jupyter.so: the module that `tandem kernel run` loads, so that the program itself starts fast and
 * runs where ZeroMQ is not. jupyter.open{…} gives the kernel's sockets as an object; what messages
 * mean is lua/tandem/jupyter's. Owns the objects. */
#include <lauxlib.h>
#include <lua.h>
#include <string.h>
#include <unistd.h>

#include "jupyter/link.h"
#include "jupyter/multipart.h"

static const char type_name[] = "tandem.jupyter.link";

typedef struct {
  tdm_link *link; /* NULL: closed */
} box;

static tdm_link *check_link(lua_State *L) {
  box *b = luaL_checkudata(L, 1, type_name);
  if (b->link == NULL) luaL_error(L, "the kernel's sockets are closed");
  return b->link;
}

static tdm_channel check_channel(lua_State *L, int index) {
  const char *name = luaL_checkstring(L, index);
  for (int i = 0; i < TDM_HEARTBEAT; i++)
    if (strcmp(name, tdm_channel_names[i]) == 0) return (tdm_channel)i;
  luaL_argerror(L, index, "no such channel");
  return TDM_SHELL;
}

static const char *text_field(lua_State *L, const char *key) {
  lua_getfield(L, 1, key);
  return luaL_checkstring(L, -1); /* kept on the stack */
}

/* open { transport, address, key, shell, control, stdin, iopub, hb } → link | nil, message */
static int jupyter_open(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  tdm_link_settings settings = {.transport = text_field(L, "transport"),
                                .address = text_field(L, "address")};
  settings.key.text = text_field(L, "key");
  settings.key.bytes = lua_rawlen(L, -1);
  for (int i = 0; i < TDM_CHANNELS; i++) {
    lua_getfield(L, 1, tdm_channel_names[i]);
    settings.ports[i] = (uint16_t)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  box *b = lua_newuserdatauv(L, sizeof *b, 0);
  b->link = NULL;
  luaL_setmetatable(L, type_name);
  tdm_error error;
  if (tdm_link_open(&settings, &b->link, &error) == TDM_OK) return 1;
  luaL_pushfail(L);
  lua_pushstring(L, error.message);
  return 2;
}

static int link_close(lua_State *L) {
  box *b = luaL_checkudata(L, 1, type_name);
  tdm_link *link = b->link;
  b->link = NULL;
  tdm_link_close(link);
  return 0;
}

/* Pushes the frames as a list of texts, or nil and why there are none. */
static int receive(lua_State *L, void *socket, int flags) {
  tdm_multipart message;
  if (tdm_multipart_receive(&message, socket, flags) != 0) {
    luaL_pushfail(L);
    lua_pushstring(L, zmq_errno() == EINTR    ? "interrupted"
                      : zmq_errno() == EAGAIN ? "timeout"
                                              : zmq_strerror(zmq_errno()));
    return 2;
  }
  lua_createtable(L, (int)message.count, 0);
  for (size_t i = 0; i < message.count; i++) {
    lua_pushlstring(L, zmq_msg_data(&message.frames[i]), zmq_msg_size(&message.frames[i]));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  tdm_multipart_close(&message);
  return 1;
}

/* link:wait(timeout_ms) → "control" | "shell", frames | nil, "timeout" | "interrupted" */
static int link_wait(lua_State *L) {
  tdm_link *link = check_link(L);
  int channel = tdm_link_wait(link, (int)luaL_checkinteger(L, 2));
  if (channel < 0) {
    luaL_pushfail(L);
    lua_pushstring(L, channel == -1 ? "timeout" : "interrupted");
    return 2;
  }
  lua_pushstring(L, tdm_channel_names[channel]);
  receive(L, tdm_link_socket(link, (tdm_channel)channel), ZMQ_DONTWAIT);
  return 2; /* where nothing was there after all, nil and why are on top */
}

/* link:receive(channel) → frames | nil, "interrupted". Waits. */
static int link_receive(lua_State *L) {
  tdm_link *link = check_link(L);
  return receive(L, tdm_link_socket(link, check_channel(L, 2)), 0);
}

/* link:send(channel, frames) → true | nil, message */
static int link_send(lua_State *L) {
  tdm_link *link = check_link(L);
  void *socket = tdm_link_socket(link, check_channel(L, 2));
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 3);
  for (lua_Integer i = 1; i <= count; i++) {
    size_t bytes;
    lua_rawgeti(L, 3, i);
    const char *text = luaL_checklstring(L, -1, &bytes);
    int sent;
    do sent = zmq_send(socket, text, bytes, i < count ? ZMQ_SNDMORE : 0);
    while (sent < 0 && zmq_errno() == EINTR);
    if (sent < 0) {
      luaL_pushfail(L);
      lua_pushstring(L, zmq_strerror(zmq_errno()));
      return 2;
    }
    lua_pop(L, 1);
  }
  lua_pushboolean(L, 1);
  return 1;
}

/* parent() → the id of the process that started this one; it changes when that one ends */
static int jupyter_parent(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)getppid());
  return 1;
}

int luaopen_tandem_jupyter_module(lua_State *L);
int luaopen_tandem_jupyter_module(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"open", jupyter_open}, {"parent", jupyter_parent}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"wait", link_wait},  {"receive", link_receive}, {"send", link_send}, {"close", link_close},
      {"__gc", link_close}, {"__close", link_close},   {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  luaL_setfuncs(L, methods, 0);
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  return 1;
}
