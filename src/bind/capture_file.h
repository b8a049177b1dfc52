/* Capture files as tandem has them: who makes one holds a lock on it for as long as it needs the
 * file, by which others know; what a tandem that was killed has left has none.
 *
 * Owns no file: the descriptor is the caller's. Called by bind/capture. */
#ifndef TDM_BIND_CAPTURE_FILE_H
#define TDM_BIND_CAPTURE_FILE_H

#include <lua.h>

#include "capture/format.h"

/* Makes a file that begins so, its times being now, locked; its descriptor, or -1 and errno. */
int tdm_capture_file_make(const char *path, const tdm_capture_header *begins);

/* core.capture.abandoned and core.capture.left, which bind/capture offers. */
int tdm_bind_capture_abandoned(lua_State *L);
int tdm_bind_capture_left(lua_State *L);

#endif
