/* The files that the program carries inside itself: the Lua front end, lib/, scenarios/ and
 * argparse, as source text, the modules among them compiled too. Owns their lookup, the searcher
 * that lets `require` find them and the Lua module tandem.embedded. When TANDEM_ROOT is set, files
 * come from that directory instead. */
#ifndef TDM_APP_EMBED_H
#define TDM_APP_EMBED_H

#include <lua.h>
#include <stddef.h>

/* One file: `end - start` bytes at `start`, followed by a zero byte. A module also has its code,
 * `code_end - code` bytes as luac wrote them (loading them takes a fifth of the time of parsing),
 * other files have none: NULL. Lives as long as the program. */
typedef struct {
  const char *name; /* "lua/tandem/units.lua" */
  const char *start;
  const char *end;
  const char *code;
  const char *code_end;
} tdm_embedded;

/* The file of that name inside the program, or NULL. Never looks at the disk. */
const tdm_embedded *tdm_embedded_find(const char *name);

/* All files inside the program, sorted by name (bytewise). */
const tdm_embedded *tdm_embedded_all(size_t *count);

/* Adds the searcher to package.searchers and preloads tandem.embedded. [-0, +0, e] */
void tdm_embedded_install(lua_State *L);

#endif
