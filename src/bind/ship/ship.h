/* Carries Lua functions from one state to others: flattened once, opened again as often as wanted.
 *
 * A shipment holds the code of the functions, what their upvalues reach (tables with cycles and
 * shared parts, metatables, other functions, variables that functions share), the globals they can
 * name, and the names of what every state has by itself: the standard library and tandem's own
 * modules. It is immutable, so that threads may open it at once, and independent of the state it
 * was made in. Packing is ship.c, opening open.c, names names.c.
 * Called by bind/run (packing) and bind/script (opening). */
#ifndef TDM_BIND_SHIP_SHIP_H
#define TDM_BIND_SHIP_SHIP_H

#include <lua.h>
#include <stddef.h>

#include "base/error.h"

typedef struct tdm_shipment tdm_shipment;

/* Packs the list of functions at `index`. TDM_INVALID when something cannot be carried: *error
 * names the upvalue, its function's file and line, and what to do. Never raises. */
tdm_status tdm_ship(lua_State *L, int index, tdm_shipment **out, tdm_error *error);
void tdm_shipment_free(tdm_shipment *shipment); /* NULL is fine */

size_t tdm_shipment_bytes(const tdm_shipment *shipment);
size_t tdm_shipment_count(const tdm_shipment *shipment); /* functions in the list */

/* Once for each new state, standard libraries open: `require` finds what it found in the state of
 * origin, and opens what the process may (bind/confine.h). [-0, +0, e] */
void tdm_shipment_prepare(lua_State *L, const tdm_shipment *shipment);

/* Registry key of a table that user code gets instead of the state's own globals; optional. */
#define TDM_SHIP_BASE "tandem.base"

/* Pushes a list of new functions that share nothing with those of an earlier opening: library
 * tables they reach are copies too. [-0, +1, e] */
void tdm_shipment_open(lua_State *L, const tdm_shipment *shipment);

#endif
