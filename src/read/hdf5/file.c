/* The parent's side of reading HDF5 files. See hdf5.h. */
#include "read/hdf5/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/module.h"
#include "base/sanitizer.h"
#include "trace/intern.h"

enum {
  TICK_MS = 200, /* how often somebody may interrupt while the child works */
  PIECE_BYTES = 1 << 18,
  ANSWER_BYTES = 1 << 30 /* more is no honest answer */
};

struct tdm_hdf5_file {
  char *path;
  int socket;
  pid_t child; /* 0: none of ours */
  const tdm_read_options *options;
  unsigned char *listing; /* texts of the tables below lie here */
  size_t listing_length;
  tdm_hdf5_table *tables;
  size_t table_count, table_room;
  tdm_hdf5_column *columns; /* of all tables */
  size_t column_count, column_room;
  tdm_hdf5_attribute *notes;
  size_t note_count, note_room;
  uint64_t left_out;
  uint64_t rows_given, rows_all; /* for progress */
  tdm_intern paths;              /* of tables: id = number */
};

/* ---- the child */

/* Memory beyond what we have: a damaged file may ask for any amount. */
static void limit_memory(void) {
  if (TDM_SHADOWED) return;
  char text[64] = "";
  int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
  if (fd >= 0) close(fd);
  rlim_t used = got > 0 ? strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
  struct rlimit limit = {used + ((rlim_t)4 << 30), used + ((rlim_t)4 << 30)};
  if (used > 0) setrlimit(RLIMIT_AS, &limit);
}

/* What libhdf5 and the C library say when they give up is for nobody. */
static void be_quiet(void) {
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

static _Noreturn void run_child(const tdm_hdf5_module_table *module, const char *path, int socket,
                                pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  signal(SIGINT, SIG_IGN); /* the parent decides what an interruption means */
  signal(SIGPIPE, SIG_IGN);
  for (int fatal = 0; fatal < 5; fatal++)
    signal((int[]){SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}[fatal], SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == parent) {
    be_quiet();
    limit_memory();
    module->serve(path, socket);
  }
  _exit(0);
}

static tdm_status start_child(tdm_hdf5_file *file, const tdm_hdf5_module_table *module,
                              const char *path, tdm_error *error) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return tdm_error_set(error, TDM_IO, "cannot read %s: %s", file->path, strerror(errno));
  pid_t parent = getpid();
  file->child = fork();
  if (file->child == 0) {
    close(ends[0]);
    run_child(module, path, ends[1], parent);
  }
  close(ends[1]);
  if (file->child > 0) {
    file->socket = ends[0];
    return TDM_OK;
  }
  file->child = 0;
  close(ends[0]);
  return tdm_error_set(error, TDM_IO, "cannot read %s: %s", file->path, strerror(errno));
}

/* The socket ended in the middle: says how the child did. */
static tdm_status child_died(tdm_hdf5_file *file, tdm_error *error) {
  int how = 0;
  pid_t child = file->child;
  file->child = 0;
  while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && WIFSIGNALED(how) && WTERMSIG(how) == SIGPROF)
    return tdm_error_set(error, TDM_INVALID,
                         "%s: damaged HDF5 file: libhdf5 comes to no end with it", file->path);
  if (child > 0 && WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL)
    return tdm_error_set(error, TDM_IO, "%s: the process that reads it was killed", file->path);
  return tdm_error_set(error, TDM_INVALID, "%s: damaged HDF5 file: libhdf5 gave up on it",
                       file->path);
}

static void stop_child(tdm_hdf5_file *file) {
  if (file->child <= 0) return;
  kill(file->child, SIGKILL);
  while (waitpid(file->child, NULL, 0) < 0 && errno == EINTR) {
  }
  file->child = 0;
}

/* ---- messages */

static tdm_status wait_for_child(tdm_hdf5_file *file, tdm_error *error) {
  struct pollfd wait = {.fd = file->socket, .events = POLLIN};
  const tdm_read_options *options = file->options;
  while (poll(&wait, 1, TICK_MS) <= 0)
    if (options != NULL && options->progress != NULL &&
        options->progress(options->context, file->rows_given, file->rows_all))
      return tdm_error_set(error, TDM_INTERRUPTED, "%s: interrupted", file->path);
  return TDM_OK;
}

static tdm_status receive(tdm_hdf5_file *file, void *bytes, size_t length, tdm_error *error) {
  char *at = bytes;
  while (length > 0) {
    ssize_t got = recv(file->socket, at, length, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
      tdm_status status = wait_for_child(file, error);
      if (status != TDM_OK) return status;
      continue;
    }
    if (got <= 0) return child_died(file, error);
    at += got;
    length -= (size_t)got;
  }
  return TDM_OK;
}

