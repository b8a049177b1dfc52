/* Rows of an SQLite table straight from the pages of its file, column by column; see sqlite.h. The
 * file format: sqlite.org/fileformat2.html, §1.6 (pages), §2.1 (records). */
#include "read/nsys/sqlite.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

enum {
  DEPTH = 24,           /* of a tree; 2^31 pages need 10 at most */
  WINDOW_PAGES = 16,    /* read at once where pages lie in order */
  TEXT_BYTES = 1 << 22, /* a block ends early when its texts are longer */
  LEAF = 13,
  INTERIOR = 5,
  SLACK = 8,              /* readable bytes behind every record */
  HEADER_BYTES = 1 << 18, /* of a record: SQLite has 32,767 columns at most */
  SHORT_TYPES = 10,
  REAL_TYPE = 7
};

/* ---- texts of a block ---- */

char *tdm_block_texts_put(tdm_block_texts *texts, const void *bytes, size_t length) {
  while (texts->at < texts->chunks && texts->size[texts->at] - texts->used < length) {
    texts->at++;
    texts->used = 0;
  }
  if (texts->at == texts->chunks) {
    size_t size = length > 1 << 16 ? length : 1 << 16, room = texts->room;
    if (!tdm_array_grow(&texts->chunk, &room, texts->chunks + 1, sizeof *texts->chunk) ||
        !tdm_array_grow(&texts->size, &texts->room, texts->chunks + 1, sizeof *texts->size))
      return NULL;
    char *chunk = malloc(size);
    if (chunk == NULL) return NULL;
    texts->chunk[texts->chunks] = chunk;
    texts->size[texts->chunks++] = size;
    texts->used = 0;
  }
  char *to = texts->chunk[texts->at] + texts->used;
  if (length > 0) memcpy(to, bytes, length);
  texts->used += length;
  texts->bytes += length;
  return to;
}

void tdm_block_texts_empty(tdm_block_texts *texts) {
  texts->at = texts->used = texts->bytes = 0;
}

void tdm_block_texts_free(tdm_block_texts *texts) {
  for (size_t i = 0; i < texts->chunks; i++) free(texts->chunk[i]);
  free(texts->chunk);
  free(texts->size);
}

/* ---- the scan ---- */

typedef struct {
  unsigned char *page; /* [page_size]; an interior page */
  uint32_t cell, cells;
} level;

/* Where a column of the record goes. */
typedef enum { SLOT_SKIP, SLOT_INT, SLOT_REAL, SLOT_TEXT } slot_kind;
typedef struct {
  tdm_nsys_values to;
  slot_kind kind;
} slot;

struct tdm_sqlite_scan {
  int fd;
  int failure; /* errno of a read, or ENOMEM; 0: what is wrong lies in the file */
  uint32_t page_size, usable;
  uint64_t pages, visited;
  unsigned char *window; /* [WINDOW_PAGES pages] */
  uint64_t window_first, window_pages;
  uint32_t ahead; /* pages to read at once */
  level levels[DEPTH];
  uint32_t depth;            /* interior levels above the leaf */
  const unsigned char *leaf; /* NULL: go on to the next one */
  uint32_t leaf_cell, leaf_cells;
  uint64_t next_page; /* to descend to; 0: climb */
  bool ended;
  unsigned char *spill; /* a record that lies on several pages */
  size_t spill_room;
  /* Where the record's columns go. */
  size_t record_columns; /* that must be looked at */
  slot *slots;           /* [record_columns] */
  int64_t *rowid_column; /* NULL: not asked for */
  size_t columns;
  tdm_nsys_type type[TDM_NSYS_COLUMNS];
  bool present[TDM_NSYS_COLUMNS];
  tdm_nsys_values values[TDM_NSYS_COLUMNS];
  tdm_block_texts texts;
};

static uint32_t be16(const unsigned char *p) {
  return (uint32_t)p[0] << 8 | p[1];
}
static uint32_t be32(const unsigned char *p) {
  return be16(p) << 16 | be16(p + 2);
}

/* The number at p < end; its length, 0: it does not end. */
static inline size_t varint(const unsigned char *p, const unsigned char *end, uint64_t *value) {
  if (p < end && p[0] < 0x80) {
    *value = p[0];
    return 1;
  }
  uint64_t v = 0;
  for (size_t i = 0; i < 9 && p + i < end; i++) {
    if (i == 8) {
      *value = v << 8 | p[8];
      return 9;
    }
    v = v << 7 | (p[i] & 0x7f);
    if (p[i] < 0x80) {
      *value = v;
      return i + 1;
    }
  }
  return 0;
}

