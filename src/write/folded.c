/* The writer of folded stacks: "process;track;outer;inner 123" lines, for flame graphs.
 *
 * The weight is self time in nanoseconds: a span's duration without those of the spans in it,
 * summed over all spans with the same stack. Lines are in the order in which stacks first appear.
 * Stacks without time of their own have no line. Semicolons in names become colons, line breaks
 * spaces. Only spans have a place in this format.
 *
 * Stacks are a tree: a node is its parent and its name. */
#include "write/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/intern.h"
#include "trace/lanes.h"
#include "trace/outfile.h"

typedef struct {
  uint32_t parent; /* + 1; 0: none */
  const char *name;
  int64_t self_ns;
} node;

typedef struct {
  const tdm_recording *recording;
  tdm_lanes lanes;
  tdm_intern known; /* parent, kind and id of the name */
  tdm_intern parts; /* headings and names of tracks */
  node *nodes;
  size_t count, room;
  uint32_t *open; /* [depth] nodes of the spans that are open on the lane in hand */
  size_t open_room;
  tdm_outfile file;
} job;

/* The node under a parent for a name: `id` is the name's, in the table that `kind` says.
 * UINT32_MAX: out of memory. */
static uint32_t node_of(job *j, uint32_t parent, uint32_t kind, uint32_t id, const char *name) {
  const uint32_t key[] = {parent, kind, id};
  int fresh;
  uint32_t at = tdm_intern_put(&j->known, key, sizeof key, &fresh);
  if (at == TDM_INTERN_FAILED ||
      !tdm_array_grow(&j->nodes, &j->room, (size_t)at + 1, sizeof *j->nodes))
    return UINT32_MAX;
  if (fresh) {
    j->nodes[at] = (node){parent, name, 0};
    j->count = (size_t)at + 1;
  }
  return at;
}

enum { OF_TRACK, OF_SPAN };

/* The node of a track + 1, below that of its process. 0: it has neither heading nor name. */
static uint32_t track_node(job *j, const tdm_track *track) {
  uint32_t at = 0;
  const char *const parts[] = {track->process, track->name};
  for (size_t i = 0; i < 2; i++) {
    if (parts[i][0] == 0) continue;
    uint32_t id = tdm_intern_put(&j->parts, parts[i], strlen(parts[i]), NULL);
    if (id == TDM_INTERN_FAILED) return UINT32_MAX;
    at = node_of(j, at, OF_TRACK, id, parts[i]);
    if (at == UINT32_MAX) return at;
    at++;
  }
  return at;
}

/* The spans of a track on one lane, in order: each is below the last one that is less deep. */
static int take_lane(job *j, uint32_t track, const uint32_t *in_lane, size_t count, uint32_t root) {
  const tdm_laid_span *span = j->lanes.span + j->lanes.first[track];
  for (size_t i = 0; i < count; i++) {
    const tdm_laid_span *at = &span[in_lane[i]];
    const tdm_kept_rows *rows = tdm_recording_rows(j->recording, at->layout);
    uint32_t name = (uint32_t)tdm_kept(rows, TDM_NAME, at->row);
    uint32_t parent = at->depth > 0 ? j->open[at->depth - 1] + 1 : root;
    uint32_t id = node_of(j, parent, OF_SPAN, name, tdm_recording_name(j->recording, name, NULL));
    if (id == UINT32_MAX ||
        !tdm_array_grow(&j->open, &j->open_room, (size_t)at->depth + 1, sizeof *j->open))
      return 0;
    j->open[at->depth] = id;
    int64_t dur_ns = tdm_lanes_end(rows, at->row) - tdm_kept(rows, TDM_START, at->row);
    j->nodes[id].self_ns += dur_ns;
    if (at->depth > 0) j->nodes[parent - 1].self_ns -= dur_ns;
  }
  return 1;
}

