/* The child's side of reading: lists the file, then answers requests for rows. See hdf5.h.
 *
 * Nothing here trusts the file: each request has a limit of processor time, and whatever libhdf5
 * does to this process, the parent only sees an answer or the end of the socket. */
#include "hdf5/inside.h"

#include "base/sanitizer.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

enum {
  REQUEST_SECONDS = 2,     /* of processor time; an honest request takes milliseconds */
  CHUNK_CACHE = 32 << 20,  /* bytes: a chunk is decompressed once where blocks are read in order */
  TEXT_BYTES = 256 << 20,  /* of an answer */
  BLOCK_BYTES = 256 << 20, /* of rows as they lie in memory */
  VARYING_BYTES = 160 << 20, /* for what libhdf5 holds of a text of any length: it, twice */
  RAISE_BYTES = 16 << 20,    /* of texts that were read: memory and time begin again */
  LONGEST_MB = 20,           /* of a text */
  MB = 1000000
};

typedef struct {
  hid_t file;
  int socket;
  hdf5_index index;
  /* The dataset of the last request: nearly always that of the next one too. */
  size_t open_table; /* + 1; 0: none */
  hid_t dataset;
  hdf5_row_type row;
  hdf5_bytes out, rows;
  char words[160]; /* what is wrong, where it is told with numbers */
} session;

/* Past its time the process ends by the timer's signal, which the parent reports. 0: no limit, for
 * what is not libhdf5's: it is as long as the texts, and those have a limit of bytes. */
static void limit_time(int seconds) {
  struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &limit, NULL);
}

/* Texts of any length are read whole by libhdf5: it gets no memory for those that are too long.
 * While it is on, memory that is used already does not count. */
void hdf5_limit_memory(bool on) {
  struct rlimit limit;
  if (TDM_SHADOWED || getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  char text[64] = "";
  int fd = on ? open("/proc/self/statm", O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0 && read(fd, text, sizeof text - 1) > 0) {
    rlim_t most = strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + VARYING_BYTES;
    if (most < limit.rlim_max) limit.rlim_cur = most;
  }
  if (fd >= 0) close(fd);
  setrlimit(RLIMIT_AS, &limit);
}

/* Texts that were read and are not given back. */
typedef struct {
  size_t total, raised;
  bool too_long, too_many;
} texts_read;

static void *text_new(size_t size, void *context) {
  texts_read *texts = context;
  texts->too_long = texts->too_long || size > (size_t)LONGEST_MB * MB;
  texts->too_many = texts->too_many || size > TEXT_BYTES - texts->total;
  if (texts->too_long || texts->too_many) return NULL;
  texts->total += size;
  if (texts->total - texts->raised > RAISE_BYTES) {
    texts->raised = texts->total;
    hdf5_limit_memory(true);
    limit_time(REQUEST_SECONDS);
  }
  return malloc(size);
}

static void text_free(void *text, void *context) {
  (void)context;
  free(text);
}

static herr_t is_memory(unsigned depth, const H5E_error2_t *error, void *found) {
  (void)depth;
  if (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC) *(bool *)found = true;
  return 0;
}

/* ---- messages */

static bool send_all(int socket, const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    ssize_t wrote = write(socket, at, length);
    if (wrote <= 0) return false;
    at += wrote;
    length -= (size_t)wrote;
  }
  return true;
}

static bool receive_all(int socket, void *bytes, size_t length) {
  char *at = bytes;
  while (length > 0) {
    ssize_t got = read(socket, at, length);
    if (got <= 0) return false;
    at += got;
    length -= (size_t)got;
  }
  return true;
}

static bool answer(int socket, bool failed, const void *bytes, size_t length) {
  tdm_hdf5_answer head = {.failed = failed, .length = length};
  return send_all(socket, &head, sizeof head) && send_all(socket, bytes, length);
}

static bool complain(int socket, const char *text) {
  return answer(socket, true, text, strlen(text));
}

/* ---- rows */

static void close_table(session *s) {
  if (s->open_table == 0) return;
  hdf5_row_type_free(&s->row);
  H5Dclose(s->dataset);
  s->open_table = 0;
}

static const char *open_table(session *s, size_t table) {
  if (s->open_table == table + 1) return NULL;
  close_table(s);
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access, H5D_CHUNK_CACHE_NSLOTS_DEFAULT, CHUNK_CACHE,
                     H5D_CHUNK_CACHE_W0_DEFAULT);
  s->dataset = H5Dopen2(s->file, s->index.tables[table], access);
  H5Pclose(access);
  if (s->dataset < 0) return "cannot be opened";
  s->open_table = table + 1;
  hid_t type = H5Dget_type(s->dataset);
  bool known = type >= 0 && hdf5_row_type_read(type, &s->row, NULL);
  if (type >= 0) H5Tclose(type);
  if (known) return NULL;
  close_table(s);
  return "has a type that cannot be read";
}

/* How rows lie in memory: as in the file where nothing needs converting, since decompressing is
 * then all there is to do; else the wanted columns alone. */
