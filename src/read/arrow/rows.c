/* A table's schema, dictionaries and batches, and its rows as texts. See arrow.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/arrow/inside.h"

enum {
  HEADER_SCHEMA = 1,
  HEADER_DICTIONARY = 2,
  HEADER_BATCH = 3,
  MOST_COLUMNS = 4096,
  FILE_END = 10,  /* a footer's length and the magic behind it */
  INDEX_BITS = 32 /* of a dictionary's numbers unless told */
};

#define MOST_ROWS   ((int64_t)1 << 31)
#define MOST_FOOTER ((size_t)64 << 20)

static const unsigned char magic[8] = "ARROW1\0"; /* a file begins so */

struct tdm_arrow {
  arrow_source *source;
  const char *path;
  arrow_column *columns;
  size_t count;
  arrow_dictionary *dictionaries;
  size_t dictionary_count, dictionary_room;
  arrow_buffers buffers;  /* of the batch in hand */
  arrow_message pending;  /* that came in place of a schema */
  size_t rows, row, most; /* most: bytes of a text */
  tdm_csv_field *fields;
  size_t *places; /* of the fields' texts in the room, + 1; 0: not there */
  char *room;
  size_t room_bytes;
};

size_t tdm_arrow_columns(const tdm_arrow *arrow) {
  return arrow->count;
}

const char *tdm_arrow_name(const tdm_arrow *arrow, size_t column) {
  return arrow->columns[column].name;
}

tdm_cell_type tdm_arrow_type(const tdm_arrow *arrow, size_t column) {
  const arrow_column *one = &arrow->columns[column];
  if (one->dictionary >= 0) return TDM_CELL_TEXT;
  switch (one->cells.type) {
  case ARROW_NULL: return TDM_CELL_NONE;
  case ARROW_REAL: return TDM_CELL_REAL;
  case ARROW_INT:
  case ARROW_BOOL:
  case ARROW_TIME:
  case ARROW_DURATION: return TDM_CELL_INT;
  default: return TDM_CELL_TEXT;
  }
}

/* ---- the schema ---- */

static bool read_int(const tdm_flat_table *type, arrow_cells *cells) {
  cells->type = ARROW_INT;
  cells->bits = (int)tdm_flat_int(type, 0, 4, 0);
  cells->is_unsigned = tdm_flat_int(type, 1, 1, 0) == 0;
  return cells->bits == 8 || cells->bits == 16 || cells->bits == 32 || cells->bits == 64;
}

/* How a field's cells are stored; false: in a way that is not read. */
static bool read_type(const tdm_flat_table *field, arrow_cells *cells) {
  int64_t precision;
  tdm_flat_table type = tdm_flat_child(field, 3);
  cells->type = (arrow_type)tdm_flat_int(field, 2, 1, 0);
  switch (cells->type) {
  case ARROW_NULL:
  case ARROW_UTF8:
  case ARROW_BOOL:
  case ARROW_LARGE_UTF8:
  case ARROW_UTF8_VIEW: return true;
  case ARROW_INT: return read_int(&type, cells);
  case ARROW_REAL:
    precision = tdm_flat_int(&type, 0, 2, 0);
    cells->bits = precision >= 0 && precision <= 2 ? 16 << precision : 0;
    return cells->bits != 0;
  case ARROW_DATE:
    cells->unit = (int)tdm_flat_int(&type, 0, 2, 1);
    cells->bits = cells->unit == 0 ? 32 : 64;
    return cells->unit == 0 || cells->unit == 1;
  case ARROW_TIME:
    cells->bits = (int)tdm_flat_int(&type, 1, 4, 32);
    return cells->bits == 32 || cells->bits == 64;
  case ARROW_TIMESTAMP:
  case ARROW_DURATION:
    cells->unit = (int)tdm_flat_int(&type, 0, 2, cells->type == ARROW_DURATION);
    cells->bits = 64;
    return cells->unit >= 0 && cells->unit <= 3;
  default: return false;
  }
}

static bool is_text(const arrow_cells *cells) {
  return cells->type == ARROW_UTF8 || cells->type == ARROW_LARGE_UTF8 ||
         cells->type == ARROW_UTF8_VIEW;
}

static tdm_status read_field(tdm_arrow *arrow, const tdm_flat_table *field, arrow_column *column,
                             tdm_error *error) {
  size_t length;
  const char *name = tdm_flat_string(field, 0, &length);
  column->name = calloc(length + 1, 1);
  if (column->name == NULL) return tdm_error_memory(error, "a column's name", length);
  if (length > 0) memcpy(column->name, name, length);
  tdm_flat_table encoding = tdm_flat_child(field, 4);
  bool fits = read_type(field, &column->cells);
  column->dictionary = -1;
  if (fits && encoding.bytes != NULL) {
    tdm_flat_table index = tdm_flat_child(&encoding, 1);
    column->dictionary = tdm_flat_int(&encoding, 0, 8, 0);
    column->words = column->cells;
    fits = is_text(&column->words) && column->dictionary >= 0;
    column->cells = (arrow_cells){.type = ARROW_INT, .bits = INDEX_BITS};
    if (fits && index.bytes != NULL) fits = read_int(&index, &column->cells);
  }
  if (fits) return TDM_OK;
  return tdm_error_set(error, TDM_INVALID,
                       "%s: the column '%.80s' is of a type that is not read; numbers, texts and "
                       "times are",
                       arrow->path, column->name);
}

