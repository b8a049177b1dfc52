/* HDF5: what is written comes back the same; clients of the layout find what they know; exports of
 * Nsight Systems give the same as their SQLite twins; damaged files give one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/module.h"
#include "base/sanitizer.h"
#include "read/hdf5/hdf5.h"
#include "read/nsys/source.h"
#include "recording_fixture.h"
#include "target_fixture.h"
#include "write/writer.h"

static tdm_error failure;

static char *written(const tdm_recording *recording, size_t *length) {
  const tdm_write_options options = {.run_id = "0badcafe", .run_name = "demo", .version = "1.2.3"};
  if (tdm_writer_hdf5.write(recording, target, &options, &failure) != TDM_OK)
    fail_msg("%s", failure.message);
  return recording_file(target, length);
}

/* The file at `target`, opened as a reader does. */
static tdm_hdf5_file *opened(tdm_input **input) {
  tdm_hdf5_file *file;
  assert_int_equal(tdm_input_open(target, input, &failure), TDM_OK);
  if (tdm_hdf5_open(*input, NULL, &file, &failure) != TDM_OK) fail_msg("%s", failure.message);
  return file;
}

static void assert_integers(tdm_hdf5_file *file, const char *path, const int64_t *expected,
                            size_t count) {
  tdm_hdf5_block block = {0};
  const tdm_hdf5_table *table = tdm_hdf5_find(file, path);
  if (table == NULL) fail_msg("no %s", path);
  assert_int_equal(table->column[0].kind, TDM_HDF5_INT);
  assert_int_equal(table->rows, count);
  assert_int_equal(tdm_hdf5_rows(file, table, &(uint32_t){0}, 1, 0, count, &block, &failure), 0);
  for (size_t i = 0; i < count; i++)
    if (block.column[0].integer[i] != expected[i])
      fail_msg("%s: row %zu is %lld", path, i, (long long)block.column[0].integer[i]);
  tdm_hdf5_block_free(&block);
}

static void assert_texts(tdm_hdf5_file *file, const char *path, const char *const *expected,
                         size_t count) {
  tdm_hdf5_block block = {0};
  const tdm_hdf5_table *table = tdm_hdf5_find(file, path);
  if (table == NULL) fail_msg("no %s", path);
  assert_int_equal(table->column[0].kind, TDM_HDF5_TEXT);
  assert_int_equal(table->rows, count);
  assert_int_equal(tdm_hdf5_rows(file, table, &(uint32_t){0}, 1, 0, count, &block, &failure), 0);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(block.column[0].text[i].length, strlen(expected[i]));
    assert_memory_equal(block.column[0].text[i].bytes, expected[i], strlen(expected[i]));
  }
  tdm_hdf5_block_free(&block);
}

/* ---- there and back ---- */

static void everything_comes_back(void **state) {
  (void)state;
  size_t length, again_length;
  tdm_recording *rich = recording_rich();
  char *bytes = written(rich, &length);
  tdm_recording *back = recording_read(&tdm_reader_tandem_hdf5, bytes, length, NULL);
  same_recordings(rich, back);
  char *again = written(back, &again_length);
  assert_int_equal(length, again_length);
  assert_memory_equal(bytes, again, length); /* no times, no chance */
  free(again);
  free(bytes);
  tdm_recording_free(back);
  tdm_recording_free(rich);
}

typedef struct {
  tdm_recording *recording;
  tdm_record_sink sink;
  tdm_recorder *recorder;
} making;

static making made(const char *path) {
  making m = {.recording = tdm_recording_new()};
  tdm_recording_sink(m.recording, &m.sink);
  m.recorder = tdm_recorder_new(&m.sink);
  tdm_recorder_begin_source(m.recorder, path, "test");
  return m;
}

static tdm_recording *finished(making *m) {
  assert_int_equal(tdm_recorder_end_source(m->recorder, &failure), TDM_OK);
  tdm_recorder_free(m->recorder);
  return m->recording;
}

static void an_empty_trace_comes_back(void **state) {
  (void)state;
  size_t length;
  making m = made("nothing");
  tdm_recording *nothing = finished(&m);
  char *bytes = written(nothing, &length);
  tdm_recording *back = recording_read(&tdm_reader_tandem_hdf5, bytes, length, NULL);
  same_recordings(nothing, back);
  free(bytes);
  tdm_recording_free(back);
  tdm_recording_free(nothing);
}

/* Keys and categories that are not names in HDF5, or are taken. */
static void any_word_may_be_a_key_or_a_category(void **state) {
  (void)state;
  static const char *const words[] = {"",          ".",
                                      "a/b",       "start_ns",
                                      "name_idx",  "track",
                                      "stream",    "stream_2",
                                      "meta",      "names",
                                      "registers", "registers_per_thread",
                                      "a_b",       RECORDING_ODD_TEXT};
  enum { WORDS = sizeof words / sizeof *words };
  static char long_word[3000];
  tdm_arg args[WORDS + 1];
  int64_t values[WORDS + 1];
  size_t length;
  memcpy(long_word, "x", 2); /* so that a cut at an even length halves a character */
  for (size_t i = 1; i + 2 < sizeof long_word; i += 2) memcpy(long_word + i, "\u00e9", 3);
  for (size_t i = 0; i < WORDS; i++) args[i] = (tdm_arg){words[i], TDM_ARG_INT};
  args[WORDS] = (tdm_arg){long_word, TDM_ARG_INT};
  making m = made("words");
  uint32_t track = tdm_record_track(m.recorder, &TDM_TRACK_PLAIN);
  for (size_t i = 0; i <= WORDS; i++) {
    uint32_t layout = tdm_record_layout(m.recorder, args[i].key, TDM_SHAPE_SPAN, args, WORDS + 1);
    for (size_t v = 0; v <= WORDS; v++) values[v] = (int64_t)(100 * i + v);
    tdm_record_row(m.recorder, layout, (int64_t)i, 1, track, tdm_record_text(m.recorder, "n"),
                   values, WORDS + 1);
  }
  tdm_recording *odd = finished(&m);
  char *bytes = written(odd, &length);
  tdm_recording *back = recording_read(&tdm_reader_tandem_hdf5, bytes, length, NULL);
  same_recordings(odd, back);
  free(bytes);
  tdm_recording_free(back);
  tdm_recording_free(odd);
}

