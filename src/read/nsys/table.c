/* Tables that are described as data, block by block into records. See nsys.h.
 *
 * Columns are converted where they lie and copied to the recorder whole; single rows are picked out
 * only where a block is mixed: rows without an end, of another category, damaged. */
#include "read/nsys/nsys.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- appending ---- */

void tdm_nsys_append(tdm_nsys *nsys, uint32_t layout, int64_t *const *columns, uint32_t count,
                     const uint32_t *picked, size_t rows) {
  for (size_t done = 0; done < rows;) {
    tdm_row_buffer *buffer = tdm_record_rows(nsys->recorder, layout);
    if (buffer == NULL) return;
    size_t n = buffer->room - buffer->count, at = buffer->count;
    if (n > rows - done) n = rows - done;
    for (uint32_t c = 0; c < count; c++) {
      int64_t *to = buffer->column[c] + at;
      if (picked == NULL)
        memcpy(to, columns[c] + done, n * sizeof *to);
      else
        for (size_t i = 0; i < n; i++) to[i] = columns[c][picked[done + i]];
    }
    buffer->count += n;
    done += n;
  }
}

void tdm_nsys_open(tdm_nsys *nsys, uint32_t layout, int64_t start_ns, uint32_t track, uint32_t name,
                   const int64_t *args, uint32_t count) {
  int64_t *copy = malloc((count > 0 ? count : 1) * sizeof *copy);
  if (copy == NULL ||
      !tdm_array_grow(&nsys->open, &nsys->open_room, nsys->open_count + 1, sizeof *nsys->open)) {
    free(copy);
    tdm_record_problem(nsys->recorder, "events without an end (dropped: out of memory)", 1);
    return;
  }
  if (count > 0) memcpy(copy, args, count * sizeof *copy);
  nsys->open[nsys->open_count++] = (tdm_nsys_open_row){.layout = layout,
                                                       .track = track,
                                                       .name = name,
                                                       .start_ns = start_ns,
                                                       .args = copy,
                                                       .count = count};
  if (nsys->last_ns == TDM_NONE || start_ns > nsys->last_ns) nsys->last_ns = start_ns;
  tdm_record_problem(nsys->recorder, "events without an end (kept as open)", 1);
}

void tdm_nsys_open_end(tdm_nsys *nsys) {
  for (size_t i = 0; i < nsys->open_count; i++) {
    const tdm_nsys_open_row *row = &nsys->open[i];
    int64_t duration_ns;
    if (__builtin_sub_overflow(nsys->last_ns, row->start_ns, &duration_ns)) duration_ns = 0;
    tdm_record_row(nsys->recorder, row->layout, row->start_ns, duration_ns, row->track, row->name,
                   row->args, row->count);
  }
}

void tdm_nsys_open_free(tdm_nsys *nsys) {
  for (size_t i = 0; i < nsys->open_count; i++) free(nsys->open[i].args);
  free(nsys->open);
}

/* ---- one table ---- */

enum { ABSENT = -1, CHOICES = 2, NAME_MEMO = 16 };

typedef enum { SLIM, FULL, OPEN, LAYOUTS } layout_kind;

/* What is known of a table while it is read: where its columns lie in the block. */
typedef struct {
  const tdm_nsys_table *table;
  tdm_nsys_column column[TDM_NSYS_COLUMNS];
  size_t columns;
  int start, end, key[4], name[2], extra;
  int arg[TDM_LAYOUT_ARGS];
  uint32_t layout[CHOICES][LAYOUTS]; /* + 1; 0: not made yet */
  struct {
    int64_t value;
    uint32_t name;
    bool used;
  } memo[NAME_MEMO];
  /* From here on not cleared: */
  int64_t track_column[TDM_NSYS_BLOCK], name_column[TDM_NSYS_BLOCK];
  int64_t text_column[4][TDM_NSYS_BLOCK]; /* of arguments that are texts */
  unsigned char choice[TDM_NSYS_BLOCK];
  uint32_t picked[TDM_NSYS_BLOCK];
} table_reading;

