/* Any bytes as an Nsight Systems export. The first byte says how: as an SQLite file through its
 * reader (0), as pages through the scan alone (1), otherwise as tables, columns and values of a
 * source that is made of them, which is what the mapping to records sees. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "read/nsys/sqlite.h"
#include "trace/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a source made of bytes ---- */

static const char *const tables[] = {
    "StringIds",
    "META_DATA_EXPORT",
    "META_DATA_CAPTURE",
    "TARGET_INFO_SYSTEM_ENV",
    "TARGET_INFO_SESSION_START_TIME",
    "TARGET_INFO_GPU",
    "TARGET_INFO_CUDA_DEVICE",
    "PROCESSES",
    "ThreadNames",
    "DIAGNOSTIC_EVENT",
    "ENUM_CUDA_MEMCPY_OPER",
    "ENUM_CUDA_MEM_KIND",
    "CUPTI_ACTIVITY_KIND_KERNEL",
    "CUPTI_ACTIVITY_KIND_MEMCPY",
    "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
    "CUPTI_ACTIVITY_KIND_RUNTIME",
    "CUPTI_ACTIVITY_KIND_OVERHEAD",
    "NVTX_EVENTS",
    "OSRT_API",
    "SCHED_EVENTS",
    "CUDA_GPU_MEMORY_USAGE_EVENTS",
    "MPI_P2P_EVENTS",
    "MPI_RANKS",
    "TARGET_INFO_GPU_METRICS",
    "GPU_METRICS",
    "TARGET_INFO_NETWORK_METRICS",
    "NET_NIC_METRIC",
    "OPENACC_DATA_EVENTS",
    "SOMETHING_ELSE",
};
enum { TABLES = sizeof tables / sizeof tables[0], ROWS = 8 };

typedef struct {
  const uint8_t *at, *end;
  uint32_t there; /* which tables */
  uint8_t lacking;
} bytes;

struct tdm_nsys_cursor {
  bytes *from;
  size_t columns;
  tdm_nsys_type type[TDM_NSYS_COLUMNS];
  tdm_nsys_values values[TDM_NSYS_COLUMNS];
  union {
    int64_t integer[ROWS];
    double real[ROWS];
    tdm_nsys_text text[ROWS];
  } room[TDM_NSYS_COLUMNS];
};

static uint8_t byte_of(bytes *from) {
  return from->at < from->end ? *from->at++ : 0;
}

static int64_t number_of(bytes *from) {
  static const int64_t interesting[] = {0,
                                        1,
                                        2,
                                        7,
                                        59,
                                        60,
                                        34,
                                        33,
                                        75,
                                        INT64_MAX,
                                        INT64_MIN,
                                        UINT32_MAX,
                                        283004824020018,
                                        -1,
                                        1779630014975716426};
  uint8_t kind = byte_of(from);
  if (kind < 128) return kind;
  if (kind < 128 + sizeof interesting / sizeof interesting[0]) return interesting[kind - 128];
  int64_t value = 0;
  for (int i = 0; i < (kind & 7) + 1; i++) value = (int64_t)((uint64_t)value << 8 | byte_of(from));
  return value;
}

static tdm_nsys_text text_of(bytes *from) {
  static const char *const known[] = {"EXPORT_SCHEMA_VERSION",
                                      "PROCESS_0:ENVIRONMENT_VARIABLE",
                                      "CUDA_MEMCPY_KIND_HTOD",
                                      "cudaLaunchKernel_v7000",
                                      "SMs Active [Throughput %]",
                                      "{\"a\":1}",
                                      "[]",
                                      ""};
  uint8_t kind = byte_of(from);
  if (kind < 8) return (tdm_nsys_text){known[kind], strlen(known[kind])};
  if (kind > 200) return (tdm_nsys_text){NULL, 0};
  size_t length = (size_t)(from->end - from->at) < kind ? (size_t)(from->end - from->at) : kind;
  tdm_nsys_text text = {(const char *)from->at, length};
  from->at += length;
  return text;
}

static size_t fake_tables(void *context) {
  (void)context;
  return TABLES;
}

static const char *fake_table(void *context, size_t index) {
  (void)context;
  return tables[index];
}

/* Which of the tables, TABLES: none. Names are literals: the pointer mostly answers. */
static size_t index_of(const char *table) {
  static struct {
    const char *table;
    size_t index;
  } known[256];
  size_t at = ((uintptr_t)table * 0x9e3779b97f4a7c15u) >> 56;
  if (known[at].table == table) return known[at].index;
  size_t index = 0;
  while (index < TABLES && strcmp(tables[index], table) != 0) index++;
  known[at].table = table;
  known[at].index = index;
  return index;
}

static bool fake_has_table(void *context, const char *table) {
  const bytes *from = context;
  size_t index = index_of(table);
  return index < TABLES && (from->there >> index & 1) != 0;
}