/* More rows than a chunk and than a block of the reader; numbers that fit each width or just not;
 * start times over the whole range. */
static void wide_and_long_columns_come_back(void **state) {
  (void)state;
  static const tdm_arg args[] = {{"byte", TDM_ARG_INT},  {"word", TDM_ARG_INT},
                                 {"long", TDM_ARG_INT},  {"wider", TDM_ARG_INT},
                                 {"below", TDM_ARG_INT}, {"real", TDM_ARG_REAL}};
  enum { ROWS = 150000 };
  size_t length;
  making m = made("wide");
  uint32_t track = tdm_record_track(m.recorder, &TDM_TRACK_PLAIN);
  uint32_t layout = tdm_record_layout(m.recorder, "op", TDM_SHAPE_SPAN, args, 6);
  for (int64_t i = 0; i < ROWS; i++) {
    char name[16];
    snprintf(name, sizeof name, "op %d", (int)(i % 70000)); /* more than 16 bits count */
    int64_t values[] = {i % 255,    i % 65536, i % 7 ? UINT32_MAX - 1 : TDM_NONE,
                        UINT32_MAX, -i,        tdm_record_real((double)i / 3)};
    tdm_record_row(m.recorder, layout, i == 0 ? INT64_MIN + 5 : i * 1000, i, track,
                   tdm_record_text(m.recorder, name), values, 6);
  }
  tdm_recording *wide = finished(&m);
  char *bytes = written(wide, &length);
  assert_in_range(length, 1, ROWS * 20); /* of 80 bytes a row in memory */
  tdm_recording *back = recording_read(&tdm_reader_tandem_hdf5, bytes, length, NULL);
  same_recordings(wide, back);
  free(bytes);
  tdm_recording_free(back);
  tdm_recording_free(wide);
}

/* ---- the layout that clients know ---- */

static void clients_find_categories_columns_and_names(void **state) {
  (void)state;
  static const tdm_arg args[] = {{"bytes", TDM_ARG_INT}, {"kind", TDM_ARG_TEXT}};
  static const tdm_arg kernel_args[] = {{"registers_per_thread", TDM_ARG_INT},
                                        {"grid_x", TDM_ARG_INT}};
  making m = made("client");
  tdm_track about = TDM_TRACK_PLAIN;
  about.stream = 7;
  uint32_t track = tdm_record_track(m.recorder, &about);
  uint32_t copy = tdm_record_layout(m.recorder, "memcpy", TDM_SHAPE_SPAN, args, 2);
  uint32_t kernel = tdm_record_layout(m.recorder, "kernel", TDM_SHAPE_SPAN, kernel_args, 2);
  uint32_t up = tdm_record_text(m.recorder, "HtoD"), down = tdm_record_text(m.recorder, "DtoH");
  uint32_t name = tdm_record_text(m.recorder, "gemm");
  for (int64_t i = 0; i < 4; i++)
    tdm_record_row(m.recorder, copy, 1000 + 10 * (3 - i), 5, track, i % 2 ? up : down,
                   (int64_t[]){100 + i, i % 2 ? up : down}, 2);
  tdm_record_row(m.recorder, kernel, 2000, 50, track, name, (int64_t[]){32, TDM_NONE}, 2);
  tdm_recording *recording = finished(&m);
  free(written(recording, NULL));
  tdm_recording_free(recording);
  tdm_input *input;
  tdm_hdf5_file *file = opened(&input);
  assert_texts(file, "meta/categories",
               (const char *const[]){"cuda_memcpy_h2d", "cuda_memcpy_d2h", "cuda_kernel"}, 3);
  /* Sorted, from the first start on. */
  assert_integers(file, "cuda_memcpy_h2d/start_ns", (int64_t[]){0, 20}, 2);
  assert_integers(file, "cuda_memcpy_h2d/bytes", (int64_t[]){103, 101}, 2);
  assert_integers(file, "cuda_memcpy_d2h/start_ns", (int64_t[]){10, 30}, 2);
  assert_integers(file, "cuda_kernel/start_ns", (int64_t[]){1000}, 1);
  assert_integers(file, "cuda_kernel/duration_ns", (int64_t[]){50}, 1);
  assert_integers(file, "cuda_kernel/stream", (int64_t[]){7}, 1);
  assert_integers(file, "cuda_kernel/name_idx", (int64_t[]){0}, 1);
  assert_integers(file, "cuda_kernel/registers", (int64_t[]){32}, 1);
  assert_integers(file, "cuda_kernel/grid_x", (int64_t[]){UINT32_MAX}, 1);
  assert_int_equal(tdm_hdf5_note(file, "cuda_kernel/grid_x", "absent")->integer, UINT32_MAX);
  assert_texts(file, "names/cuda_kernel", (const char *const[]){"gemm"}, 1);
  assert_string_equal(tdm_hdf5_note(file, "meta", "session_id")->text, "0badcafe");
  assert_int_equal(tdm_hdf5_note(file, "meta", "total_duration_ns")->integer, 1050);
  assert_int_equal(tdm_hdf5_note(file, "meta", "total_events")->integer, 5);
  assert_null(tdm_hdf5_note(file, "meta", "nothing"));
  tdm_hdf5_close(file);
  tdm_input_close(input);
}

