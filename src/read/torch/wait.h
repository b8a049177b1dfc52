/* Rows of PyTorch's structured log that wait until it is known what year and zone its lines are in.
 *
 * A record that says its time since 1970 settles that for all lines, also those before it. Where
 * none does, the file's time of change gives the year. Says in the source's detail which it was.
 * Called by read/torch_trace. */
#ifndef TDM_READ_TORCH_WAIT_H
#define TDM_READ_TORCH_WAIT_H

#include "read/torch/glog.h"
#include "trace/recorder.h"

enum { TDM_TORCH_ROW_ARGS = 64 };

/* A row whose time is a line's own; `line` and `years` are filled in when it is put. */
typedef struct {
  tdm_torch_line line;
  int years;
  uint32_t layout, track, name, arg_count;
  int64_t args[TDM_TORCH_ROW_ARGS];
} tdm_torch_row;

/* Zeroed memory with a recorder and a path is a beginning. */
typedef struct {
  tdm_recorder *recorder;
  const char *path;
  tdm_torch_clock clock;
  tdm_torch_row *rows;
  size_t count, room;
  int64_t last_ns; /* of the rows put; 0: none */
} tdm_torch_wait;

void tdm_torch_wait_free(tdm_torch_wait *wait);

/* A line that says its time since 1970; TDM_NONE does nothing. */
void tdm_torch_wait_anchor(tdm_torch_wait *wait, const tdm_torch_line *line, int64_t time_ns);

/* An instant at a line's time. False: out of memory. */
bool tdm_torch_wait_put(tdm_torch_wait *wait, const tdm_torch_line *line, const tdm_torch_row *row);

/* No more lines: what still waits is put by the file's year. */
void tdm_torch_wait_end(tdm_torch_wait *wait);

#endif
