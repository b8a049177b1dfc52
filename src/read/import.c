/* See import.h. */
#include "read/import.h"

typedef struct {
  const tdm_import_options *options;
  size_t index;
} place;

static int forward(void *context, uint64_t done, uint64_t total) {
  const place *at = context;
  double fraction = total > 0 ? (double)done / (double)total : 0;
  return at->options->progress(at->options->context, at->index, fraction < 1 ? fraction : 1);
}

static tdm_status read_file(const char *path, place *at, tdm_recorder *recorder, tdm_error *error) {
  tdm_input *input;
  const tdm_reader *reader;
  tdm_status status = tdm_input_open(path, &input, error);
  if (status != TDM_OK) return status;
  if (at->options->progress != NULL) tdm_input_watch(input, forward, at);
  status = tdm_reader_find(input, &reader, error);
  if (status == TDM_OK) {
    tdm_read_options options = {.time_unit = at->options->time_unit,
                                .dropped = at->options->dropped,
                                .progress = at->options->progress != NULL ? forward : NULL,
                                .context = at};
    tdm_recorder_begin_source(recorder, path, reader->name);
    status = reader->read(input, &options, recorder, error);
    tdm_error late;
    tdm_status ended = tdm_recorder_end_source(recorder, status == TDM_OK ? error : &late);
    if (status == TDM_OK) status = ended;
  }
  tdm_input_close(input);
  return status;
}

tdm_status tdm_import(const char *const *paths, size_t count, const tdm_import_options *options,
                      const tdm_record_sink *sink, tdm_error *error) {
  tdm_recorder *recorder = tdm_recorder_new(sink);
  if (recorder == NULL) return tdm_error_memory(error, "a recorder", 0);
  tdm_status status = TDM_OK;
  for (size_t i = 0; i < count && status == TDM_OK; i++) {
    place at = {options, i};
    status = read_file(paths[i], &at, recorder, error);
  }
  if (status == TDM_OK) status = tdm_recorder_finish(recorder, error);
  tdm_recorder_free(recorder);
  return status;
}