/* As the layout is written by others: no tracks, no attributes of tandem's. */
static void files_of_that_layout_from_elsewhere_are_read(void **state) {
  (void)state;
  void *symbol, *bytes;
  size_t length;
  assert_int_equal(
      tdm_module_symbol("hdf5.so", TDM_HDF5_MODULE, TDM_HDF5_MISSING, &symbol, &failure), TDM_OK);
  const tdm_hdf5_module_table *module = symbol;
  tdm_hdf5_writer *w = module->create();
  module->group(w, "/meta");
  module->note_text(w, "/meta", "session_id", "ABC123");
  module->texts(w, "/meta/categories", (const char *const[]){"cuda_memcpy_h2d", "nvtx_range"}, 2);
  module->numbers(w, "/cuda_memcpy_h2d/start_ns", TDM_HDF5_U64, (uint64_t[]){0, 10}, 2);
  module->numbers(w, "/cuda_memcpy_h2d/duration_ns", TDM_HDF5_U64, (uint64_t[]){5, 6}, 2);
  module->numbers(w, "/cuda_memcpy_h2d/stream", TDM_HDF5_U8, (uint8_t[]){7, 8}, 2);
  module->numbers(w, "/cuda_memcpy_h2d/name_idx", TDM_HDF5_U16, (uint16_t[]){1, 9}, 2);
  module->numbers(w, "/cuda_memcpy_h2d/bytes", TDM_HDF5_U64, (uint64_t[]){4096, 1}, 2);
  module->numbers(w, "/nvtx_range/start_ns", TDM_HDF5_U64, (uint64_t[]){3}, 1);
  module->numbers(w, "/nvtx_range/duration_ns", TDM_HDF5_U64, (uint64_t[]){4}, 1);
  module->numbers(w, "/nvtx_range/stream", TDM_HDF5_U8, (uint8_t[]){0}, 1);
  module->numbers(w, "/nvtx_range/name_idx", TDM_HDF5_U16, (uint16_t[]){0}, 1);
  module->texts(w, "/names/cuda_memcpy_h2d", (const char *const[]){"x", "Memcpy HtoD"}, 2);
  module->texts(w, "/names/nvtx_range", (const char *const[]){"step"}, 1);
  assert_int_equal(module->finish(w, &bytes, &length, &failure), TDM_OK);
  assert_in_range(tdm_reader_tandem_hdf5.detect(bytes, length, "x"), 60, 100);
  tdm_recording *read = recording_read(&tdm_reader_tandem_hdf5, bytes, length, NULL);
  free(bytes);
  const tdm_layout *layout = tdm_recording_layout(read, 0);
  const tdm_kept_rows *rows = tdm_recording_rows(read, 0);
  assert_string_equal(layout->category, "memcpy");
  assert_int_equal(rows->count, 2);
  assert_true(tdm_kept(rows, TDM_START, 1) == 10 && tdm_kept(rows, TDM_DUR, 1) == 6);
  uint32_t column = tdm_layout_column(layout, "bytes");
  assert_true(column != 0 && tdm_kept(rows, column, 0) == 4096);
  column = tdm_layout_column(layout, "kind");
  assert_string_equal(tdm_recording_name(read, (uint32_t)tdm_kept(rows, column, 1), NULL), "HtoD");
  assert_string_equal(tdm_recording_name(read, (uint32_t)tdm_kept(rows, TDM_NAME, 0), NULL),
                      "Memcpy HtoD");
  const tdm_track *track = tdm_recording_track(read, (uint32_t)tdm_kept(rows, TDM_TRACK, 1));
  assert_true(track->stream == 8 && track->kind == TDM_TRACK_STREAM);
  size_t problems; /* the name that is not in the table */
  assert_int_equal(tdm_recording_problems(read, &problems)->count, 1);
  assert_int_equal(problems, 1);
  layout = tdm_recording_layout(read, 1);
  assert_string_equal(layout->category, "nvtx");
  tdm_recording_free(read);
}

