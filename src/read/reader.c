/* The table of formats, which of them a file is, and files to records. See reader.h. Owns no state.
 */
#include "read/reader.h"

#include <string.h>

#define LINE(reader) &reader,
const tdm_reader *const tdm_readers[] = {TDM_READERS(LINE) NULL};
#undef LINE

tdm_status tdm_reader_find(tdm_input *input, const tdm_reader **reader, tdm_error *error) {
  const unsigned char *head;
  size_t length;
  *reader = NULL;
  tdm_status status = tdm_input_head(input, &head, &length, error);
  if (status != TDM_OK) return status;
  if (length == 0) return tdm_error_set(error, TDM_INVALID, "%s is empty", tdm_input_path(input));
  int surest = 0;
  for (const tdm_reader *const *each = tdm_readers; *each != NULL; each++) {
    int sure = (*each)->detect(head, length, tdm_input_path(input));
    if (sure > surest) {
      surest = sure;
      *reader = *each;
    }
  }
  if (*reader != NULL) return TDM_OK;
  if (length >= 2 && (head[0] ^ head[1]) == 1 && (head[0] & head[1]) == 0xfe)
    return tdm_error_set(error, TDM_INVALID,
                         "%s is UTF-16, but traces are UTF-8: `iconv -f UTF-16 -t UTF-8` turns it "
                         "into that",
                         tdm_input_path(input));
  return tdm_error_set(error, TDM_INVALID,
                       "%s is in none of the formats that are read; `tandem help formats` lists "
                       "them",
                       tdm_input_path(input));
}

tdm_status tdm_read_progress(const tdm_input *input, const tdm_read_options *options,
                             tdm_error *error) {
  uint64_t done, total;
  if (options->progress == NULL) return TDM_OK;
  tdm_input_progress(input, &done, &total);
  if (options->progress(options->context, done, total) == 0) return TDM_OK;
  return tdm_error_set(error, TDM_INTERRUPTED, "%s: reading was interrupted",
                       tdm_input_path(input));
}

uint64_t tdm_read_kind(const char *category) {
  static const struct {
    const char *category;
    uint64_t kind;
  } kinds[] = {
      {"runtime", TDM_READ_NO_API},
      {"driver", TDM_READ_NO_API},
      {"sync", TDM_READ_NO_API},
      {"cuda_event", TDM_READ_NO_API},
      {"nvtx", TDM_READ_NO_NVTX},
      {"user_annotation", TDM_READ_NO_NVTX},
      {"gpu_user_annotation", TDM_READ_NO_NVTX},
      {"osrt", TDM_READ_NO_OSRT},
      {"sched", TDM_READ_NO_OSRT},
      {"cpu_op", TDM_READ_NO_CPU},
      {"python_function", TDM_READ_NO_CPU},
      {"kernel", TDM_READ_NO_GPU},
      {"memcpy", TDM_READ_NO_GPU},
      {"memset", TDM_READ_NO_GPU},
      {"graph", TDM_READ_NO_GPU},
      {"gpu_sync", TDM_READ_NO_GPU},
      {"um", TDM_READ_NO_GPU},
  };
  for (size_t i = 0; category != NULL && i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(category, kinds[i].category) == 0) return kinds[i].kind;
  return 0;
}

typedef struct {
  const tdm_import_options *options;
  size_t index;
} reported_file;

static int forward(void *context, uint64_t done, uint64_t total) {
  const reported_file *at = context;
  double fraction = total > 0 ? (double)done / (double)total : 0;
  return at->options->progress(at->options->context, at->index, fraction < 1 ? fraction : 1);
}

static tdm_status read_file(const char *path, reported_file *at, tdm_recorder *recorder,
                            tdm_error *error) {
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
    reported_file at = {options, i};
    status = read_file(paths[i], &at, recorder, error);
  }
  if (status == TDM_OK) status = tdm_recorder_finish(recorder, error);
  tdm_recorder_free(recorder);
  return status;
}
