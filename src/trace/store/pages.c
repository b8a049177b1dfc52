/* See pages.h. */
#include "trace/store/pages.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/store/log.h"
#include "trace/store/still.h"

enum {
  MARK = 8,
  SECTOR = 512,
  HEADER = 100,
  PAGE_LEAST = 512,
  PAGE_MOST = 65536,
  WAIT_MS = 20,
  LOOKS = 4
};
enum { AT_PAGE_BYTES = 16, AT_WRITE_VERSION = 18, AT_READ_VERSION = 19, AT_RESERVED = 20 };
enum { AT_APPLICATION = 68, FOREIGN_MAY_NOT_WRITE = 3, WAL_WRITER = 0 /* SQLite's lock */ };

#define APPLICATION "TDMS" /* TDM_STORE_APPLICATION as it lies in the file */

/* Our opcodes of sqlite3_file_control. */
/* No pages: somebody else wrote to the file, or put another in its place; the log is damaged. */
enum { CHANGED = -1, REPLACED = -2, LOG = -3 };
enum { CONTROL_BEGIN = 0x54444d01, CONTROL_STATE, CONTROL_TRUST };

typedef struct page_file {
  sqlite3_file base;       /* first: what SQLite sees */
  struct page_file *store; /* of a log, which passes through; the reads that fail are counted */
  bool marked;             /* the pages have checksums */
  bool begun;              /* they will, though the header does not say so yet */
  bool trusting;           /* of pages without a mark */
  bool looking;            /* who finds damage asked for it */
  bool locked, wal_locked; /* for writing */
  uint32_t page_bytes;
  int64_t damaged; /* the first page that was; 0: none */
  int64_t failed_reads;
  unsigned char *scratch;
  const char *name;
  tdm_still still;
  struct stat as_it_was; /* of a file that lies still */
  const char *copy;      /* of one that is read instead; its file is gone already */
  tdm_log_state log;
  dev_t device; /* of the file, as long as it is among `opened` */
  ino_t inode;
  struct page_file *next;
} page_file; /* the real file follows */

static sqlite3_vfs *real_vfs;
static sqlite3_vfs page_vfs;

static _Thread_local struct {
  int64_t page; /* or CHANGED, REPLACED, LOG */
  bool unmarked;
  char text[256];
} last;

/* The first damage that any connection of the process came upon. */
static struct {
  pthread_mutex_t lock;
  tdm_error error; /* TDM_OK: none */
} met = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Files that the process has open. While it has one, closing another descriptor of it or of its
 * log's index would drop SQLite's locks; and the log was looked at when the first was opened. */
static struct {
  pthread_mutex_t lock;
  page_file *first;
} opened = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *page_reason(int64_t page, bool unmarked) {
  if (page == LOG) return last.text;
  if (page == REPLACED) return "another file was put in its place meanwhile: try again";
  if (page == CHANGED) return "somebody wrote to it while it was read: read it again";
  if (page == 1 && !unmarked) return "its first page is damaged, which tells where all else lies";
  snprintf(last.text, sizeof last.text,
           unmarked ? "page %lld was written by another program than tandem; `tandem verify` checks"
                      " the store"
                    : "page %lld is damaged; `tandem verify` says what is lost",
           (long long)page);
  return last.text;
}

static void remember(const page_file *f, int64_t page, bool unmarked) {
  pthread_mutex_lock(&met.lock);
  if (met.error.status == TDM_OK)
    tdm_error_set(&met.error, TDM_IO, "cannot read the store %s: %s", f->name,
                  page_reason(page, unmarked));
  pthread_mutex_unlock(&met.lock);
}

tdm_status tdm_pages_met_damage(bool forget, tdm_error *error) {
  pthread_mutex_lock(&met.lock);
  *error = met.error;
  if (forget) met.error.status = TDM_OK;
  pthread_mutex_unlock(&met.lock);
  return error->status;
}

static sqlite3_file *real_of(sqlite3_file *base) {
  return (sqlite3_file *)(void *)((char *)base + sizeof(page_file));
}

