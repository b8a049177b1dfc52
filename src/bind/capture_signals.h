/* Signals that come while a traced program runs: they are the program's.
 *
 * SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH and SIGCONT are handed on,
 * unless a terminal sent them, which tells the program as well, or we ignore them, as it then does;
 * a second SIGINT ends it. Owns what the handlers touch and what was in their place: one program at
 * a time. Called by bind/capture. */
#ifndef TDM_BIND_CAPTURE_SIGNALS_H
#define TDM_BIND_CAPTURE_SIGNALS_H

#include <signal.h>
#include <sys/types.h>

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
