/* Packets of a Perfetto trace: one event or descriptor each, with the names it is the first to use;
 * see inside.h. */
#include "write/perfetto/inside.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/recorder.h"

enum { SAID_NAME = 1, SAID_TEXT = 2 };
enum { SEQUENCE = 1 };

int tdm_perfetto_packets_open(tdm_perfetto_packets *to, const tdm_recording *recording,
                              tdm_outfile *file) {
  *to = (tdm_perfetto_packets){.file = file, .recording = recording};
  to->said = tdm_array_new(tdm_recording_names(recording), 1);
  to->iids = tdm_array_new(tdm_recording_layouts(recording), sizeof *to->iids);
  return to->said != NULL && to->iids != NULL;
}

void tdm_perfetto_packets_close(tdm_perfetto_packets *to) {
  tdm_proto_buffer *const buffers[] = {&to->packet, &to->event, &to->part, &to->interned,
                                       &to->entry};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) tdm_proto_free(buffers[i]);
  tdm_intern_clear(&to->categories);
  tdm_intern_clear(&to->keys);
  for (uint32_t i = 0; to->iids != NULL && i < tdm_recording_layouts(to->recording); i++)
    free(to->iids[i]);
  free(to->iids);
  free(to->said);
}

int tdm_perfetto_failed(const tdm_perfetto_packets *to) {
  return to->failed || to->packet.failed || to->event.failed || to->part.failed ||
         to->interned.failed || to->entry.failed;
}

uint64_t tdm_perfetto_time(const tdm_perfetto_packets *to, uint32_t source, int64_t time_ns) {
  const tdm_source *about = tdm_recording_source(to->recording, source);
  int64_t offset_ns = about != NULL ? about->offset_ns : 0;
  if (__builtin_add_overflow(time_ns, offset_ns, &time_ns) ||
      __builtin_add_overflow(time_ns, to->shift_ns, &time_ns))
    return INT64_MAX;
  return time_ns < 0 ? 0 : (uint64_t)time_ns;
}

static void put(tdm_perfetto_packets *to, uint32_t field, tdm_proto_buffer *message) {
  static const unsigned char tag = TDM_PF_TRACE_PACKET << 3 | TDM_PROTO_BYTES;
  unsigned char length[10];
  tdm_proto_uint(&to->packet, TDM_PF_PACKET_SEQUENCE, SEQUENCE);
  tdm_proto_uint(&to->packet, TDM_PF_PACKET_FLAGS,
                 to->begun ? TDM_PF_FLAG_NEEDS_STATE : TDM_PF_FLAG_CLEARED);
  if (to->interned.used > 0) tdm_proto_message(&to->packet, TDM_PF_PACKET_INTERNED, &to->interned);
  tdm_proto_message(&to->packet, field, message);
  to->begun = 1;
  size_t bytes = tdm_proto_encode(length, to->packet.used);
  tdm_outfile_put(to->file, (const char *)&tag, 1);
  tdm_outfile_put(to->file, (const char *)length, bytes);
  tdm_outfile_put(to->file, (const char *)to->packet.bytes, to->packet.used);
  to->packet.used = 0;
}

void tdm_perfetto_put(tdm_perfetto_packets *to, uint32_t field, tdm_proto_buffer *message) {
  put(to, field, message);
}

void tdm_perfetto_put_at(tdm_perfetto_packets *to, uint64_t time_ns, uint32_t field,
                         tdm_proto_buffer *message) {
  tdm_proto_uint(&to->packet, TDM_PF_PACKET_TIMESTAMP, time_ns);
  put(to, field, message);
}

/* ---- interning ---- */

static void intern(tdm_perfetto_packets *to, uint32_t table, uint64_t iid, const char *text,
                   size_t length) {
  tdm_proto_uint(&to->entry, TDM_PF_ENTRY_IID, iid);
  tdm_proto_bytes(&to->entry, TDM_PF_ENTRY_TEXT, text, length);
  tdm_proto_message(&to->interned, table, &to->entry);
}

/* A name's number in one of the two tables that have numbers of names, told of it if it is new. */
static uint64_t name_iid(tdm_perfetto_packets *to, uint32_t name, uint32_t table,
                         unsigned char mark) {
  size_t length = 0;
  const char *text = tdm_recording_name(to->recording, name, &length);
  if (text == NULL) return 0;
  if ((to->said[name] & mark) == 0) {
    to->said[name] |= mark;
    intern(to, table, (uint64_t)name + 1, text, length);
  }
  return (uint64_t)name + 1;
}

static uint64_t text_iid(tdm_perfetto_packets *to, tdm_intern *known, uint32_t table,
                         const char *text) {
  int fresh;
  uint32_t id = tdm_intern_put(known, text, strlen(text), &fresh);
  if (id == TDM_INTERN_FAILED) {
    to->failed = 1;
    return 0;
  }
  if (fresh) intern(to, table, (uint64_t)id + 1, text, strlen(text));
  return (uint64_t)id + 1;
}