static size_t size_at(const unsigned char *bytes) {
  return bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
}

/* Does a message that begins so hold a schema? */
static bool is_schema(const unsigned char *head, size_t length) {
  static const unsigned char continues[] = {0xFF, 0xFF, 0xFF, 0xFF};
  if (length < 8 || memcmp(head, continues, sizeof continues) != 0) return false;
  size_t told = size_at(head + 4);
  tdm_flat_table root = tdm_flat_root(head + 8, told < length - 8 ? told : length - 8);
  return tdm_flat_int(&root, 1, 1, 0) == HEADER_SCHEMA;
}

bool tdm_arrow_detect(const unsigned char *head, size_t length) {
  return is_schema(head, length) ||
         (length >= sizeof magic && memcmp(head, magic, sizeof magic) == 0);
}

/* Some writers of files put the schema into the footer alone: that footer, else nothing. It is the
 * caller's. */
static tdm_status read_footer(tdm_input *input, arrow_piece *footer, unsigned char **memory,
                              tdm_error *error) {
  const unsigned char *head;
  unsigned char end[FILE_END];
  size_t length;
  tdm_status status = tdm_input_head(input, &head, &length, error);
  if (status != TDM_OK || length < sizeof magic || memcmp(head, magic, sizeof magic) != 0 ||
      is_schema(head + sizeof magic, length - sizeof magic))
    return status;
  status = tdm_input_tail(input, end, sizeof end, &length, error);
  if (status != TDM_OK || length < sizeof end || memcmp(end + 4, magic, 6) != 0) return status;
  size_t size = size_at(end);
  if (size > MOST_FOOTER) return TDM_OK;
  *memory = malloc(size + sizeof end);
  if (*memory == NULL) return tdm_error_memory(error, "the footer of a table", size);
  status = tdm_input_tail(input, *memory, size + sizeof end, &length, error);
  if (status == TDM_OK && length == size + sizeof end) *footer = (arrow_piece){*memory, size};
  return status;
}

static tdm_status read_schema(tdm_arrow *arrow, arrow_piece footer, tdm_error *error) {
  tdm_status status = tdm_arrow_source_next(arrow->source, &arrow->pending, error);
  if (status != TDM_OK) return status;
  tdm_flat_table root = tdm_flat_root(arrow->pending.head.bytes, arrow->pending.head.length);
  tdm_flat_table schema = tdm_flat_child(&root, 2);
  tdm_flat_table outside = tdm_flat_root(footer.bytes, footer.length);
  if (tdm_flat_int(&root, 1, 1, 0) == HEADER_SCHEMA)
    arrow->pending = (arrow_message){0};
  else
    schema = tdm_flat_child(&outside, 1);
  if (schema.bytes == NULL)
    return tdm_error_set(error, TDM_INVALID, "%s: does not begin with a schema", arrow->path);
  if (tdm_flat_int(&schema, 0, 2, 0) != 0)
    return tdm_error_set(error, TDM_INVALID, "%s: is of a big-endian machine", arrow->path);
  tdm_flat_list fields = tdm_flat_elements(&schema, 1, 4);
  if (fields.count == 0 || fields.count > MOST_COLUMNS)
    return tdm_error_set(error, TDM_INVALID, "%s: has %zu columns; 1 to %d are read", arrow->path,
                         fields.count, (int)MOST_COLUMNS);
  arrow->columns = calloc(fields.count, sizeof *arrow->columns);
  arrow->fields = calloc(fields.count, sizeof *arrow->fields);
  arrow->places = calloc(fields.count, sizeof *arrow->places);
  if (arrow->columns == NULL || arrow->fields == NULL || arrow->places == NULL)
    return tdm_error_memory(error, "a table's columns", fields.count);
  for (; arrow->count < fields.count && status == TDM_OK; arrow->count++) {
    tdm_flat_table field = tdm_flat_table_at(&fields, arrow->count);
    status = read_field(arrow, &field, &arrow->columns[arrow->count], error);
  }
  size_t c = 0;
  while (c < arrow->count && arrow->columns[c].cells.type == ARROW_NULL) c++;
  if (status != TDM_OK || c < arrow->count) return status;
  return tdm_error_set(error, TDM_INVALID, "%s: no column has values", arrow->path);
}

