/* What the program is besides its commands: a Lua state, the files inside, Ctrl-C. */
#ifndef TDM_APP_APP_H
#define TDM_APP_APP_H

#include <lua.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- state.c */

/* A Lua state as tandem uses it: standard libraries, embedded modules, tandem.core, cjson.
 * Called by main, the fuzzers and the C tests of bind/. */

/* A new state, owned by the caller (lua_close), or NULL when memory is short. */
lua_State *tdm_state_open(void);

/* ---- embed.c */

/* The files that the program carries inside itself: the Lua front end, lib/, scenarios/ and
 * argparse, as source text, the modules among them compiled too. Owns their lookup, the searcher
 * that lets `require` find them and the Lua module tandem.embedded. When TANDEM_ROOT is set, files
 * come from that directory instead. */

/* One file: `end - start` bytes at `start`, followed by a zero byte. A module also has its code,
 * `code_end - code` bytes as luac wrote them (loading them takes a fifth of the time of parsing),
 * other files have none: NULL. Lives as long as the program. */
typedef struct {
  const char *name; /* "lua/tandem/units/init.lua" */
  const char *start;
  const char *end;
  const char *code;
  const char *code_end;
} tdm_embedded;

/* All files inside the program, sorted by name (bytewise). */
extern const tdm_embedded tdm_embedded_files[];
extern const uint64_t tdm_embedded_count;

/* The file of that name inside the program, or NULL. Never looks at the disk. */
const tdm_embedded *tdm_embedded_find(const char *name);

/* Adds the searcher to package.searchers and preloads tandem.embedded. [-0, +0, e] */
void tdm_embedded_install(lua_State *L);

/* Pushes a module's chunk by its file's name; false, and nothing, when there is no such file.
 * Raises when it has a syntax error. [-0, +(0|1), e] */
bool tdm_embedded_load(lua_State *L, const char *name);

/* ---- interrupt.c */

/* Ctrl-C: a flag that long work polls, so that it can stop with partial results.
 * Owns the SIGINT handler until the command line's own (bind/guard) takes over, which stops Lua as
 * well. Called by main and (by the flag's address) bind/. */

/* Installs the handler. A second Ctrl-C while the first is still unanswered (nobody cleared
 * the flag) ends the process at once with exit code 130. */
void tdm_interrupt_install(void);

/* The flag itself, nonzero when pending: an atomic, since worker threads poll it too. */
atomic_int *tdm_interrupt_flag(void);

#endif
