/* Cells of a column of a batch: whether they are there, numbers, texts, and all as text. See
 * inside.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "read/arrow/inside.h"

enum { VIEW_BYTES = 16, VIEW_SHORT = 12 };

/* ---- taking a batch's buffers ---- */

static size_t bytes_of(const arrow_cells *cells, size_t rows) {
  switch (cells->type) {
  case ARROW_NULL: return 0;
  case ARROW_BOOL: return (rows + 7) / 8;
  case ARROW_UTF8: return rows > 0 ? (rows + 1) * 4 : 0;
  case ARROW_LARGE_UTF8: return rows > 0 ? (rows + 1) * 8 : 0;
  case ARROW_UTF8_VIEW: return rows * VIEW_BYTES;
  default: return rows * (size_t)(cells->bits / 8);
  }
}

bool tdm_arrow_cells_take(arrow_cells *cells, int64_t rows, const arrow_buffers *buffers,
                          size_t *at, const tdm_flat_list *views, size_t *view) {
  if (cells->type == ARROW_NULL) return true;
  bool has_heap = cells->type == ARROW_UTF8 || cells->type == ARROW_LARGE_UTF8;
  if (buffers->count - *at < (has_heap ? 3U : 2U)) return false;
  cells->valid = buffers->pieces[*at];
  cells->values = buffers->pieces[*at + 1];
  if (has_heap) cells->heap = buffers->pieces[*at + 2];
  *at += has_heap ? 3 : 2;
  if (cells->type == ARROW_UTF8_VIEW) {
    int64_t count = tdm_flat_number_at(views, (*view)++, 8, 0, 8);
    if (count < 0 || (uint64_t)count > buffers->count - *at) return false;
    cells->heaps = buffers->pieces + *at;
    cells->heap_count = (size_t)count;
    *at += (size_t)count;
  }
  return cells->values.length >= bytes_of(cells, (size_t)rows) &&
         (cells->valid.length == 0 || cells->valid.length >= ((size_t)rows + 7) / 8);
}

/* ---- cells ---- */

bool tdm_arrow_cell_there(const arrow_cells *cells, size_t row) {
  if (cells->type == ARROW_NULL) return false;
  return cells->valid.length == 0 || (cells->valid.bytes[row / 8] >> row % 8 & 1) != 0;
}

static uint64_t number_at(const unsigned char *bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; i--) value = value << 8 | bytes[i - 1];
  return value;
}

int64_t tdm_arrow_cell_int(const arrow_cells *cells, size_t row) {
  if (cells->type == ARROW_BOOL) return cells->values.bytes[row / 8] >> row % 8 & 1;
  size_t size = (size_t)(cells->bits / 8);
  uint64_t value = number_at(cells->values.bytes + row * size, size);
  if (cells->is_unsigned) return (int64_t)value;
  switch (size) {
  case 1: return (int8_t)value;
  case 2: return (int16_t)value;
  case 4: return (int32_t)value;
  default: return (int64_t)value;
  }
}

static const char *viewed(const arrow_cells *cells, size_t row, size_t *length) {
  const unsigned char *view = cells->values.bytes + row * VIEW_BYTES;
  *length = (size_t)number_at(view, 4);
  if (*length <= VIEW_SHORT) return (const char *)view + 4;
  uint64_t heap = number_at(view + 8, 4), at = number_at(view + 12, 4);
  if (heap >= cells->heap_count || at > cells->heaps[heap].length ||
      *length > cells->heaps[heap].length - at)
    return NULL;
  return (const char *)cells->heaps[heap].bytes + at;
}

const char *tdm_arrow_cell_text(const arrow_cells *cells, size_t row, size_t *length) {
  if (cells->type == ARROW_UTF8_VIEW) return viewed(cells, row, length);
  size_t size = cells->type == ARROW_LARGE_UTF8 ? 8 : 4;
  uint64_t from = number_at(cells->values.bytes + row * size, size);
  uint64_t to = number_at(cells->values.bytes + (row + 1) * size, size);
  *length = 0;
  if (from > to || to > cells->heap.length) return NULL;
  *length = (size_t)(to - from);
  return *length > 0 ? (const char *)cells->heap.bytes + from : "";
}

