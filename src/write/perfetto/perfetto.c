/* The Perfetto trace writer: track events as protocol buffers, for ui.perfetto.dev and the trace
 * processor.
 *
 * Every span is a slice, on a further track where it overlaps others without nesting. Instants,
 * counters with their units, arguments with their types, edges and correlations as flows. Times are
 * nanoseconds, exact; a trace with negative ones is shifted to zero and says by how much. An end of
 * an edge moves to the beginning of the span it belongs to (write/span_links). Requests, metrics
 * and artifacts have no place in this format. */
#include "write/writer.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/lanes.h"
#include "trace/utf8.h"
#include "write/perfetto/inside.h"
#include "write/span_links.h"

typedef struct {
  const tdm_recording *recording;
  const tdm_write_options *options;
  tdm_outfile file;
  tdm_perfetto_packets to;
  tdm_perfetto_tracks tracks;
  tdm_lanes lanes;
  tdm_span_links links;
  tdm_intern counters; /* track, counter, unit, layout */
  uint64_t counter_uuid;
  int64_t first_ns;  /* of the trace, before the shift */
  uint32_t *in_lane; /* [spans of the largest track] their order lane by lane */
  uint64_t *open;    /* ends of the slices that are open */
  size_t open_room;
} job;

/* ---- about the trace ---- */

/* The earliest time there is, so that none is written as a negative one. */
static void find_first(job *j) {
  int64_t first = INT64_MAX;
  for (uint32_t i = 0; i < tdm_recording_layouts(j->recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(j->recording, i);
    const tdm_kept_rows *rows = tdm_recording_rows(j->recording, i);
    for (size_t row = 0; layout != NULL && row < rows->count; row++) {
      const tdm_track *track = tdm_recording_track(j->recording, tdm_kept(rows, TDM_TRACK, row));
      const tdm_source *source =
          track != NULL ? tdm_recording_source(j->recording, track->source) : NULL;
      int64_t at = tdm_kept(rows, TDM_START, row), dur = tdm_kept(rows, TDM_DUR, row);
      if (layout->shape == TDM_SHAPE_EDGE && dur < 0 && __builtin_add_overflow(at, dur, &at))
        at = INT64_MIN;
      if (source != NULL && __builtin_add_overflow(at, source->offset_ns, &at)) continue;
      if (at < first) first = at;
    }
  }
  j->first_ns = first == INT64_MAX ? 0 : first;
  if (first < 0) j->to.shift_ns = first == INT64_MIN ? INT64_MAX : -first;
}

/* Ties the clock to UTC where a source knows it. */
static void put_clock(job *j) {
  tdm_proto_buffer *event = &j->to.event, *part = &j->to.part;
  for (uint32_t i = 0; i < tdm_recording_sources(j->recording); i++) {
    const tdm_source *source = tdm_recording_source(j->recording, i);
    int64_t utc_ns, at_ns = j->first_ns + j->to.shift_ns;
    if (source == NULL || source->utc_ns == TDM_NONE ||
        __builtin_sub_overflow(j->first_ns, source->offset_ns, &utc_ns) ||
        __builtin_add_overflow(utc_ns, source->utc_ns, &utc_ns) || utc_ns <= 0)
      continue;
    const uint64_t clocks[][2] = {{TDM_PF_CLOCK_BOOTTIME, (uint64_t)at_ns},
                                  {TDM_PF_CLOCK_REALTIME, (uint64_t)utc_ns}};
    for (size_t c = 0; c < 2; c++) {
      tdm_proto_uint(part, TDM_PF_CLOCK_ID, clocks[c][0]);
      tdm_proto_uint(part, TDM_PF_CLOCK_TIME, clocks[c][1]);
      tdm_proto_message(event, TDM_PF_SNAPSHOT_CLOCKS, part);
    }
    tdm_proto_uint(event, TDM_PF_SNAPSHOT_PRIMARY, TDM_PF_CLOCK_BOOTTIME);
    tdm_perfetto_put_at(&j->to, (uint64_t)at_ns, TDM_PF_PACKET_CLOCK_SNAPSHOT, event);
    return;
  }
}

/* The kinds of flows, as a JSON array in `out`. False: out of memory. */
static int list_kinds(const tdm_span_links *links, tdm_proto_buffer *out) {
  for (uint32_t i = 0; i < links->kinds; i++) {
    size_t length;
    char *quoted = tdm_json_quote(links->kind[i], &length);
    if (quoted == NULL || !tdm_proto_reserve(out, length + 3)) {
      free(quoted);
      return 0;
    }
    out->bytes[out->used++] = i == 0 ? '[' : ',';
    memcpy(out->bytes + out->used, quoted, length);
    out->used += length;
    free(quoted);
  }
  if (!tdm_proto_reserve(out, 3)) return 0;
  if (links->kinds == 0) out->bytes[out->used++] = '[';
  out->bytes[out->used++] = ']';
  out->bytes[out->used++] = 0;
  return 1;
}

enum { FACTS = 64 }; /* in one event: a reader may have a limit on arguments */

static void begin_about(job *j, uint64_t track) {
  tdm_perfetto_event(&j->to, TDM_PF_TYPE_INSTANT, track);
  tdm_perfetto_event_category(&j->to, TDM_PF_TANDEM_CATEGORY);
  tdm_proto_text(&j->to.event, TDM_PF_EVENT_NAME, TDM_PF_TANDEM_EVENT);
}

static void end_about(job *j) {
  tdm_perfetto_put_at(&j->to, (uint64_t)(j->first_ns + j->to.shift_ns), TDM_PF_PACKET_TRACK_EVENT,
                      &j->to.event);
}

/* False: out of memory. */
static int put_facts(job *j, uint64_t track) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(j->recording, &count);
  for (size_t i = 0; i < count; i++) {
    size_t room = strlen(facts[i].key) + sizeof TDM_PF_TANDEM_FACT;
    char *key = malloc(room);
    if (key == NULL) return 0;
    snprintf(key, room, TDM_PF_TANDEM_FACT "%s", facts[i].key);
    if (i % FACTS == 0) begin_about(j, track);
    tdm_perfetto_event_text(&j->to, key, facts[i].value);
    if (i % FACTS == FACTS - 1 || i == count - 1) end_about(j);
    free(key);
  }
  return 1;
}

