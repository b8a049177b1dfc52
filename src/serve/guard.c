/* See guard.h. */
#include "serve/guard.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOST_MOST = 255 };

/* The name of "name:port" or "[address]:port" into `name`. */
static bool host_name(const char *host, char name[HOST_MOST + 1]) {
  const char *end, *rest;
  if (*host == '[') {
    end = strchr(++host, ']');
    if (end == NULL) return false;
    rest = end + 1;
  } else {
    end = rest = host + strcspn(host, ":");
  }
  if (*rest == ':') rest += 1 + strspn(rest + 1, "0123456789");
  if (*rest != '\0') return false;
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

static tdm_status failure(const char *path, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "%s: %s", path, strerror(errno));
}

/* What a server that was killed left behind. */
static void remove_bodies(int directory) {
  DIR *list = fdopendir(dup(directory));
  if (list == NULL) return;
  for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list))
    if (strncmp(entry->d_name, "body-", 5) == 0 || strncmp(entry->d_name, "packed-", 7) == 0)
      unlinkat(directory, entry->d_name, 0);
  closedir(list);
}

tdm_status tdm_spool_claim(const char *path, int *lock, tdm_error *error) {
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return failure(path, error);
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return failure(path, error);
  struct stat status;
  tdm_status done = TDM_OK;
  if (fstat(directory, &status) != 0 || status.st_uid != geteuid())
    done = tdm_error_set(error, TDM_INVALID, "%s belongs to somebody else", path);
  else if (fchmod(directory, 0700) != 0)
    done = failure(path, error);
  else if (flock(directory, LOCK_EX | LOCK_NB) != 0)
    done = tdm_error_set(error, TDM_INVALID, "%s: another server uses it", path);
  if (done != TDM_OK) {
    close(directory);
    return done;
  }
  remove_bodies(directory);
  *lock = directory;
  return TDM_OK;
}

tdm_status tdm_token_read(const char *path, char *text, size_t room, tdm_error *error) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure(path, error);
  struct stat status;
  ssize_t count = -1;
  bool ours = fstat(file, &status) == 0 && (status.st_mode & 077) == 0;
  if (ours) count = read(file, text, room);
  close(file);
  if (!ours)
    return tdm_error_set(error, TDM_INVALID, "%s can be read by others; chmod 600 it", path);
  if (count < 0) return failure(path, error);
  if ((size_t)count == room) return tdm_error_set(error, TDM_INVALID, "%s is too long", path);
  while (count > 0 && isspace((unsigned char)text[count - 1])) count--;
  text[count] = '\0';
  size_t space = strspn(text, " \t\r\n");
  memmove(text, text + space, (size_t)count - space + 1);
  return TDM_OK;
}