static tdm_status damaged(const tdm_hdf5_file *file, tdm_error *error) {
  return tdm_error_set(error, TDM_INVALID, "%s: damaged HDF5 file: libhdf5 contradicts itself",
                       file->path);
}

/* One answer into *bytes, which is grown. */
static tdm_status receive_answer(tdm_hdf5_file *file, unsigned char **bytes, size_t *room,
                                 size_t *length, tdm_error *error) {
  tdm_hdf5_answer head;
  tdm_status status = receive(file, &head, sizeof head, error);
  if (status != TDM_OK) return status;
  if (head.failed != 0) {
    char text[400];
    size_t kept = head.length < sizeof text - 1 ? (size_t)head.length : sizeof text - 1;
    status = receive(file, text, kept, error);
    text[kept] = 0;
    for (char *c = text; *c != 0; c++)
      if ((unsigned char)*c < ' ') *c = ' ';
    if (status != TDM_OK) return status;
    return tdm_error_set(error, TDM_INVALID, "%s: %s", file->path, text);
  }
  if (head.length > ANSWER_BYTES) return damaged(file, error);
  *length = (size_t)head.length;
  /* Memory is taken as bytes come, whatever the head claims. */
  for (size_t got = 0; status == TDM_OK && (got < *length || *bytes == NULL);) {
    size_t piece = *length - got < PIECE_BYTES ? *length - got : PIECE_BYTES;
    if (!tdm_array_grow(bytes, room, got + piece + 1, 1))
      return tdm_error_memory(error, "an HDF5 table", head.length);
    status = receive(file, *bytes + got, piece, error);
    got += piece;
  }
  return status;
}

/* ---- the listing */

typedef struct {
  unsigned char *at, *end;
  int bad;
} cursor;

static uint64_t take_number(cursor *in, size_t bytes) {
  uint64_t value = 0;
  if ((size_t)(in->end - in->at) < bytes) {
    in->bad = 1;
    return 0;
  }
  memcpy(&value, in->at, bytes);
  in->at += bytes;
  return value;
}

/* Moved one byte down, over its length, so that a NUL fits behind it. */
static const char *take_text(cursor *in) {
  size_t length = take_number(in, 4);
  if (in->bad || (size_t)(in->end - in->at) < length) {
    in->bad = 1;
    return "";
  }
  char *text = (char *)in->at - 1;
  memmove(text, in->at, length);
  text[length] = 0;
  in->at += length;
  return text;
}

static tdm_hdf5_kind take_kind(cursor *in) {
  uint64_t kind = take_number(in, 1);
  if (kind > TDM_HDF5_OTHER) in->bad = 1;
  return in->bad ? TDM_HDF5_OTHER : (tdm_hdf5_kind)kind;
}

static const char *without_slash(const char *path) {
  return path[0] == '/' ? path + 1 : path;
}

#define ROOM_FOR(file, items, count, room)                                                         \
  tdm_array_grow(&(file)->items, &(file)->room, (file)->count + 1, sizeof *(file)->items)

static int take_table(tdm_hdf5_file *file, cursor *in) {
  tdm_hdf5_table table = {.path = without_slash(take_text(in))};
  table.rows = take_number(in, 8);
  uint64_t row_bytes = take_number(in, 8), columns = take_number(in, 8);
  if (columns == 0 || columns > TDM_HDF5_COLUMNS || row_bytes == 0) in->bad = 1;
  for (uint64_t i = 0; i < columns && !in->bad; i++) {
    if (!ROOM_FOR(file, columns, column_count, column_room)) return 0;
    tdm_hdf5_kind kind = take_kind(in);
    file->columns[file->column_count++] = (tdm_hdf5_column){take_text(in), kind};
  }
  if (in->bad) return 1;
  int fresh;
  table.columns = (uint32_t)columns;
  table.number = tdm_intern_put(&file->paths, table.path, strlen(table.path), &fresh);
  if (table.number == TDM_INTERN_FAILED || !ROOM_FOR(file, tables, table_count, table_room))
    return 0;
  if (!fresh)
    in->bad = 1; /* two of one path */
  else
    file->tables[file->table_count++] = table;
  return 1;
}

static int take_note(tdm_hdf5_file *file, cursor *in) {
  tdm_hdf5_attribute note = {.owner = without_slash(take_text(in))};
  note.name = take_text(in);
  note.kind = take_kind(in);
  if (note.kind == TDM_HDF5_TEXT) {
    note.text = take_text(in);
  } else {
    uint64_t bits = take_number(in, 8);
    memcpy(&note.integer, &bits, sizeof bits);
    memcpy(&note.real, &bits, sizeof bits);
  }
  if (in->bad) return 1;
  if (!ROOM_FOR(file, notes, note_count, note_room)) return 0;
  file->notes[file->note_count++] = note;
  return 1;
}