/* The first events: what holds for the whole file. */
static int put_about(job *j) {
  tdm_proto_buffer *event = &j->to.event, kinds = {0};
  char shift[24];
  uint64_t track = j->tracks.next++;
  tdm_proto_uint(event, TDM_PF_TRACK_UUID, track);
  tdm_proto_text(event, TDM_PF_TRACK_NAME, TDM_PF_TANDEM_CATEGORY);
  tdm_perfetto_put(&j->to, TDM_PF_PACKET_TRACK_DESCRIPTOR, event);
  begin_about(j, track);
  const tdm_write_options *o = j->options;
  if (o != NULL && o->version != NULL) tdm_perfetto_event_text(&j->to, "version", o->version);
  if (o != NULL && o->run_id != NULL) tdm_perfetto_event_text(&j->to, "run", o->run_id);
  if (o != NULL && o->run_name != NULL) tdm_perfetto_event_text(&j->to, "name", o->run_name);
  for (uint32_t i = 0; i < tdm_recording_sources(j->recording); i++) {
    const tdm_source *source = tdm_recording_source(j->recording, i);
    if (source != NULL) tdm_perfetto_event_text(&j->to, "source", source->path);
  }
  if (j->to.shift_ns != 0) {
    snprintf(shift, sizeof shift, "%lld", (long long)j->to.shift_ns);
    tdm_perfetto_event_text(&j->to, TDM_PF_TANDEM_SHIFT, shift);
  }
  int fits = list_kinds(&j->links, &kinds);
  if (fits) tdm_perfetto_event_text(&j->to, TDM_PF_TANDEM_KINDS, (const char *)kinds.bytes);
  tdm_proto_free(&kinds);
  end_about(j);
  return fits && put_facts(j, track);
}

/* ---- spans ---- */

static void put_flow(job *j, uint64_t id, int incoming) {
  tdm_proto_fixed64(&j->to.event, incoming ? TDM_PF_EVENT_FLOWS_END : TDM_PF_EVENT_FLOWS, id);
}

