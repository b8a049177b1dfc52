/* Who may ask: the rules for Host (a page elsewhere that rebinds its name to us), Origin (a page
 * elsewhere that posts to us) and the bearer token, which server.c asks for each request before its
 * body is read; and what of the file system nobody else may reach, which module.c asks for. */
#ifndef TDM_SERVE_GUARD_H
#define TDM_SERVE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "serve/settings.h"

/* An address, localhost, or one of settings->names; the port does not matter. */
bool tdm_guard_host(const tdm_settings *settings, const char *host);

/* Whether a request that changes something comes from our own pages or from no page at all: its
 * Origin is http(s)://HOST, or there is none and Sec-Fetch-Site does not say otherwise. */
bool tdm_guard_origin(const char *host, const char *origin, const char *site);

/* Whether the path needs no token, or "Authorization: Bearer TOKEN" has the right one. Takes the
 * same time wherever they differ. */
bool tdm_guard_token(const tdm_settings *settings, const char *path, const char *authorization);

/* The directory that bodies and jobs have their files in, and the file that a token is read from:
 * what of the file system nobody else may reach. Called by module.c. */

/* Makes the directory (0700) or takes it, for one server at a time; leftovers of bodies go. *lock
 * is a file to close at the end. */
tdm_status tdm_spool_claim(const char *path, int *lock, tdm_error *error);

/* The file's text without white space around it, at most room - 1 bytes. TDM_INVALID: others than
 * its owner may read it, or it is longer. */
tdm_status tdm_token_read(const char *path, char *text, size_t room, tdm_error *error);

#endif
