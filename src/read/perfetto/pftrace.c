/* The Perfetto trace reader: track events of .pftrace / .perfetto-trace files.
 *
 * Slices, instants, counters, flows and debug annotations on threads, processes and tracks of any
 * depth, with interned names, defaults, clocks and incremental state by sequence, compressed
 * packets, and Chrome's older events inside them. What write/perfetto wrote comes back as it was.
 * Packets of other kinds (ftrace, profiles, …) are counted by kind. Packets are looked at one by
 * one; what stays in memory is names, tracks, open slices and the ends of flows. In read/reader.c's
 * table.
 *
 * The file is one message that consists of packets; they are cut out of the input one by one. */
#include "read/reader.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/memory.h"
#include "read/messages.h"
#include "read/perfetto/inside.h"

/* A packet that unpacks to more than this is left out. */
enum { UNPACKED_BYTES = 64 << 20 };

typedef struct {
  tdm_messages messages;
  tdm_recorder *recorder;
  tdm_pftrace_state state;
  uint64_t packets;
} job;

/* ---- packets ---- */

/* Packets that are no loss, and what the others are called in the report. */
static const char *kind_of(uint32_t field) {
  switch (field) {
  case 1: return "packets of ftrace events (left out)";
  case 2: return "packets of process trees (left out)";
  case 5: return "packets of Chrome's JSON-like events (left out)";
  case 7: return "packets of system statistics (left out)";
  case 9: return "packets of process statistics (left out)";
  case 37:
  case 54: return "packets of profiles (left out)";
  case 52: return "packets of GPU counters (left out)";
  case 66: return "packets of perf samples (left out)";
  case 72: return NULL; /* descriptions of messages, of tracing itself, of its settings */
  case 33:
  case 34:
  case 35:
  case 45:
  case 46:
  case 49:
  case 69:
  case 89:
  case TDM_PF_PACKET_SYNC_MARKER: return NULL;
  default: return "packets of other kinds (left out)";
  }
}

typedef struct {
  uint32_t sequence, clock, flags;
  int has_time, has_clock, cleared, lost;
  uint64_t time;
} packet;

enum { PACKET_FIELDS = 64 }; /* a packet has a dozen at most */

typedef struct {
  size_t count;
  tdm_proto_field field[PACKET_FIELDS];
} parts;

/* Takes a packet apart, and from it what says how to read the rest. False: no packet. */
static int take_head(const tdm_proto_field *data, packet *p, parts *all) {
  tdm_proto_scan scan = tdm_proto_inside(data);
  tdm_proto_field field;
  all->count = 0;
  while (tdm_proto_next(&scan, &field)) switch (field.number) {
    case TDM_PF_PACKET_SEQUENCE: p->sequence = (uint32_t)field.value; break;
    case TDM_PF_PACKET_FLAGS: p->flags = (uint32_t)field.value; break;
    case TDM_PF_PACKET_CLEARED: p->cleared = field.value != 0; break;
    case TDM_PF_PACKET_DROPPED: p->lost = field.value != 0; break;
    case TDM_PF_PACKET_CLOCK_ID:
      p->clock = (uint32_t)field.value;
      p->has_clock = 1;
      break;
    case TDM_PF_PACKET_TIMESTAMP:
      p->time = field.value;
      p->has_time = 1;
      break;
    default:
      if (field.wire != TDM_PROTO_BYTES) break;
      if (all->count == PACKET_FIELDS) return 0;
      all->field[all->count++] = field;
      break;
    }
  return !scan.bad;
}

static void take_packet(job *j, const tdm_proto_field *data, int nested);

/* Packets inside a compressed one. */
static void take_packed(job *j, const unsigned char *bytes, size_t length) {
  tdm_proto_scan scan = tdm_proto_over(bytes, length);
  tdm_proto_field field;
  while (tdm_proto_next(&scan, &field))
    if (field.number == TDM_PF_TRACE_PACKET && field.wire == TDM_PROTO_BYTES)
      take_packet(j, &field, 1);
  if (scan.bad)
    tdm_record_problem(j->recorder, "compressed packets that break off (kept up to there)", 1);
}

