/* The directory that bodies and jobs have their files in, and the file that a token is read from:
 * what of the file system nobody else may reach. Called by module.c. */
#ifndef TDM_SERVE_SPOOL_H
#define TDM_SERVE_SPOOL_H

#include <stddef.h>

#include "base/error.h"

/* Makes the directory (0700) or takes it, for one server at a time; leftovers of bodies go. *lock
 * is a file to close at the end. */
tdm_status tdm_spool_claim(const char *path, int *lock, tdm_error *error);

/* The file's text without white space around it, at most room - 1 bytes. TDM_INVALID: others than
 * its owner may read it, or it is longer. */
tdm_status tdm_token_read(const char *path, char *text, size_t room, tdm_error *error);

#endif