typedef struct {
  hid_t type;
  size_t stride;
  size_t offset[TDM_HDF5_COLUMNS];
  bool varies;
} arrangement;

static bool arrange(const session *s, const tdm_hdf5_request *request, arrangement *out) {
  bool as_is = !s->row.varies;
  *out = (arrangement){.type = -1};
  for (uint32_t i = 0; i < request->columns; i++) {
    const hdf5_column *column = &s->row.column[request->column[i]];
    if (column->kind == TDM_HDF5_OTHER) return false;
    if (!column->is_same) as_is = false;
    if (column->varies) out->varies = true;
    out->offset[i] = out->stride;
    out->stride += column->size;
  }
  if (!s->row.compound) {
    out->type = H5Tcopy(s->row.column[0].type);
    for (uint32_t i = 0; i < request->columns; i++) out->offset[i] = 0;
    out->stride = s->row.column[0].size;
    return out->type >= 0;
  }
  if (as_is) {
    out->type = H5Dget_type(s->dataset);
    out->stride = s->row.row_bytes;
    for (uint32_t i = 0; i < request->columns; i++)
      out->offset[i] = s->row.column[request->column[i]].offset;
    return out->type >= 0;
  }
  hid_t whole = H5Dget_type(s->dataset);
  out->type = H5Tcreate(H5T_COMPOUND, out->stride);
  bool made = whole >= 0 && out->type >= 0;
  for (uint32_t i = 0; made && i < request->columns; i++) {
    uint32_t c = request->column[i];
    char *name = H5Tget_member_name(whole, c);
    made = name != NULL && H5Tinsert(out->type, name, out->offset[i], s->row.column[c].type) >= 0;
    if (name != NULL) H5free_memory(name);
  }
  if (whole >= 0) H5Tclose(whole);
  return made;
}

static void put_reals(hdf5_bytes *out, const unsigned char *at, size_t stride, size_t count,
                      size_t size) {
  double *values = hdf5_bytes_more(out, count * sizeof *values);
  for (size_t i = 0; values != NULL && i < count; i++, at += stride) {
    float small;
    if (size == sizeof *values) {
      memcpy(&values[i], at, sizeof *values);
    } else {
      memcpy(&small, at, sizeof small);
      values[i] = (double)small;
    }
  }
}

#define PUT_INTEGERS(type)                                                                         \
  for (size_t i = 0; i < count; i++, at += stride) {                                               \
    type value;                                                                                    \
    memcpy(&value, at, sizeof value);                                                              \
    values[i] = (int64_t)value;                                                                    \
  }

static void put_integers(hdf5_bytes *out, const unsigned char *at, size_t stride, size_t count,
                         const hdf5_column *column) {
  int64_t *values = hdf5_bytes_more(out, count * sizeof *values);
  if (values == NULL) return;
  switch (2 * column->size + column->is_signed) {
  case 2: PUT_INTEGERS(uint8_t) break;
  case 3: PUT_INTEGERS(int8_t) break;
  case 4: PUT_INTEGERS(uint16_t) break;
  case 5: PUT_INTEGERS(int16_t) break;
  case 8: PUT_INTEGERS(uint32_t) break;
  case 9: PUT_INTEGERS(int32_t) break;
  case 16: PUT_INTEGERS(uint64_t) break;
  default: PUT_INTEGERS(int64_t) break;
  }
}

static const char *text_at(const unsigned char *at, const hdf5_column *column, uint32_t *length) {
  const char *text = (const char *)at;
  if (!column->varies) {
    *length = (uint32_t)strnlen(text, column->size);
    return text;
  }
  memcpy(&text, at, sizeof text);
  *length = text != NULL ? (uint32_t)strnlen(text, TEXT_BYTES) : 0;
  return text;
}

static bool put_texts(hdf5_bytes *out, const unsigned char *at, size_t stride, size_t count,
                      const hdf5_column *column) {
  size_t lengths = out->used, total = 0;
  if (hdf5_bytes_more(out, count * sizeof(uint32_t)) == NULL) return false;
  for (size_t i = 0; i < count; i++, at += stride) {
    uint32_t length;
    const char *text = text_at(at, column, &length);
    if (length > HDF5_TEXT_BYTES) length = HDF5_TEXT_BYTES;
    total += length;
    if (total > TEXT_BYTES) return false;
    hdf5_bytes_put(out, text, length);
    if (out->failed) return false;
    memcpy(out->bytes + lengths + i * sizeof length, &length, sizeof length);
  }
  size_t over = (out->used - lengths) % 8;
  if (over > 0) hdf5_bytes_put(out, "\0\0\0\0\0\0\0", 8 - over);
  return true;
}

static const char *put_columns(session *s, const tdm_hdf5_request *request,
                               const arrangement *rows) {
  size_t count = request->count;
  for (uint32_t i = 0; i < request->columns; i++) {
    const hdf5_column *column = &s->row.column[request->column[i]];
    const unsigned char *at = s->rows.bytes + rows->offset[i];
    if (column->kind == TDM_HDF5_INT)
      put_integers(&s->out, at, rows->stride, count, column);
    else if (column->kind == TDM_HDF5_REAL)
      put_reals(&s->out, at, rows->stride, count, column->size);
    else if (!put_texts(&s->out, at, rows->stride, count, column))
      return "holds texts that are too long";
  }
  return s->out.failed ? "needs more memory than there is" : NULL;
}

