/* core.envelope: messages of the Jupyter protocol opened and sealed. Owns nothing beyond a call.
 * Called by lua/tandem/jupyter. */
#include <lauxlib.h>

#include "base/envelope.h"
#include "bind/bind.h"

static const char *const part_names[TDM_ENVELOPE_PARTS] = {"header", "parent", "metadata",
                                                           "content"};

static tdm_frame check_frame(lua_State *L, int index) {
  tdm_frame frame;
  frame.text = luaL_checklstring(L, index, &frame.bytes);
  return frame;
}

/* Pushes a list of the frames of list 2 from `first` up to, not with, `end` (counted from 0). */
static void push_frames(lua_State *L, size_t first, size_t end) {
  lua_createtable(L, (int)(end - first), 0);
  for (size_t i = first; i < end; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    lua_rawseti(L, -2, (lua_Integer)(i - first) + 1);
  }
}

/* envelope.open(key, frames) → { identities, header, parent, metadata, content, buffers } | nil,
 * message, code */
static int envelope_open(lua_State *L) {
  tdm_frame key = check_frame(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  size_t count = (size_t)lua_rawlen(L, 2);
  tdm_frame *frames = lua_newuserdatauv(L, (count + 1) * sizeof *frames, 0);
  for (size_t i = 0; i < count; i++) {
    if (lua_rawgeti(L, 2, (lua_Integer)i + 1) != LUA_TSTRING)
      return luaL_error(L, "frame %d is not a text", (int)i + 1);
    frames[i].text = lua_tolstring(L, -1, &frames[i].bytes); /* held by the list */
    lua_pop(L, 1);
  }
  tdm_envelope envelope;
  tdm_error error;
  if (tdm_envelope_open(frames, count, key, &envelope, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  lua_createtable(L, 0, TDM_ENVELOPE_PARTS + 3);
  for (int i = 0; i < TDM_ENVELOPE_PARTS; i++) {
    lua_pushlstring(L, envelope.parts[i].text, envelope.parts[i].bytes);
    lua_setfield(L, -2, part_names[i]);
  }
  lua_pushlstring(L, envelope.signature.text, envelope.signature.bytes);
  lua_setfield(L, -2, "signature");
  push_frames(L, 0, envelope.identities);
  lua_setfield(L, -2, "identities");
  push_frames(L, envelope.buffers, count);
  lua_setfield(L, -2, "buffers");
  return 1;
}

/* envelope.seal(key, identities, header, parent, metadata, content) → frames */
static int envelope_seal(lua_State *L) {
  enum { FIRST_PART = 3 };
  tdm_frame key = check_frame(L, 1), parts[TDM_ENVELOPE_PARTS];
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  for (int i = 0; i < TDM_ENVELOPE_PARTS; i++) parts[i] = check_frame(L, FIRST_PART + i);
  char hex[TDM_ENVELOPE_HEX + 1];
  tdm_envelope_sign(parts, key, hex);
  push_frames(L, 0, (size_t)count);
  lua_pushliteral(L, TDM_ENVELOPE_DELIMITER);
  lua_rawseti(L, -2, ++count);
  lua_pushstring(L, hex);
  lua_rawseti(L, -2, ++count);
  for (int i = 0; i < TDM_ENVELOPE_PARTS; i++) {
    lua_pushvalue(L, FIRST_PART + i);
    lua_rawseti(L, -2, ++count);
  }
  return 1;
}

void tdm_bind_open_envelope(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"open", envelope_open}, {"seal", envelope_seal}, {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "envelope");
}