static bool read_header(tdm_sqlite_scan *scan) {
  unsigned char header[100];
  off_t size = lseek(scan->fd, 0, SEEK_END);
  ssize_t got = size < 512 ? 0 : pread(scan->fd, header, sizeof header, 0);
  if (size < 0 || got < 0) scan->failure = errno;
  if (got != sizeof header) return false;
  scan->page_size = be16(header + 16) == 1 ? 65536 : be16(header + 16);
  uint32_t page = scan->page_size;
  if (page < 512 || (page & (page - 1)) != 0 || header[20] > page - 480) return false;
  scan->usable = page - header[20];
  scan->pages = (uint64_t)size / page;
  return true;
}

void tdm_sqlite_scan_close(tdm_sqlite_scan *scan) {
  if (scan == NULL) return;
  for (size_t i = 0; i < DEPTH; i++) free(scan->levels[i].page);
  for (size_t i = 0; i < scan->columns; i++) free(scan->values[i].integer);
  tdm_block_texts_free(&scan->texts);
  free(scan->window);
  free(scan->spill);
  free(scan->slots);
  free(scan);
}

tdm_sqlite_scan *tdm_sqlite_scan_open(int fd, const tdm_sqlite_table *table,
                                      const tdm_nsys_column *columns, const int *column_at,
                                      size_t count) {
  tdm_sqlite_scan *scan = tdm_array_new(1, sizeof *scan);
  if (scan == NULL) return NULL;
  scan->fd = fd;
  scan->ahead = 1;
  if (!read_header(scan)) scan->page_size = 0; /* the first block says so */
  scan->next_page = (uint64_t)table->root;
  scan->slots = tdm_array_new(table->columns + 1, sizeof *scan->slots);
  scan->window = malloc((size_t)scan->page_size * WINDOW_PAGES + SLACK);
  bool made = scan->slots != NULL && scan->window != NULL;
  for (size_t i = 0; i < count && made; i++) {
    size_t size = columns[i].type == TDM_NSYS_TEXT ? sizeof(tdm_nsys_text) : sizeof(int64_t);
    scan->type[i] = columns[i].type;
    scan->values[i].integer = malloc(TDM_NSYS_BLOCK * size);
    scan->columns = i + 1;
    made = scan->values[i].integer != NULL;
    if (column_at[i] < 0 || (size_t)column_at[i] >= table->columns) continue;
    scan->present[i] = true;
    static const slot_kind kinds[] = {SLOT_INT, SLOT_REAL, SLOT_TEXT};
    scan->slots[column_at[i]] = (slot){.to = scan->values[i], .kind = kinds[columns[i].type]};
    if (column_at[i] == table->rowid && columns[i].type == TDM_NSYS_INT)
      scan->rowid_column = scan->values[i].integer;
    if ((size_t)column_at[i] >= scan->record_columns)
      scan->record_columns = (size_t)column_at[i] + 1;
  }
  if (made) return scan;
  tdm_sqlite_scan_close(scan);
  return NULL;
}

/* ---- pages ---- */