static int read_real(page_file *f, void *out, int count, sqlite3_int64 at) {
  sqlite3_file *real = real_of(&f->base);
  int code = real->pMethods->xRead(real, out, count, at);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
    (f->store != NULL ? f->store : f)->failed_reads++;
  return code;
}

/* ---- one page ---- */

static uint64_t sum_of(const unsigned char *page, uint32_t bytes, int64_t number) {
  uint64_t sum = XXH3_64bits(page, bytes - MARK) ^ (uint64_t)number * 0x9e3779b97f4a7c15u;
  return sum != 0 ? sum : 1; /* 0: no mark */
}

static void set_mark(unsigned char *page, uint32_t bytes, uint64_t sum) {
  for (int i = 0; i < MARK; i++) page[bytes - MARK + (unsigned)i] = (unsigned char)(sum >> (8 * i));
}

static uint64_t mark_of(const unsigned char *page, uint32_t bytes) {
  uint64_t sum = 0;
  for (int i = 0; i < MARK; i++) sum |= (uint64_t)page[bytes - MARK + (unsigned)i] << (8 * i);
  return sum;
}

static bool all_zero(const unsigned char *page, uint32_t bytes) {
  return page[0] == 0 && memcmp(page, page + 1, bytes - 1) == 0;
}

/* What the header says; it is looked at whenever it goes by, since another process may lay out an
 * empty file, or put another in its place. */
static void look_at_header(page_file *f, const unsigned char *header) {
  static const char magic[16] = "SQLite format 3";
  if (memcmp(header, magic, sizeof magic) != 0) return;
  uint32_t bytes = (uint32_t)header[AT_PAGE_BYTES] << 8 | header[AT_PAGE_BYTES + 1];
  if (bytes == 1) bytes = PAGE_MOST;
  f->marked = header[AT_RESERVED] == MARK && bytes >= PAGE_LEAST && (bytes & (bytes - 1)) == 0 &&
              (f->begun || memcmp(header + AT_APPLICATION, APPLICATION, 4) == 0);
  if (bytes == f->page_bytes) return;
  free(f->scratch);
  f->scratch = NULL;
  f->page_bytes = bytes;
}

static void look_at_file(page_file *f) {
  unsigned char header[HEADER];
  if (read_real(f, header, HEADER, 0) == SQLITE_OK) look_at_header(f, header);
}

static unsigned char *scratch_of(page_file *f) {
  if (f->scratch == NULL) f->scratch = malloc(f->page_bytes);
  return f->scratch;
}

/* A page without a mark may be one whose last sector was never written. The rows of a tree's page
 * end with it, and a long value fills all its pages but the last. */
static bool lost_its_end(const unsigned char *page, const page_file *f, int64_t number) {
  const unsigned char *end = page + f->page_bytes - SECTOR;
  if (number == 1 || !all_zero(end, SECTOR)) return false; /* SQLite parses the first itself */
  unsigned char kind = page[0];
  bool tree = kind == 2 || kind == 5 || kind == 10 || kind == 13;
  static const unsigned char none[4];
  return tree || memcmp(page, none, sizeof none) != 0 || end[-1] != 0;
}

/* Compares a page with its mark, and takes that off: it does not belong to what SQLite keeps and
 * logs. */
static int check_page(page_file *f, unsigned char *page, int64_t number) {
  uint64_t mark = mark_of(page, f->page_bytes);
  bool sound = mark == sum_of(page, f->page_bytes, number);
  if (!sound && mark == 0) {
    /* A writer may meet a page that was set aside and never written; who repairs, and holds the
     * locks of one, has nothing to do with such. */
    bool empty = all_zero(page, f->page_bytes);
    sound = empty ? !f->trusting && (f->locked || f->wal_locked)
                  : f->trusting && !lost_its_end(page, f, number);
  }
  if (!sound) {
    if (f->damaged == 0) f->damaged = number;
    last.page = number;
    last.unmarked = mark == 0 && !all_zero(page, f->page_bytes) && !lost_its_end(page, f, number);
    if (!f->looking) remember(f, number, last.unmarked);
    return SQLITE_IOERR_DATA;
  }
  set_mark(page, f->page_bytes, 0);
  if (number == 1 && page[AT_WRITE_VERSION] == FOREIGN_MAY_NOT_WRITE)
    page[AT_WRITE_VERSION] = page[AT_READ_VERSION];
  return SQLITE_OK;
}