static int ask(const tdm_nsys *nsys, table_reading *reading, const char *column,
               tdm_nsys_type type) {
  if (column == NULL ||
      !nsys->source->has_column(nsys->source->context, reading->table->name, column))
    return ABSENT;
  for (size_t i = 0; i < reading->columns; i++)
    if (strcmp(reading->column[i].name, column) == 0) return (int)i;
  if (reading->columns == TDM_NSYS_COLUMNS) return ABSENT;
  reading->column[reading->columns] = (tdm_nsys_column){column, type};
  return (int)reading->columns++;
}

static tdm_nsys_type column_type(tdm_nsys_how how) {
  return how == TDM_NSYS_INLINE ? TDM_NSYS_TEXT : TDM_NSYS_INT;
}

static void ask_all(const tdm_nsys *nsys, table_reading *reading) {
  static const char *const keys[][4] = {
      [TDM_NSYS_ON_THREAD] = {"globalTid"},
      [TDM_NSYS_ON_STREAM] = {"globalPid", "deviceId", "contextId", "streamId"},
      [TDM_NSYS_ON_WAIT] = {"globalPid", "deviceId", "contextId", "streamId"},
      [TDM_NSYS_ON_DEVICE] = {"globalPid", "deviceId"},
      [TDM_NSYS_ON_GPU] = {"gpuId"},
      [TDM_NSYS_ON_PROCESS] = {"globalPid"}};
  const tdm_nsys_table *table = reading->table;
  reading->start = ask(nsys, reading, table->start, TDM_NSYS_INT);
  reading->end = ask(nsys, reading, table->end, TDM_NSYS_INT);
  for (size_t i = 0; i < 4; i++)
    reading->key[i] = ask(nsys, reading, keys[table->on][i], TDM_NSYS_INT);
  for (size_t i = 0; i < 2; i++)
    reading->name[i] = ask(nsys, reading, table->name_column[i], TDM_NSYS_INT);
  reading->extra = ask(nsys, reading, table->extra, TDM_NSYS_INT);
  for (uint32_t i = 0; i < table->arg_count; i++)
    reading->arg[i] = ask(nsys, reading, table->args[i].column, column_type(table->args[i].how));
}

static tdm_arg_type arg_type(tdm_nsys_how how) {
  switch (how) {
  case TDM_NSYS_FLAG: return TDM_ARG_BOOL;
  case TDM_NSYS_STRING:
  case TDM_NSYS_INLINE:
  case TDM_NSYS_WORD: return TDM_ARG_TEXT;
  default: return TDM_ARG_INT;
  }
}

static bool in_layout(const table_reading *reading, uint32_t arg, layout_kind kind) {
  if (reading->arg[arg] == ABSENT) return false;
  return kind != SLIM || !reading->table->args[arg].rare;
}

static uint32_t layout_of(tdm_nsys *nsys, table_reading *reading, unsigned choice,
                          layout_kind kind) {
  uint32_t *known = &reading->layout[choice][kind];
  if (*known != 0) return *known - 1;
  const tdm_nsys_table *table = reading->table;
  tdm_arg args[TDM_LAYOUT_ARGS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < table->arg_count; i++)
    if (in_layout(reading, i, kind))
      args[count++] = (tdm_arg){table->args[i].key, arg_type(table->args[i].how)};
  tdm_shape shape = kind == OPEN ? TDM_SHAPE_OPEN : table->shape;
  *known = tdm_record_layout(nsys->recorder, table->category[choice], shape, args, count) + 1;
  return *known - 1;
}

/* ---- conversion of a block ---- */

static int64_t *integers(const tdm_nsys_block *block, int column) {
  return column == ABSENT ? NULL : block->column[column].integer;
}

static void convert_words(tdm_nsys *nsys, tdm_nsys_enum which, int64_t *values, size_t count) {
  int64_t last = TDM_NONE, word = TDM_NONE;
  for (size_t i = 0; i < count; i++) {
    if (values[i] == TDM_NONE) continue;
    if (values[i] != last || word == TDM_NONE) {
      last = values[i];
      word = tdm_nsys_word_of(nsys, which, last);
    }
    values[i] = word;
  }
}

static bool is_empty(tdm_nsys_text text) {
  return text.length == 0 || (text.length == 2 && memcmp(text.bytes, "[]", 2) == 0);
}