/* ---- events ---- */

void tdm_perfetto_event(tdm_perfetto_packets *to, int type, uint64_t track) {
  tdm_proto_uint(&to->event, TDM_PF_EVENT_TYPE, (uint64_t)type);
  tdm_proto_uint(&to->event, TDM_PF_EVENT_TRACK, track);
}

void tdm_perfetto_event_name(tdm_perfetto_packets *to, uint32_t name) {
  uint64_t iid = name_iid(to, name, TDM_PF_INTERNED_NAMES, SAID_NAME);
  if (iid != 0) tdm_proto_uint(&to->event, TDM_PF_EVENT_NAME_IID, iid);
}

void tdm_perfetto_event_category(tdm_perfetto_packets *to, const char *category) {
  tdm_proto_uint(&to->event, TDM_PF_EVENT_CATEGORY_IIDS,
                 text_iid(to, &to->categories, TDM_PF_INTERNED_CATEGORIES, category));
}

/* Numbers of a layout's category and keys. NULL: out of memory. */
static const uint64_t *iids_of(tdm_perfetto_packets *to, uint32_t id) {
  if (to->iids[id] != NULL) return to->iids[id];
  const tdm_layout *layout = tdm_recording_layout(to->recording, id);
  uint64_t *iids = tdm_array_new(1 + (size_t)layout->args, sizeof *iids);
  if (iids == NULL) {
    to->failed = 1;
    return NULL;
  }
  iids[0] = text_iid(to, &to->categories, TDM_PF_INTERNED_CATEGORIES, layout->category);
  for (uint32_t i = 0; i < layout->args; i++)
    iids[1 + i] = text_iid(to, &to->keys, TDM_PF_INTERNED_KEYS, layout->arg[i].key);
  return to->iids[id] = iids;
}

void tdm_perfetto_event_layout(tdm_perfetto_packets *to, uint32_t layout) {
  const uint64_t *iids = iids_of(to, layout);
  if (iids != NULL) tdm_proto_uint(&to->event, TDM_PF_EVENT_CATEGORY_IIDS, iids[0]);
}

void tdm_perfetto_event_text(tdm_perfetto_packets *to, const char *name, const char *value) {
  tdm_proto_uint(&to->part, TDM_PF_ANNOTATION_NAME_IID,
                 text_iid(to, &to->keys, TDM_PF_INTERNED_KEYS, name));
  tdm_proto_text(&to->part, TDM_PF_ANNOTATION_STRING, value);
  tdm_proto_message(&to->event, TDM_PF_EVENT_ANNOTATION, &to->part);
}

/* False: the value is not there. */
static int is_there(tdm_arg_type type, int64_t value) {
  return type == TDM_ARG_REAL ? !isnan(tdm_record_double(value)) : value != TDM_NONE;
}

static void put_arg(tdm_perfetto_packets *to, uint64_t key, tdm_arg_type type, int64_t value) {
  size_t length = 0;
  const char *text;
  tdm_proto_uint(&to->part, TDM_PF_ANNOTATION_NAME_IID, key);
  switch (type) {
  case TDM_ARG_REAL: tdm_proto_fixed64(&to->part, TDM_PF_ANNOTATION_DOUBLE, (uint64_t)value); break;
  case TDM_ARG_BOOL: tdm_proto_uint(&to->part, TDM_PF_ANNOTATION_BOOL, value != 0); break;
  case TDM_ARG_TEXT:
    tdm_proto_uint(&to->part, TDM_PF_ANNOTATION_STRING_IID,
                   name_iid(to, (uint32_t)value, TDM_PF_INTERNED_TEXTS, SAID_TEXT));
    break;
  case TDM_ARG_JSON:
    text = tdm_recording_name(to->recording, value, &length);
    tdm_proto_bytes(&to->part, TDM_PF_ANNOTATION_JSON, text, length);
    break;
  default: tdm_proto_int(&to->part, TDM_PF_ANNOTATION_INT, value); break;
  }
  tdm_proto_message(&to->event, TDM_PF_EVENT_ANNOTATION, &to->part);
}

void tdm_perfetto_event_args(tdm_perfetto_packets *to, uint32_t id, size_t row, uint32_t from,
                             uint32_t without) {
  const tdm_layout *layout = tdm_recording_layout(to->recording, id);
  const tdm_kept_rows *rows = tdm_recording_rows(to->recording, id);
  if (layout->args <= from) return;
  const uint64_t *iids = iids_of(to, id);
  for (uint32_t i = from; iids != NULL && i < layout->args; i++) {
    int64_t value = tdm_kept(rows, TDM_ARGS + i, row);
    if (TDM_ARGS + i != without && is_there(layout->arg[i].type, value))
      put_arg(to, iids[1 + i], layout->arg[i].type, value);
  }
}
