/* Jobs for a server that speaks by standard input and output, a line a message, as `tandem mcp`
 * does: no sockets, one Lua state. Called by module.c. */
#ifndef TDM_SERVE_ATTEND_H
#define TDM_SERVE_ATTEND_H

#include <lua.h>

/* attend { jobs, waiting, job_s, job_bytes, job_file_bytes, files, line_bytes, body } → true | nil,
 * message. Opens jobs in a directory of their own, installs "tandem.serve.native", calls
 * body(next), and cancels and forgets all jobs when that returns. next(timeout_s) → "line", text |
 * "long" (a line of more than line_bytes, left out) | "none" (nothing in that time) | "end" (of
 * input, or SIGINT or SIGTERM came). */
int tdm_attend(lua_State *L);

#endif
