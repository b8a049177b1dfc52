/* Every call of one run is tried, in copies of the process: the part of once.c behind ONCE_EACH.
 *
 *   ONCE_EACH=LOG     of each try an entry is written to it (struct entry, then what it said)
 *   ONCE_FOLDER=DIR   all files that the process writes are there, its `out` and `err`, too;
 *                     beside it are DIR.keep (other names of the files while a copy runs) and
 *                     DIR.seen (a file for each state of the store and each text that copies left)
 *   ONCE_AFTER=N      the first N calls are not tried: others have begun with the same ones
 *   ONCE_UNTIL=TIME   none is tried after that second of the epoch
 *   ONCE_KNOWN=FILE   how the first try of each stack of C calls ended, kept from run to run (where
 *                     addresses are not randomized)
 *   ONCE_FIRSTS=1     only that first one of each stack is tried
 *
 * A try costs what the command has left to do, and not its start. Most allocations are Lua's, which
 * collects garbage and asks again: then all is as if none had failed. Where the first of a stack
 * ended so, a copy fails up to TOGETHER such calls, each once, and if all is well with it, all of
 * them were; if not, each is tried alone. */

enum { MOST_FILES = 24, TOGETHER = 16, APART = 61, SLOTS = 1 << 17 };

struct entry {
  int64_t at, together, status; /* as waitpid tells it */
  uint64_t store, out, rest;
  int64_t said;
};

static int each, trying, frozen, firsts;
static pid_t frozen_pid;
static struct timespec frozen_at;
static int log_fd;
static int64_t after, until;
static char folder[PATH_MAX];

static char *marks; /* shared, for each call: 0, or one of */
enum { DONE = 1, ALONE = 2 };
static int64_t *failed_here; /* shared: which calls the running copy made to fail */
enum { UNTRIED, WELL, UNWELL };
struct known {
  uint64_t way;
  int64_t state;
};
static struct known *known; /* a hash table */
static struct entry good = {.at = -1};

static struct file {
  char name[64]; /* "": it has none any more */
  int fd;
  ino_t inode;
  size_t size, room;
  char *bytes;
} files[MOST_FILES];
static int file_count;
static off_t offsets[64];

static int group_left; /* in a copy: how many more calls it makes fail */
static int64_t group_next;

static void stop(const char *why) {
  dprintf(log_fd, "stopped: %s: %s\n", why, strerror(errno));
  _exit(98);
}

static int64_t *known_of(uint64_t way) {
  size_t at = way % SLOTS, looked = 0;
  for (; known[at].way != 0 && known[at].way != way; at = (at + 1) % SLOTS)
    if (++looked == SLOTS) stop("too many stacks");
  known[at].way = way;
  return &known[at].state;
}

