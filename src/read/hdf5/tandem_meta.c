/* The tables of /meta read back: sources, tracks, facts, problems, metrics, artifacts, requests.
 * See inside.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/hdf5/inside.h"

static tdm_hdf5_sheet sheet_of(tdm_hdf5_import *import, const char *table, const char *key) {
  tdm_hdf5_sheet sheet = {.file = import->file, .path = import->path, .error = import->error};
  tdm_hdf5_sheet_begin(&sheet, table, key);
  return sheet;
}

/* A text that lives as long as the recorder. */
static const char *kept(tdm_recorder *recorder, const char *text) {
  const char *own = tdm_recorder_name(recorder, tdm_record_text(recorder, text), NULL);
  return own != NULL ? own : "";
}

/* ---- sources and tracks */

tdm_status tdm_hdf5_import_begin(tdm_hdf5_import *import) {
  tdm_hdf5_sheet sheet = sheet_of(import, "sources", "path");
  import->sources = sheet.count;
  import->source_path = tdm_hdf5_sheet_texts(&sheet, "path");
  import->source_format = tdm_hdf5_sheet_texts(&sheet, "format");
  import->source_detail = tdm_hdf5_sheet_texts(&sheet, "detail");
  import->rank = tdm_hdf5_sheet_integers(&sheet, "rank");
  import->utc_ns = tdm_hdf5_sheet_integers(&sheet, "utc_ns");
  import->offset_ns = tdm_hdf5_sheet_integers(&sheet, "offset_ns");
  if (sheet.status != TDM_OK) return sheet.status;
  for (size_t i = 0; i < import->sources; i++)
    if (import->offset_ns[i] == TDM_NONE) import->offset_ns[i] = 0;
  tdm_hdf5_sheet tracks = sheet_of(import, "tracks", "source");
  import->tracks = tracks.count;
  import->track_source = tdm_hdf5_sheet_integers(&tracks, "source");
  if (tracks.status != TDM_OK) return tracks.status;
  import->track_id = malloc((tracks.count + 1) * sizeof *import->track_id);
  if (import->track_id == NULL) return tdm_error_memory(import->error, "tracks", tracks.count);
  for (size_t i = 0; i < tracks.count; i++) {
    import->track_id[i] = TDM_HDF5_NO_TRACK;
    if (import->track_source[i] < 0 || (uint64_t)import->track_source[i] >= import->sources)
      import->track_source[i] = 0;
  }
  return TDM_OK;
}

void tdm_hdf5_import_free(tdm_hdf5_import *import) {
  tdm_hdf5_texts_free(&import->source_path);
  tdm_hdf5_texts_free(&import->source_format);
  tdm_hdf5_texts_free(&import->source_detail);
  free(import->rank);
  free(import->utc_ns);
  free(import->offset_ns);
  free(import->track_id);
  free(import->track_source);
}

static tdm_track_kind kind_named(const char *name) {
  for (int kind = 0; kind < TDM_TRACK_KINDS; kind++)
    if (strcmp(tdm_track_kind_name((tdm_track_kind)kind), name) == 0) return (tdm_track_kind)kind;
  return TDM_TRACK_OTHER;
}

static tdm_lane lane_named(const char *name) {
  for (int lane = 0; lane < TDM_LANES; lane++)
    if (strcmp(tdm_lane_name((tdm_lane)lane), name) == 0) return (tdm_lane)lane;
  return TDM_LANE_OTHER;
}