/* ---- what SQLite calls ---- */

static void forget_file(const page_file *f) {
  pthread_mutex_lock(&opened.lock);
  page_file **at = &opened.first;
  while (*at != NULL && *at != f) at = &(*at)->next;
  if (*at != NULL) *at = f->next;
  pthread_mutex_unlock(&opened.lock);
}

static int close_file(sqlite3_file *base) {
  page_file *f = (page_file *)base;
  forget_file(f);
  free(f->scratch);
  f->scratch = NULL;
  int code = real_of(base)->pMethods->xClose(real_of(base));
  if (f->copy != NULL) sqlite3_free_filename(f->copy);
  return code;
}

static int read_page(sqlite3_file *base, unsigned char *page, int64_t number) {
  page_file *f = (page_file *)base;
  sqlite3_file *real = real_of(base);
  sqlite3_int64 at = (number - 1) * f->page_bytes, size = 0;
  int code = read_real(f, page, (int)f->page_bytes, at);
  if (code == SQLITE_IOERR_SHORT_READ && real->pMethods->xFileSize(real, &size) == SQLITE_OK &&
      size <= at)
    return code; /* behind the end: SQLite takes zeros */
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
  if (number == 1) look_at_header(f, page);
  if (!f->marked) return code;
  int checked = check_page(f, page, number);
  return checked == SQLITE_OK ? code : checked;
}

static int read_unlocked(sqlite3_file *base, void *out, int count, sqlite3_int64 at) {
  page_file *f = (page_file *)base;
  bool header = at < HEADER && at + count <= HEADER;
  if (at == 0 && !header && (uint32_t)count != f->page_bytes) { /* its size is not known yet */
    int code = read_real(f, out, count, at);
    if (code == SQLITE_OK) look_at_header(f, out);
    if (code != SQLITE_OK || !f->marked || (uint32_t)count != f->page_bytes) return code;
    return check_page(f, out, 1);
  }
  if (!header && f->page_bytes > 0 && (uint32_t)count == f->page_bytes && at % count == 0)
    return read_page(base, out, at / count + 1);
  if (header || !f->marked) {
    int code = read_real(f, out, count, at);
    if (code == SQLITE_OK && at == 0 && count == HEADER) look_at_header(f, out);
    return code;
  }
  /* A part of a page: some versions of SQLite read long values past their cache. */
  sqlite3_int64 number = at / f->page_bytes + 1, within = at % f->page_bytes;
  if (within + count > f->page_bytes) return SQLITE_IOERR_READ;
  unsigned char *page = scratch_of(f);
  if (page == NULL) return SQLITE_NOMEM;
  int code = read_page(base, page, number);
  memcpy(out, page + within, (size_t)count);
  return code;
}

static int refuse_log(const page_file *f) {
  last.page = LOG;
  last.unmarked = false;
  snprintf(last.text, sizeof last.text, "%s%s", f->log.text,
           f->log.unread ? "" : "; `tandem verify` says what is lost");
  remember(f, LOG, false);
  return SQLITE_IOERR_DATA;
}

/* Nobody is locked out of a file that lies still: each read sees whether it does. */
static int read_bytes(sqlite3_file *base, void *out, int count, sqlite3_int64 at) {
  page_file *f = (page_file *)base;
  if (f->store != NULL) return read_real(f, out, count, at);
  if (f->log.damaged) return refuse_log(f);
  int code = read_unlocked(base, out, count, at);
  if (f->still != TDM_STILL_LIES || !tdm_still_changed(f->name, &f->as_it_was)) return code;
  last.page = CHANGED;
  return SQLITE_IOERR_DATA;
}

