/* The option `metrics` of core.run: what the servers of replication 1 would have exported, written
 * when the run is over. */
#ifndef TDM_BIND_METRICS_H
#define TDM_BIND_METRICS_H

#include <lua.h>

#include "base/error.h"
#include "engine/sink.h"

typedef struct tdm_bind_metrics tdm_bind_metrics;

/* Of the options at index 2, { path, scrape_s, utc_s, servers = { name = { model, dialect } } }.
 * NULL: not wanted. Otherwise an object on the stack, and *sink is what fills it. Raises what is
 * wrong. */
tdm_bind_metrics *tdm_bind_metrics_new(lua_State *L, tdm_served_sink *sink);

/* NULL is fine. */
tdm_status tdm_bind_metrics_write(tdm_bind_metrics *metrics, tdm_error *error);

#endif
