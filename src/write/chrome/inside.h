/* What the files of the writer of Chrome trace JSON share: where tracks stand, arguments, arrows,
 * counters, what it says of itself. */
#ifndef TDM_WRITE_CHROME_INSIDE_H
#define TDM_WRITE_CHROME_INSIDE_H

#include "trace/lanes.h"
#include "trace/outfile.h"
#include "write/texts.h"
#include "write/writer.h"

/* Where each track of a recording stands in a Chrome trace: its process, its thread or threads.
 *
 * Sources by turns; of each, host processes first, then GPUs. Within a process queues and servers
 * go by lane (the way of a request), threads and streams as they came. Processes and threads keep
 * the numbers they really had where these are free, GPUs are numbered by device and streams by
 * stream; the rest get numbers that nobody has. A track whose spans truly overlap has one thread
 * for each sub-lane. Owns its arrays. Called by the Chrome writer. */

typedef struct {
  const tdm_track *about; /* NULL: an id without a track */
  uint32_t process;       /* in the order of `processes` */
  uint32_t lanes;         /* threads; 0: it needs none */
  int64_t offset_ns;      /* of its source's clock */
  int64_t pid;
  int64_t tid;  /* of its first sub-lane */
  int64_t more; /* of its second; the others follow */
  unsigned char written_length;
  char written[59]; /* ,"pid":1,"tid":3 with its first */
} tdm_chrome_track;

typedef struct {
  const char *name;
  uint32_t source;
  int gpu;
  int64_t number; /* the pid or the device, TDM_NONE: it has none */
  int64_t pid;    /* as it is written */
} tdm_chrome_process;

typedef struct {
  const tdm_recording *recording;
  uint32_t count;
  tdm_chrome_track *track; /* by id */
  uint32_t *drawn;         /* ids of tracks with threads, in order */
  size_t drawn_count;
  tdm_chrome_process *processes;
  uint32_t process_count;
} tdm_chrome_tracks;

/* `lanes` has the spans that stand on threads. */
tdm_status tdm_chrome_tracks_open(tdm_chrome_tracks *tracks, const tdm_recording *recording,
                                  const tdm_lanes *lanes, tdm_error *error);
void tdm_chrome_tracks_close(tdm_chrome_tracks *tracks);

/* The metadata events: names and order of processes and threads. Each begins with *separator, which
 * then is what goes between events. */
void tdm_chrome_tracks_put(const tdm_chrome_tracks *tracks, tdm_outfile *file,
                           const char **separator);

static inline int64_t tdm_chrome_tid(const tdm_chrome_track *track, uint32_t lane) {
  return lane == 0 ? track->tid : track->more + lane - 1;
}

/* A time of the track's source on the clock of the run. */
static inline int64_t tdm_chrome_time(const tdm_chrome_track *track, int64_t time_ns) {
  int64_t time;
  if (__builtin_add_overflow(time_ns, track->offset_ns, &time)) return time_ns;
  return time;
}

/* ,"pid":1,"tid":3 */
static inline void tdm_chrome_put_track(const tdm_chrome_track *track, uint32_t lane,
                                        tdm_outfile *file) {
  if (lane == 0) {
    tdm_outfile_put(file, track->written, track->written_length);
    return;
  }
  TDM_OUTFILE_LITERAL(file, ",\"pid\":");
  tdm_outfile_integer(file, track->pid);
  TDM_OUTFILE_LITERAL(file, ",\"tid\":");
  tdm_outfile_integer(file, tdm_chrome_tid(track, lane));
}

/* Rows as Kineto would spell them: categories, and arguments as a JSON object.
 *
 * What is made once a layout: keys quoted and respelt, the grid and the block as arrays. A row on a
 * stream gets its device, context and stream. A simulated one tells its request as scripts count
 * them, from 1, with its class. Owns the plans. Called by the Chrome writer. */

typedef struct tdm_chrome_item tdm_chrome_item;

typedef struct {
  const tdm_layout *layout;
  tdm_chrome_item *items;
  uint32_t count;
  char *category; /* ,"cat":"…","ph":" of an event; NULL: an id without a layout */
  size_t category_length;
  uint32_t scope; /* column of an instant's scope ("t", "p", "g"), which is no argument; 0: none */
  uint32_t id;    /* column of an async span's id, which is no argument either; 0: none */
  int has_own[3]; /* arguments that say what a stream's would: device, context, stream */
} tdm_chrome_plan;

typedef struct {
  const tdm_recording *recording;
  tdm_texts *texts;
  tdm_chrome_plan *plan; /* by layout */
  uint32_t layouts;
  char **classes; /* of requests, quoted; NULL where one has no name */
  uint32_t class_count;
} tdm_chrome_args;

tdm_status tdm_chrome_args_open(tdm_chrome_args *args, const tdm_recording *recording,
                                tdm_texts *texts, tdm_error *error);
void tdm_chrome_args_close(tdm_chrome_args *args);

/* ,"args":{…}, or nothing when there are none. */
void tdm_chrome_args_put(const tdm_chrome_args *args, tdm_outfile *file, const tdm_kept_rows *rows,
                         size_t row, const tdm_track *about);

/* The arrows of a Chrome trace: edges, launches, requests.
 *
 * Edges are flows of their own kind. Where a source has no "ac2g" edges, arrows go from each API
 * call to the GPU work of the same process and correlation. The spans of a simulated request are
 * joined in the order of time, for the first so many requests of each class. Ids are those of the
 * source where no other flow of the kind has them. Owns its tables. Called by the Chrome writer. */

#define TDM_CHROME_FLOW_REQUESTS 10000

/* Which step of its request's flow each laid span is: 's' the first, 't' in between, 'f' the last,
 * 0 none (the request's only span, or a request beyond the first ones). */
tdm_status tdm_chrome_requests_mark(const tdm_recording *recording, const tdm_lanes *lanes,
                                    uint64_t requests, char *mark, tdm_error *error);

/* Writes the edges and the launches, each event after *separator. */
tdm_status tdm_chrome_flows_put(const tdm_recording *recording, const tdm_lanes *lanes,
                                const tdm_chrome_tracks *tracks, tdm_texts *texts,
                                tdm_outfile *file, const char **separator, tdm_error *error);

/* The counters of a Chrome trace: the sources' samples, and for simulations how many requests are
 * queued and how many GPU, transfer and CPU servers are busy. Called by the Chrome writer. Each
 * event after *separator. */
tdm_status tdm_chrome_counters_put(const tdm_recording *recording, const tdm_chrome_tracks *tracks,
                                   tdm_texts *texts, tdm_outfile *file, const char **separator,
                                   tdm_error *error);

/* What a Chrome trace says of itself before its events: the time of its zero, the devices, and the
 * facts of its source, where Kineto has them: "distributedInfo.rank" is the member rank of the
 * object distributedInfo. Called by the Chrome writer. From the file's first character to the
 * beginning of its events. `flow_requests`: requests of each class whose spans are joined; 0: none
 * are. */
void tdm_chrome_notes_put(const tdm_recording *recording, const tdm_chrome_tracks *tracks,
                          const tdm_write_options *options, size_t spans, uint64_t flow_requests,
                          tdm_outfile *file);

#endif