static int write_bytes(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 at) {
  page_file *f = (page_file *)base;
  sqlite3_file *real = real_of(base);
  if (f->store == NULL && at == 0 && count >= PAGE_LEAST) look_at_header(f, bytes);
  if (!f->marked || (uint32_t)count != f->page_bytes || at % count != 0)
    return real->pMethods->xWrite(real, bytes, count, at);
  unsigned char *page = scratch_of(f);
  if (page == NULL) return SQLITE_NOMEM;
  memcpy(page, bytes, (size_t)count);
  sqlite3_int64 number = at / count + 1;
  if (number == 1) page[AT_WRITE_VERSION] = FOREIGN_MAY_NOT_WRITE;
  set_mark(page, f->page_bytes, sum_of(page, f->page_bytes, number));
  return real->pMethods->xWrite(real, page, count, at);
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size) {
  return real_of(base)->pMethods->xTruncate(real_of(base), size);
}
static int sync_file(sqlite3_file *base, int flags) {
  return real_of(base)->pMethods->xSync(real_of(base), flags);
}
static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  return real_of(base)->pMethods->xFileSize(real_of(base), size);
}
static int sector_size(sqlite3_file *base) {
  return real_of(base)->pMethods->xSectorSize(real_of(base));
}
static int characteristics(sqlite3_file *base) {
  int has = real_of(base)->pMethods->xDeviceCharacteristics(real_of(base));
  return ((page_file *)base)->still == TDM_STILL_NOT ? has : has | SQLITE_IOCAP_IMMUTABLE;
}
static int check_reserved(sqlite3_file *base, int *held) {
  return real_of(base)->pMethods->xCheckReservedLock(real_of(base), held);
}

