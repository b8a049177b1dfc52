/* A record sink that runs another one in a thread of its own: reading goes on while the store
 * packs.
 *
 * Everything that is pushed is copied into messages; at most TDM_RELAY_BYTES of them wait, then the
 * pusher does. The inner sink sees the calls in order, all from one thread. Its first failure is
 * what later pushes and tdm_relay_finish return. Owns the thread and the messages. */
#ifndef TDM_TRACE_RELAY_H
#define TDM_TRACE_RELAY_H

#include "trace/record.h"

#define TDM_RELAY_BYTES (24u << 20)

typedef struct tdm_relay tdm_relay;

/* Copies *inner. Where no thread can be had, the inner sink is called directly. */
tdm_status tdm_relay_open(const tdm_record_sink *inner, tdm_relay **relay, tdm_error *error);
void tdm_relay_sink(tdm_relay *relay, tdm_record_sink *out);

/* Waits until all that was pushed has arrived; ends the thread. */
tdm_status tdm_relay_finish(tdm_relay *relay, tdm_error *error);

/* Ends the thread, throws away what has not arrived. NULL is fine; also after finish. */
void tdm_relay_close(tdm_relay *relay);

#endif
