/* See guard.h. */
#include "serve/guard.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

enum { HOST_MOST = 255 };

/* The name of "name:port" or "[address]:port" into `name`. */
static bool host_name(const char *host, char name[HOST_MOST + 1]) {
  const char *end;
  if (*host == '[') {
    end = strchr(++host, ']');
    if (end == NULL || (end[1] != '\0' && end[1] != ':')) return false;
  } else {
    end = host + strcspn(host, ":");
  }
  size_t length = (size_t)(end - host);
  if (length == 0 || length > HOST_MOST) return false;
  memcpy(name, host, length);
  name[length] = '\0';
  return true;
}

bool tdm_guard_host(const tdm_settings *settings, const char *host) {
  char name[HOST_MOST + 1];
  unsigned char address[sizeof(struct in6_addr)];
  if (host == NULL || !host_name(host, name)) return false;
  if (strcasecmp(name, "localhost") == 0) return true;
  if (inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1)
    return true; /* nobody can rebind an address */
  for (const char **known = settings->names; *known != NULL; known++)
    if (strcasecmp(name, *known) == 0) return true;
  return false;
}

bool tdm_guard_origin(const char *host, const char *origin, const char *site) {
  if (origin == NULL)
    return site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
  if (host == NULL) return false;
  const char *rest = strncmp(origin, "http://", 7) == 0    ? origin + 7
                     : strncmp(origin, "https://", 8) == 0 ? origin + 8
                                                           : NULL;
  return rest != NULL && strcasecmp(rest, host) == 0;
}

static bool same(const char *secret, const char *given) {
  size_t count = strlen(secret), length = strlen(given);
  volatile unsigned char differs = count != length;
  for (size_t i = 0; i < length; i++)
    differs = (unsigned char)(differs | (secret[count == 0 ? 0 : i % count] ^ given[i]));
  return differs == 0;
}

static bool is_open(const tdm_settings *settings, const char *path) {
  for (const char **open = settings->open; *open != NULL; open++) {
    size_t length = strlen(*open);
    bool below = length > 1 && (*open)[length - 1] == '/';
    if (below ? strncmp(path, *open, length) == 0 : strcmp(path, *open) == 0) return true;
  }
  return false;
}

bool tdm_guard_token(const tdm_settings *settings, const char *path, const char *authorization) {
  if (*settings->token == '\0' || is_open(settings, path)) return true;
  if (authorization == NULL || strncasecmp(authorization, "Bearer ", 7) != 0) return false;
  return same(settings->token, authorization + 7);
}