/* ---- dictionaries ---- */

static arrow_dictionary *dictionary_of(tdm_arrow *arrow, int64_t id) {
  for (size_t i = 0; i < arrow->dictionary_count; i++)
    if (arrow->dictionaries[i].id == id) return &arrow->dictionaries[i];
  if (!tdm_array_grow(&arrow->dictionaries, &arrow->dictionary_room, arrow->dictionary_count + 1,
                      sizeof *arrow->dictionaries))
    return NULL;
  arrow_dictionary *made = &arrow->dictionaries[arrow->dictionary_count++];
  *made = (arrow_dictionary){.id = id};
  return made;
}

static bool add_word(arrow_dictionary *to, const char *text, size_t length) {
  if (!tdm_array_grow(&to->bytes, &to->bytes_room, to->used + length + 1, 1) ||
      !tdm_array_grow(&to->ends, &to->room, to->count + 1, sizeof *to->ends))
    return false;
  if (length > 0) memcpy(to->bytes + to->used, text, length);
  to->used += length;
  to->ends[to->count++] = to->used;
  return true;
}

static tdm_status damaged(const tdm_arrow *arrow, const char *what, tdm_error *error) {
  return tdm_error_set(error, TDM_INVALID, "%s: %s whose buffers are damaged", arrow->path, what);
}

static tdm_status add_words(tdm_arrow *arrow, arrow_dictionary *to, const tdm_flat_table *data,
                            arrow_cells words, arrow_buffers *buffers, tdm_error *error) {
  size_t at = 0, view = 0;
  int64_t rows = tdm_flat_int(data, 0, 8, 0);
  tdm_flat_list views = tdm_flat_elements(data, 4, 8);
  if (rows < 0 || rows > MOST_ROWS ||
      !tdm_arrow_cells_take(&words, rows, buffers, &at, &views, &view))
    return damaged(arrow, "a dictionary", error);
  for (size_t i = 0; i < (size_t)rows; i++) {
    size_t length = 0;
    const char *text =
        tdm_arrow_cell_there(&words, i) ? tdm_arrow_cell_text(&words, i, &length) : "";
    if (text == NULL) return damaged(arrow, "a dictionary", error);
    if (length > arrow->most) length = arrow->most;
    if (!add_word(to, text, length)) return tdm_error_memory(error, "a dictionary", to->used);
  }
  return TDM_OK;
}

static tdm_status read_dictionary(tdm_arrow *arrow, const tdm_flat_table *header,
                                  const arrow_message *message, tdm_error *error) {
  int64_t id = tdm_flat_int(header, 0, 8, 0);
  tdm_flat_table data = tdm_flat_child(header, 1);
  const arrow_column *column = NULL;
  for (size_t c = 0; c < arrow->count && column == NULL; c++)
    if (arrow->columns[c].dictionary == id) column = &arrow->columns[c];
  if (column == NULL) return TDM_OK;
  arrow_dictionary *to = dictionary_of(arrow, id);
  if (to == NULL) return tdm_error_memory(error, "a dictionary", 0);
  if (tdm_flat_int(header, 2, 1, 0) == 0) to->count = to->used = 0; /* else it is added */
  arrow_buffers buffers = {0};
  tdm_status status = tdm_arrow_buffers_of(&data, message, arrow->path, &buffers, error);
  if (status == TDM_OK) status = add_words(arrow, to, &data, column->words, &buffers, error);
  tdm_arrow_buffers_free(&buffers);
  return status;
}

/* ---- batches ---- */

static tdm_status read_batch(tdm_arrow *arrow, const tdm_flat_table *header,
                             const arrow_message *message, tdm_error *error) {
  size_t at = 0, view = 0;
  int64_t rows = tdm_flat_int(header, 0, 8, 0);
  tdm_flat_list views = tdm_flat_elements(header, 4, 8);
  tdm_status status = tdm_arrow_buffers_of(header, message, arrow->path, &arrow->buffers, error);
  if (status != TDM_OK) return status;
  if (rows < 0 || rows > MOST_ROWS) return damaged(arrow, "a batch", error);
  for (size_t c = 0; c < arrow->count; c++) {
    arrow_column *column = &arrow->columns[c];
    if (!tdm_arrow_cells_take(&column->cells, rows, &arrow->buffers, &at, &views, &view))
      return damaged(arrow, "a batch", error);
    column->texts = NULL;
    for (size_t i = 0; column->dictionary >= 0 && i < arrow->dictionary_count; i++)
      if (arrow->dictionaries[i].id == column->dictionary) column->texts = &arrow->dictionaries[i];
  }
  arrow->rows = (size_t)rows;
  arrow->row = 0;
  return TDM_OK;
}

