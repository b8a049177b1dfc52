/* What the files of this room share: columns of a batch, and where its bytes come from. */
#ifndef TDM_READ_ARROW_INSIDE_H
#define TDM_READ_ARROW_INSIDE_H

#include <stdint.h>

#include "read/arrow/arrow.h"
#include "read/arrow/flat.h"

/* As Arrow's schema numbers them. */
typedef enum {
  ARROW_NULL = 1,
  ARROW_INT = 2,
  ARROW_REAL = 3,
  ARROW_UTF8 = 5,
  ARROW_BOOL = 6,
  ARROW_DATE = 8,
  ARROW_TIME = 9,
  ARROW_TIMESTAMP = 10,
  ARROW_DURATION = 18,
  ARROW_LARGE_UTF8 = 20,
  ARROW_UTF8_VIEW = 24
} arrow_type;

/* Bytes of a batch's body, or what was unpacked from them. */
typedef struct {
  const unsigned char *bytes;
  size_t length;
} arrow_piece;

/* How a column is stored, and where it lies in the batch in hand. */
typedef struct {
  arrow_type type;
  int bits; /* of a number; of a date and a time too */
  bool is_unsigned;
  int unit;          /* of times: 0 seconds (a date: days), 1 ms, 2 µs, 3 ns */
  arrow_piece valid; /* a bit a row; empty: all are there */
  arrow_piece values, heap;
  const arrow_piece *heaps; /* of views */
  size_t heap_count;
} arrow_cells;

/* The texts that a column's values count. */
typedef struct {
  int64_t id;
  char *bytes;
  size_t *ends; /* of each text; text i begins where i − 1 ended */
  size_t count, room, used, bytes_room;
} arrow_dictionary;

typedef struct {
  char *name;
  arrow_cells cells;             /* of its values, or of the numbers of texts in a dictionary */
  arrow_cells words;             /* how the dictionary's texts are stored */
  int64_t dictionary;            /* −1: none */
  const arrow_dictionary *texts; /* NULL: none came yet */
} arrow_column;

/* Texts of which each ends behind some bytes (condense.c). Their offsets are rewritten as their
 * bytes come by. */
typedef struct {
  unsigned char *offsets;
  size_t offset_bytes, width; /* width: of an offset */
  size_t rows;
  uint64_t most;
  uint64_t from, to, seen, kept; /* of the row in hand; of all */
  size_t row;
} arrow_texts;

/* Is one too long? The offsets are then sound. `length`: of all their bytes. */
bool tdm_arrow_texts_are_long(const arrow_texts *texts, uint64_t length);
void tdm_arrow_texts_begin(arrow_texts *texts);
/* Appends what is kept of the next bytes. False: out of memory. */
bool tdm_arrow_texts_put(arrow_texts *texts, const unsigned char *bytes, size_t length,
                         unsigned char **into, size_t *room, size_t *used);

typedef struct {
  arrow_piece head; /* a FlatBuffer; empty at the end */
  arrow_piece body;
  /* By buffer: how wide the offsets before it are, where it holds texts that may be cut; else 0. */
  const unsigned char *heaps;
  size_t heap_count, most;
} arrow_message;

typedef struct arrow_source arrow_source;

/* Messages one after the other; the bytes are good until the next one. */
arrow_source *tdm_arrow_source_new(tdm_input *input); /* NULL: out of memory */
void tdm_arrow_source_free(arrow_source *source);
/* From now on only the first `most` bytes of a long text are kept; the columns must stay. */
void tdm_arrow_source_cut(arrow_source *source, const arrow_column *columns, size_t count,
                          size_t most);
tdm_status tdm_arrow_source_next(arrow_source *source, arrow_message *message, tdm_error *error);

/* The buffers of a record batch, unpacked; they are the caller's to give back. */
typedef struct {
  arrow_piece *pieces;
  unsigned char **unpacked; /* by piece; NULL: it lies in the body */
  size_t count;
} arrow_buffers;

tdm_status tdm_arrow_buffers_of(const tdm_flat_table *batch, const arrow_message *message,
                                const char *path, arrow_buffers *buffers, tdm_error *error);
void tdm_arrow_buffers_free(arrow_buffers *buffers);

/* Takes a column's buffers, beginning at *at; false: some are missing or too short. `views` are how
 * many heaps each column of views has, beginning at *view. */
bool tdm_arrow_cells_take(arrow_cells *cells, int64_t rows, const arrow_buffers *buffers,
                          size_t *at, const tdm_flat_list *views, size_t *view);

/* Room for a cell's number as text. */
enum { ARROW_CELL_TEXT = 48 };

bool tdm_arrow_cell_there(const arrow_cells *cells, size_t row);
int64_t tdm_arrow_cell_int(const arrow_cells *cells, size_t row);
/* A text where it lies, not NUL-terminated; NULL: its place is outside. */
const char *tdm_arrow_cell_text(const arrow_cells *cells, size_t row, size_t *length);
/* Any other cell, written into the room; 0: it is no number. */
size_t tdm_arrow_cell_write(const arrow_cells *cells, size_t row, char room[ARROW_CELL_TEXT]);

#endif