static bool read_at(tdm_sqlite_scan *scan, uint64_t page, uint64_t count) {
  size_t want = (size_t)count * scan->page_size, got = 0;
  while (got < want) {
    ssize_t n = pread(scan->fd, scan->window + got, want - got,
                      (off_t)((page - 1) * scan->page_size + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) scan->failure = errno;
    if (n <= 0) return false;
    got += (size_t)n;
  }
  return true;
}

/* NULL: there is no such page. Good until the next call. */
static const unsigned char *page_at(tdm_sqlite_scan *scan, uint64_t page) {
  if (page == 0 || page > scan->pages) return NULL;
  uint64_t first = scan->window_first;
  if (page < first || page >= first + scan->window_pages) {
    bool in_order = page == first + scan->window_pages;
    scan->ahead = in_order ? scan->ahead * 2 : 1;
    if (scan->ahead > WINDOW_PAGES) scan->ahead = WINDOW_PAGES;
    uint64_t count = scan->pages - page + 1 < scan->ahead ? scan->pages - page + 1 : scan->ahead;
    scan->window_pages = 0;
    if (!read_at(scan, page, count)) return NULL;
    scan->window_first = first = page;
    scan->window_pages = count;
  }
  return scan->window + (page - first) * scan->page_size;
}

/* The page of the next cell, behind the last one that of the page itself. False: damaged. */
static bool next_child(const tdm_sqlite_scan *scan, level *at, uint64_t *number) {
  uint32_t cell = at->cell++, offset = cell < at->cells ? be16(at->page + 12 + 2 * cell) : 8;
  if (offset + 4 > scan->usable) return false;
  *number = be32(at->page + offset);
  return true;
}

/* Enters pages down to a leaf. False: damaged. The file's first page, which begins otherwise, is of
 * the schema's table alone. */
static bool descend(tdm_sqlite_scan *scan, uint64_t number) {
  for (;;) {
    const unsigned char *page = page_at(scan, number);
    /* A tree enters no page twice: more pages than the file has are a circle. */
    if (page == NULL || ++scan->visited > scan->pages) return false;
    uint32_t cells = be16(page + 3);
    if (page[0] == LEAF) {
      if (8 + 2 * cells > scan->usable) return false;
      scan->leaf = page;
      scan->leaf_cell = 0;
      scan->leaf_cells = cells;
      return true;
    }
    if (page[0] != INTERIOR || scan->depth == DEPTH) return false;
    if (12 + 2 * cells > scan->usable) return false;
    level *at = &scan->levels[scan->depth++];
    if (at->page == NULL) at->page = malloc(scan->page_size);
    if (at->page == NULL) scan->failure = ENOMEM;
    if (at->page == NULL) return false;
    memcpy(at->page, page, scan->page_size);
    *at = (level){.page = at->page, .cell = 0, .cells = cells};
    if (!next_child(scan, at, &number)) return false;
  }
}

/* The next leaf in order. */
static bool advance(tdm_sqlite_scan *scan) {
  if (scan->next_page != 0) {
    uint64_t root = scan->next_page;
    scan->next_page = 0;
    return descend(scan, root);
  }
  while (scan->depth > 0) {
    level *at = &scan->levels[scan->depth - 1];
    uint64_t child;
    if (at->cell <= at->cells) return next_child(scan, at, &child) && descend(scan, child);
    scan->depth--;
  }
  scan->ended = true;
  return true;
}

/* ---- records ---- */

/* A record of which a part is in the leaf and the rest on a chain of pages. */
typedef struct {
  const unsigned char *at;
  size_t left; /* bytes at `at` */
  uint64_t next;
} chain;

/* The next `size` bytes; `to` NULL: past them. False: the chain is damaged. */
static bool take_bytes(tdm_sqlite_scan *scan, chain *from, unsigned char *to, uint64_t size) {
  while (size > 0) {
    if (from->left == 0) {
      const unsigned char *page = page_at(scan, from->next);
      if (page == NULL) return false;
      *from = (chain){.at = page + 4, .left = scan->usable - 4, .next = be32(page)};
    }
    size_t n = size < from->left ? (size_t)size : from->left;
    if (to != NULL) {
      memcpy(to, from->at, n);
      to += n;
    }
    from->at += n;
    from->left -= n;
    size -= n;
  }
  return true;
}

/* Appends bytes to the record that is gathered. */
static bool keep_bytes(tdm_sqlite_scan *scan, chain *from, size_t *kept, uint64_t size) {
  if (!tdm_array_grow(&scan->spill, &scan->spill_room, *kept + (size_t)size + SLACK, 1)) {
    scan->failure = ENOMEM;
    return false;
  }
  if (!take_bytes(scan, from, scan->spill + *kept, size)) return false;
  *kept += (size_t)size;
  return true;
}

/* Writes a number over a larger one of `n` bytes, in as many. */
static void put_varint(unsigned char *p, size_t n, uint64_t value) {
  if (n == 9) {
    p[8] = (unsigned char)value;
    value >>= 8;
    n = 8;
    for (size_t i = n; i-- > 0; value >>= 7) p[i] = (unsigned char)(0x80 | (value & 0x7f));
    return;
  }
  for (size_t i = n; i-- > 0; value >>= 7)
    p[i] = (unsigned char)((i + 1 < n ? 0x80 : 0) | (value & 0x7f));
}

static size_t size_of(uint64_t type) {
  static const unsigned char sizes[12] = {0, 1, 2, 3, 4, 6, 8, 8};
  return type < 12 ? sizes[type] : (size_t)((type - 12) / 2);
}

/* The columns that are asked for of a long record: texts end early, what is none of them is none.
 */
static bool gather_columns(tdm_sqlite_scan *scan, chain *from, size_t *kept) {
  uint64_t header, type;
  size_t n = varint(from->at, from->at + from->left, &header);
  if (n == 0 || header < n || header > HEADER_BYTES || !keep_bytes(scan, from, kept, header))
    return false;
  for (size_t i = 0, at = n; i < scan->record_columns && at < header; i++, at += n) {
    n = varint(scan->spill + at, scan->spill + header, &type);
    if (n == 0) return false;
    uint64_t size = size_of(type), most = size;
    if (size > TDM_NSYS_TEXT_BYTES) {
      bool text = type % 2 != 0 && scan->slots[i].kind == SLOT_TEXT;
      most = text ? TDM_NSYS_TEXT_BYTES : 0;
      put_varint(scan->spill + at, n, text ? 2 * most + 13 : 0);
    }
    if (!keep_bytes(scan, from, kept, most) || !take_bytes(scan, from, NULL, size - most))
      return false;
  }
  return true;
}

/* The record of which `local` bytes are here and the rest elsewhere, as long as it is needed. NULL:
 * damaged. */
static const unsigned char *gather(tdm_sqlite_scan *scan, const unsigned char *here, size_t local,
                                   size_t *length) {
  if (*length > scan->pages * scan->page_size) return NULL;
  chain from = {.at = here, .left = local, .next = be32(here + local)};
  size_t kept = 0;
  bool whole = *length <= TDM_NSYS_TEXT_BYTES;
  if (!(whole ? keep_bytes(scan, &from, &kept, *length) : gather_columns(scan, &from, &kept)))
    return NULL;
  *length = kept;
  return scan->spill;
}

static inline int64_t signed_of(const unsigned char *p, size_t size) {
  uint64_t v = p[0] >= 0x80 ? UINT64_MAX : 0;
  for (size_t i = 0; i < size; i++) v = v << 8 | p[i];
  return (int64_t)v;
}

static int64_t integer_of(uint64_t type, const unsigned char *p, size_t size) {
  if (type == 0) return TDM_NONE;
  if (type <= 6) return signed_of(p, size);
  if (type == 8 || type == 9) return (int64_t)type - 8;
  return type == 7 ? tdm_nsys_whole(tdm_record_double(signed_of(p, 8))) : TDM_NONE;
}

static double real_of(uint64_t type, const unsigned char *p, size_t size) {
  if (type == 7) return tdm_record_double(signed_of(p, 8));
  int64_t value = integer_of(type, p, size);
  return value == TDM_NONE ? NAN : (double)value;
}

static bool put_text(tdm_sqlite_scan *scan, tdm_nsys_text *to, uint64_t type,
                     const unsigned char *p, size_t size) {
  *to = (tdm_nsys_text){NULL, 0};
  if (type < 13 || type % 2 == 0) return true;
  to->bytes = tdm_block_texts_put(&scan->texts, p, size);
  to->length = size;
  if (to->bytes == NULL) scan->failure = ENOMEM;
  return to->bytes != NULL;
}

/* Integers without a branch: the eight bytes at the value, shifted down and masked, or a constant
 * that is in the type itself. All that are decoded have eight bytes of room behind them. */
static const struct {
  int64_t mask, constant;
  unsigned char size, shift;
} integers[SHORT_TYPES] = {{0, TDM_NONE, 0, 0}, {-1, 0, 1, 56}, {-1, 0, 2, 48}, {-1, 0, 3, 40},
                           {-1, 0, 4, 32},      {-1, 0, 6, 16}, {-1, 0, 8, 0},  {0, 0, 8, 0},
                           {0, 0, 0, 0},        {0, 1, 0, 0}};

static inline int64_t eight_bytes(const unsigned char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return (int64_t)v;
}

static bool take_record(tdm_sqlite_scan *scan, const unsigned char *record, size_t length,
                        int64_t rowid, size_t row) {
  const unsigned char *end = record + length;
  uint64_t header;
  size_t n = varint(record, end, &header);
  if (n == 0 || header < n || header > length) return false;
  const unsigned char *types = record + n, *body = record + header, *types_end = body;
  const slot *to = scan->slots, *last = to + scan->record_columns;
  for (; to < last; to++) {
    uint64_t type = 0; /* a record may be shorter than its table */
    if (types < types_end) {
      type = *types++;
      if (type >= 0x80) {
        n = varint(types - 1, types_end, &type);
        if (n == 0) return false;
        types += n - 1;
      }
    }
    if (type < SHORT_TYPES && type != REAL_TYPE && to->kind == SLOT_INT) {
      if (body > end) return false;
      int64_t value = eight_bytes(body) >> integers[type].shift;
      to->to.integer[row] = (value & integers[type].mask) | integers[type].constant;
      body += integers[type].size;
      continue;
    }
    uint64_t size = type < SHORT_TYPES ? integers[type].size : type < 12 ? 0 : (type - 12) / 2;
    if (body > end || size > (uint64_t)(end - body)) return false;
    if (to->kind == SLOT_INT)
      to->to.integer[row] = integer_of(type, body, (size_t)size);
    else if (to->kind == SLOT_REAL)
      to->to.real[row] = real_of(type, body, (size_t)size);
    else if (to->kind == SLOT_TEXT && !put_text(scan, &to->to.text[row], type, body, (size_t)size))
      return false;
    body += size;
  }
  if (body > end) return false;
  if (scan->rowid_column != NULL && scan->rowid_column[row] == TDM_NONE)
    scan->rowid_column[row] = rowid;
  return true;
}

/* The next cell of the leaf. A record on several pages takes the window, so the leaf is read anew
 * behind it. */
static bool take_cell(tdm_sqlite_scan *scan, size_t row, bool *lost_leaf) {
  const unsigned char *page = scan->leaf, *end = page + scan->usable;
  uint32_t offset = be16(page + 8 + 2 * scan->leaf_cell++);
  if (offset < 8 || offset >= scan->usable) return false;
  const unsigned char *p = page + offset;
  uint64_t length, rowid;
  size_t n = varint(p, end, &length);
  if (n == 0) return false;
  p += n;
  n = varint(p, end, &rowid);
  if (n == 0) return false;
  p += n;
  if (length > INT32_MAX) return false;
  size_t local = (size_t)length, most = scan->usable - 35;
  if (local > most) {
    size_t least = (scan->usable - 12) * 32 / 255 - 23;
    size_t fit = least + (local - least) % (scan->usable - 4);
    local = fit <= most ? fit : least;
    if ((size_t)(end - p) < local + 4) return false;
    size_t gathered = (size_t)length;
    p = gather(scan, p, local, &gathered);
    *lost_leaf = true;
    if (p == NULL) return false;
    length = gathered;
  } else if ((size_t)(end - p) < local) {
    return false;
  }
  return take_record(scan, p, (size_t)length, (int64_t)rowid, row);
}

static void fill_absent(tdm_sqlite_scan *scan, size_t count) {
  for (size_t c = 0; c < scan->columns; c++) {
    if (scan->present[c]) continue;
    tdm_nsys_values to = scan->values[c];
    for (size_t i = 0; i < count; i++)
      if (scan->type[c] == TDM_NSYS_INT)
        to.integer[i] = TDM_NONE;
      else if (scan->type[c] == TDM_NSYS_REAL)
        to.real[i] = NAN;
      else
        to.text[i] = (tdm_nsys_text){NULL, 0};
  }
}

int tdm_sqlite_scan_failure(const tdm_sqlite_scan *scan) {
  return scan->failure;
}

tdm_status tdm_sqlite_scan_next(tdm_sqlite_scan *scan, tdm_nsys_block *block) {
  size_t row = 0;
  *block = (tdm_nsys_block){0, scan->values};
  if (scan->page_size == 0) return TDM_INVALID;
  tdm_block_texts_empty(&scan->texts);
  while (row < TDM_NSYS_BLOCK && scan->texts.bytes < TEXT_BYTES && !scan->ended) {
    if (scan->leaf == NULL || scan->leaf_cell == scan->leaf_cells) {
      scan->leaf = NULL;
      if (!advance(scan)) return TDM_INVALID;
      continue;
    }
    uint64_t number = scan->window_first + (uint64_t)(scan->leaf - scan->window) / scan->page_size;
    bool lost_leaf = false;
    if (!take_cell(scan, row, &lost_leaf)) return TDM_INVALID;
    row++;
    if (lost_leaf && (scan->leaf = page_at(scan, number)) == NULL) return TDM_INVALID;
  }
  fill_absent(scan, row);
  block->count = row;
  return TDM_OK;
}
