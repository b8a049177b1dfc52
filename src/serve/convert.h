/* Requests as Lua tables, Lua tables as answers, and what handlers may ask of the server: the
 * module "tandem.serve.native" of a worker's state. Owns nothing. Called by pool.c. */
#ifndef TDM_SERVE_CONVERT_H
#define TDM_SERVE_CONVERT_H

#include <lua.h>

#include "serve/jobs/jobs.h"
#include "serve/request.h"
#include "serve/settings.h"

/* Preloads the module. [-0, +0, m] */
void tdm_convert_install(lua_State *L, tdm_jobs **jobs, tdm_stats *stats);

/* { method, path, sender, query, headers, body | body_file, body_bytes, parts = {{ name, filename,
 * text | file, bytes }}, job? }. [-0, +1, m] */
void tdm_convert_request(lua_State *L, const tdm_request *request);

/* The table on the top: { status, headers?, body? | file? | events? }, or { job, wait_s } to be
 * called again when the job has ended or the time is up. Raises on anything else. [-1, +0, e] */
void tdm_convert_answer(lua_State *L, tdm_request *request);

#endif
