/* Ctrl-C: a flag that long work polls, so that it can stop with partial results.
 * Owns the SIGINT handler until the command line's own (bind/guard) takes over, which stops Lua as
 * well. Called by main and (by the flag's address) bind/. */
#ifndef TDM_APP_INTERRUPT_H
#define TDM_APP_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* Installs the handler. A second Ctrl-C while the first is still unanswered (nobody called
 * tdm_interrupt_clear) ends the process at once with exit code 130. */
void tdm_interrupt_install(void);

bool tdm_interrupt_pending(void);
void tdm_interrupt_clear(void);

/* The flag itself, nonzero when pending: an atomic, since worker threads poll it too. */
atomic_int *tdm_interrupt_flag(void);

#endif
