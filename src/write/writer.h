/* What a writer is: one format, made from a trace in memory.
 *
 * The table of writers is write/writer.c's. A writer's file appears under its name only when it is
 * complete (trace/outfile.h). Called by the binding. */
#ifndef TDM_WRITE_WRITER_H
#define TDM_WRITE_WRITER_H

#include "trace/recording.h"

typedef struct {
  const char *run_id, *run_name, *version; /* for the file's own notes; may be NULL */
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

extern const tdm_writer *const tdm_writers[]; /* NULL at the end */
const tdm_writer *tdm_writer_named(const char *name);

#endif