static int take_track(job *j, uint32_t track, uint32_t *in_lane) {
  size_t first = j->lanes.first[track], count = j->lanes.first[track + 1] - first;
  uint32_t lanes = j->lanes.lanes[track];
  size_t *end = tdm_array_new((size_t)lanes + 1, sizeof *end);
  uint32_t root = track_node(j, tdm_recording_track(j->recording, track));
  int fits = end != NULL && root != UINT32_MAX;
  if (fits) {
    for (size_t i = 0; i < count; i++) end[j->lanes.span[first + i].lane + 1]++;
    for (uint32_t lane = 0; lane < lanes; lane++) end[lane + 1] += end[lane];
    for (size_t i = 0; i < count; i++) in_lane[end[j->lanes.span[first + i].lane]++] = (uint32_t)i;
  }
  for (uint32_t lane = 0; fits && lane < lanes; lane++) {
    size_t begin = lane > 0 ? end[lane - 1] : 0;
    fits = take_lane(j, track, in_lane + begin, end[lane] - begin, root);
  }
  free(end);
  return fits;
}

static int take_all(job *j) {
  uint32_t *in_lane = tdm_array_new(j->lanes.count, sizeof *in_lane);
  int fits = in_lane != NULL;
  for (uint32_t t = 0; fits && t < j->lanes.tracks; t++)
    if (j->lanes.first[t + 1] > j->lanes.first[t]) fits = take_track(j, t, in_lane);
  free(in_lane);
  return fits;
}

/* A name as a frame: without what the format needs itself. */
static void put_name(tdm_outfile *file, const char *name) {
  if (name == NULL || name[0] == 0) name = "(no name)";
  for (const char *at = name; *at != 0;) {
    size_t plain = strcspn(at, ";\r\n");
    tdm_outfile_put(file, at, plain);
    at += plain;
    if (*at == 0) break;
    tdm_outfile_put(file, *at == ';' ? ":" : " ", 1);
    at++;
  }
}

static int put_all(job *j) {
  size_t room = 0, depth;
  uint32_t *path = NULL;
  for (size_t i = 0; i < j->count; i++) {
    if (j->nodes[i].self_ns <= 0) continue;
    depth = 0;
    for (uint32_t at = (uint32_t)i + 1; at > 0; at = j->nodes[at - 1].parent) {
      if (!tdm_array_grow(&path, &room, depth + 1, sizeof *path)) {
        free(path);
        return 0;
      }
      path[depth++] = at - 1;
    }
    while (depth > 0) {
      put_name(&j->file, j->nodes[path[--depth]].name);
      tdm_outfile_put(&j->file, depth > 0 ? ";" : " ", 1);
    }
    tdm_outfile_unsigned(&j->file, (uint64_t)j->nodes[i].self_ns);
    TDM_OUTFILE_LITERAL(&j->file, "\n");
  }
  free(path);
  return 1;
}

static tdm_status write_folded(const tdm_recording *recording, const char *path,
                               const tdm_write_options *options, tdm_error *error) {
  (void)options;
  job *j = tdm_array_new(1, sizeof *j);
  if (j == NULL) return tdm_error_memory(error, "folded stacks", sizeof *j);
  j->recording = recording;
  tdm_status status = tdm_lanes_open(&j->lanes, recording, TDM_LANES_ALL, error);
  if (status == TDM_OK && !take_all(j))
    status = tdm_error_memory(error, "folded stacks", j->room * sizeof *j->nodes);
  if (status == TDM_OK) status = tdm_outfile_open(&j->file, path, error);
  if (status == TDM_OK) {
    if (put_all(j)) {
      status = tdm_outfile_commit(&j->file, error);
    } else {
      tdm_outfile_abort(&j->file);
      status = tdm_error_memory(error, "folded stacks", j->room * sizeof *j->nodes);
    }
  }
  tdm_lanes_close(&j->lanes);
  tdm_intern_clear(&j->known);
  tdm_intern_clear(&j->parts);
  free(j->nodes);
  free(j->open);
  free(j);
  return status;
}

const tdm_writer tdm_writer_folded = {
    .name = "folded", .title = "folded stacks", .ending = ".folded", .write = write_folded};