static void convert_texts(tdm_nsys *nsys, const tdm_nsys_text *text, int64_t *values,
                          size_t count) {
  for (size_t i = 0; i < count; i++)
    values[i] = is_empty(text[i]) ? TDM_NONE
                                  : tdm_record_name(nsys->recorder, text[i].bytes, text[i].length);
}

/* The column of an argument as the recorder takes it. */
static int64_t *convert(tdm_nsys *nsys, const tdm_nsys_arg *arg, tdm_nsys_values column,
                        int64_t *texts, size_t count) {
  int64_t *values = column.integer;
  bool nulls = nsys->source->nulls;
  switch (arg->how) {
  case TDM_NSYS_NUMBER: break;
  case TDM_NSYS_ID:
    if (!nulls)
      for (size_t i = 0; i < count; i++)
        if (values[i] == 0) values[i] = TDM_NONE;
    break;
  case TDM_NSYS_NOT_0:
    for (size_t i = 0; i < count; i++)
      if (values[i] == 0) values[i] = TDM_NONE;
    break;
  case TDM_NSYS_FLAG:
    for (size_t i = 0; i < count; i++)
      if (values[i] != TDM_NONE) values[i] = values[i] != 0;
    break;
  case TDM_NSYS_STRING:
    for (size_t i = 0; i < count; i++)
      if (values[i] != TDM_NONE)
        values[i] = values[i] == 0 && !nulls ? TDM_NONE : tdm_nsys_string_name(nsys, values[i]);
    break;
  case TDM_NSYS_INLINE:
    convert_texts(nsys, column.text, texts, count);
    values = texts;
    break;
  case TDM_NSYS_WORD: convert_words(nsys, arg->word, values, count); break;
  }
  return values;
}

/* Starts and durations; rows without an end are counted out by their choice. Returns whether there
 * are such rows. */
static bool convert_times(tdm_nsys *nsys, table_reading *reading, int64_t *start, int64_t *end,
                          size_t count) {
  uint64_t timeless = 0, backwards = 0;
  bool open = false;
  int64_t last = nsys->last_ns;
  for (size_t i = 0; i < count; i++) {
    if (start[i] == TDM_NONE) {
      reading->choice[i] = TDM_NSYS_DROP;
      timeless++;
      continue;
    }
    if (end[i] == TDM_NONE) {
      open = true;
      continue;
    }
    if (end[i] > last || last == TDM_NONE) last = end[i];
    if (__builtin_sub_overflow(end[i], start[i], &end[i]) || end[i] < 0) {
      end[i] = 0;
      backwards++;
    }
  }
  nsys->last_ns = last;
  tdm_record_problem(nsys->recorder, "events without a time (dropped)", timeless);
  tdm_record_problem(nsys->recorder, "events that end before they start (duration 0)", backwards);
  return open || timeless > 0;
}

static void convert_tracks(tdm_nsys *nsys, table_reading *reading, const tdm_nsys_block *block) {
  const int64_t *column[4];
  for (size_t i = 0; i < 4; i++) {
    column[i] = integers(block, reading->key[i]);
    if (column[i] == NULL) column[i] = nsys->none;
  }
  int64_t *track = reading->track_column;
  if (reading->key[0] == ABSENT && nsys->only_pid != TDM_NONE) column[0] = nsys->only_pids;
  for (size_t i = 0; i < block->count; i++) {
    int64_t first = column[0][i];
    switch (reading->table->on) {
    case TDM_NSYS_ON_THREAD: track[i] = tdm_nsys_thread_track(nsys, first); break;
    case TDM_NSYS_ON_STREAM:
      track[i] = tdm_nsys_stream_track(nsys, first, column[1][i], column[2][i], column[3][i]);
      break;
    case TDM_NSYS_ON_WAIT:
      track[i] = tdm_nsys_wait_track(nsys, first, column[1][i], column[2][i], column[3][i]);
      break;
    case TDM_NSYS_ON_DEVICE: track[i] = tdm_nsys_device_track(nsys, first, column[1][i]); break;
    case TDM_NSYS_ON_GPU: track[i] = tdm_nsys_gpu_track(nsys, first); break;
    case TDM_NSYS_ON_PROCESS: track[i] = tdm_nsys_process_track(nsys, first); break;
    }
  }
}