static int compare_notes(const void *a, const void *b) {
  const tdm_hdf5_attribute *x = a, *y = b;
  int order = strcmp(x->owner, y->owner);
  return order != 0 ? order : strcmp(x->name, y->name);
}

static tdm_status take_listing(tdm_hdf5_file *file, tdm_error *error) {
  size_t room = 0;
  tdm_status status = receive_answer(file, &file->listing, &room, &file->listing_length, error);
  if (status != TDM_OK) return status;
  cursor in = {.at = file->listing, .end = file->listing + file->listing_length};
  int memory = 1;
  while (in.at < in.end && !in.bad && memory) {
    switch (*in.at++) {
    case 'D': memory = take_table(file, &in); break;
    case 'A': memory = take_note(file, &in); break;
    case 'G': take_text(&in); break; /* tables and attributes say all there is to know */
    case 'X':
      take_text(&in);
      file->left_out++;
      break;
    default: in.bad = 1;
    }
  }
  if (!memory) return tdm_error_memory(error, "the tables of an HDF5 file", 0);
  if (in.bad) return damaged(file, error);
  size_t first = 0;
  for (size_t i = 0; i < file->table_count; i++) {
    file->tables[i].column = file->columns + first;
    if (file->tables[i].rows < UINT64_MAX / 2 - file->rows_all)
      file->rows_all += file->tables[i].rows;
    first += file->tables[i].columns;
  }
  if (file->note_count > 0)
    qsort(file->notes, file->note_count, sizeof *file->notes, compare_notes);
  return TDM_OK;
}

/* ---- opening */

static tdm_hdf5_file *new_file(const char *path) {
  tdm_hdf5_file *file = tdm_array_new(1, sizeof *file);
  if (file == NULL) return NULL;
  file->socket = -1;
  file->path = tdm_string_copy(path);
  if (file->path != NULL) return file;
  free(file);
  return NULL;
}

void tdm_hdf5_close(tdm_hdf5_file *file) {
  if (file == NULL) return;
  stop_child(file);
  if (file->socket >= 0) close(file->socket);
  tdm_intern_clear(&file->paths);
  free(file->tables);
  free(file->columns);
  free(file->notes);
  free(file->listing);
  free(file->path);
  free(file);
}

static tdm_status listed(tdm_hdf5_file *file, tdm_status status, tdm_hdf5_file **out,
                         tdm_error *error) {
  if (status == TDM_OK) status = take_listing(file, error);
  if (status == TDM_OK)
    *out = file;
  else
    tdm_hdf5_close(file);
  return status;
}

tdm_status tdm_hdf5_open(tdm_input *input, const tdm_read_options *options, tdm_hdf5_file **out,
                         tdm_error *error) {
  void *symbol;
  const char *path;
  *out = NULL;
  tdm_status status =
      tdm_module_symbol("hdf5.so", TDM_HDF5_MODULE, TDM_HDF5_MISSING, &symbol, error);
  if (status != TDM_OK) return status;
  const tdm_hdf5_module_table *module = symbol;
  if (module->bytes != sizeof *module) return tdm_error_set(error, TDM_IO, TDM_HDF5_OTHER_BUILD);
  status = tdm_input_file(input, &path, error);
  if (status != TDM_OK) return status;
  tdm_hdf5_file *file = new_file(tdm_input_path(input));
  if (file == NULL) return tdm_error_memory(error, "an HDF5 file", sizeof *file);
  file->options = options;
  return listed(file, start_child(file, module, path, error), out, error);
}

tdm_status tdm_hdf5_open_socket(int socket, const char *path, tdm_hdf5_file **out,
                                tdm_error *error) {
  *out = NULL;
  tdm_hdf5_file *file = new_file(path);
  if (file == NULL) {
    close(socket);
    return tdm_error_memory(error, "an HDF5 file", sizeof *file);
  }
  file->socket = socket;
  return listed(file, TDM_OK, out, error);
}

/* ---- looking */

size_t tdm_hdf5_tables(const tdm_hdf5_file *file) {
  return file->table_count;
}

const tdm_hdf5_table *tdm_hdf5_table_at(const tdm_hdf5_file *file, size_t index) {
  return index < file->table_count ? &file->tables[index] : NULL;
}