/* ---- as text ---- */

static double half(uint64_t bits) {
  unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent == 0    ? fraction * 0x1p-24
                 : exponent == 31 ? (fraction != 0 ? __builtin_nan("") : __builtin_inf())
                                  : __builtin_ldexp(1024 + fraction, (int)exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}

static double real_at(const arrow_cells *cells, size_t row) {
  size_t size = (size_t)(cells->bits / 8);
  uint64_t bits = number_at(cells->values.bytes + row * size, size);
  if (size == 2) return half(bits);
  double value;
  if (size == 4) {
    uint32_t narrow = (uint32_t)bits;
    float single;
    memcpy(&single, &narrow, sizeof single);
    return single;
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Days since 1970 as a date of the Gregorian calendar (years begin with March: then leap days are
 * their last). */
static size_t write_date(int64_t days, char *room, size_t size) {
  int64_t shifted = days + 719468;
  int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  int64_t of_era = shifted - era * 146097;
  int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  int64_t month = (5 * of_year + 2) / 153, day = of_year - (153 * month + 2) / 5 + 1;
  month += month < 10 ? 3 : -9;
  return (size_t)snprintf(room, size, "%04" PRId64 "-%02" PRId64 "-%02" PRId64,
                          year + era * 400 + (month <= 2), month, day);
}

static int64_t floored(int64_t value, int64_t by) {
  return value / by - (value % by < 0);
}

/* What is left above it. */
static int64_t beyond(int64_t value, int64_t by) {
  return value % by + (value % by < 0 ? by : 0);
}

static size_t write_moment(int64_t value, int unit, char *room, size_t size) {
  static const int64_t a_second[] = {1, 1000, 1000000, 1000000000};
  int64_t second = floored(value, a_second[unit]), day = floored(second, 86400);
  int64_t rest = beyond(value, a_second[unit]) * (1000000000 / a_second[unit]);
  int64_t of_day = beyond(second, 86400);
  size_t used = write_date(day, room, size);
  return used + (size_t)snprintf(room + used, size - used,
                                 "T%02" PRId64 ":%02" PRId64 ":%02" PRId64 ".%09" PRId64 "Z",
                                 of_day / 3600, of_day / 60 % 60, of_day % 60, rest);
}

size_t tdm_arrow_cell_write(const arrow_cells *cells, size_t row, char room[ARROW_CELL_TEXT]) {
  if (cells->type == ARROW_REAL) {
    double value = real_at(cells, row), again = 0;
    int used = 0;
    for (int digits = cells->bits == 64 ? 15 : 6; digits <= 17; digits++) {
      used = snprintf(room, ARROW_CELL_TEXT, "%.*g", digits, value);
      if (sscanf(room, "%lf", &again) == 1 &&
          (cells->bits == 64 ? again == value : (float)again == (float)value))
        break;
    }
    return isnan(value) ? 0 : (size_t)used;
  }
  int64_t value = tdm_arrow_cell_int(cells, row);
  /* A date of 64 bits counts milliseconds. */
  if (cells->type == ARROW_DATE)
    return write_date(cells->unit == 1 ? floored(value, 86400000) : value, room, ARROW_CELL_TEXT);
  if (cells->type == ARROW_TIMESTAMP)
    return write_moment(value, cells->unit, room, ARROW_CELL_TEXT);
  if (cells->is_unsigned && cells->bits == 64)
    return (size_t)snprintf(room, ARROW_CELL_TEXT, "%" PRIu64, (uint64_t)value);
  return (size_t)snprintf(room, ARROW_CELL_TEXT, "%" PRId64, value);
}