/* Two ranges of the layout, the first with a name of so many bytes, and an attribute of as many. */
static void write_long(size_t bytes) {
  void *symbol, *file;
  size_t length;
  assert_int_equal(
      tdm_module_symbol("hdf5.so", TDM_HDF5_MODULE, TDM_HDF5_MISSING, &symbol, &failure), TDM_OK);
  const tdm_hdf5_module_table *module = symbol;
  char *name = malloc(bytes + 1);
  assert_non_null(name);
  memset(name, 'n', bytes);
  name[bytes] = 0;
  tdm_hdf5_writer *w = module->create();
  module->group(w, "/meta");
  module->texts(w, "/meta/categories", (const char *const[]){"nvtx_range"}, 1);
  module->numbers(w, "/nvtx_range/start_ns", TDM_HDF5_U64, (uint64_t[]){3, 9}, 2);
  module->numbers(w, "/nvtx_range/duration_ns", TDM_HDF5_U64, (uint64_t[]){4, 1}, 2);
  module->numbers(w, "/nvtx_range/stream", TDM_HDF5_U8, (uint8_t[]){0, 0}, 2);
  module->numbers(w, "/nvtx_range/name_idx", TDM_HDF5_U16, (uint16_t[]){0, 1}, 2);
  module->texts(w, "/names/nvtx_range", (const char *const[]){name, "step"}, 2);
  assert_int_equal(module->finish(w, &file, &length, &failure), TDM_OK);
  FILE *out = fopen(target, "wb");
  assert_true(out != NULL && fwrite(file, 1, length, out) == length && fclose(out) == 0);
  free(file);
  free(name);
}

static void long_texts_are_cut_or_refused(void **state) {
  (void)state;
  tdm_input *input;
  tdm_hdf5_block block = {0};
  write_long(9000000);
  tdm_hdf5_file *file = opened(&input);
  const tdm_hdf5_table *names = tdm_hdf5_find(file, "names/nvtx_range");
  assert_non_null(names);
  if (tdm_hdf5_rows(file, names, &(uint32_t){0}, 1, 0, 9, &block, &failure) != TDM_OK)
    fail_msg("%s", failure.message);
  assert_int_equal(block.count, 2);
  assert_in_range(block.column[0].text[0].length, TDM_NAME_BYTES + 1, 8 << 20);
  assert_int_equal(block.column[0].text[1].length, 4);
  assert_memory_equal(block.column[0].text[1].bytes, "step", 4);
  tdm_hdf5_block_free(&block);
  tdm_hdf5_close(file);
  tdm_input_close(input);
  size_t length;
  char *bytes = recording_file(target, &length);
  tdm_recording *read = recording_read(&tdm_reader_tandem_hdf5, bytes, length, NULL);
  free(bytes);
  size_t problems;
  const tdm_problem *problem = tdm_recording_problems(read, &problems);
  assert_int_equal(problems, 1);
  assert_string_equal(problem->kind, "names of more than 1 MiB (cut)");
  tdm_recording_free(read);
  if (TDM_SHADOWED) return; /* no memory is limited */
  write_long(100000000);
  file = opened(&input);
  names = tdm_hdf5_find(file, "names/nvtx_range");
  assert_int_equal(tdm_hdf5_rows(file, names, &(uint32_t){0}, 1, 0, 9, &block, &failure),
                   TDM_INVALID);
  assert_non_null(strstr(failure.message,
                         ": table names/nvtx_range holds texts that are too long: texts of up to "
                         "20 MB are read, and rows 0 to 1 have a longer one"));
  tdm_hdf5_block_free(&block);
  tdm_hdf5_close(file);
  tdm_input_close(input);
}

/* Texts that are far more together than any may be alone; more than an answer has. With shadow
 * memory, where no memory is limited, as many would take minutes. */
static void many_texts_are_read_or_told(void **state) {
  (void)state;
  enum { ROWS = TDM_SHADOWED ? 600 : 6000, READ = ROWS * 2 / 3, BYTES = 50000 };
  void *symbol, *made;
  size_t length;
  assert_int_equal(
      tdm_module_symbol("hdf5.so", TDM_HDF5_MODULE, TDM_HDF5_MISSING, &symbol, &failure), TDM_OK);
  const tdm_hdf5_module_table *module = symbol;
  static char text[BYTES + 1];
  static const char *texts[ROWS];
  memset(text, 't', BYTES);
  for (size_t i = 0; i < ROWS; i++) texts[i] = text + i;
  tdm_hdf5_writer *w = module->create();
  module->group(w, "/names");
  module->texts(w, "/names/many", texts, ROWS);
  assert_int_equal(module->finish(w, &made, &length, &failure), TDM_OK);
  FILE *out = fopen(target, "wb");
  assert_true(out != NULL && fwrite(made, 1, length, out) == length && fclose(out) == 0);
  free(made);
  tdm_input *input;
  tdm_hdf5_block block = {0};
  tdm_hdf5_file *file = opened(&input);
  const tdm_hdf5_table *names = tdm_hdf5_find(file, "names/many");
  assert_non_null(names);
  if (tdm_hdf5_rows(file, names, &(uint32_t){0}, 1, 0, READ, &block, &failure) != TDM_OK)
    fail_msg("%s", failure.message);
  assert_int_equal(block.count, READ);
  for (size_t i = 0; i < READ; i++) {
    assert_int_equal(block.column[0].text[i].length, BYTES - i);
    assert_memory_equal(block.column[0].text[i].bytes, "tt", 2);
  }
  tdm_hdf5_block_free(&block);
  if (!TDM_SHADOWED) {
    assert_int_equal(tdm_hdf5_rows(file, names, &(uint32_t){0}, 1, 0, ROWS, &block, &failure),
                     TDM_INVALID);
    assert_non_null(strstr(failure.message, ": table names/many holds too many long texts: rows 0 "
                                            "to 5999 have more than 256 MiB of them"));
    tdm_hdf5_block_free(&block);
  }
  tdm_hdf5_close(file);
  tdm_input_close(input);
}

/* ---- exports of Nsight Systems ---- */