static const char *refused(session *s, const texts_read *texts, hsize_t first, hsize_t count) {
  hsize_t last = first + count - 1;
  if (texts->too_many)
    snprintf(s->words, sizeof s->words,
             "holds too many long texts: rows %llu to %llu have more than %d MiB of them",
             (unsigned long long)first, (unsigned long long)last, TEXT_BYTES >> 20);
  else
    snprintf(s->words, sizeof s->words,
             "holds texts that are too long: texts of up to %d MB are read, and rows %llu to %llu "
             "have a longer one",
             LONGEST_MB, (unsigned long long)first, (unsigned long long)last);
  return s->words;
}

static const char *read_rows(session *s, const tdm_hdf5_request *request, const arrangement *rows) {
  hsize_t first = request->first, count = request->count;
  if (count > BLOCK_BYTES / rows->stride) return "has rows that are too long";
  s->rows.used = 0;
  unsigned char *bytes = hdf5_bytes_more(&s->rows, count * rows->stride);
  if (bytes == NULL) return "needs more memory than there is";
  memset(bytes, 0, count * rows->stride);
  texts_read texts = {0};
  hid_t there = H5Dget_space(s->dataset), here = H5Screate_simple(1, &count, NULL);
  hid_t how = H5Pcreate(H5P_DATASET_XFER);
  const char *problem = "is damaged";
  if (rows->varies) hdf5_limit_memory(true);
  if (there >= 0 && here >= 0 && how >= 0 &&
      H5Pset_vlen_mem_manager(how, text_new, &texts, text_free, NULL) >= 0 &&
      H5Sselect_hyperslab(there, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
      H5Dread(s->dataset, rows->type, here, there, how, bytes) >= 0)
    problem = NULL;
  else if (rows->varies && !texts.too_many)
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, is_memory, &texts.too_long);
  if (rows->varies) hdf5_limit_memory(false);
  limit_time(0);
  if (problem == NULL) problem = put_columns(s, request, rows);
  if (texts.too_long || texts.too_many) problem = refused(s, &texts, first, count);
  if (rows->varies && problem == NULL) H5Dvlen_reclaim(rows->type, here, how, bytes);
  if (here >= 0) H5Sclose(here);
  if (there >= 0) H5Sclose(there);
  if (how >= 0) H5Pclose(how);
  return problem;
}

static const char *answer_rows(session *s, const tdm_hdf5_request *request) {
  if (request->table >= s->index.count) return "is not there";
  const char *problem = open_table(s, request->table);
  if (problem != NULL) return problem;
  for (uint32_t i = 0; i < request->columns; i++)
    if (request->column[i] >= s->row.count) return "has fewer columns than it had";
  arrangement rows;
  bool arranged = arrange(s, request, &rows);
  s->out.used = 0;
  problem = arranged ? read_rows(s, request, &rows) : "has a type that cannot be read";
  if (rows.type >= 0) H5Tclose(rows.type);
  return problem;
}

static bool serve_request(session *s, const tdm_hdf5_request *request) {
  limit_time(REQUEST_SECONDS);
  const char *problem = request->columns == 0 || request->columns > TDM_HDF5_COLUMNS ||
                                request->count == 0 || request->count > TDM_HDF5_ROWS
                            ? "was asked for in a way that is not understood"
                            : answer_rows(s, request);
  if (problem == NULL) return answer(s->socket, false, s->out.bytes, s->out.used);
  char text[1200];
  snprintf(text, sizeof text, "table %.900s %s",
           request->table < s->index.count ? s->index.tables[request->table] + 1 : "?", problem);
  return complain(s->socket, text);
}

static bool receive_request(int socket, tdm_hdf5_request *request) {
  return receive_all(socket, request, offsetof(tdm_hdf5_request, column)) &&
         request->columns <= TDM_HDF5_COLUMNS &&
         receive_all(socket, request->column, request->columns * sizeof *request->column);
}

static void serve_file(session *s) {
  const char *problem = hdf5_index_make(s->file, &s->index);
  if (problem != NULL) {
    complain(s->socket, problem);
    return;
  }
  tdm_hdf5_request request;
  bool open = answer(s->socket, false, s->index.listing.bytes, s->index.listing.used);
  while (open && receive_request(s->socket, &request)) open = serve_request(s, &request);
}

void hdf5_serve(const char *path, int socket) {
  signal(SIGPROF, SIG_DFL);
  limit_time(REQUEST_SECONDS);
  /* Locks are for writers; some network file systems refuse them. */
  setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
  H5dont_atexit();
  H5open();
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLset_loading_state(0);
  session s = {.socket = socket};
  s.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (s.file < 0) {
    complain(socket, "it is damaged, or no HDF5 file");
    return;
  }
  serve_file(&s);
  /* The process ends now: nothing is closed, and a damaged file gets no chance to be. */
}