static bool fake_has_column(void *context, const char *table, const char *column) {
  const bytes *from = context;
  unsigned hash = from->lacking;
  for (const char *p = column; *p != 0; p++) hash = hash * 31 + (unsigned char)*p;
  return fake_has_table(context, table) && (from->lacking == 0 || hash % 7 != 0);
}

static uint64_t fake_rows(void *context, const char *table) {
  return fake_has_table(context, table) ? ROWS : 0;
}

static tdm_status fake_open(void *context, const char *table, const tdm_nsys_column *columns,
                            size_t count, tdm_nsys_cursor **out, tdm_error *error) {
  (void)table;
  (void)error;
  tdm_nsys_cursor *cursor = malloc(sizeof *cursor);
  if (cursor == NULL) abort();
  cursor->from = context;
  cursor->columns = count;
  for (size_t i = 0; i < count; i++) {
    cursor->type[i] = columns[i].type;
    cursor->values[i].integer = cursor->room[i].integer;
  }
  *out = cursor;
  return TDM_OK;
}

static tdm_status fake_next(tdm_nsys_cursor *cursor, tdm_nsys_block *block, tdm_error *error) {
  bytes *from = cursor->from;
  size_t rows = byte_of(from) % (ROWS + 1);
  if (rows == ROWS && byte_of(from) > 250)
    return tdm_error_set(error, TDM_INVALID, "fuzz: damaged on purpose");
  for (size_t c = 0; c < cursor->columns; c++)
    for (size_t i = 0; i < rows; i++)
      if (cursor->type[c] == TDM_NSYS_INT)
        cursor->values[c].integer[i] = number_of(from);
      else if (cursor->type[c] == TDM_NSYS_REAL)
        cursor->values[c].real[i] = byte_of(from) > 128 ? NAN : (double)number_of(from);
      else
        cursor->values[c].text[i] = text_of(from);
  *block = (tdm_nsys_block){rows, cursor->values};
  return TDM_OK;
}

static void fake_close(tdm_nsys_cursor *cursor) {
  free(cursor);
}

/* ---- the three ways ---- */

static int file = -1;

static void use_as_file(const uint8_t *data, size_t size) {
  if (file < 0) file = memfd_create("fuzz", 0);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) abort();
}

static void scan_pages(const uint8_t *data, size_t size) {
  static const tdm_nsys_column columns[] = {
      {"a", TDM_NSYS_INT}, {"b", TDM_NSYS_TEXT}, {"c", TDM_NSYS_REAL}, {"d", TDM_NSYS_INT}};
  static const int column_at[] = {0, 1, 3, -1};
  if (size < 3) return;
  tdm_sqlite_table table = {.root = data[0], .rowid = data[1] % 5 - 1, .columns = 4};
  use_as_file(data + 2, size - 2);
  tdm_sqlite_scan *scan = tdm_sqlite_scan_open(file, &table, columns, column_at, 4);
  tdm_nsys_block block;
  size_t bytes_seen = 0;
  while (tdm_sqlite_scan_next(scan, &block) == TDM_OK && block.count > 0)
    for (size_t i = 0; i < block.count; i++)
      for (size_t k = 0; k < block.column[1].text[i].length; k += 64)
        bytes_seen += (unsigned char)block.column[1].text[i].bytes[k];
  if (bytes_seen == SIZE_MAX) abort();
  tdm_sqlite_scan_close(scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 8) return 0;
  if (data[0] == 1) {
    scan_pages(data + 1, size - 1);
    return 0;
  }
  tdm_recording *recording = tdm_recording_new();
  tdm_record_sink sink;
  tdm_recording_sink(recording, &sink);
  tdm_recorder *recorder = tdm_recorder_new(&sink);
  tdm_error error = {0};
  tdm_status status;
  tdm_recorder_begin_source(recorder, "fuzz", "nsys");
  if (data[0] == 0) {
    char where[64];
    use_as_file(data + 1, size - 1);
    snprintf(where, sizeof where, "/proc/self/fd/%d", file);
    status = tdm_nsys_sqlite_read(where, "fuzz", &(tdm_read_options){0}, recorder, &error);
  } else {
    bytes from = {.at = data + 6, .end = data + size, .lacking = data[1]};
    memcpy(&from.there, data + 2, sizeof from.there);
    const tdm_nsys_source source = {.context = &from,
                                    .path = "fuzz",
                                    .nulls = data[0] & 1,
                                    .tables = fake_tables,
                                    .table = fake_table,
                                    .has_table = fake_has_table,
                                    .has_column = fake_has_column,
                                    .rows = fake_rows,
                                    .open = fake_open,
                                    .next = fake_next,
                                    .close = fake_close};
    status = tdm_nsys_read(&source, &(tdm_read_options){0}, recorder, &error);
  }
  if (status != TDM_OK && (error.message[0] == 0 || strchr(error.message, '\n') != NULL)) abort();
  tdm_recorder_end_source(recorder, &error);
  tdm_recorder_free(recorder);
  tdm_recording_free(recording);
  return 0;
}
