/* Files to records: which of the files given are one source, and each source read. See reader.h.
 *
 * A file of a family looks for its kin among the other files of that call, never in the folder.
 * Owns the inputs of the source in hand. Called by the binding. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/reader.h"

enum { SOURCE_PATH = 4096 };

typedef struct {
  const char *const *paths;
  size_t count;
  bool *taken; /* [count] */
  const tdm_import_options *options;
  tdm_recorder *recorder;
  size_t index; /* of the file in hand */
  const tdm_reader *reader;
  tdm_family family;
  tdm_input **input; /* of one source; [count] */
  size_t inputs;
  uint64_t nearest; /* of all files, once one has counters: see distance_of */
  bool surveyed;
} importing;

static int forward(void *context, uint64_t done, uint64_t total) {
  const importing *at = context;
  double fraction = total > 0 ? (double)done / (double)total : 0;
  return at->options->progress(at->options->context, at->index, fraction < 1 ? fraction : 1);
}

/* ---- families ---- */

static tdm_family family_of(const tdm_reader *reader, tdm_input *input) {
  const tdm_family alone = {.process = TDM_NONE};
  const unsigned char *head;
  size_t length;
  if (reader->family == NULL || tdm_input_head(input, &head, &length, NULL) != TDM_OK) return alone;
  return reader->family(head, length, tdm_input_path(input));
}

/* Whether file `other` is of the family in hand; then *input is open and *process what it says. */
static bool is_kin(const importing *at, size_t other, tdm_input **input, int64_t *process) {
  const char *path = at->paths[other], *mine = at->paths[at->index];
  const tdm_reader *reader;
  if (strncmp(path, mine, at->family.stem) != 0 || strcmp(path, mine) == 0) return false;
  if (tdm_input_open(path, input, NULL) != TDM_OK) return false;
  if (tdm_reader_find(*input, &reader, NULL) == TDM_OK && reader == at->reader) {
    tdm_family family = family_of(reader, *input);
    *process = family.process;
    if (family.stem == at->family.stem) return true;
  }
  tdm_input_close(*input);
  return false;
}

/* Opens the kin. Files that say that they are of different processes are no family, whatever their
 * names. */
static void gather(importing *at) {
  int64_t process = at->family.process;
  bool agree = true;
  for (size_t i = 0; i < at->count && at->family.stem > 0; i++) {
    tdm_input *input;
    int64_t other = TDM_NONE;
    if (i == at->index || !is_kin(at, i, &input, &other)) continue;
    if (other != TDM_NONE && process != TDM_NONE && other != process) agree = false;
    if (other != TDM_NONE) process = other;
    if (at->taken[i])
      tdm_input_close(input);
    else
      at->input[at->inputs++] = input;
  }
  while (!agree && at->inputs > 1) tdm_input_close(at->input[--at->inputs]);
}

static void take(importing *at) {
  for (size_t i = 0; i < at->inputs; i++)
    for (size_t k = 0; k < at->count; k++)
      if (strcmp(at->paths[k], tdm_input_path(at->input[i])) == 0 && (i > 0 || k == at->index))
        at->taken[k] = true;
}

/* ---- runs of their own ---- */

/* How far a file's kernels are from those that were to be traced: traces come before counters, an
 * earlier pass before a later one. UINT64_MAX: it has none. */
static uint64_t distance_of(const tdm_family *family) {
  if (!family->kernels && !family->counters) return UINT64_MAX;
  return (uint64_t)family->pass + (family->kernels ? 0 : (uint64_t)UINT32_MAX + 1);
}

static void survey(importing *at) {
  at->surveyed = true;
  at->nearest = UINT64_MAX;
  for (size_t i = 0; i < at->count; i++) {
    tdm_input *input;
    const tdm_reader *reader;
    if (tdm_input_open(at->paths[i], &input, NULL) != TDM_OK) continue;
    if (tdm_reader_find(input, &reader, NULL) == TDM_OK && reader == at->reader) {
      tdm_family family = family_of(reader, input);
      if (distance_of(&family) < at->nearest) at->nearest = distance_of(&family);
    }
    tdm_input_close(input);
  }
}

/* Whether the source in hand has counters, and another file tells what ran. */
static bool is_of_another_run(importing *at) {
  uint64_t nearest = UINT64_MAX;
  bool counters = false;
  for (size_t i = 0; i < at->inputs; i++) {
    tdm_family family = family_of(at->reader, at->input[i]);
    counters |= family.counters;
    if (distance_of(&family) < nearest) nearest = distance_of(&family);
  }
  if (!counters || at->count == at->inputs) return false;
  if (!at->surveyed) survey(at);
  return at->nearest < nearest;
}

/* ---- sources ---- */

/* The one path of several files: what they share, and a star. */
static const char *name_of(const importing *at, char *out, size_t room) {
  const char *path = at->paths[at->index];
  if (at->inputs == 1) return path;
  snprintf(out, room, "%.*s*", (int)(at->family.stem < room - 2 ? at->family.stem : room - 2),
           path);
  return out;
}

static tdm_status read_source(importing *at, tdm_error *error) {
  char shared[SOURCE_PATH];
  bool told = at->options->progress != NULL;
  tdm_read_options options = {.time_unit = at->options->time_unit,
                              .dropped = at->options->dropped,
                              .progress = told ? forward : NULL,
                              .context = at};
  tdm_status status = tdm_input_open(at->paths[at->index], &at->input[0], error);
  if (status != TDM_OK) return status;
  at->inputs = 1;
  if (told) tdm_input_watch(at->input[0], forward, at);
  status = tdm_reader_find(at->input[0], &at->reader, error);
  if (status != TDM_OK) return status;
  at->family = family_of(at->reader, at->input[0]);
  gather(at);
  take(at);
  options.counters_only = is_of_another_run(at);
  tdm_recorder_begin_source(at->recorder, name_of(at, shared, sizeof shared), at->reader->name);
  if (at->inputs > 1)
    status = at->reader->read_family(at->input, at->inputs, &options, at->recorder, error);
  else
    status = at->reader->read(at->input[0], &options, at->recorder, error);
  tdm_error late;
  tdm_status ended = tdm_recorder_end_source(at->recorder, status == TDM_OK ? error : &late);
  return status == TDM_OK ? ended : status;
}

static void close_source(importing *at) {
  while (at->inputs > 0) tdm_input_close(at->input[--at->inputs]);
}

tdm_status tdm_import(const char *const *paths, size_t count, const tdm_import_options *options,
                      const tdm_record_sink *sink, tdm_error *error) {
  importing at = {.paths = paths,
                  .count = count,
                  .taken = tdm_array_new(count, sizeof(bool)),
                  .input = tdm_array_new(count, sizeof(tdm_input *)),
                  .options = options,
                  .recorder = tdm_recorder_new(sink)};
  tdm_status status = TDM_OK;
  if (at.taken == NULL || at.input == NULL || at.recorder == NULL)
    status = tdm_error_memory(error, "a recorder", count);
  for (; at.index < count && status == TDM_OK; at.index++) {
    if (at.taken[at.index]) continue;
    status = read_source(&at, error);
    close_source(&at);
  }
  if (status == TDM_OK) status = tdm_recorder_finish(at.recorder, error);
  if (at.recorder != NULL) tdm_recorder_free(at.recorder);
  free(at.input);
  free(at.taken);
  return status;
}
