/* A program that is killed by a signal still hands over what CUPTI holds.
 *
 * Handlers stand in for the default action only: of signals that the program handles or ignores
 * nothing is changed, and what it sets later replaces ours. A handler calls nothing but what
 * signals allow: it wakes the thread of cupti.c, waits a moment for it, and dies as it would have.
 * Called by cupti.c. */
#ifndef TDM_CAPTURE_CUPTI_SIGNALS_H
#define TDM_CAPTURE_CUPTI_SIGNALS_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  sem_t wake;              /* of the thread that flushes */
  _Atomic bool dying;      /* it shall flush by force, */
  _Atomic bool flushed;    /* and has */
  _Atomic uint32_t thread; /* its number, which waits for nobody */
  _Atomic int32_t pid;     /* the process that it is in; children of fork have none */
} tdm_cupti_watch;

/* Handles the signals whose default is to end the program. `watch` lives as long as the process. */
void tdm_cupti_watch_signals(tdm_cupti_watch *watch);

#endif
