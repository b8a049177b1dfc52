/* What core.capture is made of besides capture.c: the files, the signals, looks at a file that
 * grows. */
#ifndef TDM_BIND_CAPTURE_INSIDE_H
#define TDM_BIND_CAPTURE_INSIDE_H

#include <lua.h>
#include <signal.h>
#include <sys/types.h>

#include "capture/format.h"

/* Capture files as tandem has them: who makes one holds a lock on it for as long as it needs the
 * file, by which others know; what a tandem that was killed has left has none.
 *
 * Owns no file: the descriptor is the caller's. Called by bind/capture. */

/* Makes a file that begins so, its times being now, locked; its descriptor, or -1 and errno. */
int tdm_capture_file_make(const char *path, const tdm_capture_header *begins);

/* core.capture.abandoned and core.capture.left, which bind/capture offers. */
int tdm_bind_capture_abandoned(lua_State *L);
int tdm_bind_capture_left(lua_State *L);

/* core.capture.follow, which bind/capture offers. */
int tdm_bind_capture_follow(lua_State *L);

/* Signals that come while a traced program runs: they are the program's.
 *
 * SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH and SIGCONT are handed on,
 * unless a terminal sent them, which tells the program as well, or we ignore them, as it then does;
 * a second SIGINT ends it. Owns what the handlers touch and what was in their place: one program at
 * a time. Called by bind/capture. */

/* Those that are handed on: to be blocked until there is a program. */
void tdm_capture_signals_set(sigset_t *set);
/* SIGCHLD is handled too, so that it ends a wait. */
void tdm_capture_signals_take(pid_t program);
/* The program has ended: there is nobody to hand them to. */
void tdm_capture_signals_drop(void);
void tdm_capture_signals_restore(void);
/* How often Ctrl-C was pressed. */
int tdm_capture_signals_presses(void);

#endif
