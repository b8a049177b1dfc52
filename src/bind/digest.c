/* core.digest: what parcels for other machines need: SHA-256 of texts and files, files packed with
 * zstd and expanded up to a limit, texts packed with gzip. Owns nothing beyond a call and the
 * hashes under way. Called by tandem.upload and tandem.serve. */
#include <errno.h>
#include <lauxlib.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bind/bind.h"
#include "trace/packed_file.h"

static const char type_name[] = "tandem.sha256";

/* Pushes the digest in hexadecimal digits; the hash begins anew. */
static int push_hex(lua_State *L, struct sha256_ctx *hash) {
  uint8_t digest[SHA256_DIGEST_SIZE];
  char hex[BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE)];
  sha256_digest(hash, sizeof digest, digest);
  base16_encode_update(hex, sizeof digest, digest);
  lua_pushlstring(L, hex, sizeof hex);
  return 1;
}

/* digest.sha256() → a hash: hash:add(text) → hash, hash:hex() → 64 digits
 * digest.sha256(text) → 64 digits */
static int digest_sha256(lua_State *L) {
  if (!lua_isnone(L, 1)) {
    size_t size;
    const char *text = luaL_checklstring(L, 1, &size);
    struct sha256_ctx hash;
    sha256_init(&hash);
    sha256_update(&hash, size, (const uint8_t *)text);
    return push_hex(L, &hash);
  }
  sha256_init(lua_newuserdatauv(L, sizeof(struct sha256_ctx), 0));
  luaL_setmetatable(L, type_name);
  return 1;
}

static int hash_add(lua_State *L) {
  size_t size;
  struct sha256_ctx *hash = luaL_checkudata(L, 1, type_name);
  const char *text = luaL_checklstring(L, 2, &size);
  sha256_update(hash, size, (const uint8_t *)text);
  lua_settop(L, 1);
  return 1;
}

static int hash_hex(lua_State *L) {
  return push_hex(L, luaL_checkudata(L, 1, type_name));
}

/* digest.sha256_file(path) → 64 digits, bytes | nil, message, code */
static int digest_sha256_file(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  FILE *file = fopen(path, "rbe");
  struct sha256_ctx hash;
  uint8_t piece[16384];
  size_t count;
  lua_Integer bytes = 0;
  sha256_init(&hash);
  errno = 0;
  while (file != NULL && (count = fread(piece, 1, sizeof piece, file)) > 0) {
    sha256_update(&hash, count, piece);
    bytes += (lua_Integer)count;
  }
  int failed = file == NULL || ferror(file), reason = errno;
  if (file != NULL) fclose(file);
  if (failed) {
    tdm_error error;
    tdm_error_set(&error, TDM_IO, "cannot read %s: %s", path, strerror(reason));
    return tdm_bind_failure(L, &error);
  }
  push_hex(L, &hash);
  lua_pushinteger(L, bytes);
  return 2;
}

/* digest.pack(from, to, level) → bytes | nil, message, code */
static int digest_pack(lua_State *L) {
  int64_t bytes;
  tdm_error error;
  int level = (int)luaL_optinteger(L, 3, 9);
  luaL_argcheck(L, level >= 1 && level <= 19, 3, "no such level");
  if (tdm_file_pack(luaL_checkstring(L, 1), luaL_checkstring(L, 2), level, &bytes, &error) !=
      TDM_OK)
    return tdm_bind_failure(L, &error);
  lua_pushinteger(L, bytes);
  return 1;
}

/* digest.expand(from, to, most) → bytes | nil, message, code */
static int digest_expand(lua_State *L) {
  int64_t bytes;
  tdm_error error;
  if (tdm_file_expand(luaL_checkstring(L, 1), luaL_checkstring(L, 2), luaL_checkinteger(L, 3),
                      &bytes, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  lua_pushinteger(L, bytes);
  return 1;
}

/* digest.peek(from, most) → the first bytes of what a file has packed in it | nil, message, code */
static int digest_peek(lua_State *L) {
  char bytes[512];
  size_t count;
  tdm_error error;
  lua_Integer most = luaL_checkinteger(L, 2);
  luaL_argcheck(L, most > 0 && most <= (lua_Integer)sizeof bytes, 2, "1 to 512");
  if (tdm_file_peek(luaL_checkstring(L, 1), bytes, (size_t)most, &count, &error) != TDM_OK)
    return tdm_bind_failure(L, &error);
  lua_pushlstring(L, bytes, count);
  return 1;
}

/* digest.gzip(text) → its gzip, without a time in it: the same bytes for the same text */
static int digest_gzip(lua_State *L) {
  enum { GZIP = 15 + 16, MEMORY = 8 };
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  luaL_argcheck(L, size < UINT32_MAX, 1, "too long");
  z_stream stream = {0};
  luaL_Buffer buffer;
  if (deflateInit2(&stream, 9, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
    return luaL_error(L, "not enough memory");
  size_t room = deflateBound(&stream, (uLong)size) + 32;
  char *out = malloc(room);
  if (out != NULL) {
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)room;
  }
  int code = out != NULL ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
  size_t made = room - stream.avail_out;
  deflateEnd(&stream);
  if (code != Z_STREAM_END) {
    free(out);
    return luaL_error(L, "not enough memory");
  }
  char *own = luaL_buffinitsize(L, &buffer, made);
  memcpy(own, out, made);
  free(out);
  luaL_pushresultsize(&buffer, made);
  return 1;
}

void tdm_bind_open_digest(lua_State *L) {
  static const luaL_Reg methods[] = {{"add", hash_add}, {"hex", hash_hex}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"sha256", digest_sha256},
                                       {"sha256_file", digest_sha256_file},
                                       {"pack", digest_pack},
                                       {"expand", digest_expand},
                                       {"peek", digest_peek},
                                       {"gzip", digest_gzip},
                                       {NULL, NULL}};
  luaL_newmetatable(L, type_name);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "digest");
}
