/* Ladder queue (Tang, Goh & Thng, ACM TOMACS 15, 2005): the event set for hundreds and more pending
 * events, constant amortised cost for any spread of times. Keys as in engine/event_set.h; equal
 * times are ordered by the rest of the key, as in the heap. Owns its memory. */
#ifndef TDM_ENGINE_EVENT_LADDER_H
#define TDM_ENGINE_EVENT_LADDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tdm_event_ladder tdm_event_ladder;

tdm_event_ladder *tdm_event_ladder_new(void); /* NULL: out of memory */
void tdm_event_ladder_free(tdm_event_ladder *ladder);
bool tdm_event_ladder_push(tdm_event_ladder *ladder, unsigned __int128 key); /* false: no memory */
bool tdm_event_ladder_pop(tdm_event_ladder *ladder, unsigned __int128 *key); /* false: empty */
size_t tdm_event_ladder_count(const tdm_event_ladder *ladder);

#endif