static void put_flows(job *j, size_t span) {
  const tdm_span_links *links = &j->links;
  for (size_t i = tdm_span_links_find(links, span); i < links->count && links->end[i].span == span;
       i++)
    put_flow(j, links->end[i].id, links->end[i].incoming);
}

static void put_end(job *j, uint64_t track, uint64_t time_ns) {
  tdm_perfetto_event(&j->to, TDM_PF_TYPE_END, track);
  tdm_perfetto_put_at(&j->to, time_ns, TDM_PF_PACKET_TRACK_EVENT, &j->to.event);
}

static void put_begin(job *j, size_t span, uint64_t track, uint32_t source) {
  const tdm_laid_span *at = &j->lanes.span[span];
  const tdm_layout *layout = tdm_recording_layout(j->recording, at->layout);
  const tdm_kept_rows *rows = tdm_recording_rows(j->recording, at->layout);
  tdm_perfetto_event(&j->to, TDM_PF_TYPE_BEGIN, track);
  tdm_perfetto_event_layout(&j->to, at->layout);
  tdm_perfetto_event_name(&j->to, (uint32_t)tdm_kept(rows, TDM_NAME, at->row));
  tdm_perfetto_event_args(&j->to, at->layout, at->row, 0, 0);
  if (layout->shape == TDM_SHAPE_OPEN)
    tdm_perfetto_event_text(&j->to, TDM_PF_TANDEM_UNFINISHED, "yes");
  if (j->links.count > 0) put_flows(j, span);
  tdm_perfetto_put_at(&j->to, tdm_perfetto_time(&j->to, source, tdm_kept(rows, TDM_START, at->row)),
                      TDM_PF_PACKET_TRACK_EVENT, &j->to.event);
}

/* The spans of a track, in j->in_lane: by lane, otherwise as they are. */
static void sort_by_lane(job *j, uint32_t track) {
  size_t first = j->lanes.first[track], count = j->lanes.first[track + 1] - first;
  uint32_t lanes = j->lanes.lanes[track], *start = j->in_lane + count;
  memset(start, 0, ((size_t)lanes + 1) * sizeof *start);
  for (size_t i = 0; i < count; i++) start[j->lanes.span[first + i].lane + 1]++;
  for (uint32_t lane = 0; lane < lanes; lane++) start[lane + 1] += start[lane];
  for (size_t i = 0; i < count; i++)
    j->in_lane[start[j->lanes.span[first + i].lane]++] = (uint32_t)i;
}

/* One lane after the other, so that one stack of open slices is enough; the viewer sorts by time
 * and keeps this order where times are equal. False: out of memory. */
static int put_track(job *j, uint32_t track) {
  size_t first = j->lanes.first[track], count = j->lanes.first[track + 1] - first, open = 0;
  const tdm_track *about = tdm_recording_track(j->recording, track);
  uint64_t uuid = 0;
  uint32_t lane = UINT32_MAX;
  sort_by_lane(j, track);
  for (size_t i = 0; i < count; i++) {
    const tdm_laid_span *at = &j->lanes.span[first + j->in_lane[i]];
    const tdm_kept_rows *rows = tdm_recording_rows(j->recording, at->layout);
    uint32_t keep = at->lane == lane ? at->depth : 0;
    while (open > keep) put_end(j, uuid, j->open[--open]);
    lane = at->lane;
    uuid = tdm_perfetto_lane_uuid(&j->tracks.track[track], lane);
    put_begin(j, first + j->in_lane[i], uuid, about->source);
    if (!tdm_array_grow(&j->open, &j->open_room, open + 1, sizeof *j->open)) return 0;
    j->open[open++] = tdm_perfetto_time(&j->to, about->source, tdm_lanes_end(rows, at->row));
  }
  while (open > 0) put_end(j, uuid, j->open[--open]);
  return 1;
}