static tdm_recording *read_path(const tdm_reader *reader, const char *path) {
  size_t length;
  char *bytes = recording_file(path, &length);
  tdm_recording *recording = recording_read(reader, bytes, length, NULL);
  free(bytes);
  return recording;
}

static uint64_t rows_of(const tdm_recording *recording, const char *category, int64_t *duration) {
  uint64_t count = 0;
  *duration = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++) {
    const tdm_kept_rows *rows = tdm_recording_rows(recording, i);
    if (strcmp(tdm_recording_layout(recording, i)->category, category) != 0) continue;
    count += rows->count;
    for (size_t row = 0; row < rows->count; row++) *duration += tdm_kept(rows, TDM_DUR, row);
  }
  return count;
}

/* Where SQLite has NULL, HDF5 has 0 or "": such arguments may be there in the one and not in the
 * other. */
static int is_nothing(const tdm_recording *r, const tdm_arg *arg, int64_t value) {
  if (value == TDM_NONE || value == 0) return 1;
  if (arg->type == TDM_ARG_REAL) return isnan(tdm_record_double(value));
  if (arg->type != TDM_ARG_TEXT && arg->type != TDM_ARG_JSON) return 0;
  const char *text = tdm_recording_name(r, (uint32_t)value, NULL);
  return text == NULL || text[0] == 0 || strcmp(text, "unknown") == 0;
}

static int64_t value_of(const tdm_recording *r, uint32_t layout, const char *key, size_t row) {
  uint32_t column = tdm_layout_column(tdm_recording_layout(r, layout), key);
  return column == 0 ? TDM_NONE : tdm_kept(tdm_recording_rows(r, layout), column, row);
}

/* All arguments of x that say something are in y, the same. */
static void assert_arguments_in(const tdm_recording *x, uint32_t i, const tdm_recording *y,
                                uint32_t j, size_t row) {
  const tdm_layout *layout = tdm_recording_layout(x, i);
  for (uint32_t a = 0; a < layout->args; a++) {
    const tdm_arg *arg = &layout->arg[a];
    int64_t value = tdm_kept(tdm_recording_rows(x, i), TDM_ARGS + a, row);
    if (is_nothing(x, arg, value)) continue;
    same_value(x, y, arg, layout->shape, value, value_of(y, j, arg->key, row));
  }
}

static void assert_same_layout(const tdm_recording *x, uint32_t i, const tdm_recording *y,
                               uint32_t j) {
  const tdm_kept_rows *a = tdm_recording_rows(x, i), *b = tdm_recording_rows(y, j);
  assert_int_equal(a->count, b->count);
  for (size_t row = 0; row < a->count; row++) {
    assert_true(tdm_kept(a, TDM_START, row) == tdm_kept(b, TDM_START, row));
    assert_true(tdm_kept(a, TDM_DUR, row) == tdm_kept(b, TDM_DUR, row));
    same_track(tdm_recording_track(x, (uint32_t)tdm_kept(a, TDM_TRACK, row)),
               tdm_recording_track(y, (uint32_t)tdm_kept(b, TDM_TRACK, row)));
    assert_string_equal(tdm_recording_name(x, (uint32_t)tdm_kept(a, TDM_NAME, row), NULL),
                        tdm_recording_name(y, (uint32_t)tdm_kept(b, TDM_NAME, row), NULL));
    assert_arguments_in(x, i, y, j, row);
    assert_arguments_in(y, j, x, i, row);
  }
}

/* Layouts pair up in order; `without`: a category whose table only y has. */
static void assert_twins(const tdm_recording *x, const tdm_recording *y, const char *without) {
  uint32_t j = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(x); i++, j++) {
    const tdm_layout *layout = tdm_recording_layout(x, i), *other = tdm_recording_layout(y, j);
    while (other != NULL && strcmp(other->category, without) == 0)
      other = tdm_recording_layout(y, ++j);
    assert_non_null(other);
    assert_string_equal(layout->category, other->category);
    assert_int_equal(layout->shape, other->shape);
    assert_same_layout(x, i, y, j);
  }
  const tdm_source *a = tdm_recording_source(x, 0), *b = tdm_recording_source(y, 0);
  assert_string_equal(a->detail, b->detail);
  assert_true(a->utc_ns == b->utc_ns && a->first_ns == b->first_ns && a->last_ns == b->last_ns);
  if (without[0] != 0) return;
  assert_true(a->rows == b->rows);
  assert_int_equal(tdm_recording_tracks(x), tdm_recording_tracks(y));
  assert_int_equal(j, tdm_recording_layouts(y));
}

static void assert_same_capture(const char *hdf5, const char *sqlite, const char *without) {
  tdm_recording *x = read_path(&tdm_reader_nsys_hdf5, hdf5);
  tdm_recording *y = read_path(&tdm_reader_nsys_sqlite, sqlite);
  assert_twins(x, y, without);
  tdm_recording_free(x);
  tdm_recording_free(y);
}

static void exports_are_what_their_sqlite_twins_are(void **state) {
  (void)state;
  assert_same_capture("tests/data/nsys/mock.h5.gz", "tests/data/nsys/mock.sqlite.gz", "");
  assert_same_capture("tests/data/nsys/h100_cut.h5.gz", "tests/data/nsys/h100_cut.sqlite.gz", "");
}

/* Columns of 2,500 rows, handed on in blocks of 1,024: taken as they are, and converted. Row i of
 * each table is at 10 i ns; its value is i / 4 (a real), 3 i (an integer taken as a real, and its
 * time a real taken as an integer) or the text "range i". */
