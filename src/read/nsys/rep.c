/* Nsight Systems' own reports (.nsys-rep, .qdrep), read through the vendor's `nsys export`.
 *
 * What is behind its first line is not published. Where the nsys command is on the PATH it makes an
 * SQLite export in a temporary folder, which is read and removed; where it is not, the error says
 * what to run. Starts one process, without a shell; owns the folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "read/nsys/sqlite.h"

extern char **environ;

enum { LAST_WORDS = 400, PATH_ROOM = 4096 };

/* Whether PATH has an nsys that may be run. */
static bool nsys_is_there(void) {
  const char *path = getenv("PATH");
  char name[PATH_ROOM];
  while (path != NULL && *path != 0) {
    size_t length = strcspn(path, ":");
    int n = snprintf(name, sizeof name, "%.*s/nsys", (int)length, length > 0 ? path : ".");
    if (n > 0 && (size_t)n < sizeof name && access(name, X_OK) == 0) return true;
    path += length + (path[length] == ':');
  }
  return false;
}

/* The last line that is not empty, of what the command said. */
static void keep_last_line(char *text) {
  size_t length = strlen(text);
  while (length > 0 && strchr("\r\n \t", text[length - 1]) != NULL) text[--length] = 0;
  char *line = strrchr(text, '\n');
  if (line != NULL) memmove(text, line + 1, strlen(line + 1) + 1);
}

/* Reads to the end, keeping the last bytes in `words`. Asks `progress` meanwhile; true: it wants to
 * stop. */
static bool hear(int fd, char words[LAST_WORDS], const tdm_read_options *options) {
  size_t used = 0;
  char piece[512];
  for (;;) {
    struct pollfd wait_for = {.fd = fd, .events = POLLIN};
    int ready = poll(&wait_for, 1, 200);
    if (options->progress != NULL && options->progress(options->context, 0, 0)) return true;
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    ssize_t n = ready < 0 ? -1 : read(fd, piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    for (ssize_t i = 0; i < n; i++) {
      if (used == LAST_WORDS - 1) {
        memmove(words, words + 1, LAST_WORDS - 2);
        used--;
      }
      words[used++] = piece[i] == 0 ? ' ' : piece[i];
    }
  }
  words[used] = 0;
  keep_last_line(words);
  return false;
}

static pid_t start(const char *report, const char *target, int *said) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const char *const arguments[] = {
      "nsys", "export", "--type", "sqlite", "--output", target, "--force-overwrite",
      "true", report,   NULL};
  pid_t pid = -1;
  int code = posix_spawnp(&pid, "nsys", &actions, NULL, (char *const *)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (code != 0) {
    close(ends[0]);
    errno = code;
    return -1;
  }
  *said = ends[0];
  return pid;
}

static tdm_status export_report(const char *report, const char *shown, const char *target,
                                const tdm_read_options *options, tdm_error *error) {
  int said, state = 0;
  char words[LAST_WORDS] = "";
  pid_t pid = start(report, target, &said);
  if (pid < 0)
    return tdm_error_set(error, TDM_IO, "%s: cannot run nsys: %s", shown, strerror(errno));
  bool stopped = hear(said, words, options);
  if (stopped) kill(pid, SIGTERM);
  close(said);
  while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {
  }
  if (stopped) return tdm_error_set(error, TDM_INTERRUPTED, "%s: reading was interrupted", shown);
  if (WIFEXITED(state) && WEXITSTATUS(state) == 0 && access(target, R_OK) == 0) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID, "%s: `nsys export` failed: %s", shown,
                       words[0] != 0 ? words : "it made no file");
}

/* Every report found begins so, with the version that wrote it: "…Report 2026@4@1@191-2641…". */
#define MAGIC "NVIDIA Tegra Profiler Report "

/* "2026.4.1": of the nsys that wrote the report; an older one cannot read it. */
static void find_version(const unsigned char *head, size_t length, char version[32]) {
  size_t at = sizeof MAGIC - 1, n = 0;
  version[0] = 0;
  if (length < at || memcmp(head, MAGIC, at) != 0) return;
  for (size_t dots = 0; at < length && n < 31; at++, n++) {
    if (head[at] == '@' && ++dots == 3) break;
    if (head[at] != '@' && (head[at] < '0' || head[at] > '9')) break;
    version[n] = head[at] == '@' ? '.' : (char)head[at];
  }
  version[n] = 0;
}

/* With all that is in it: an export that is broken off leaves a journal too. */
static void remove_folder(const char *folder) {
  DIR *files = opendir(folder);
  for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;)
    unlinkat(dirfd(files), file->d_name, 0);
  if (files != NULL) closedir(files);
  rmdir(folder);
}

static tdm_status read_report(tdm_input *input, const tdm_read_options *options,
                              tdm_recorder *recorder, tdm_error *error) {
  const char *shown = tdm_input_path(input), *report;
  const unsigned char *head;
  size_t length;
  char version[32];
  tdm_status status = tdm_input_head(input, &head, &length, error);
  if (status != TDM_OK) return status;
  find_version(head, length, version);
  if (!nsys_is_there())
    return tdm_error_set(error, TDM_INVALID,
                         "%s: reading a report needs the nsys command%s%s, which is not on the "
                         "PATH; where it is, run: nsys export --type sqlite --output OUT.sqlite "
                         "--force-overwrite true %s",
                         shown, version[0] != 0 ? ", version " : "", version, shown);
  status = tdm_input_file(input, &report, error);
  if (status != TDM_OK) return status;
  const char *temporary = getenv("TMPDIR");
  char folder[PATH_ROOM], target[PATH_ROOM + 16];
  int n = snprintf(folder, sizeof folder, "%s/tandem-nsys-XXXXXX",
                   temporary != NULL && temporary[0] != 0 ? temporary : "/tmp");
  if (n < 0 || (size_t)n >= sizeof folder || mkdtemp(folder) == NULL)
    return tdm_error_set(error, TDM_IO, "%s: cannot make a temporary folder: %s", shown,
                         strerror(errno));
  snprintf(target, sizeof target, "%s/report.sqlite", folder);
  status = export_report(report, shown, target, options, error);
  if (status == TDM_OK) status = tdm_nsys_sqlite_read(target, shown, options, recorder, error);
  remove_folder(folder);
  return status;
}

static int detect_report(const unsigned char *head, size_t length, const char *path) {
  static const char *const endings[] = {".nsys-rep", ".qdrep"};
  size_t magic = sizeof MAGIC - 1;
  if (length >= magic && memcmp(head, MAGIC, magic) == 0) return 95;
  for (size_t i = 0; i < 2; i++) {
    size_t n = strlen(endings[i]), all = strlen(path);
    if (all > n && strcasecmp(path + all - n, endings[i]) == 0) return 40;
  }
  return 0;
}

const tdm_reader tdm_reader_nsys_rep = {.name = "nsys-rep",
                                        .title = "Nsight Systems report, through `nsys export`",
                                        .accepts = "*.nsys-rep, *.qdrep",
                                        .detect = detect_report,
                                        .read = read_report};