/* The next batch that has rows; none at the end. */
static tdm_status next_batch(tdm_arrow *arrow, tdm_error *error) {
  tdm_arrow_buffers_free(&arrow->buffers);
  arrow->rows = arrow->row = 0;
  while (arrow->rows == 0) {
    arrow_message message = arrow->pending;
    tdm_status status = TDM_OK;
    arrow->pending = (arrow_message){0};
    if (message.head.length == 0) status = tdm_arrow_source_next(arrow->source, &message, error);
    if (status != TDM_OK || message.head.length == 0) return status;
    tdm_flat_table root = tdm_flat_root(message.head.bytes, message.head.length);
    tdm_flat_table header = tdm_flat_child(&root, 2);
    int64_t kind = tdm_flat_int(&root, 1, 1, 0);
    tdm_arrow_buffers_free(&arrow->buffers);
    if (kind == HEADER_DICTIONARY)
      status = read_dictionary(arrow, &header, &message, error);
    else if (kind == HEADER_BATCH)
      status = read_batch(arrow, &header, &message, error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

/* ---- rows ---- */

/* A cell's text, or its number in `room`; NULL: it is not there. */
static const char *cell(const arrow_column *column, size_t row, char room[ARROW_CELL_TEXT],
                        size_t *length) {
  *length = 0;
  if (!tdm_arrow_cell_there(&column->cells, row)) return NULL;
  if (column->dictionary >= 0) {
    int64_t index = tdm_arrow_cell_int(&column->cells, row);
    const arrow_dictionary *texts = column->texts;
    if (texts == NULL || index < 0 || (uint64_t)index >= texts->count) return NULL;
    size_t from = index > 0 ? texts->ends[index - 1] : 0;
    *length = texts->ends[index] - from;
    return texts->bytes + from;
  }
  if (is_text(&column->cells)) return tdm_arrow_cell_text(&column->cells, row, length);
  *length = tdm_arrow_cell_write(&column->cells, row, room);
  return *length > 0 ? room : NULL;
}

tdm_status tdm_arrow_next(tdm_arrow *arrow, const tdm_csv_field **fields, tdm_error *error) {
  *fields = NULL;
  if (arrow->row >= arrow->rows) {
    tdm_status status = next_batch(arrow, error);
    if (status != TDM_OK || arrow->rows == 0) return status;
  }
  size_t used = 0;
  for (size_t c = 0; c < arrow->count; c++) {
    char room[ARROW_CELL_TEXT];
    size_t length;
    const char *text = cell(&arrow->columns[c], arrow->row, room, &length);
    if (length > arrow->most) length = arrow->most;
    arrow->places[c] = text != NULL ? used + 1 : 0;
    arrow->fields[c].length = length;
    if (text == NULL) continue;
    if (!tdm_array_grow(&arrow->room, &arrow->room_bytes, used + length + 1, 1))
      return tdm_error_memory(error, "a table's row", used + length);
    memcpy(arrow->room + used, text, length);
    arrow->room[used + length] = '\0';
    used += length + 1;
  }
  for (size_t c = 0; c < arrow->count; c++)
    arrow->fields[c].text = arrow->places[c] > 0 ? arrow->room + arrow->places[c] - 1 : NULL;
  arrow->row++;
  *fields = arrow->fields;
  return TDM_OK;
}

/* ---- the whole ---- */

tdm_status tdm_arrow_open(tdm_input *input, size_t most, tdm_arrow **arrow, tdm_error *error) {
  tdm_arrow *made = calloc(1, sizeof *made);
  unsigned char *memory = NULL;
  arrow_piece footer = {0};
  *arrow = NULL;
  if (made == NULL) return tdm_error_memory(error, "a table", sizeof *made);
  made->path = tdm_input_path(input);
  made->most = most;
  made->source = tdm_arrow_source_new(input);
  tdm_status status = made->source != NULL ? read_footer(input, &footer, &memory, error)
                                           : tdm_error_memory(error, "a table", 0);
  if (status == TDM_OK) status = read_schema(made, footer, error);
  free(memory);
  if (status == TDM_OK) tdm_arrow_source_cut(made->source, made->columns, made->count, most);
  if (status != TDM_OK)
    tdm_arrow_close(made);
  else
    *arrow = made;
  return status;
}

void tdm_arrow_close(tdm_arrow *arrow) {
  if (arrow == NULL) return;
  for (size_t c = 0; c < arrow->count; c++) free(arrow->columns[c].name);
  for (size_t i = 0; i < arrow->dictionary_count; i++) {
    free(arrow->dictionaries[i].bytes);
    free(arrow->dictionaries[i].ends);
  }
  tdm_arrow_buffers_free(&arrow->buffers);
  tdm_arrow_source_free(arrow->source);
  free(arrow->dictionaries);
  free(arrow->columns);
  free(arrow->fields);
  free(arrow->places);
  free(arrow->room);
  free(arrow);
}
