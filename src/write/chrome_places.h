/* Where each track of a recording stands in a Chrome trace: its process, its thread or threads.
 *
 * Sources by turns; of each, host processes first, then GPUs. Within a process queues and servers
 * go by lane (the way of a request), threads and streams as they came. Processes and threads keep
 * the numbers they really had where these are free, GPUs are numbered by device and streams by
 * stream; the rest get numbers that nobody has. A track whose spans truly overlap has one thread
 * for each sub-lane. Owns its arrays. Called by the Chrome writer. */
#ifndef TDM_WRITE_CHROME_PLACES_H
#define TDM_WRITE_CHROME_PLACES_H

#include "trace/lanes.h"
#include "trace/outfile.h"

typedef struct {
  const tdm_place *about; /* NULL: an id without a track */
  uint32_t process;       /* in the order of `processes` */
  uint32_t lanes;         /* threads; 0: it needs none */
  int64_t offset_ns;      /* of its source's clock */
  int64_t pid;
  int64_t tid;  /* of its first sub-lane */
  int64_t more; /* of its second; the others follow */
  unsigned char written_length;
  char written[59]; /* ,"pid":1,"tid":3 with its first */
} tdm_chrome_place;

typedef struct {
  const char *name;
  uint32_t source;
  int gpu;
  int64_t number; /* the pid or the device, TDM_NONE: it has none */
  int64_t pid;    /* as it is written */
} tdm_chrome_process;

typedef struct {
  const tdm_recording *recording;
  uint32_t tracks;
  tdm_chrome_place *track; /* by id */
  uint32_t *drawn;         /* ids of tracks with threads, in order */
  size_t drawn_count;
  tdm_chrome_process *processes;
  uint32_t process_count;
} tdm_chrome_places;

/* `lanes` has the spans that stand on threads. */
tdm_status tdm_chrome_places_open(tdm_chrome_places *places, const tdm_recording *recording,
                                  const tdm_lanes *lanes, tdm_error *error);
void tdm_chrome_places_close(tdm_chrome_places *places);

/* The metadata events: names and order of processes and threads. Each begins with *separator, which
 * then is what goes between events. */
void tdm_chrome_places_put(const tdm_chrome_places *places, tdm_outfile *file,
                           const char **separator);

static inline int64_t tdm_chrome_tid(const tdm_chrome_place *place, uint32_t lane) {
  return lane == 0 ? place->tid : place->more + lane - 1;
}

/* A time of the track's source on the clock of the run. */
static inline int64_t tdm_chrome_time(const tdm_chrome_place *place, int64_t time_ns) {
  int64_t time;
  if (__builtin_add_overflow(time_ns, place->offset_ns, &time)) return time_ns;
  return time;
}

/* ,"pid":1,"tid":3 */
static inline void tdm_chrome_put_place(const tdm_chrome_place *place, uint32_t lane,
                                        tdm_outfile *file) {
  if (lane == 0) {
    tdm_outfile_put(file, place->written, place->written_length);
    return;
  }
  TDM_OUTFILE_LITERAL(file, ",\"pid\":");
  tdm_outfile_integer(file, place->pid);
  TDM_OUTFILE_LITERAL(file, ",\"tid\":");
  tdm_outfile_integer(file, tdm_chrome_tid(place, lane));
}

#endif