static int put_spans(job *j) {
  size_t room = 1;
  for (uint32_t t = 0; t < j->lanes.tracks; t++) {
    size_t need = j->lanes.first[t + 1] - j->lanes.first[t] + j->lanes.lanes[t] + 1;
    if (need > room) room = need;
  }
  j->in_lane = tdm_array_new(room, sizeof *j->in_lane);
  if (j->in_lane == NULL) return 0;
  for (uint32_t t = 0; t < j->lanes.tracks; t++)
    if (j->lanes.first[t + 1] > j->lanes.first[t] && !put_track(j, t)) return 0;
  return 1;
}

/* ---- instants, ends of edges where no span is, counters ---- */

static void put_instants(job *j, uint32_t id, const tdm_kept_rows *rows) {
  for (size_t row = 0; row < rows->count; row++) {
    uint32_t track = (uint32_t)tdm_kept(rows, TDM_TRACK, row);
    const tdm_track *about = tdm_recording_track(j->recording, track);
    if (about == NULL) continue;
    tdm_perfetto_event(&j->to, TDM_PF_TYPE_INSTANT, j->tracks.track[track].uuid);
    tdm_perfetto_event_layout(&j->to, id);
    tdm_perfetto_event_name(&j->to, (uint32_t)tdm_kept(rows, TDM_NAME, row));
    tdm_perfetto_event_args(&j->to, id, row, 0, 0);
    tdm_perfetto_put_at(&j->to,
                        tdm_perfetto_time(&j->to, about->source, tdm_kept(rows, TDM_START, row)),
                        TDM_PF_PACKET_TRACK_EVENT, &j->to.event);
  }
}

static void put_loose_ends(job *j) {
  for (size_t i = 0; i < j->links.loose_count; i++) {
    const tdm_loose_end *end = &j->links.loose[i];
    const tdm_track *track = tdm_recording_track(j->recording, end->track);
    if (track == NULL) continue;
    tdm_perfetto_event(&j->to, TDM_PF_TYPE_INSTANT, j->tracks.track[end->track].uuid);
    tdm_perfetto_event_category(&j->to, TDM_PF_TANDEM_CATEGORY);
    tdm_proto_text(&j->to.event, TDM_PF_EVENT_NAME, j->links.kind[tdm_link_kind(end->id)]);
    put_flow(j, end->id, end->incoming);
    tdm_perfetto_put_at(&j->to, tdm_perfetto_time(&j->to, track->source, end->time_ns),
                        TDM_PF_PACKET_TRACK_EVENT, &j->to.event);
  }
}

static const struct {
  const char *name;
  int unit;
} units[] = {{"ns", TDM_PF_UNIT_TIME_NS},
             {"count", TDM_PF_UNIT_COUNT},
             {"bytes", TDM_PF_UNIT_BYTES},
             {"byte", TDM_PF_UNIT_BYTES},
             {"B", TDM_PF_UNIT_BYTES}};

static void describe_counter(job *j, uint64_t uuid, uint64_t parent, uint32_t name,
                             const char *unit, const char *category) {
  tdm_proto_buffer *event = &j->to.event, *part = &j->to.part;
  const char *text = tdm_recording_name(j->recording, name, NULL);
  tdm_proto_uint(event, TDM_PF_TRACK_UUID, uuid);
  tdm_proto_uint(event, TDM_PF_TRACK_PARENT, parent);
  tdm_proto_text(event, TDM_PF_TRACK_NAME, text != NULL ? text : "");
  if (strcmp(category, "counter") != 0) tdm_proto_text(part, TDM_PF_COUNTER_CATEGORIES, category);
  for (size_t i = 0; unit != NULL && i < sizeof units / sizeof *units; i++)
    if (strcmp(unit, units[i].name) == 0)
      tdm_proto_uint(part, TDM_PF_COUNTER_UNIT, (uint64_t)units[i].unit);
  if (unit != NULL && unit[0] != 0) tdm_proto_text(part, TDM_PF_COUNTER_UNIT_NAME, unit);
  tdm_proto_message(event, TDM_PF_TRACK_COUNTER, part);
  tdm_perfetto_put(&j->to, TDM_PF_PACKET_TRACK_DESCRIPTOR, event);
}

