/* core.files: what Lua's io cannot do: list and make a directory, say how large a file is, add to a
 * file that only its owner reads, lock one, go to a directory. Owns nothing
 * beyond a call but the descriptor of a lock. Called by tandem.shell for completion and history, by
 * commands that write several files, by tandem.replay, tandem.store and tandem.upload. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/temporary.h"
#include "bind/bind.h"
#include "trace/outfile.h"

/* Makes the directories above path. Existing ones are left as they are. */
static bool make_parents(char *path, mode_t mode) {
  for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    int failed = mkdir(path, mode) != 0 && errno != EEXIST;
    *slash = '/';
    if (failed) return false;
  }
  return true;
}

static bool write_all(int file, const char *text, size_t size) {
  while (size > 0) {
    ssize_t wrote = write(file, text, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    text += wrote;
    size -= (size_t)wrote;
  }
  return true;
}

/* files.append(path, text, truncate) → true | nil, message. The file is made 0600 with its
 * directories (0700), and stays 0600 when it was wider. One write: sessions do not mix lines. */
static int files_append(lua_State *L) {
  size_t size;
  luaL_checkstring(L, 1);
  const char *text = luaL_checklstring(L, 2, &size);
  int mode = O_WRONLY | O_CREAT | O_CLOEXEC | (lua_toboolean(L, 3) ? O_TRUNC : O_APPEND);
  char *path = strdup(lua_tostring(L, 1));
  bool done = path != NULL && make_parents(path, 0700);
  int file = done ? open(path, mode, 0600) : -1;
  done = file >= 0 && fchmod(file, 0600) == 0 && write_all(file, text, size);
  int reason = errno;
  if (file >= 0 && close(file) != 0 && done) {
    done = false;
    reason = errno;
  }
  free(path);
  if (!done) {
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", lua_tostring(L, 1), strerror(reason));
    return 2;
  }
  lua_pushboolean(L, true);
  return 1;
}

typedef struct {
  struct dirent **entries;
  int count;
} names_box;

/* names_box *, directory → table of names */
static int push_names(lua_State *L) {
  const names_box *box = lua_touserdata(L, 1);
  lua_createtable(L, box->count, 0);
  for (int i = 0, next = 1; i < box->count; i++) {
    const char *name = box->entries[i]->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    struct stat status;
    const char *path = lua_pushfstring(L, "%s/%s", lua_tostring(L, 2), name);
    bool directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    lua_pop(L, 1);
    lua_pushfstring(L, directory ? "%s/" : "%s", name);
    lua_rawseti(L, -2, next++);
  }
  return 1;
}

/* files.list(directory) → names, directories ending in "/" | nil, message. Unsorted; "." and ".."
 * left out. */
static int files_list(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct dirent **entries = NULL;
  int count = scandir(path, &entries, NULL, NULL);
  if (count < 0) {
    lua_pushnil(L);
    lua_pushfstring(L, "%s: %s", path, strerror(errno));
    return 2;
  }
  names_box box = {entries, count};
  lua_pushcfunction(L, push_names);
  lua_pushlightuserdata(L, &box);
  lua_pushvalue(L, 1);
  int status = lua_pcall(L, 2, 1, 0); /* the entries are freed whatever happens */
  for (int i = 0; i < count; i++) free(entries[i]);
  free(entries);
  return status == LUA_OK ? 1 : lua_error(L);
}

/* files.make(directory) → true | nil, message. With those above it; one that is there is fine. */
static int files_make(lua_State *L) {
  luaL_checkstring(L, 1);
  lua_settop(L, 1);
  lua_pushfstring(L, "%s/", lua_tostring(L, 1));
  char *path = strdup(lua_tostring(L, 2));
  struct stat status;
  errno = ENOMEM;
  bool done = path != NULL && path[0] != '\0' && make_parents(path, 0777);
  if (done && stat(lua_tostring(L, 1), &status) == 0 && !S_ISDIR(status.st_mode)) {
    done = false;
    errno = ENOTDIR;
  }
  int reason = errno;
  free(path);
  if (!done) {
    lua_pushnil(L);
    lua_pushfstring(L, "cannot make %s: %s", lua_tostring(L, 1), strerror(reason));
    return 2;
  }
  lua_pushboolean(L, true);
  return 1;
}

/* Makes an empty file that only its owner reads, or a folder; false with errno. */
static bool make_temporary(char *path, bool folder) {
  if (folder) return mkdtemp(path) != NULL;
  int file = mkostemp(path, O_CLOEXEC);
  return file >= 0 && close(file) == 0;
}

/* files.temporary(folder, directory) → the path of a new empty file that only its owner reads, or
 * of a folder; in the directory, else in $TMPDIR, else (or where that takes none) in /tmp | nil,
 * message
 */
static int files_temporary(lua_State *L) {
  const char *above[] = {luaL_optstring(L, 2, NULL), getenv("TMPDIR"), "/tmp"};
  bool folder = lua_toboolean(L, 1), done = false;
  for (size_t i = above[0] == NULL; i < sizeof above / sizeof *above && !done; i++) {
    if (above[i] == NULL || above[i][0] == '\0') continue;
    lua_settop(L, 2);
    lua_pushfstring(L, "%s/tandem-XXXXXX", above[i]);
    char *path = strdup(lua_tostring(L, 3));
    errno = ENOMEM;
    done = path != NULL && make_temporary(path, folder);
    if (done)
      lua_pushstring(L, path);
    else
      lua_pushfstring(L, "cannot make a temporary file in %s: %s", above[i], strerror(errno));
    free(path);
    if (above[0] != NULL) break;
  }
  if (done) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

/* files.discard(path): removes a temporary file, now or when the program ends */
static int files_discard(lua_State *L) {
  tdm_temporary_discard(luaL_checkstring(L, 1));
  return 0;
}

/* files.beside(path) → the path of a new empty file beside it, which becomes it when it is whole |
 * nil, message */
static int files_beside(lua_State *L) {
  char *name = NULL;
  int file = tdm_outfile_beside(luaL_checkstring(L, 1), &name);
  if (file < 0) {
    lua_pushnil(L);
    lua_pushstring(L, strerror(errno));
    return 2;
  }
  close(file);
  lua_pushstring(L, name);
  free(name);
  return 1;
}

/* files.size(path) → bytes | nil: it is not there | nil, why it cannot be known. Does not open it:
 * closing a second descriptor of a file that SQLite has open in this process would drop SQLite's
 * locks. */
static int files_size(lua_State *L) {
  struct stat status;
  if (stat(luaL_checkstring(L, 1), &status) == 0) {
    lua_pushinteger(L, (lua_Integer)status.st_size);
    return 1;
  }
  int why = errno;
  lua_pushnil(L);
  if (why == ENOENT || why == ENOTDIR) return 1;
  lua_pushstring(L, strerror(why));
  return 2;
}

/* files.replaces(path) → the file that is replaced when this path is written anew, links followed |
 * nil: what is there is no regular file (a device, a pipe, an open descriptor) and is written to.
 */
static int files_replaces(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  struct stat status;
  bool exists = stat(path, &status) == 0;
  if ((exists && !S_ISREG(status.st_mode)) || strncmp(path, "/dev/", 5) == 0 ||
      strncmp(path, "/proc/", 6) == 0) {
    lua_pushnil(L);
    return 1;
  }
  char *real = exists ? realpath(path, NULL) : NULL;
  lua_pushstring(L, real != NULL ? real : path);
  free(real);
  return 1;
}

/* files.keep_mode(path, other): path may be read and written by whom `other` may, if it is there.
 */
static int files_keep_mode(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *other = luaL_checkstring(L, 2);
  struct stat status;
  if (stat(other, &status) == 0) (void)chmod(path, status.st_mode & 07777);
  return 0;
}

/* files.link(path, name) → true: the file has this name, too | nil, message */
static int files_link(lua_State *L) {
  if (link(luaL_checkstring(L, 1), luaL_checkstring(L, 2)) == 0) {
    lua_pushboolean(L, true);
    return 1;
  }
  lua_pushnil(L);
  lua_pushstring(L, strerror(errno));
  return 2;
}

/* files.beneath(directory, name) → the path of a file that lies in the directory or below it, where
 * its links lead to as well | nil, message */
static int files_beneath(lua_State *L) {
  const char *directory = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  const char *wrong = NULL;
  lua_pushfstring(L, "%s/%s", directory[0] != '\0' ? directory : ".", name);
  char *root = realpath(directory[0] != '\0' ? directory : ".", NULL);
  char *path = root != NULL ? realpath(lua_tostring(L, -1), NULL) : NULL;
  size_t length = root != NULL ? strlen(root) : 0;
  while (length > 0 && root[length - 1] == '/') length--;
  struct stat status;
  if (name[0] == '/')
    wrong = "is no name of a file beside the scenario: it begins with /";
  else if (path == NULL || stat(path, &status) != 0)
    wrong = strerror(errno);
  else if (strncmp(path, root, length) != 0 || path[length] != '/')
    wrong = "lies outside the scenario's folder, which is all that it may read";
  else if (!S_ISREG(status.st_mode))
    wrong = "is no plain file";
  if (wrong != NULL) {
    luaL_pushfail(L);
    lua_pushstring(L, wrong);
  } else {
    lua_pushvalue(L, -1);
    lua_pushnil(L);
  }
  free(root);
  free(path);
  return 2;
}

/* files.real(path) → the path without links, from the root | nil, message */
static int files_real(lua_State *L) {
  char *path = realpath(luaL_checkstring(L, 1), NULL);
  if (path == NULL) {
    luaL_pushfail(L);
    lua_pushstring(L, strerror(errno));
    return 2;
  }
  lua_pushstring(L, path);
  free(path);
  return 1;
}

/* files.enter(directory) → the directory that was the working one | nil, message */
static int files_enter(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  char *before = getcwd(NULL, 0);
  lua_pushstring(L, before != NULL ? before : ".");
  free(before);
  if (chdir(path) == 0) return 1;
  lua_pushnil(L);
  lua_pushfstring(L, "%s: %s", path, strerror(errno));
  return 2;
}

/* ---- locks ---- */

static const char lock_name[] = "tandem.lock";

/* What <close> and the collector do; twice is fine. */
static int lock_close(lua_State *L) {
  int *lock = luaL_checkudata(L, 1, lock_name);
  if (*lock >= 0) close(*lock);
  *lock = -1;
  return 0;
}

/* A file in a directory that is ours and no link, so that in /tmp nobody else chooses which; -1. */
static int open_ours(const char *path) {
  const char *slash = strrchr(path, '/');
  char *directory = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
  if (directory == NULL) return -1;
  if (slash != NULL && slash != path) directory[slash - path] = '\0'; /* no link is followed */
  int above = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), file = -1;
  free(directory);
  if (above < 0) return -1;
  struct stat status;
  int failed = fstat(above, &status) != 0;
  if (!failed && geteuid() != 0 && status.st_uid != geteuid())
    errno = EPERM;
  else if (!failed)
    file = openat(above, slash == NULL ? path : slash + 1,
                  O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  int reason = errno;
  close(above);
  errno = reason;
  return file;
}

/* files.lock(path) → lock | nil: somebody else has it | nil, message. The file is made (0600) and
 * stays; the lock goes with the object, or with a process that dies. */
static int files_lock(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  int *lock = lua_newuserdatauv(L, sizeof *lock, 0);
  *lock = -1;
  luaL_setmetatable(L, lock_name);
  *lock = open_ours(path);
  if (*lock >= 0 && flock(*lock, LOCK_EX | LOCK_NB) == 0) return 1;
  int reason = errno;
  luaL_pushfail(L);
  if (*lock >= 0 && reason == EWOULDBLOCK) return 1;
  lua_pushfstring(L, "%s: %s", path, strerror(reason));
  return 2;
}

void tdm_bind_open_files(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"append", files_append},     {"enter", files_enter},         {"list", files_list},
      {"make", files_make},         {"size", files_size},           {"link", files_link},
      {"lock", files_lock},         {"beneath", files_beneath},     {"real", files_real},
      {"replaces", files_replaces}, {"keep_mode", files_keep_mode}, {"temporary", files_temporary},
      {"beside", files_beside},     {"discard", files_discard},     {NULL, NULL}};
  luaL_newmetatable(L, lock_name);
  lua_pushcfunction(L, lock_close);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, lock_close);
  lua_setfield(L, -2, "__close");
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "files");
}
