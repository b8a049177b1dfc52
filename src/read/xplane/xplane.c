/* The XPlane reader: *.xplane.pb, what the profilers of JAX, TensorFlow and XLA write.
 *
 * An XSpace is a message of planes: a GPU, the host, what is known of the session. Of a GPU's lines
 * the streams are work: kernels, copies and memsets, with HLO operators and modules as arguments.
 * Its other lines say the same time once more by step, module or operator, and become annotations.
 * Of the host, API calls have correlations, functions of Python their own category, allocations
 * become memory, and the rest are operators; what one thread handed to another is an edge. Times
 * are of the session, whose beginning the file tells. HLO modules themselves are passed over. One
 * plane is in memory at a time. In read/reader.c's table. */
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "read/messages.h"
#include "read/xplane/inside.h"

typedef struct {
  tdm_messages messages;
  tdm_xplane x;
  uint64_t hosts;
} job;

static tdm_status not_one(const job *j, const char *why, tdm_error *error) {
  return tdm_error_set(error, TDM_INVALID, "%s: no XSpace: %s", tdm_input_path(j->messages.input),
                       why);
}

static void text_fact(job *j, const char *key, const tdm_proto_field *field) {
  tdm_recorder *recorder = j->x.recorder;
  uint32_t id = tdm_record_name(recorder, (const char *)field->bytes, field->length);
  const char *text = tdm_recorder_name(recorder, id, NULL);
  if (text != NULL && *text != 0) tdm_record_fact(recorder, key, text);
}

static void take_field(job *j, const tdm_proto_field *field) {
  char key[40];
  switch (field->number) {
  case SPACE_PLANE: tdm_xplane_plane(&j->x, field); break;
  case SPACE_ERROR:
    text_fact(j, "capture.error", field);
    tdm_record_problem(j->x.recorder, "errors that the profiler itself tells (see the facts)", 1);
    break;
  case SPACE_WARNING: text_fact(j, "capture.warning", field); break;
  case SPACE_HOST:
    snprintf(key, sizeof key, j->hosts > 0 ? "host.%llu.name" : "host.name",
             (unsigned long long)j->hosts);
    j->hosts++;
    text_fact(j, key, field);
    break;
  default:
    tdm_record_problem(j->x.recorder, "parts of the file that are not planes (left out)", 1);
    break;
  }
}

static tdm_status read_all(job *j, tdm_error *error) {
  tdm_messages *m = &j->messages;
  for (;;) {
    tdm_proto_field field;
    bool more;
    tdm_status status = tdm_messages_next(m, &field, &more, error);
    if (status != TDM_OK) return status;
    if (!more) break;
    take_field(j, &field);
    if (j->x.failed || j->x.layouts.failed)
      return tdm_error_memory(error, "an XPlane", m->kept_room);
    if (tdm_recorder_failed(j->x.recorder)) return TDM_OK;
  }
  if (j->x.planes == 0 && m->bad) return not_one(j, "it does not consist of planes", error);
  if (j->x.planes == 0 && m->cut) return not_one(j, "it ends within its first plane", error);
  if (j->x.planes == 0) return not_one(j, "there is nothing in it", error);
  if (m->bad)
    tdm_record_problem(j->x.recorder, "rest of the file, which is not planes (left out)", 1);
  if (m->cut)
    tdm_record_problem(j->x.recorder, "planes cut off by the end of the file (left out)", 1);
  return TDM_OK;
}

/* ---- the end ---- */

static int by_id(const void *a, const void *b) {
  const tdm_xplane_end *l = a, *r = b;
  if (l->type != r->type) return l->type < r->type ? -1 : 1;
  if (l->id != r->id) return l->id < r->id ? -1 : 1;
  return (l->time_ns > r->time_ns) - (l->time_ns < r->time_ns);
}