static void long_columns_are_handed_on_from_block_to_block(void **state) {
  (void)state;
  enum { ROWS = 2500 };
  tdm_recording *r = read_path(&tdm_reader_nsys_hdf5, "tests/data/nsys/long.h5.gz");
  static char seen[3][ROWS];
  size_t count = 0, problems;
  for (uint32_t l = 0; l < tdm_recording_layouts(r); l++) {
    const tdm_layout *layout = tdm_recording_layout(r, l);
    const tdm_kept_rows *rows = tdm_recording_rows(r, l);
    uint32_t value = tdm_layout_column(layout, "value");
    for (size_t row = 0; row < rows->count; row++, count++) {
      int64_t at = tdm_kept(rows, TDM_START, row), i = at / 10;
      const char *name = tdm_recording_name(r, (uint32_t)tdm_kept(rows, TDM_NAME, row), NULL);
      int table = layout->shape != TDM_SHAPE_SAMPLE ? 2 : strcmp(name, "metric 3") == 0 ? 0 : 1;
      if (table == 1 && at == INT64_MIN + 1) i = 0; /* -1e300 */
      if (table == 1 && at == INT64_MAX) i = ROWS - 2;
      assert_in_range(i, 0, ROWS - 1);
      seen[table][i]++;
      if (table < 2) {
        double want = table == 0 ? (double)i / 4 : 3.0 * (double)i;
        assert_true(tdm_record_double(tdm_kept(rows, value, row)) == want);
      } else {
        char text[32];
        snprintf(text, sizeof text, "range %d", (int)i);
        assert_string_equal(name, text);
        assert_int_equal(tdm_kept(rows, TDM_DUR, row), 5);
      }
    }
  }
  assert_int_equal(count, 3 * ROWS - 1); /* one time is no number */
  for (int table = 0; table < 3; table++)
    for (int i = 0; i < ROWS; i++) assert_int_equal(seen[table][i], table != 1 || i < ROWS - 1);
  const tdm_problem *problem = tdm_recording_problems(r, &problems);
  assert_int_equal(problems, 1);
  assert_string_equal(problem->kind, "events without a time (dropped)");
  tdm_recording_free(r);
}

static void large_exports_are_what_their_sqlite_twins_are(void **state) {
  (void)state;
  const char *data = getenv("TANDEM_DATA");
  if (data == NULL) {
    print_message("TANDEM_DATA is not set: large exports are not compared\n");
    skip();
  }
  char hdf5[512], sqlite[512];
  snprintf(hdf5, sizeof hdf5, "%s/nsys_hdf5/h100_2gpu_1s.h5", data);
  snprintf(sqlite, sizeof sqlite, "%s/nsys/h100_2gpu_1s.sqlite", data);
  assert_same_capture(hdf5, sqlite, "cuda_event");
}

/* A cut of a real capture. The numbers: sqlite3 on h100_cut.sqlite, from which the file was made in
 * the exporter's layout: select count(*), sum(end - start) from each table. */
static void an_export_is_read(void **state) {
  (void)state;
  int64_t duration;
  tdm_recording *r = read_path(&tdm_reader_nsys_hdf5, "tests/data/nsys/h100_cut.h5.gz");
  assert_string_equal(tdm_recording_source(r, 0)->format, "nsys-hdf5");
  assert_string_equal(tdm_recording_source(r, 0)->detail, "schema 3.25.0, nsys 2026.2.1");
  assert_int_equal(rows_of(r, "kernel", &duration), 434);
  assert_int_equal(duration, 8387588);
  assert_int_equal(rows_of(r, "runtime", &duration), 768);
  assert_int_equal(duration, 197533847);
  assert_int_equal(rows_of(r, "nvtx", &duration), 2132);
  assert_int_equal(duration, 425039253);
  tdm_recording_free(r);
}

/* All that a real capture has: copies in several groups, ties, most columns. */
static void a_capture_comes_back(void **state) {
  (void)state;
  size_t length;
  tdm_recording *capture = read_path(&tdm_reader_nsys_sqlite, "tests/data/nsys/h100_cut.sqlite.gz");
  char *bytes = written(capture, &length);
  tdm_recording *back = recording_read(&tdm_reader_tandem_hdf5, bytes, length, NULL);
  same_recordings(capture, back);
  free(bytes);
  tdm_recording_free(back);
  tdm_recording_free(capture);
}

/* Behind a block of the user's: of 512 bytes or twice, four times … as many. */
static void the_signature_stands_at_powers_of_two(void **state) {
  (void)state;
  static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  static const struct {
    size_t at;
    int how;
  } cases[] = {{0, 50}, {8, 0}, {256, 0}, {512, 50}, {1024, 50}, {1536, 0}, {2048, 50}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t length = cases[i].at + sizeof signature;
    unsigned char *head = calloc(1, length); /* so that ASan sees a byte read too many */
    memcpy(head + cases[i].at, signature, sizeof signature);
    assert_int_equal(tdm_hdf5_detect(head, length), cases[i].how);
    assert_int_equal(tdm_hdf5_detect(head, length - 1), 0);
    free(head);
  }
}

