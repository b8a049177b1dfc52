/* What a reader is: one format, found by content, turned into records.
 *
 * The table of readers is read/reader.c's; each reader is one entry and one file (or a few) here.
 * Readers know nothing of the store, of Lua or of each other. Called by read/import. */
#ifndef TDM_READ_READER_H
#define TDM_READ_READER_H

#include "read/input.h"
#include "trace/recorder.h"

typedef enum { TDM_UNIT_AUTO, TDM_UNIT_NS, TDM_UNIT_US, TDM_UNIT_MS, TDM_UNIT_S } tdm_time_unit;

typedef struct {
  tdm_time_unit time_unit; /* of formats that do not say theirs */
  /* Called with how far the reading is (tdm_input_progress); nonzero: stop (Ctrl-C). May be NULL.
   */
  int (*progress)(void *context, uint64_t done, uint64_t total);
  void *context;
  uint64_t dropped; /* TDM_READ_…: kinds of records the caller does not want */
} tdm_read_options;

/* Kinds that may be left out, for speed (tandem import --only / --without). */
enum {
  TDM_READ_NO_API = 1 << 0,  /* runtime, driver, synchronization */
  TDM_READ_NO_NVTX = 1 << 1, /* ranges and annotations */
  TDM_READ_NO_OSRT = 1 << 2, /* operating system calls, scheduling */
  TDM_READ_NO_CPU = 1 << 3,  /* operators, Python functions */
  TDM_READ_NO_GPU = 1 << 4   /* kernels, copies, GPU metrics */
};

/* The bit above that a category of the vocabulary belongs to; 0: none. NULL is fine. */
uint64_t tdm_read_kind(const char *category);

typedef struct {
  const char *name;    /* "nsys-sqlite": the source's format */
  const char *title;   /* "Nsight Systems SQLite export" */
  const char *accepts; /* "*.sqlite": for help */
  /* How sure the first bytes make this reader, 0 (not mine) … 100. `path` is a hint of last
   * resort. */
  int (*detect)(const unsigned char *head, size_t length, const char *path);
  /* Reads all of it. The source has begun. TDM_INVALID: the file is not what it seemed, in one line
   * with the path first; TDM_INTERRUPTED: progress said so. What was recorded by then may be kept
   * by the caller. */
  tdm_status (*read)(tdm_input *input, const tdm_read_options *options, tdm_recorder *recorder,
                     tdm_error *error);
} tdm_reader;

/* All readers, NULL at the end, surest first among equals. */
extern const tdm_reader *const tdm_readers[];

/* The surest reader. TDM_INVALID with one line that says what the file seems to be and which
 * formats there are. */
tdm_status tdm_reader_find(tdm_input *input, const tdm_reader **reader, tdm_error *error);

#endif