/* Who waited while the store was repaired has the file that was put aside. */
static bool was_replaced(page_file *f) {
  int moved = 0;
  sqlite3_file *real = real_of(&f->base);
  return f->still == TDM_STILL_NOT &&
         real->pMethods->xFileControl(real, SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

static int lock(sqlite3_file *base, int level) {
  int code = real_of(base)->pMethods->xLock(real_of(base), level);
  if (code == SQLITE_OK && level == SQLITE_LOCK_SHARED && was_replaced((page_file *)base)) {
    real_of(base)->pMethods->xUnlock(real_of(base), SQLITE_LOCK_NONE);
    last.page = REPLACED;
    return SQLITE_IOERR_DATA;
  }
  if (code == SQLITE_OK && level >= SQLITE_LOCK_RESERVED) ((page_file *)base)->locked = true;
  return code;
}
static int unlock(sqlite3_file *base, int level) {
  if (level < SQLITE_LOCK_RESERVED) ((page_file *)base)->locked = false;
  return real_of(base)->pMethods->xUnlock(real_of(base), level);
}

static int shm_map(sqlite3_file *base, int region, int bytes, int extend, void volatile **out) {
  return real_of(base)->pMethods->xShmMap(real_of(base), region, bytes, extend, out);
}
static int shm_lock(sqlite3_file *base, int offset, int count, int flags) {
  int code = real_of(base)->pMethods->xShmLock(real_of(base), offset, count, flags);
  if (code == SQLITE_OK && offset == WAL_WRITER && flags & SQLITE_SHM_EXCLUSIVE)
    ((page_file *)base)->wal_locked = (flags & SQLITE_SHM_LOCK) != 0;
  return code;
}
static void shm_barrier(sqlite3_file *base) {
  real_of(base)->pMethods->xShmBarrier(real_of(base));
}
static int shm_unmap(sqlite3_file *base, int remove) {
  return real_of(base)->pMethods->xShmUnmap(real_of(base), remove);
}

static int control(sqlite3_file *base, int operation, void *argument) {
  page_file *f = (page_file *)base;
  sqlite3_file *real = real_of(base);
  switch (operation) {
  case CONTROL_BEGIN: f->begun = true; return SQLITE_OK;
  case CONTROL_STATE: *(page_file **)argument = f; return SQLITE_OK;
  case CONTROL_TRUST: f->trusting = true; return SQLITE_OK;
  case SQLITE_FCNTL_CKPT_START: /* the page with the header may not be among those that come */
    look_at_file(f);
    break;
  default: break;
  }
  return real->pMethods->xFileControl(real, operation, argument);
}

/* Version 2: SQLite does not map pages into memory, where nobody would check them. */
static const sqlite3_io_methods methods = {.iVersion = 2,
                                           .xClose = close_file,
                                           .xRead = read_bytes,
                                           .xWrite = write_bytes,
                                           .xTruncate = truncate_file,
                                           .xSync = sync_file,
                                           .xFileSize = file_size,
                                           .xLock = lock,
                                           .xUnlock = unlock,
                                           .xCheckReservedLock = check_reserved,
                                           .xFileControl = control,
                                           .xSectorSize = sector_size,
                                           .xDeviceCharacteristics = characteristics,
                                           .xShmMap = shm_map,
                                           .xShmLock = shm_lock,
                                           .xShmBarrier = shm_barrier,
                                           .xShmUnmap = shm_unmap};

/* Whether another of the process's files is the one at `path`; where it lies goes into `f`. */
static bool is_open(page_file *f, const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) return false;
  f->device = about.st_dev;
  f->inode = about.st_ino;
  for (const page_file *o = opened.first; o != NULL; o = o->next)
    if (o->device == f->device && o->inode == f->inode) {
      f->log = o->log;
      return true;
    }
  return false;
}

/* Opens the file, and looks at its log when that is the first time. */
static int open_known(page_file *f, const char *path, int flags, int *got) {
  pthread_mutex_lock(&opened.lock);
  if (!is_open(f, path) && f->still == TDM_STILL_NOT) tdm_log_look(path, &f->log);
  int code = real_vfs->xOpen(real_vfs, path, real_of(&f->base), flags, got);
  if (real_of(&f->base)->pMethods != NULL) {
    is_open(f, path); /* it may have been made */
    f->next = opened.first;
    opened.first = f;
  }
  pthread_mutex_unlock(&opened.lock);
  return code;
}

static int open_log(const char *name, sqlite3_file *base, int flags, int *got) {
  page_file *f = (page_file *)base;
  *f = (page_file){.name = name, .store = (page_file *)sqlite3_database_file_object(name)};
  real_of(base)->pMethods = NULL;
  int code = real_vfs->xOpen(real_vfs, name, real_of(base), flags, got);
  if (real_of(base)->pMethods != NULL) f->base.pMethods = &methods;
  return code;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *got) {
  (void)vfs;
  if (flags & SQLITE_OPEN_WAL) return open_log(name, base, flags, got);
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return real_vfs->xOpen(real_vfs, name, base, flags, got);
  page_file *f = (page_file *)base;
  *f = (page_file){.name = name};
  real_of(base)->pMethods = NULL;
  f->still = tdm_still_how(name, &f->as_it_was, &f->copy);
  if (f->still != TDM_STILL_NOT) {
    flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI);
    flags |= SQLITE_OPEN_READONLY;
  }
  int code = open_known(f, f->copy != NULL ? f->copy : name, flags, got);
  if (f->copy != NULL) tdm_still_forget(f->copy);
  if (real_of(base)->pMethods != NULL)
    f->base.pMethods = &methods;
  else if (f->copy != NULL)
    sqlite3_free_filename(f->copy);
  return code;
}

/* ---- registration, and what callers ask ---- */

static bool register_vfs(void) {
  real_vfs = sqlite3_vfs_find(NULL);
  if (real_vfs == NULL) return false;
  page_vfs = *real_vfs; /* what it does beside opening files asks nothing of it but its pAppData */
  page_vfs.szOsFile += (int)sizeof(page_file);
  page_vfs.zName = "tandem-pages";
  page_vfs.pNext = NULL;
  page_vfs.xOpen = open_file;
  return sqlite3_vfs_register(&page_vfs, 0) == SQLITE_OK;
}

/* Whether it is registered now: for want of memory it may not be, another time it may. */
static bool is_registered(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static bool registered;
  pthread_mutex_lock(&lock);
  if (!registered) registered = register_vfs();
  pthread_mutex_unlock(&lock);
  return registered;
}

int tdm_pages_open(const char *path, int flags, sqlite3 **database) {
  *database = NULL;
  return is_registered() ? sqlite3_open_v2(path, database, flags, page_vfs.zName) : SQLITE_NOMEM;
}

int tdm_pages_begin(sqlite3 *database) {
  int bytes = MARK;
  int code = sqlite3_file_control(database, "main", CONTROL_BEGIN, NULL);
  if (code == SQLITE_NOTFOUND) return SQLITE_OK; /* in memory, or not ours */
  return code == SQLITE_OK
             ? sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes)
             : code;
}

