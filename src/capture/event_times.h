/* When work ran on a device, without CUPTI: an event before it and one after it on its stream.
 *
 * The program's own waits are used to look which events are past; nothing here waits for the
 * program's work. Times are estimates: they hold what events themselves take, a kernel that the
 * device was idle for begins with its call, and the clocks are joined by an event on an idle
 * stream, as exactly as the host sees it happen. Nothing is timed while any stream is captured into
 * a graph. Each timed call costs five more calls of the driver: two to record the events, three to
 * ask about them. Of a program that is killed, work is missing that it had not waited for. Owns its
 * events and streams; called by interpose.c. */
#ifndef TDM_CAPTURE_EVENT_TIMES_H
#define TDM_CAPTURE_EVENT_TIMES_H

#include "capture/driver.h"
#include "capture/format.h"

typedef struct tdm_timed tdm_timed;

/* Before a call puts work onto a stream of the current context; NULL if it cannot be timed. */
tdm_timed *tdm_event_times_begin(tdm_word stream);
/* After it, with the record that the work will get when it has run, its start that of the call;
 * NULL: there is no work. */
void tdm_event_times_end(tdm_timed *timed, const tdm_capture_record *record);

/* Puts the records of work that has run. */
void tdm_event_times_collect(void);
/* Likewise, and forgets the rest: contexts, and with them events, are about to go. */
void tdm_event_times_forget(void);

#endif
