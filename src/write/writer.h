/* What a writer is: one format, made from a trace in memory.
 *
 * Each writer is one line of TDM_WRITERS and one file or room here. A writer's file appears under
 * its name only when it is complete (trace/outfile.h). Called by the binding. */
#ifndef TDM_WRITE_WRITER_H
#define TDM_WRITE_WRITER_H

#include "trace/recording.h"

typedef struct {
  const char *run_id, *run_name, *version; /* for the file's own notes; may be NULL */
  const char *table; /* of formats that hold one: "spans" (NULL) or "requests" (write/sheet.h) */
  /* Told, in a line each, what the format cannot express; may be NULL. */
  void (*note)(void *context, const char *text);
  void *note_context;
} tdm_write_options;

typedef struct {
  const char *name;   /* "chrome" */
  const char *title;  /* "Chrome trace JSON" */
  const char *ending; /* ".json" */
  tdm_status (*write)(const tdm_recording *recording, const char *path,
                      const tdm_write_options *options, tdm_error *error);
} tdm_writer;

/* Every writer, one a line, in the order of help. What a format cannot express stands at the top of
 * its file. */
/* clang-format off */
#define TDM_WRITERS(WRITER)                                                                        \
  WRITER(tdm_writer_chrome)     /* chrome: Chrome trace JSON */                                    \
  WRITER(tdm_writer_perfetto)   /* perfetto: Perfetto traces */                                    \
  WRITER(tdm_writer_nsys)       /* nsys: Nsight Systems' SQLite layout */                          \
  WRITER(tdm_writer_hdf5)       /* hdf5: columns by category */                                    \
  WRITER(tdm_writer_arrow)      /* arrow.c: spans or requests as typed columns */                  \
  WRITER(tdm_writer_parquet)    /* parquet.c: the same */                                          \
  WRITER(tdm_writer_csv)        /* csv.c: one table of everything with a time */                   \
  WRITER(tdm_writer_jsonl)      /* jsonl.c: everything, one object a line */                       \
  WRITER(tdm_writer_speedscope) /* speedscope.c: evented profiles */                               \
  WRITER(tdm_writer_folded)     /* folded.c: self times by stack */
/* clang-format on */

#define TDM_WRITER_DECLARED(writer) extern const tdm_writer writer;
TDM_WRITERS(TDM_WRITER_DECLARED)
#undef TDM_WRITER_DECLARED

extern const tdm_writer *const tdm_writers[]; /* all of them, NULL at the end */
const tdm_writer *tdm_writer_named(const char *name);

#endif