static tdm_status record_tracks(tdm_hdf5_import *import, size_t source) {
  tdm_hdf5_sheet sheet = sheet_of(import, "tracks", "source");
  tdm_hdf5_texts process = tdm_hdf5_sheet_texts(&sheet, "process");
  tdm_hdf5_texts name = tdm_hdf5_sheet_texts(&sheet, "name");
  tdm_hdf5_texts kind = tdm_hdf5_sheet_texts(&sheet, "kind");
  tdm_hdf5_texts lane = tdm_hdf5_sheet_texts(&sheet, "lane");
  static const char *const columns[] = {"capacity", "pid", "tid", "device", "context", "stream"};
  int64_t *number[6];
  for (size_t i = 0; i < 6; i++) number[i] = tdm_hdf5_sheet_integers(&sheet, columns[i]);
  for (size_t i = 0; sheet.status == TDM_OK && i < import->tracks; i++) {
    if ((size_t)import->track_source[i] != source) continue;
    tdm_track track = {.process = tdm_hdf5_text_at(&process, i),
                       .name = tdm_hdf5_text_at(&name, i),
                       .kind = kind_named(tdm_hdf5_text_at(&kind, i)),
                       .lane = lane_named(tdm_hdf5_text_at(&lane, i)),
                       .capacity = number[0][i],
                       .pid = number[1][i],
                       .tid = number[2][i],
                       .device = number[3][i],
                       .context = number[4][i],
                       .stream = number[5][i]};
    import->track_id[i] = tdm_record_track(import->recorder, &track);
  }
  for (size_t i = 0; i < 6; i++) free(number[i]);
  tdm_hdf5_texts_free(&process);
  tdm_hdf5_texts_free(&name);
  tdm_hdf5_texts_free(&kind);
  tdm_hdf5_texts_free(&lane);
  return sheet.status;
}

static tdm_status record_facts(tdm_hdf5_import *import, size_t source) {
  tdm_hdf5_sheet sheet = sheet_of(import, "facts", "source");
  int64_t *of = tdm_hdf5_sheet_integers(&sheet, "source");
  tdm_hdf5_texts key = tdm_hdf5_sheet_texts(&sheet, "key");
  tdm_hdf5_texts value = tdm_hdf5_sheet_texts(&sheet, "value");
  for (size_t i = 0; sheet.status == TDM_OK && i < sheet.count; i++)
    if ((size_t)of[i] == source)
      tdm_record_fact(import->recorder, tdm_hdf5_text_at(&key, i), tdm_hdf5_text_at(&value, i));
  free(of);
  tdm_hdf5_texts_free(&key);
  tdm_hdf5_texts_free(&value);
  return sheet.status;
}

static tdm_status record_problems(tdm_hdf5_import *import, size_t source) {
  tdm_hdf5_sheet sheet = sheet_of(import, "problems", "source");
  int64_t *of = tdm_hdf5_sheet_integers(&sheet, "source");
  int64_t *count = tdm_hdf5_sheet_integers(&sheet, "count");
  tdm_hdf5_texts kind = tdm_hdf5_sheet_texts(&sheet, "kind");
  for (size_t i = 0; sheet.status == TDM_OK && i < sheet.count; i++)
    if ((size_t)of[i] == source)
      tdm_record_problem(import->recorder, kept(import->recorder, tdm_hdf5_text_at(&kind, i)),
                         (uint64_t)count[i]);
  free(of);
  free(count);
  tdm_hdf5_texts_free(&kind);
  return sheet.status;
}

tdm_status tdm_hdf5_import_source(tdm_hdf5_import *import, size_t index) {
  tdm_recorder *recorder = import->recorder;
  tdm_status status = TDM_OK;
  if (index < import->sources) {
    const char *path = tdm_hdf5_text_at(&import->source_path, index);
    if (index > 0) {
      status = tdm_recorder_end_source(recorder, import->error);
      tdm_recorder_begin_source(recorder, path, "tandem-hdf5");
    }
    tdm_recorder_origin(recorder, path, tdm_hdf5_text_at(&import->source_format, index),
                        import->offset_ns[index]);
    tdm_recorder_detail(recorder, tdm_hdf5_text_at(&import->source_detail, index));
    tdm_recorder_rank(recorder, import->rank[index]);
    tdm_recorder_utc(recorder, import->utc_ns[index]);
  }
  if (status == TDM_OK) status = record_tracks(import, index);
  if (status == TDM_OK) status = record_facts(import, index);
  if (status == TDM_OK) status = record_problems(import, index);
  return status;
}

/* ---- what belongs to no source */

