/* Who may ask: the rules for Host (a page elsewhere that rebinds its name to us), Origin (a page
 * elsewhere that posts to us) and the bearer token. Pure functions; called by server.c for each
 * request before its body is read. */
#ifndef TDM_SERVE_GUARD_H
#define TDM_SERVE_GUARD_H

#include <stdbool.h>

#include "serve/settings.h"

/* An address, localhost, or one of settings->names; the port does not matter. */
bool tdm_guard_host(const tdm_settings *settings, const char *host);

/* Whether a request that changes something comes from our own pages or from no page at all: its
 * Origin is http(s)://HOST, or there is none and Sec-Fetch-Site does not say otherwise. */
bool tdm_guard_origin(const char *host, const char *origin, const char *site);

/* Whether the path needs no token, or "Authorization: Bearer TOKEN" has the right one. Takes the
 * same time wherever they differ. */
bool tdm_guard_token(const tdm_settings *settings, const char *path, const char *authorization);

#endif