/* The head of a file does not always tell the layouts apart; the tables do. */
static void either_reader_reads_both_layouts(void **state) {
  (void)state;
  size_t length;
  tdm_recording *rich = recording_rich();
  char *bytes = written(rich, &length);
  tdm_recording *back = recording_read(&tdm_reader_nsys_hdf5, bytes, length, NULL);
  same_recordings(rich, back);
  assert_true(tdm_reader_tandem_hdf5.detect((unsigned char *)bytes, 65536, "x") >
              tdm_reader_nsys_hdf5.detect((unsigned char *)bytes, 65536, "x"));
  tdm_recording_free(back);
  free(bytes);
  back = read_path(&tdm_reader_tandem_hdf5, "tests/data/nsys/h100_cut.h5.gz");
  assert_string_equal(tdm_recording_source(back, 0)->format, "nsys-hdf5");
  tdm_recording_free(back);
  tdm_recording_free(rich);
}

/* ---- what is no such file ---- */

static tdm_status try_bytes(const void *bytes, size_t length) {
  tdm_input *input;
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_int_equal(tdm_input_open_memory(bytes, length, &input, &failure), TDM_OK);
  tdm_recorder_begin_source(recorder, "memory", "x");
  failure.message[0] = 0;
  tdm_status status =
      tdm_reader_tandem_hdf5.read(input, &(tdm_read_options){0}, recorder, &failure);
  tdm_recorder_end_source(recorder, NULL);
  tdm_recorder_free(recorder);
  tdm_recording_free(recording);
  tdm_input_close(input);
  if (status != TDM_OK) {
    assert_memory_equal(failure.message, "memory: ", 8);
    assert_null(strchr(failure.message, '\n'));
  }
  return status;
}

static void damaged_files_give_one_line(void **state) {
  (void)state;
  size_t length;
  tdm_recording *rich = recording_rich();
  char *bytes = written(rich, &length);
  tdm_recording_free(rich);
  assert_int_equal(try_bytes("", 0), TDM_INVALID);
  assert_int_equal(try_bytes("no HDF5", 7), TDM_INVALID);
  for (size_t cut = 8; cut < length; cut += cut < 128 ? 7 : 4999)
    assert_int_equal(try_bytes(bytes, cut), TDM_INVALID);
  uint64_t seed = 12345;
  for (int i = 0; i < 60; i++) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    size_t at = (size_t)(seed >> 20) % length;
    char was = bytes[at];
    bytes[at] = (char)(bytes[at] ^ (int)(seed >> 50 | 1));
    tdm_status status = try_bytes(bytes, length); /* may be nothing that matters */
    assert_true(status == TDM_OK || status == TDM_INVALID || status == TDM_LIMIT);
    bytes[at] = was;
  }
  free(bytes);
}

static void other_hdf5_files_are_named(void **state) {
  (void)state;
  void *symbol, *bytes;
  size_t length;
  assert_int_equal(
      tdm_module_symbol("hdf5.so", TDM_HDF5_MODULE, TDM_HDF5_MISSING, &symbol, &failure), TDM_OK);
  const tdm_hdf5_module_table *module = symbol;
  tdm_hdf5_writer *w = module->create();
  module->numbers(w, "/weather/rain", TDM_HDF5_F64, (double[]){1.5}, 1);
  assert_int_equal(module->finish(w, &bytes, &length, &failure), TDM_OK);
  assert_int_equal(try_bytes(bytes, length), TDM_INVALID);
  assert_string_equal(failure.message,
                      "memory: this HDF5 file is not an Nsight Systems export (nsys export --type "
                      "hdf) and was not written by tandem; it has 1 tables: weather/rain");
  free(bytes);
}

static size_t put(unsigned char *at, uint64_t value, size_t bytes) {
  memcpy(at, &value, bytes);
  return bytes;
}

static size_t put_name(unsigned char *at, const char *name) {
  size_t length = strlen(name);
  put(at, length, 4);
  memcpy(at + 4, name, length);
  return 4 + length;
}

/* What the process that runs libhdf5 would say of a group of two tables, the second of them with
 * members of these names; and what the reader says to it. */
static const char *told_of(const char *const *members, size_t count, uint64_t rows) {
  unsigned char listing[512];
  size_t used = sizeof(tdm_hdf5_answer);
  for (int table = 0; table < 2; table++) {
    listing[used++] = 'D';
    used += put_name(listing + used, table == 0 ? "/copies/start_ns" : "/copies/bytes");
    used += put(listing + used, table == 0 ? 2 : rows, 8);
    used += put(listing + used, 8, 8);
    used += put(listing + used, table == 0 ? 1 : count, 8);
    for (size_t i = 0; i < (table == 0 ? 1 : count); i++) {
      used += put(listing + used, TDM_HDF5_INT, 1);
      used += put_name(listing + used, table == 0 ? "" : members[i]);
    }
  }
  tdm_hdf5_answer head = {.length = used - sizeof head};
  memcpy(listing, &head, sizeof head);
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  assert_int_equal(write(ends[1], listing, used), used);
  shutdown(ends[1], SHUT_WR);
  tdm_hdf5_file *file;
  tdm_record_sink sink = {0};
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_read_options options = {0};
  tdm_recorder_begin_source(recorder, "x", "x");
  assert_int_equal(tdm_hdf5_open_socket(ends[0], "x", &file, &failure), TDM_OK);
  assert_int_equal(tdm_tandem_hdf5_read(file, "x", &options, recorder, &failure), TDM_INVALID);
  tdm_hdf5_close(file);
  tdm_recorder_free(recorder);
  close(ends[1]);
  return failure.message;
}