/* False: it cannot be unpacked, or memory is short. What came before a fault is in `out`. */
static int inflate_all(const tdm_proto_field *data, tdm_proto_buffer *out) {
  z_stream stream = {.next_in = (unsigned char *)(uintptr_t)data->bytes,
                     .avail_in = (uInt)data->length};
  int code = inflateInit(&stream);
  while (code == Z_OK && out->used < UNPACKED_BYTES) {
    if (!tdm_proto_reserve(out, 65536)) break;
    stream.next_out = out->bytes + out->used;
    stream.avail_out = 65536;
    code = inflate(&stream, Z_NO_FLUSH);
    out->used += 65536 - stream.avail_out;
    if (code == Z_OK && stream.avail_in == 0 && stream.avail_out > 0) code = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  out->failed |= code == Z_MEM_ERROR;
  return code == Z_STREAM_END;
}

static int unzstd_all(const tdm_proto_field *data, tdm_proto_buffer *out) {
  ZSTD_DStream *stream = ZSTD_createDStream();
  ZSTD_inBuffer in = {data->bytes, data->length, 0};
  size_t left = stream != NULL ? 1 : 0;
  while (left != 0 && !ZSTD_isError(left) && out->used < UNPACKED_BYTES &&
         tdm_proto_reserve(out, 65536)) {
    ZSTD_outBuffer to = {out->bytes + out->used, 65536, 0};
    left = ZSTD_decompressStream(stream, &to, &in);
    out->used += to.pos;
    if (to.pos == 0 && in.pos == in.size) break;
  }
  ZSTD_freeDStream(stream);
  out->failed |= stream == NULL || ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation;
  return stream != NULL && left == 0;
}

static void take_compressed(job *j, const tdm_proto_field *data, int zstd) {
  tdm_proto_buffer out = {0};
  if (!(zstd ? unzstd_all : inflate_all)(data, &out))
    tdm_record_problem(j->recorder, "compressed packets that cannot be unpacked (in part)", 1);
  take_packed(j, out.bytes, out.used);
  j->state.failed |= out.failed;
  tdm_proto_free(&out);
}

static void take_data(job *j, const packet *p, tdm_pftrace_sequence *q,
                      const tdm_proto_field *field, int nested) {
  tdm_pftrace_state *s = &j->state;
  uint32_t clock = p->has_clock ? p->clock : q->clock;
  switch (field->number) {
  case TDM_PF_PACKET_TRACK_EVENT: {
    int64_t time_ns = p->has_time ? tdm_pftrace_time_of(s, q, clock, p->time) : 0;
    tdm_pftrace_track_event(s, q, p->has_time, time_ns, field);
    break;
  }
  case TDM_PF_PACKET_RENDER_STAGE:
    if (p->has_time)
      tdm_pftrace_stage(s, q, tdm_pftrace_time_of(s, q, clock, p->time) - s->shift_ns, field);
    else
      tdm_record_problem(j->recorder, "events without a time (left out)", 1);
    break;
  case TDM_PF_PACKET_TRACK_DESCRIPTOR: tdm_pftrace_describe_track(s, field); break;
  case TDM_PF_PACKET_THREAD_DESCRIPTOR: tdm_pftrace_describe_thread(q, field); break;
  case TDM_PF_PACKET_PROCESS_DESCRIPTOR: break;
  case TDM_PF_PACKET_CLOCK_SNAPSHOT: tdm_pftrace_snapshot(s, q, field); break;
  case TDM_PF_PACKET_COMPRESSED:
  case TDM_PF_PACKET_ZSTD_COMPRESSED:
    if (!nested) take_compressed(j, field, field->number == TDM_PF_PACKET_ZSTD_COMPRESSED);
    break;
  case TDM_PF_PACKET_INTERNED:
  case TDM_PF_PACKET_DEFAULTS: break;
  default: {
    const char *kind = kind_of(field->number);
    if (kind != NULL) tdm_record_problem(j->recorder, kind, 1);
    break;
  }
  }
}

/* What a packet says of its sequence. False: the packet needs a state that was lost. */
static int take_state(job *j, const packet *p, tdm_pftrace_sequence *q, const parts *all) {
  tdm_pftrace_state *s = &j->state;
  if (p->lost) q->valid = 0;
  if (p->cleared || (p->flags & TDM_PF_FLAG_CLEARED) != 0) tdm_pftrace_clear(q);
  if ((p->flags & TDM_PF_FLAG_NEEDS_STATE) != 0 && !q->valid) {
    tdm_record_problem(j->recorder, "packets that need others that were lost (left out)", 1);
    return 0;
  }
  for (size_t i = 0; i < all->count; i++) {
    if (all->field[i].number == TDM_PF_PACKET_DEFAULTS) tdm_pftrace_defaults(q, &all->field[i]);
    if (all->field[i].number == TDM_PF_PACKET_INTERNED) tdm_pftrace_intern(s, q, &all->field[i]);
  }
  return 1;
}

static void take_packet(job *j, const tdm_proto_field *data, int nested) {
  packet p = {0};
  parts all;
  if (!take_head(data, &p, &all)) {
    tdm_record_problem(j->recorder, "packets that cannot be read (left out)", 1);
    return;
  }
  j->packets++;
  tdm_pftrace_sequence *q = tdm_pftrace_sequence_of(&j->state, p.sequence);
  if (q == NULL || !take_state(j, &p, q, &all)) return;
  int timed = 0;
  for (size_t i = 0; i < all.count; i++) {
    take_data(j, &p, q, &all.field[i], nested);
    timed |= all.field[i].number == TDM_PF_PACKET_TRACK_EVENT ||
             all.field[i].number == TDM_PF_PACKET_RENDER_STAGE;
    q = tdm_pftrace_sequence_of(&j->state,
                                p.sequence); /* packets inside this one may have moved it */
    if (q == NULL) return;
  }
  if (p.has_time && !timed)
    tdm_pftrace_pass_time(&j->state, q, p.has_clock ? p.clock : q->clock, p.time);
}

/* ---- the file ---- */

static tdm_status not_a_trace(const job *j, tdm_error *error) {
  return tdm_error_set(error, TDM_INVALID, "%s: no Perfetto trace: it does not consist of packets",
                       tdm_input_path(j->messages.input));
}

static tdm_status read_all(job *j, tdm_error *error) {
  tdm_messages *m = &j->messages;
  for (;;) {
    tdm_proto_field field;
    bool more;
    tdm_status status = tdm_messages_next(m, &field, &more, error);
    if (status != TDM_OK) return status;
    if (!more) break;
    if (field.number == TDM_PF_TRACE_PACKET)
      take_packet(j, &field, 0);
    else
      tdm_record_problem(j->recorder, "parts of the file that are not packets (left out)", 1);
    if (j->state.failed || j->state.layouts.failed)
      return tdm_error_memory(error, "a Perfetto trace", m->kept_room);
    if (tdm_recorder_failed(j->recorder)) return TDM_OK;
  }
  if (j->packets == 0) return not_a_trace(j, error);
  if (m->bad)
    tdm_record_problem(j->recorder, "rest of the file, which is not packets (left out)", 1);
  if (m->cut)
    tdm_record_problem(j->recorder, "packets cut off by the end of the file (left out)", 1);
  return TDM_OK;
}

static tdm_status read_pftrace(tdm_input *input, const tdm_read_options *options,
                               tdm_recorder *recorder, tdm_error *error) {
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL) return tdm_error_memory(error, "a Perfetto trace", sizeof *j);
  j->messages = (tdm_messages){.input = input, .options = options};
  j->recorder = recorder;
  tdm_pftrace_state_open(&j->state, recorder, options->dropped);
  tdm_status status = read_all(j, error);
  if (status == TDM_OK || status == TDM_INTERRUPTED) tdm_pftrace_finish(&j->state);
  if (status == TDM_OK && (j->state.failed || j->state.layouts.failed))
    status = tdm_error_memory(error, "a Perfetto trace", j->messages.kept_room);
  tdm_pftrace_state_close(&j->state);
  tdm_messages_close(&j->messages);
  free(j);
  return status;
}