static void begin_tries(void) {
  const char *number = getenv("ONCE_AFTER");
  log_fd = open(getenv("ONCE_EACH"), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  log_fd = fcntl(log_fd, F_DUPFD_CLOEXEC, 200);
  snprintf(folder, sizeof folder, "%s", getenv("ONCE_FOLDER"));
  after = number != NULL ? atoll(number) : 0;
  until = atoll(getenv("ONCE_UNTIL"));
  firsts = getenv("ONCE_FIRSTS") != NULL;
  int known_fd = open(getenv("ONCE_KNOWN"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (known_fd < 0 || ftruncate(known_fd, SLOTS * sizeof *known) != 0) _exit(97);
  int prot = PROT_READ | PROT_WRITE, how = MAP_SHARED | MAP_ANONYMOUS;
  marks = mmap(NULL, MOST_WAYS, prot, how, -1, 0);
  failed_here = mmap(NULL, 4096, prot, how, -1, 0);
  known = mmap(NULL, SLOTS * sizeof *known, prot, MAP_SHARED, known_fd, 0);
  close(known_fd);
  if (known == MAP_FAILED || log_fd < 0 || marks == MAP_FAILED || failed_here == MAP_FAILED)
    _exit(97);
  each = 1;
}

static void freeze(void) {
  clock_gettime(CLOCK_REALTIME, &frozen_at);
  frozen_pid = getpid();
  frozen = 1;
}

static const char *path_of(const char *ending, const char *name) {
  static char path[PATH_MAX + 128];
  snprintf(path, sizeof path, "%s%s/%s", folder, ending, name);
  return path;
}

/* Its bytes as they are now; the size is told, -1: it cannot be read. */
static void load(int fd, char **bytes, size_t *room, size_t *size) {
  struct stat is;
  if (fstat(fd, &is) != 0) stop("stat");
  *size = (size_t)is.st_size;
  if (*size > *room) *bytes = __libc_realloc(*bytes, *room = *size * 2);
  if (pread(fd, *bytes, *size, 0) != (ssize_t)*size) stop("read");
}

static struct file *add_file(int fd, const char *name) {
  if (file_count == MOST_FILES) stop("too many files");
  struct file *f = &files[file_count++];
  struct stat is;
  if (fd < 0 || fstat(fd, &is) != 0) stop(name);
  f->fd = fcntl(fd, F_DUPFD_CLOEXEC, 100);
  close(fd);
  f->inode = is.st_ino;
  snprintf(f->name, sizeof f->name, "%s", name);
  load(f->fd, &f->bytes, &f->room, &f->size);
  return f;
}

static void keep_files(void) {
  file_count = 0;
  DIR *dir = opendir(folder);
  if (dir == NULL) stop("opendir");
  for (struct dirent *d; (d = readdir(dir)) != NULL;) {
    if (d->d_name[0] == '.' && (d->d_name[1] == 0 || d->d_name[1] == '.')) continue;
    struct stat is;
    if (lstat(path_of("", d->d_name), &is) != 0 || !S_ISREG(is.st_mode)) stop("no plain file");
    add_file(open(path_of("", d->d_name), O_RDWR | O_CLOEXEC), d->d_name);
    char from[PATH_MAX + 128];
    snprintf(from, sizeof from, "%s", path_of("", d->d_name));
    if (stat(path_of(".keep", d->d_name), &is) == 0 && is.st_ino == files[file_count - 1].inode)
      continue;
    unlink(path_of(".keep", d->d_name));
    if (link(from, path_of(".keep", d->d_name)) != 0) stop("link");
  }
  closedir(dir);
  for (int fd = 0; fd < 64; fd++) {
    struct stat is;
    offsets[fd] = -1;
    if (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode)) continue;
    offsets[fd] = lseek(fd, 0, SEEK_CUR);
    if (is.st_nlink > 0 || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) continue;
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    add_file(open(self, O_RDWR | O_CLOEXEC), "");
  }
}

static void put_back(void) {
  static char *now;
  static size_t room;
  DIR *dir = opendir(folder);
  if (dir == NULL) stop("opendir");
  for (struct dirent *d; (d = readdir(dir)) != NULL;) {
    int found = d->d_name[0] == '.';
    for (int i = 0; i < file_count; i++) found |= strcmp(files[i].name, d->d_name) == 0;
    if (!found && unlink(path_of("", d->d_name)) != 0) stop("a new file");
  }
  closedir(dir);
  for (int i = 0; i < file_count; i++) {
    struct file *f = &files[i];
    struct stat is;
    char to[PATH_MAX + 128];
    snprintf(to, sizeof to, "%s", path_of("", f->name));
    if (f->name[0] != 0 && (stat(to, &is) != 0 || is.st_ino != f->inode) &&
        (rename(path_of(".keep", f->name), to) != 0 || link(to, path_of(".keep", f->name)) != 0))
      stop("rename");
    size_t size;
    load(f->fd, &now, &room, &size);
    if (size != f->size && ftruncate(f->fd, (off_t)f->size) != 0) stop("cut");
    if ((size != f->size || memcmp(now, f->bytes, size) != 0) &&
        pwrite(f->fd, f->bytes, f->size, 0) != (ssize_t)f->size)
      stop("write");
    close(f->fd);
  }
  for (int fd = 0; fd < 64; fd++)
    if (offsets[fd] >= 0) lseek(fd, offsets[fd], SEEK_SET);
}

static uint64_t mix(uint64_t hash, const char *bytes, size_t size) {
  uint64_t word;
  for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
    memcpy(&word, bytes, sizeof word);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  for (; size > 0; bytes++, size--) hash = (hash ^ (unsigned char)*bytes) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

static void show(uint64_t hash, const char *ending, const char *bytes, size_t size) {
  char name[64];
  snprintf(name, sizeof name, "%016llx%s", (unsigned long long)hash, ending);
  int fd = open(path_of(".seen", name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (write(fd, bytes, size) != (ssize_t)size) stop("seen");
  close(fd);
}

/* What a copy left. */
static void look(struct entry *e, char **said) {
  static char *bytes[5];
  static size_t rooms[5], sizes[5];
  static const char *const names[] = {"t.db", "t.db-wal", "out", "err"};
  for (int i = 0; i < 4; i++) {
    int fd = open(path_of("", names[i]), O_RDONLY | O_CLOEXEC);
    sizes[i] = 0;
    if (fd < 0) continue;
    load(fd, &bytes[i], &rooms[i], &sizes[i]);
    close(fd);
  }
  e->store = mix(mix(1, bytes[0], sizes[0]), bytes[1], sizes[1]);
  e->out = mix(2, bytes[2], sizes[2]);
  show(e->store, ".db", bytes[0], sizes[0]);
  if (sizes[1] > 0) show(e->store, ".db-wal", bytes[1], sizes[1]);
  show(e->out, ".out", bytes[2], sizes[2]);
  e->said = (int64_t)sizes[3];
  *said = bytes[3];
  e->rest = 0; /* the same in any order */
  DIR *dir = opendir(folder);
  for (struct dirent *d; (d = readdir(dir)) != NULL;) {
    const char *name = d->d_name;
    if (name[0] == '.' || strncmp(name, "t.db", 4) == 0 || !strcmp(name, "out") ||
        !strcmp(name, "err"))
      continue;
    int fd = open(path_of("", name), O_RDONLY | O_CLOEXEC);
    load(fd, &bytes[4], &rooms[4], &sizes[4]);
    close(fd);
    uint64_t hash = mix(3, bytes[4], sizes[4]);
    show(hash, ".rest", bytes[4], sizes[4]);
    e->rest += hash;
  }
  closedir(dir);
}

/* 1 in a copy; in the process itself 0, when that has ended. at 0: nothing fails in it. */
static int copy(int64_t at, int together, struct entry *e, char **said) {
  failed_here[0] = 1, failed_here[1] = at;
  keep_files();
  trying = 1;
  pid_t child = fork();
  trying = 0;
  if (child < 0) stop("fork");
  if (child == 0) {
    static _Atomic int64_t own[2];
    atomic_store(&own[0], atomic_load(&told[0]));
    told = own;
    each = 0;
    group_left = together ? TOGETHER - 1 : 0;
    group_next = at + APART;
    for (int i = 0; i < file_count; i++) close(files[i].fd);
    struct rlimit limit = {60, 61};
    setrlimit(RLIMIT_CPU, &limit);
    alarm(400);
    return 1;
  }
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) stop("wait");
  *e = (struct entry){.at = at, .together = failed_here[0], .status = status};
  look(e, said);
  put_back();
  return 0;
}

static void tell(const struct entry *e, const char *said) {
  struct iovec parts[] = {{(void *)e, sizeof *e}, {(void *)said, (size_t)e->said}};
  if (writev(log_fd, parts, 2) < 0) stop("log");
}

static int is_well(const struct entry *e) {
  return e->status == 0 && e->store == good.store && e->out == good.out && e->rest == good.rest;
}

/* The try of a group of calls; 1 in the copy. Not all well: each is tried alone. */
static int try_group(int64_t now) {
  struct entry e;
  char *said;
  if (copy(now, 1, &e, &said)) return 1;
  if (e.together > 1 && !is_well(&e)) {
    marks[now] = ALONE;
    return 0;
  }
  for (int64_t i = 1; i <= e.together; i++) marks[failed_here[i]] = DONE;
  tell(&e, said);
  return 0;
}

static int try_alone(int64_t now, int64_t *state) {
  struct entry e;
  char *said;
  if (copy(now, 0, &e, &said)) return 1;
  marks[now] = DONE;
  *state = is_well(&e) && *state != UNWELL ? WELL : UNWELL;
  tell(&e, said);
  return 0;
}

static int is_over(void) {
  struct timespec clock; /* the process's own has stopped */
  if (syscall(SYS_clock_gettime, CLOCK_REALTIME, &clock) == 0 && clock.tv_sec >= until) until = 0;
  return until == 0;
}

static int try_unless_done(int64_t now, uint64_t way) {
  if (good.at < 0) { /* what it comes to when nothing fails */
    char *said;
    if (copy(0, 0, &good, &said)) return 0;
    tell(&good, said);
  }
  int64_t *state = known_of(way);
  if (marks[now] == DONE || (firsts && *state != UNTRIED) || is_over()) return 0;
  if (of == MEMORY && *state == WELL && marks[now] != ALONE && try_group(now)) return 1;
  return marks[now] != DONE && try_alone(now, state);
}

/* Whether this call fails: never in the process itself, always in the copy that is made of it. */
static int try_here(int64_t now, uint64_t way) {
  if (now <= after || now >= MOST_WAYS || looking) return 0;
  looking = 1;
  int fails = try_unless_done(now, way);
  looking = 0;
  return fails;
}

/* In a copy: another call that fails beside the first. */
static int fails_beside(int64_t now, uint64_t way) {
  if (now >= MOST_WAYS || marks[now] != 0 || *known_of(way) != WELL) return 0;
  group_left--;
  group_next = now + APART;
  failed_here[++failed_here[0]] = now;
  return 1;
}
