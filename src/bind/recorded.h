/* What hooks recorded with td.record, gathered over replications in their order.
 * Called by bind/run; adding is safe from any thread, one replication each. */
#ifndef TDM_BIND_RECORDED_H
#define TDM_BIND_RECORDED_H

#include <lua.h>

#include "bind/script.h"

typedef struct tdm_recorded_book tdm_recorded_book;

tdm_status tdm_recorded_book_new(uint32_t replications, tdm_recorded_book **out, tdm_error *error);
void tdm_recorded_book_free(tdm_recorded_book *book); /* NULL is fine */

/* Copies what the worker has recorded in this replication. */
tdm_status tdm_recorded_book_add(tdm_recorded_book *book, uint32_t replication,
                                 const tdm_worker *worker, tdm_error *error);

/* Sets field `recorded` of the table on top: name → { count, sum, mean, min, max, values }; absent
 * when nothing was recorded. [-0, +0, m] */
void tdm_recorded_book_push(lua_State *L, const tdm_recorded_book *book);

#endif
