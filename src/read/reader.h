/* What a reader is: one format, found by content, turned into records; all of them; and the door
 * for files to read.
 *
 * Each reader is one line of TDM_READERS and one file or room here. Readers know nothing of the
 * store, of Lua or of each other. */
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
  uint64_t dropped;   /* TDM_READ_…: kinds of records the caller does not want */
  bool counters_only; /* what ran is told by another file, of another run of the program */
} tdm_read_options;

/* Kinds that may be left out, for speed (tandem import --only / --without). */
enum {
  TDM_READ_NO_API = 1 << 0,  /* runtime, driver, synchronization */
  TDM_READ_NO_NVTX = 1 << 1, /* ranges and annotations */
  TDM_READ_NO_OSRT = 1 << 2, /* operating system calls, scheduling */
  TDM_READ_NO_CPU = 1 << 3,  /* operators, Python functions */
  TDM_READ_NO_GPU = 1 << 4   /* kernels, copies, GPU metrics */
};

/* Tells the caller how far the input is. TDM_INTERRUPTED when it says to stop. For readers to call
 * now and then. */
tdm_status tdm_read_progress(const tdm_input *input, const tdm_read_options *options,
                             tdm_error *error);

/* The bit above that a category of the vocabulary belongs to; 0: none. NULL is fine. */
uint64_t tdm_read_kind(const char *category);

/* The rank that the last part of a path says: "…rank_3…", "…rank-3…", "…worker3…"; TDM_NONE. */
int64_t tdm_read_rank_of_path(const char *path);

/* What a file is one of, when a tool writes several for one process: files of a reader with equal
 * stems are one source, unless they are of different processes. Counters may be of runs of their
 * own, a pass each: what ran is then told by the trace, else by the first pass. */
typedef struct {
  size_t stem;     /* how much of the path they share; 0: the file is alone */
  int64_t process; /* TDM_NONE: the file does not say */
  bool counters;   /* of kernels */
  bool kernels;    /* as they were traced */
  uint32_t pass;   /* which run of several the path says; 0: it does not */
} tdm_family;

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
  /* Of formats with several files a process, both; else NULL. `read_family` reads them all as one
   * source, like `read`. */
  tdm_family (*family)(const unsigned char *head, size_t length, const char *path);
  tdm_status (*read_family)(tdm_input *const *inputs, size_t count, const tdm_read_options *options,
                            tdm_recorder *recorder, tdm_error *error);
} tdm_reader;

/* Every reader, one a line, surest first among equals. What a format is and what becomes of it
 * stands at the top of its file. */
/* clang-format off */
#define TDM_READERS(READER)                                                                        \
  READER(tdm_reader_nsys_sqlite)    /* nsys/sqlite.c: Nsight Systems' SQLite export */             \
  READER(tdm_reader_nsys_rep)       /* nsys/rep.c: its reports, through `nsys export` */           \
  READER(tdm_reader_nsys_hdf5)      /* hdf5/layouts.c, nsys/hdf5.c: its HDF5 export */             \
  READER(tdm_reader_nvprof)         /* nsys/sqlite.c: refused by name */                           \
  READER(tdm_reader_capture)        /* capture: files of `tandem capture` */                       \
  READER(tdm_reader_kineto)         /* kineto: torch-profiler and Chrome trace JSON */             \
  READER(tdm_reader_cuda_api)       /* cuda_api: JSON Lines of eBPF and LD_PRELOAD tracers */      \
  READER(tdm_reader_ncu)            /* ncu.c: `ncu --csv` */                                       \
  READER(tdm_reader_rocprof_json)   /* rocprof/json.c: rocprofv3's JSON */                         \
  READER(tdm_reader_rocprof_csv)    /* rocprof/csv.c: its CSV tables */                            \
  READER(tdm_reader_rocpd)          /* rocprof/rocpd.c: its SQLite databases */                     \
  READER(tdm_reader_torch_timeline) /* torch/timeline.c: export_memory_timeline */                 \
  READER(tdm_reader_torch_snapshot) /* torch/snapshot.c: torch.cuda.memory._snapshot() */          \
  READER(tdm_reader_torch_trace)    /* torch/trace.c: TORCH_TRACE */                               \
  READER(tdm_reader_nccl_flight)    /* nccl/flight.c: PyTorch's NCCL flight recorder */            \
  READER(tdm_reader_nccl_inspector) /* nccl/inspector.c: NCCL Inspector's logs */                  \
  READER(tdm_reader_pftrace)        /* perfetto: Perfetto traces */                                \
  READER(tdm_reader_xplane)         /* xplane: profiles of JAX and XLA */                          \
  READER(tdm_reader_gecko)          /* gecko: profiles of Firefox and samply */                    \
  READER(tdm_reader_execution)      /* execution/torch.c: PyTorch's execution traces */            \
  READER(tdm_reader_chakra)         /* execution/chakra.c: Chakra's execution traces */            \
  READER(tdm_reader_chakra_json)    /* execution/chakra_json.c: the same as JSON */                \
  READER(tdm_reader_speedscope)     /* speedscope.c: speedscope profiles */                        \
  READER(tdm_reader_perf)           /* perf.c: what `perf script` prints */                         \
  READER(tdm_reader_prometheus_json) /* prometheus/stored.c: stored series as JSON */              \
  READER(tdm_reader_prometheus)     /* prometheus/text.c: scrapes of metrics */                    \
  READER(tdm_reader_folded)         /* folded.c: folded stacks */                                  \
  READER(tdm_reader_jsonl)          /* jsonl.c: tandem's own JSON Lines */                         \
  READER(tdm_reader_tandem_csv)     /* tandem_csv.c: tandem's own CSV */                           \
  READER(tdm_reader_tandem_arrow)   /* arrow/own.c: tandem's own Arrow tables */                   \
  READER(tdm_reader_tandem_hdf5)    /* hdf5/layouts.c, hdf5/tandem.c: tandem's own HDF5 */
/* clang-format on */

#define TDM_READER_DECLARED(reader) extern const tdm_reader reader;
TDM_READERS(TDM_READER_DECLARED)
#undef TDM_READER_DECLARED

/* All of them, NULL at the end. */
extern const tdm_reader *const tdm_readers[];

/* The surest reader. TDM_INVALID with one line that says what the file seems to be and which
 * formats there are. */
tdm_status tdm_reader_find(tdm_input *input, const tdm_reader **reader, tdm_error *error);

/* Files in, records out: each file, or family of files, is a source, read by the reader that knows
 * its format.
 *
 * Owns nothing. Called by the binding; where the records go is the sink's affair. See import.c. */

typedef struct {
  tdm_time_unit time_unit;
  uint64_t dropped; /* TDM_READ_NO_… */
  /* How far file `index` is, 0 … 1; nonzero: stop. May be NULL. */
  int (*progress)(void *context, size_t index, double fraction);
  void *context;
} tdm_import_options;

/* Stops at the first file that cannot be read; the caller then throws away what came before. */
tdm_status tdm_import(const char *const *paths, size_t count, const tdm_import_options *options,
                      const tdm_record_sink *sink, tdm_error *error);

#endif