/* False: out of memory. */
static int put_samples(job *j, uint32_t id, const tdm_layout *layout, const tdm_kept_rows *rows) {
  uint32_t unit = tdm_layout_column(layout, "unit");
  if (layout->args == 0) return 1;
  for (size_t row = 0; row < rows->count; row++) {
    uint32_t key[] = {(uint32_t)tdm_kept(rows, TDM_TRACK, row),
                      (uint32_t)tdm_kept(rows, TDM_NAME, row),
                      unit > 0 ? (uint32_t)tdm_kept(rows, unit, row) : 0, id};
    const tdm_track *track = tdm_recording_track(j->recording, key[0]);
    int64_t value = tdm_kept(rows, TDM_ARGS, row);
    if (track == NULL) continue;
    int fresh;
    uint32_t counter = tdm_intern_put(&j->counters, key, sizeof key, &fresh);
    if (counter == TDM_INTERN_FAILED) return 0;
    uint64_t uuid = j->counter_uuid + counter;
    if (fresh)
      describe_counter(j, uuid, j->tracks.track[key[0]].uuid, key[1],
                       unit > 0 ? tdm_recording_name(j->recording, key[2], NULL) : NULL,
                       layout->category);
    tdm_perfetto_event(&j->to, TDM_PF_TYPE_COUNTER, uuid);
    if (layout->arg[0].type == TDM_ARG_REAL)
      tdm_proto_fixed64(&j->to.event, TDM_PF_EVENT_COUNTER_DOUBLE, (uint64_t)value);
    else
      tdm_proto_int(&j->to.event, TDM_PF_EVENT_COUNTER, value);
    tdm_perfetto_event_args(&j->to, id, row, 1, unit);
    tdm_perfetto_put_at(&j->to,
                        tdm_perfetto_time(&j->to, track->source, tdm_kept(rows, TDM_START, row)),
                        TDM_PF_PACKET_TRACK_EVENT, &j->to.event);
  }
  return 1;
}

static int put_all(job *j) {
  find_first(j);
  if (!tdm_perfetto_tracks_open(&j->tracks, &j->to, &j->lanes)) return 0;
  put_clock(j);
  if (!put_about(j) || !put_spans(j)) return 0;
  put_loose_ends(j);
  j->counter_uuid = j->tracks.next;
  for (uint32_t i = 0; i < tdm_recording_layouts(j->recording); i++) {
    const tdm_layout *layout = tdm_recording_layout(j->recording, i);
    const tdm_kept_rows *rows = tdm_recording_rows(j->recording, i);
    if (layout == NULL) continue;
    if (layout->shape == TDM_SHAPE_INSTANT) put_instants(j, i, rows);
    if (layout->shape == TDM_SHAPE_SAMPLE && !put_samples(j, i, layout, rows)) return 0;
  }
  return !tdm_perfetto_failed(&j->to);
}

static tdm_status write_file(job *j, const char *path, tdm_error *error) {
  tdm_status status = tdm_lanes_open(&j->lanes, j->recording, TDM_LANES_ALL, error);
  if (status == TDM_OK) status = tdm_span_links_open(&j->links, j->recording, &j->lanes, error);
  if (status == TDM_OK) status = tdm_outfile_open(&j->file, path, error);
  if (status != TDM_OK) return status;
  if (tdm_perfetto_packets_open(&j->to, j->recording, &j->file) && put_all(j))
    return tdm_outfile_commit(&j->file, error);
  tdm_outfile_abort(&j->file);
  return tdm_error_memory(error, "a Perfetto trace", j->lanes.count * sizeof *j->in_lane);
}

static tdm_status write_perfetto(const tdm_recording *recording, const char *path,
                                 const tdm_write_options *options, tdm_error *error) {
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL) return tdm_error_memory(error, "a Perfetto trace", sizeof *j);
  j->recording = recording;
  j->options = options;
  tdm_status status = write_file(j, path, error);
  tdm_perfetto_packets_close(&j->to);
  tdm_perfetto_tracks_close(&j->tracks);
  tdm_span_links_close(&j->links);
  tdm_lanes_close(&j->lanes);
  tdm_intern_clear(&j->counters);
  free(j->in_lane);
  free(j->open);
  free(j);
  return status;
}

const tdm_writer tdm_writer_perfetto = {
    .name = "perfetto", .title = "Perfetto trace", .ending = ".pftrace", .write = write_perfetto};
