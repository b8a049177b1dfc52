/* See spool.h. */
#include "serve/spool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