static uint32_t word_name(tdm_nsys *nsys, table_reading *reading, int64_t value) {
  size_t at = (uint64_t)value % NAME_MEMO;
  if (reading->memo[at].used && reading->memo[at].value == value) return reading->memo[at].name;
  uint32_t word = tdm_nsys_word_of(nsys, reading->table->word, value), name = word;
  if (reading->table->text[0] != 0) {
    char text[160];
    const char *of = tdm_recorder_name(nsys->recorder, word, NULL);
    int length = snprintf(text, sizeof text, "%s %.100s", reading->table->text, of ? of : "");
    name = tdm_record_name(nsys->recorder, text, (size_t)length);
  }
  reading->memo[at].value = value;
  reading->memo[at].name = name;
  reading->memo[at].used = true;
  return name;
}

static void convert_names(tdm_nsys *nsys, table_reading *reading, const tdm_nsys_block *block) {
  const int64_t *first = integers(block, reading->name[0]);
  const int64_t *second = integers(block, reading->name[1]);
  int64_t *name = reading->name_column;
  uint32_t fixed = tdm_record_text(nsys->recorder, reading->table->text);
  if (first == NULL) first = nsys->none;
  if (second == NULL) second = nsys->none;
  for (size_t i = 0; i < block->count; i++) {
    int64_t id = first[i] != TDM_NONE ? first[i] : second[i];
    bool string = reading->table->naming != TDM_NSYS_NAME_WORD;
    if (id == 0 && string && !nsys->source->nulls && tdm_nsys_string_text(nsys, 0).length == 0)
      id = TDM_NONE;
    if (id == TDM_NONE || reading->table->naming == TDM_NSYS_NAME_FIXED)
      name[i] = fixed;
    else if (reading->table->naming == TDM_NSYS_NAME_STRING)
      name[i] = tdm_nsys_string_name(nsys, id);
    else if (reading->table->naming == TDM_NSYS_NAME_CALL)
      name[i] = tdm_nsys_string_call(nsys, id);
    else
      name[i] = word_name(nsys, reading, id);
  }
}

static bool all_equal(const int64_t *values, size_t count, int64_t value) {
  for (size_t i = 0; i < count; i++)
    if (values[i] != value) return false;
  return true;
}

/* A rare column that is 0 in all rows of a source without NULLs is not there. */
static void forget_zeros(const tdm_nsys *nsys, const tdm_nsys_arg *arg, tdm_nsys_values column,
                         size_t count) {
  if (nsys->source->nulls || !arg->rare || column_type(arg->how) != TDM_NSYS_INT) return;
  if (all_equal(column.integer, count, 0))
    for (size_t i = 0; i < count; i++) column.integer[i] = TDM_NONE;
}

/* ---- the block into the recorder ---- */

typedef struct {
  int64_t *column[TDM_ARGS + TDM_LAYOUT_ARGS];
  int64_t *arg[TDM_LAYOUT_ARGS]; /* of the table's description; NULL: not in the file */
  layout_kind kind;
} converted;

static uint32_t lay_out(const table_reading *reading, converted *rows, layout_kind kind) {
  uint32_t count = TDM_ARGS;
  for (uint32_t i = 0; i < reading->table->arg_count; i++)
    if (in_layout(reading, i, kind)) rows->column[count++] = rows->arg[i];
  return count;
}

