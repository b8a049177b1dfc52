/* A checked map (lua/tandem/map) as C takes it.
 *
 * Raises on what the check would have refused; a pattern that does not compile is the user's, and
 * comes back as a status. */
#ifndef TDM_BIND_VISIT_MAP_H
#define TDM_BIND_VISIT_MAP_H

#include <lua.h>

#include "analysis/visits/visits.h"

/* Fills *map, which is zeroed and closed by the caller whatever comes, from the table at `at`. */
tdm_status tdm_bind_read_map(lua_State *L, int at, tdm_visit_map *map, tdm_error *error);

/* A lane by its name; raises when there is none. */
tdm_lane tdm_bind_check_lane(lua_State *L, const char *name);

#endif
