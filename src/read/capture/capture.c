/* A capture file into records: its header, the two walks, what is said of it as a whole. See
 * inside.h and src/capture/format.h. Called through the table of readers. */
#include "read/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "read/capture/inside.h"

static int detect(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  return length >= sizeof TDM_CAPTURE_MAGIC - 1 &&
                 memcmp(head, TDM_CAPTURE_MAGIC, sizeof TDM_CAPTURE_MAGIC - 1) == 0
             ? 100
             : 0;
}

static tdm_status open_file(tdm_capture_reading *reading, tdm_input *input, tdm_error *error) {
  const char *path;
  tdm_status status = tdm_input_file(input, &path, error);
  if (status != TDM_OK) return status;
  const char *shown = tdm_input_path(input);
  reading->file = fopen(path, "rbe");
  struct stat about;
  if (reading->file == NULL || fstat(fileno(reading->file), &about) != 0)
    return tdm_error_set(error, TDM_IO, "%s: %s", shown, strerror(errno));
  tdm_capture_header *header = &reading->header;
  if (fread(header, sizeof *header, 1, reading->file) != 1 ||
      about.st_size < TDM_CAPTURE_HEADER_BYTES)
    return tdm_error_set(error, TDM_INVALID, "%s ends within its header: nothing was captured",
                         shown);
  if (header->version < 1 || header->version > TDM_CAPTURE_VERSION)
    return tdm_error_set(error, TDM_INVALID,
                         "%s is a capture of version %u; this tandem reads versions up to %d",
                         shown, header->version, TDM_CAPTURE_VERSION);
  uint64_t body = (uint64_t)about.st_size - TDM_CAPTURE_HEADER_BYTES;
  uint64_t there = (body + TDM_CAPTURE_CHUNK_BYTES - 1) / TDM_CAPTURE_CHUNK_BYTES;
  reading->chunks = header->chunks < there ? header->chunks : there;
  if (header->chunks > there && header->limit_bytes == 0)
    tdm_record_problem(reading->recorder, "chunks that the file does not have (cut short)",
                       header->chunks - there);
  header->command[sizeof header->command - 1] = 0;
  return TDM_OK;
}

/* What a call costs its thread at most: a twentieth of the gaps between two calls are shorter. */
static void tell_gap(const tdm_capture_reading *reading) {
  uint64_t all = 0, sum = 0;
  for (size_t i = 0; i < TDM_CAPTURE_GAPS; i++) all += reading->gaps[i];
  if (all < 100) return;
  size_t i = 0;
  while (i < TDM_CAPTURE_GAPS - 1 && (sum += reading->gaps[i]) * 20 < all) i++;
  tdm_record_fact_int(reading->recorder, "capture.call_gap_ns",
                      (int64_t)(i + 1) * TDM_CAPTURE_GAP_NS);
}

static void tell_whole(const tdm_capture_reading *reading) {
  const tdm_capture_header *header = &reading->header;
  tdm_recorder *recorder = reading->recorder;
  static const char *const wants[] = {"api", "gpu", "memory", "nvtx", "sync", "graphs"};
  char text[64] = "";
  for (size_t i = 0, at = 0; i < sizeof wants / sizeof *wants; i++)
    if ((header->wanted >> i & 1) != 0)
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at > 0 ? "," : "", wants[i]);
  tdm_record_fact(recorder, "capture.recorded", text);
  if (header->command[0] != 0) tdm_record_fact(recorder, "capture.command", header->command);
  tdm_record_fact_int(recorder, "capture.calls", (int64_t)reading->calls);
  tdm_record_fact_int(recorder, "capture.processes", (int64_t)reading->programs.count);
  if (header->limit_bytes > 0 && header->limit_bytes <= INT64_MAX)
    tdm_record_fact_int(recorder, "capture.limit_bytes", (int64_t)header->limit_bytes);
  if (reading->estimated > 0)
    tdm_record_fact_int(recorder, "capture.estimated", (int64_t)reading->estimated);
  uint64_t lost = header->lost;
  tdm_record_fact_int(recorder, "capture.lost", lost <= INT64_MAX ? (int64_t)lost : INT64_MAX);
  tdm_record_problem(recorder, "records lost: there was no room for them", lost);
  tell_gap(reading);
}

static tdm_status read_file(tdm_capture_reading *reading, tdm_input *input, tdm_error *error) {
  tdm_status status = open_file(reading, input, error);
  if (status != TDM_OK) return status;
  const tdm_capture_header *header = &reading->header;
  int64_t utc_ns;
  if (header->start_utc_ns > 0 &&
      !__builtin_sub_overflow(header->start_utc_ns, header->start_ns, &utc_ns))
    tdm_recorder_utc(reading->recorder, utc_ns);
  status = tdm_capture_walk(reading, tdm_capture_gather, false, error);
  if (status == TDM_OK) status = tdm_capture_walk(reading, tdm_capture_make, true, error);
  tdm_capture_make_rest(reading);
  if (status == TDM_OK && reading->layouts.failed)
    status = tdm_error_memory(error, "records of a capture", 0);
  if (status == TDM_OK) tell_whole(reading);
  return status;
}

static tdm_status read_capture(tdm_input *input, const tdm_read_options *options,
                               tdm_recorder *recorder, tdm_error *error) {
  tdm_capture_reading *reading = calloc(1, sizeof *reading);
  if (reading == NULL) return tdm_error_memory(error, "a capture", sizeof *reading);
  reading->recorder = recorder;
  reading->options = options;
  reading->layouts.recorder = recorder;
  reading->last_ns = TDM_NONE;
  tdm_status status = read_file(reading, input, error);
  if (reading->file != NULL) fclose(reading->file);
  tdm_id_map_free(&reading->names);
  tdm_id_map_free(&reading->programs);
  tdm_id_map_free(&reading->ranges);
  tdm_id_map_free(&reading->allocated);
  tdm_id_map_free(&reading->devices);
  free(reading->bytes);
  tdm_arg_layouts_free(&reading->layouts);
  tdm_capture_tracks_free(reading);
  free(reading);
  return status;
}

const tdm_reader tdm_reader_capture = {.name = "tandem-capture",
                                       .title = "capture of a CUDA program by tandem capture",
                                       .accepts = "*.tdmc",
                                       .detect = detect,
                                       .read = read_capture};