static page_file *state_of(sqlite3 *database) {
  page_file *f = NULL;
  return sqlite3_file_control(database, "main", CONTROL_STATE, &f) == SQLITE_OK ? f : NULL;
}

/* Another process may have laid out the file since it was opened empty, and its first page have
 * come from the log alone: then the header has not gone by. */
bool tdm_pages_checked(sqlite3 *database) {
  page_file *f = state_of(database);
  if (f == NULL) return false;
  if (!f->marked) look_at_file(f);
  return f->marked;
}

void tdm_pages_trust_unmarked(sqlite3 *database) {
  sqlite3_file_control(database, "main", CONTROL_TRUST, NULL);
}

tdm_status tdm_pages_sound(sqlite3 *database, tdm_error *error) {
  page_file *f = state_of(database);
  if (f != NULL && f->log.damaged)
    return tdm_error_set(error, TDM_IO, "cannot read the store %s: %s", f->name, f->log.text);
  if (f == NULL || f->damaged == 0) return TDM_OK;
  return tdm_error_set(error, TDM_IO, "cannot read the store %s: %s", f->name,
                       page_reason(f->damaged, last.page == f->damaged && last.unmarked));
}

int64_t tdm_pages_failed_reads(sqlite3 *database) {
  page_file *f = state_of(database);
  return f != NULL ? f->failed_reads : 0;
}

const char *tdm_pages_reason(sqlite3 *database) {
  int code = sqlite3_extended_errcode(database);
  const char *text = sqlite3_errmsg(database);
  if (code == SQLITE_IOERR_DATA && strcmp(text, sqlite3_errstr(SQLITE_IOERR)) == 0)
    return page_reason(last.page, last.unmarked);
  if (code == SQLITE_IOERR_DATA) return text; /* of a chunk */
  bool corrupt = (code & 0xff) == SQLITE_CORRUPT;
  if (corrupt && tdm_pages_failed_reads(database) > 0) return "the disk fails: try again";
  if (corrupt) return "it is damaged; `tandem verify` says what is lost";
  return text;
}

/* Whoever checkpoints just now may have written half of the page, and a disk may fail once: it is
 * looked at again. */
static int look_again(sqlite3_file *base, unsigned char *page, int64_t number) {
  int code = read_page(base, page, number);
  for (int look = 1; look < LOOKS && code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ; look++) {
    sqlite3_sleep(WAIT_MS);
    code = read_page(base, page, number);
  }
  return code;
}

tdm_status tdm_pages_look(sqlite3 *database,
                          void (*tell)(void *context, int64_t page, bool unmarked), void *context,
                          int64_t *pages, tdm_error *error) {
  page_file *f = state_of(database);
  sqlite3_int64 size = 0;
  *pages = 0;
  if (f == NULL || !f->marked) return TDM_OK;
  if (file_size(&f->base, &size) != SQLITE_OK)
    return tdm_error_set(error, TDM_IO, "cannot read the store %s", f->name);
  unsigned char *page = malloc(f->page_bytes);
  if (page == NULL) return tdm_error_memory(error, "a page", f->page_bytes);
  *pages = (size + f->page_bytes - 1) / f->page_bytes;
  tdm_status status = TDM_OK;
  bool trusting = f->trusting;
  f->trusting = false;
  f->looking = true;
  for (int64_t number = 1; number <= *pages && status == TDM_OK; number++) {
    int64_t before = f->damaged; /* of reading, which this is not */
    int code = look_again(&f->base, page, number);
    f->damaged = before;
    if (code == SQLITE_IOERR_DATA && !all_zero(page, f->page_bytes))
      tell(context, number, last.unmarked);
    else if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ && code != SQLITE_IOERR_DATA)
      status = tdm_error_set(error, code == SQLITE_NOMEM ? TDM_MEMORY : TDM_IO,
                             "cannot read page %lld of the store %s", (long long)number, f->name);
  }
  f->trusting = trusting;
  f->looking = false;
  free(page);
  return status;
}