/* ---- is it one? ---- */

/* A packet with at least one field that most have, and with none that no packet has. */
static int seems_packet(const unsigned char *bytes, size_t length) {
  tdm_proto_scan scan = tdm_proto_over(bytes, length);
  tdm_proto_field field;
  int known = 0;
  while (tdm_proto_next(&scan, &field)) {
    int bytes_wire = field.wire == TDM_PROTO_BYTES;
    if (field.number > 2000) return 0;
    switch (field.number) {
    case TDM_PF_PACKET_TIMESTAMP:
    case TDM_PF_PACKET_SEQUENCE:
    case TDM_PF_PACKET_FLAGS: known |= field.wire == TDM_PROTO_VARINT; break;
    case TDM_PF_PACKET_TRACK_EVENT:
    case TDM_PF_PACKET_TRACK_DESCRIPTOR:
    case TDM_PF_PACKET_CLOCK_SNAPSHOT:
    case TDM_PF_PACKET_SYNC_MARKER:
    case TDM_PF_PACKET_COMPRESSED:
    case TDM_PF_PACKET_ZSTD_COMPRESSED: known |= bytes_wire; break;
    default: break;
    }
  }
  return known && !scan.bad;
}

/* How sure the beginning of a packet makes that does not fit into what there is. */
static int seems_begun(const unsigned char *at, const unsigned char *end) {
  uint64_t tag, rest;
  if (!tdm_proto_varint(&at, end, &tag) || !tdm_proto_varint(&at, end, &rest)) return 0;
  uint64_t number = tag >> 3;
  int large = number == TDM_PF_PACKET_COMPRESSED || number == TDM_PF_PACKET_ZSTD_COMPRESSED ||
              number == TDM_PF_PACKET_INTERNED || number == TDM_PF_PACKET_TRACK_EVENT;
  int small = number == TDM_PF_PACKET_TIMESTAMP || number == TDM_PF_PACKET_SEQUENCE;
  return (large && (tag & 7) == TDM_PROTO_BYTES) || (small && (tag & 7) == 0) ? 60 : 0;
}

static int detect_pftrace(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  if (length == 0) return 0;
  const unsigned char *at = head, *end = head + length;
  int packets = 0;
  while (at < end && packets < 4) {
    uint64_t size;
    if (*at++ != (TDM_PF_TRACE_PACKET << 3 | TDM_PROTO_BYTES)) return 0;
    if (!tdm_proto_varint(&at, end, &size)) break;
    if (size > (size_t)(end - at)) return packets > 0 ? 95 : seems_begun(at, end);
    if (!seems_packet(at, (size_t)size)) return packets > 0 ? 20 : 0;
    at += size;
    packets++;
  }
  return packets > 1 ? 95 : packets == 1 ? 80 : 0;
}

const tdm_reader tdm_reader_pftrace = {.name = "pftrace",
                                       .title = "Perfetto trace",
                                       .accepts = "*.pftrace, *.perfetto-trace",
                                       .detect = detect_pftrace,
                                       .read = read_pftrace};