static tdm_status record_metrics(tdm_hdf5_import *import) {
  tdm_hdf5_sheet sheet = sheet_of(import, "metrics", "value");
  static const char *const columns[] = {"scope", "subject", "name", "unit", "text"};
  tdm_hdf5_texts text[5];
  for (size_t i = 0; i < 5; i++) text[i] = tdm_hdf5_sheet_texts(&sheet, columns[i]);
  int64_t *ordinal = tdm_hdf5_sheet_integers(&sheet, "ordinal");
  int64_t *given = tdm_hdf5_sheet_integers(&sheet, "given");
  double *value = tdm_hdf5_sheet_reals(&sheet, "value");
  for (size_t i = 0; sheet.status == TDM_OK && i < sheet.count; i++) {
    const char *own[5];
    for (size_t c = 0; c < 5; c++)
      own[c] = given[i] >> c & 1 ? tdm_hdf5_text_at(&text[c], i) : NULL;
    tdm_record_metric(import->recorder, &(tdm_metric){.scope = own[0],
                                                      .subject = own[1],
                                                      .ordinal = ordinal[i],
                                                      .name = own[2],
                                                      .unit = own[3],
                                                      .value = value[i],
                                                      .text = own[4]});
  }
  for (size_t i = 0; i < 5; i++) tdm_hdf5_texts_free(&text[i]);
  free(ordinal);
  free(given);
  free(value);
  return sheet.status;
}

static tdm_status record_requests(tdm_hdf5_import *import) {
  tdm_hdf5_sheet sheet = sheet_of(import, "requests", "request");
  static const char *const columns[] = {"request", "arrival_ns", "end_ns",
                                        "gpu",     "class",      "outcome"};
  int64_t *number[6];
  for (size_t i = 0; i < 6; i++) number[i] = tdm_hdf5_sheet_integers(&sheet, columns[i]);
  for (size_t i = 0; sheet.status == TDM_OK && i < sheet.count; i++) {
    int64_t outcome = number[5][i];
    tdm_request_record record = {.request = (uint64_t)number[0][i],
                                 .arrival_ns = number[1][i],
                                 .end_ns = number[2][i],
                                 .gpu = (int32_t)number[3][i],
                                 .class_index = (uint32_t)number[4][i],
                                 .outcome = outcome >= 0 && outcome < TDM_OUTCOMES
                                                ? (tdm_outcome)outcome
                                                : TDM_OUTCOME_OPEN};
    tdm_record_requests(import->recorder, &record, 1);
  }
  for (size_t i = 0; i < 6; i++) free(number[i]);
  if (sheet.status != TDM_OK) return sheet.status;
  tdm_hdf5_sheet classes = sheet_of(import, "request_classes", "index");
  int64_t *index = tdm_hdf5_sheet_integers(&classes, "index");
  tdm_hdf5_texts name = tdm_hdf5_sheet_texts(&classes, "name");
  for (size_t i = 0; classes.status == TDM_OK && i < classes.count; i++)
    if (index[i] >= 0 && index[i] < 65536) /* as many as the upper bits of a request's number say */
      tdm_record_request_class(import->recorder, (uint32_t)index[i], tdm_hdf5_text_at(&name, i));
  free(index);
  tdm_hdf5_texts_free(&name);
  return classes.status;
}

static const char *note_text(const tdm_hdf5_import *import, const char *owner, const char *name) {
  const tdm_hdf5_attribute *note = tdm_hdf5_note(import->file, owner, name);
  return note != NULL && note->text != NULL ? note->text : "";
}

static tdm_status record_artifacts(tdm_hdf5_import *import) {
  tdm_status status = TDM_OK;
  for (size_t n = 0; status == TDM_OK; n++) {
    char path[64], column[32];
    snprintf(path, sizeof path, "meta/artifacts/%zu", n);
    snprintf(column, sizeof column, "%zu", n);
    if (tdm_hdf5_find(import->file, path) == NULL) break;
    tdm_hdf5_sheet sheet = sheet_of(import, "artifacts", column);
    int64_t *wide = tdm_hdf5_sheet_integers(&sheet, column);
    unsigned char *bytes = malloc(sheet.count + 1);
    for (size_t i = 0; wide != NULL && bytes != NULL && i < sheet.count; i++)
      bytes[i] = (unsigned char)wide[i];
    if (sheet.status == TDM_OK && bytes == NULL)
      sheet.status = tdm_error_memory(import->error, "an artifact", sheet.count);
    if (sheet.status == TDM_OK)
      tdm_record_artifact(import->recorder, note_text(import, path, "name"),
                          note_text(import, path, "type"), bytes, sheet.count);
    free(bytes);
    free(wide);
    status = sheet.status;
  }
  return status;
}

tdm_status tdm_hdf5_import_rest(tdm_hdf5_import *import) {
  tdm_status status = record_metrics(import);
  if (status == TDM_OK) status = record_artifacts(import);
  if (status == TDM_OK) status = record_requests(import);
  return status;
}
