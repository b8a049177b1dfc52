/* When work ran on a device, without CUPTI: an event before it and one after it on its stream.
 *
 * The program's own waits are used to look which events are past; nothing here waits for the
 * program's work. Times are estimates: they hold what events themselves take, a kernel that the
 * device was idle for begins with its call, and the clocks are joined by an event on an idle
 * stream, as exactly as the host sees it happen, again each second. Captures of streams into graphs
 * are not disturbed: the driver is asked in the thread's relaxed mode, and interpose.c leaves
 * captured streams out. Each timed call costs five more calls of the driver: two to record the
 * events, three to ask about them. Of a program that is killed, work is missing that it had not
 * waited for. Owns its events and streams; called by interpose.c and contexts.c. */
#ifndef TDM_CAPTURE_EVENT_TIMES_H
#define TDM_CAPTURE_EVENT_TIMES_H

#include "capture/driver.h"
#include "capture/format.h"

typedef struct tdm_timed tdm_timed;

/* Before a call puts work onto a stream of the current context; NULL if it cannot be timed. */
tdm_timed *tdm_event_times_begin(tdm_word stream);
/* After it, with the record that the work will get when it has run, its start that of the call;
 * NULL: there is no work. Work that cannot be timed is counted as lost. */
void tdm_event_times_end(tdm_timed *timed, const tdm_capture_record *record);

/* Puts the records of work that has run. */
void tdm_event_times_collect(void);

/* Around a call that may end a context (0: any of them): likewise, and its events are left alone
 * until it is known whether they are gone; meanwhile its work goes untimed. */
void tdm_event_times_pause(tdm_word context);
void tdm_event_times_resume(tdm_word context);
/* It is gone, and its events with it: what was under way is lost. */
void tdm_event_times_forget(tdm_word context);

#endif