/* From each producer to all that take what it made; of two with the same number the first. */
static void record_edges(tdm_xplane *x) {
  tdm_xplane_ends *from = &x->producers, *to = &x->consumers;
  if (from->count == 0 || to->count == 0) return;
  uint32_t kind = tdm_record_text(x->recorder, "async");
  qsort(from->end, from->count, sizeof *from->end, by_id);
  qsort(to->end, to->count, sizeof *to->end, by_id);
  size_t at = 0;
  for (size_t i = 0; i < to->count; i++) {
    const tdm_xplane_end *end = &to->end[i];
    while (at < from->count && (from->end[at].type < end->type ||
                                (from->end[at].type == end->type && from->end[at].id < end->id)))
      at++;
    if (at == from->count) return;
    const tdm_xplane_end *begin = &from->end[at];
    if (begin->type == end->type && begin->id == end->id && begin->time_ns <= end->time_ns)
      tdm_record_edge(x->recorder, kind, begin->time_ns, begin->track, end->time_ns, end->track,
                      (int64_t)end->id);
  }
}

static void finish(job *j) {
  char detail[64];
  tdm_xplane *x = &j->x;
  record_edges(x);
  if (x->clock == 2)
    tdm_recorder_utc(x->recorder, 0);
  else if (x->session_utc_ns != TDM_NONE)
    tdm_recorder_utc(x->recorder, x->session_utc_ns);
  if (x->session_utc_ns != TDM_NONE && x->session_end_utc_ns >= x->session_utc_ns)
    tdm_record_fact_int(x->recorder, "capture.duration_ns",
                        (int64_t)((uint64_t)x->session_end_utc_ns - (uint64_t)x->session_utc_ns));
  snprintf(detail, sizeof detail, "%llu plane%s, %llu device%s", (unsigned long long)x->planes,
           x->planes == 1 ? "" : "s", (unsigned long long)x->devices, x->devices == 1 ? "" : "s");
  tdm_recorder_detail(x->recorder, detail);
}

static tdm_status read_xplane(tdm_input *input, const tdm_read_options *options,
                              tdm_recorder *recorder, tdm_error *error) {
  job j = {.messages = {.input = input, .options = options},
           .x = {.recorder = recorder,
                 .dropped = options->dropped,
                 .layouts = {.recorder = recorder},
                 .session_utc_ns = TDM_NONE,
                 .session_end_utc_ns = TDM_NONE}};
  tdm_status status = read_all(&j, error);
  if (status == TDM_OK || status == TDM_INTERRUPTED) finish(&j);
  tdm_messages_close(&j.messages);
  tdm_arg_layouts_free(&j.x.layouts);
  tdm_id_map_free(&j.x.stat_ids);
  tdm_id_map_free(&j.x.event_ids);
  tdm_id_map_free(&j.x.quiet);
  free(j.x.stat);
  free(j.x.pair);
  free(j.x.event);
  free(j.x.producers.end);
  free(j.x.consumers.end);
  return status;
}

/* ---- is it one? ---- */

/* A plane whose beginning is here: its number and then its name. */
static bool seems_plane(const unsigned char *bytes, size_t length) {
  tdm_proto_scan scan = tdm_proto_over(bytes, length);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field)) {
    tdm_xplane_side side;
    int64_t device;
    if (field.number == PLANE_NAME && field.wire == TDM_PROTO_BYTES)
      return tdm_xplane_side_of((const char *)field.bytes, field.length, &side, &device);
    if (field.number != PLANE_ID || field.wire != TDM_PROTO_VARINT) return false;
  }
  return false;
}

static int detect_xplane(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  while (length > 0) {
    tdm_proto_field field;
    size_t begins;
    if (tdm_message_head(head, length, false, &field, &begins) != TDM_HEAD_WHOLE) return 0;
    if (field.number < SPACE_PLANE || field.number > SPACE_HOST) return 0;
    size_t left = length - begins;
    if (field.number == SPACE_PLANE &&
        seems_plane(field.bytes, field.length < left ? field.length : left))
      return 95;
    if (field.length >= left) return 0;
    head += begins + field.length;
    length = left - field.length;
  }
  return 0;
}

const tdm_reader tdm_reader_xplane = {.name = "xplane",
                                      .title = "XPlane (JAX, TensorFlow, XLA)",
                                      .accepts = "*.xplane.pb",
                                      .detect = detect_xplane,
                                      .read = read_xplane};