const tdm_hdf5_table *tdm_hdf5_find(const tdm_hdf5_file *file, const char *path) {
  uint32_t number = tdm_intern_find(&file->paths, path, strlen(path));
  return number == TDM_INTERN_FAILED ? NULL : tdm_hdf5_table_at(file, number);
}

const tdm_hdf5_attribute *tdm_hdf5_note(const tdm_hdf5_file *file, const char *owner,
                                        const char *name) {
  tdm_hdf5_attribute key = {.owner = owner, .name = name};
  if (file->note_count == 0) return NULL;
  return bsearch(&key, file->notes, file->note_count, sizeof key, compare_notes);
}

uint64_t tdm_hdf5_left_out(const tdm_hdf5_file *file) {
  return file->left_out;
}

/* ---- rows */

void tdm_hdf5_block_free(tdm_hdf5_block *block) {
  free(block->bytes);
  free(block->texts);
  *block = (tdm_hdf5_block){0};
}

static tdm_status ask(tdm_hdf5_file *file, const tdm_hdf5_request *request, tdm_error *error) {
  const char *at = (const char *)request;
  size_t left = offsetof(tdm_hdf5_request, column) + request->columns * sizeof *request->column;
  while (left > 0) {
    ssize_t sent = send(file->socket, at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return child_died(file, error);
    at += sent;
    left -= (size_t)sent;
  }
  return TDM_OK;
}

static int point_texts(cursor *in, size_t count, tdm_hdf5_text *texts) {
  if ((size_t)(in->end - in->at) / 4 < count) return 0;
  const unsigned char *lengths = in->at, *at = lengths + 4 * count;
  for (size_t i = 0; i < count; i++) {
    uint32_t length;
    memcpy(&length, lengths + 4 * i, sizeof length);
    if ((size_t)(in->end - at) < length) return 0;
    texts[i] = (tdm_hdf5_text){(const char *)at, length};
    at += length;
  }
  size_t used = (size_t)(at - in->at);
  used += (8 - used % 8) % 8;
  if ((size_t)(in->end - in->at) < used) return 0;
  in->at += used;
  return 1;
}

/* Points the block's columns into its bytes. 0: they do not hold what was asked for. */
static int point_columns(tdm_hdf5_block *block, const tdm_hdf5_table *table,
                         const uint32_t *columns, uint32_t count, size_t length) {
  cursor in = {.at = block->bytes, .end = block->bytes + length};
  tdm_hdf5_text *texts = block->texts;
  for (uint32_t i = 0; i < count; i++) {
    if (table->column[columns[i]].kind == TDM_HDF5_TEXT) {
      if (!point_texts(&in, block->count, texts)) return 0;
      block->column[i].text = texts;
      texts += block->count;
      continue;
    }
    if ((size_t)(in.end - in.at) / 8 < block->count) return 0;
    block->column[i].integer = (int64_t *)(void *)in.at; /* REAL columns have the same size */
    in.at += 8 * block->count;
  }
  return in.at == in.end;
}

tdm_status tdm_hdf5_rows(tdm_hdf5_file *file, const tdm_hdf5_table *table, const uint32_t *columns,
                         uint32_t column_count, uint64_t first, size_t count, tdm_hdf5_block *block,
                         tdm_error *error) {
  uint64_t left = first < table->rows ? table->rows - first : 0;
  block->count = count < left ? count : (size_t)left;
  if (block->count > TDM_HDF5_ROWS) block->count = TDM_HDF5_ROWS;
  if (block->count == 0) return TDM_OK;
  file->rows_given += block->count;
  tdm_hdf5_request request = {
      .table = table->number, .columns = column_count, .first = first, .count = block->count};
  size_t texts = 0;
  for (uint32_t i = 0; i < column_count; i++) {
    request.column[i] = columns[i];
    if (table->column[columns[i]].kind == TDM_HDF5_TEXT) texts++;
  }
  if (!tdm_array_grow(&block->texts, &block->text_room, texts * block->count, sizeof *block->texts))
    return tdm_error_memory(error, "texts", texts * block->count);
  tdm_status status = ask(file, &request, error);
  size_t length = 0;
  if (status == TDM_OK) status = receive_answer(file, &block->bytes, &block->room, &length, error);
  if (status != TDM_OK) return status;
  if (!point_columns(block, table, columns, column_count, length)) return damaged(file, error);
  return TDM_OK;
}

int tdm_hdf5_detect(const unsigned char *head, size_t length) {
  static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  /* With a block of the user's in front, the signature is at 512, 1024, 2048 … */
  for (size_t at = 0; at + sizeof signature <= length; at = at == 0 ? 512 : 2 * at)
    if (memcmp(head + at, signature, sizeof signature) == 0) return 50;
  return 0;
}