static void columns_are_plain_and_of_one_length(void **state) {
  (void)state;
  assert_string_equal(told_of((const char *const[]){"lo", "hi"}, 2, 2),
                      "x: damaged HDF5 file: copies/bytes is not a single column");
  assert_string_equal(told_of((const char *const[]){"lo"}, 1, 2),
                      "x: damaged HDF5 file: copies/bytes is not a single column");
  assert_string_equal(told_of((const char *const[]){""}, 1, 3),
                      "x: damaged HDF5 file: copies/bytes is not as long as start_ns beside it");
  assert_string_equal(told_of((const char *const[]){""}, 1, 2),
                      "x: damaged HDF5 file: copies lacks one of start_ns, duration_ns, name_idx, "
                      "stream");
}

static void a_missing_module_is_said(void **state) {
  (void)state;
  void *symbol;
  assert_int_equal(tdm_module_symbol("no.so", "x", TDM_HDF5_MISSING, &symbol, &failure), TDM_IO);
  assert_string_equal(failure.message, "this tandem has no HDF5: install the package "
                                       "tandem-hdf5, or libhdf5-dev and build again");
  assert_int_equal(tdm_module_symbol("hdf5.so", "nothing", "x", &symbol, &failure), TDM_IO);
  assert_non_null(strstr(failure.message, "hdf5.so cannot be loaded: "));
}

static int stop_at_once(void *context, uint64_t done, uint64_t total) {
  (void)context;
  (void)done;
  (void)total;
  return 1;
}

static void reading_can_be_interrupted(void **state) {
  (void)state;
  size_t length;
  tdm_input *input;
  tdm_recording *rich = recording_rich();
  char *bytes = written(rich, &length);
  tdm_record_sink sink = {0};
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  assert_int_equal(tdm_input_open_memory(bytes, length, &input, &failure), TDM_OK);
  tdm_recorder_begin_source(recorder, "memory", "x");
  assert_int_equal(tdm_reader_tandem_hdf5.read(input, &(tdm_read_options){.progress = stop_at_once},
                                               recorder, &failure),
                   TDM_INTERRUPTED);
  tdm_recorder_free(recorder);
  tdm_input_close(input);
  tdm_recording_free(rich);
  free(bytes);
  assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* the child is gone */
  assert_int_equal(errno, ECHILD);
}

/* Another program's opinion, where it is installed. */
static void h5dump_reads_what_is_written(void **state) {
  (void)state;
  if (system("command -v h5dump >/dev/null 2>&1") != 0) {
    print_message("h5dump is not installed\n");
    skip();
  }
  char command[160];
  tdm_recording *rich = recording_rich();
  free(written(rich, NULL));
  tdm_recording_free(rich);
  snprintf(command, sizeof command, "h5dump %s >%s/dump 2>&1", target, folder);
  assert_int_equal(system(command), 0);
  snprintf(command, sizeof command, "%s/dump", folder);
  char *text = recording_file(command, NULL);
  unlink(command);
  assert_non_null(strstr(text, "DATASET \"registers\""));
  assert_non_null(strstr(text, "\"cudaLaunchKernel\""));
  assert_null(strstr(text, "unable to"));
  free(text);
}

/* One word of either layout among the first bytes says whose it is. */
static void first_bytes_say_whose_layout_it_is(void **state) {
  (void)state;
  static const struct {
    const char *word;
    bool tandem;
  } cases[] = {{"tandem_format", true},
               {"session_id", true},
               {"name_idx", true},
               {"StringIds", false},
               {"CUPTI_ACTIVITY", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned char head[512] = "\x89HDF\r\n\x1a\n";
    memcpy(head + 100, cases[i].word, strlen(cases[i].word));
    int own = tdm_reader_tandem_hdf5.detect(head, sizeof head, "x");
    int other = tdm_reader_nsys_hdf5.detect(head, sizeof head, "x");
    if (own == other || (own > other) != cases[i].tandem)
      fail_msg("%s: %d for tandem's, %d for Nsight's", cases[i].word, own, other);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_bytes_say_whose_layout_it_is),
      cmocka_unit_test(everything_comes_back),
      cmocka_unit_test(an_empty_trace_comes_back),
      cmocka_unit_test(any_word_may_be_a_key_or_a_category),
      cmocka_unit_test(wide_and_long_columns_come_back),
      cmocka_unit_test(clients_find_categories_columns_and_names),
      cmocka_unit_test(files_of_that_layout_from_elsewhere_are_read),
      cmocka_unit_test(long_texts_are_cut_or_refused),
      cmocka_unit_test(many_texts_are_read_or_told),
      cmocka_unit_test(exports_are_what_their_sqlite_twins_are),
      cmocka_unit_test(long_columns_are_handed_on_from_block_to_block),
      cmocka_unit_test(large_exports_are_what_their_sqlite_twins_are),
      cmocka_unit_test(an_export_is_read),
      cmocka_unit_test(a_capture_comes_back),
      cmocka_unit_test(the_signature_stands_at_powers_of_two),
      cmocka_unit_test(either_reader_reads_both_layouts),
      cmocka_unit_test(damaged_files_give_one_line),
      cmocka_unit_test(other_hdf5_files_are_named),
      cmocka_unit_test(columns_are_plain_and_of_one_length),
      cmocka_unit_test(a_missing_module_is_said),
      cmocka_unit_test(reading_can_be_interrupted),
      cmocka_unit_test(h5dump_reads_what_is_written)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