static void append_picked(tdm_nsys *nsys, table_reading *reading, converted *rows, size_t count,
                          bool mixed) {
  uint32_t columns = lay_out(reading, rows, rows->kind);
  if (!mixed) {
    tdm_nsys_append(nsys, layout_of(nsys, reading, 0, rows->kind), rows->column, columns, NULL,
                    count);
    return;
  }
  for (unsigned choice = 0; choice < CHOICES; choice++) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
      if (reading->choice[i] == choice && rows->column[TDM_DUR][i] != TDM_NONE)
        reading->picked[n++] = (uint32_t)i;
    if (n == 0) continue;
    tdm_nsys_append(nsys, layout_of(nsys, reading, choice, rows->kind), rows->column, columns,
                    reading->picked, n);
  }
  columns = lay_out(reading, rows, OPEN);
  for (size_t i = 0; i < count; i++) {
    if (reading->choice[i] >= CHOICES || rows->column[TDM_DUR][i] != TDM_NONE) continue;
    int64_t args[TDM_LAYOUT_ARGS];
    for (uint32_t c = TDM_ARGS; c < columns; c++) args[c - TDM_ARGS] = rows->column[c][i];
    tdm_nsys_open(nsys, layout_of(nsys, reading, reading->choice[i], OPEN),
                  rows->column[TDM_START][i], (uint32_t)rows->column[TDM_TRACK][i],
                  (uint32_t)rows->column[TDM_NAME][i], args, columns - TDM_ARGS);
  }
}

static tdm_status read_block(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  table_reading *reading = context;
  const tdm_nsys_table *table = reading->table;
  size_t count = block->count;
  (void)error;
  converted rows = {.kind = SLIM};
  int64_t instant[TDM_NSYS_BLOCK];
  int64_t *start = integers(block, reading->start), *end = integers(block, reading->end);
  memset(reading->choice, 0, count);
  if (end == NULL) {
    /* A span whose table lacks ends has none, as one whose end is not there. */
    end = instant;
    memcpy(end, table->end == NULL ? start : nsys->none, count * sizeof *end);
  } else if (!nsys->source->nulls) {
    for (size_t i = 0; i < count; i++)
      if (end[i] == 0 && start[i] > 0) end[i] = TDM_NONE;
  }
  bool mixed = convert_times(nsys, reading, start, end, count);
  convert_tracks(nsys, reading, block);
  convert_names(nsys, reading, block);
  size_t texts = 0;
  for (uint32_t i = 0; i < table->arg_count; i++) {
    if (reading->arg[i] == ABSENT) continue;
    const tdm_nsys_arg *arg = &table->args[i];
    forget_zeros(nsys, arg, block->column[reading->arg[i]], count);
    bool own = arg->how == TDM_NSYS_INLINE;
    rows.arg[i] = convert(nsys, arg, block->column[reading->arg[i]],
                          own ? reading->text_column[texts++ % 4] : NULL, count);
    if (arg->rare && rows.kind == SLIM && !all_equal(rows.arg[i], count, TDM_NONE))
      rows.kind = FULL;
  }
  rows.column[TDM_START] = start;
  rows.column[TDM_DUR] = end;
  rows.column[TDM_TRACK] = reading->track_column;
  rows.column[TDM_NAME] = reading->name_column;
  if (table->adjust != NULL) {
    const int64_t *extra = integers(block, reading->extra);
    tdm_nsys_batch batch = {.table = table,
                            .count = count,
                            .start = start,
                            .dur = end,
                            .track = reading->track_column,
                            .name = reading->name_column,
                            .extra = extra != NULL ? extra : nsys->none,
                            .choice = reading->choice};
    table->adjust(nsys, &batch);
    for (size_t i = 0; i < count && !mixed; i++) mixed = reading->choice[i] != 0;
  }
  append_picked(nsys, reading, &rows, count, mixed);
  return TDM_OK;
}

tdm_status tdm_nsys_table_read(tdm_nsys *nsys, const tdm_nsys_table *table, tdm_error *error) {
  if ((nsys->options->dropped & table->dropped) != 0 || !tdm_nsys_has(nsys, table->name))
    return TDM_OK;
  table_reading *reading = malloc(sizeof *reading);
  if (reading == NULL) return tdm_nsys_memory(error);
  memset(reading, 0, offsetof(table_reading, track_column));
  reading->table = table;
  ask_all(nsys, reading);
  tdm_status status = TDM_OK;
  if (reading->start == ABSENT)
    tdm_record_problem(nsys->recorder, "events without a time (dropped)",
                       nsys->source->rows(nsys->source->context, table->name));
  else
    status = tdm_nsys_scan(nsys, table->name, reading->column, reading->columns, read_block,
                           reading, error);
  free(reading);
  return status;
}
