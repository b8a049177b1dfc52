/* The beginning of a line of PyTorch's structured log, and what its time means.
 *
 *   V1206 15:24:45.403000 1667746 torch/_dynamo/utils.py:1288] {"chromium_event": …}
 *
 * Such a time has no year and no zone. Both are found by a record that says its time since 1970
 * too: the zone is what is between them, to the quarter of an hour. Without one the file's time of
 * change gives the year, or 1970, and the zone counts as UTC. Called by read/torch_trace. */
#ifndef TDM_READ_TORCH_GLOG_H
#define TDM_READ_TORCH_GLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char level; /* V I W E C */
  int month, day;
  int64_t of_day_us;
  int64_t thread;   /* a process's number, or a thread's in older files */
  const char *from; /* "torch/_dynamo/utils.py:1288" */
  size_t from_length;
  const char *rest; /* what follows: JSON */
  size_t rest_length;
} tdm_torch_line;

/* False: the line does not begin like that. */
bool tdm_torch_line_parse(const char *line, size_t length, tdm_torch_line *out);

/* Zeroed memory is a clock that is not set. */
typedef struct {
  bool set;
  int year;         /* of the first line since the clock was set or made */
  int zone_minutes; /* ahead of UTC */
  int last_month;   /* of the lines so far: 12 before 1 is a new year */
  int years;        /* new years so far */
} tdm_torch_clock;

/* Counts new years; call it once for each line, in order, before the other functions. */
void tdm_torch_clock_pass(tdm_torch_clock *clock, const tdm_torch_line *line);

/* A line that says its time since 1970, of the clock's present. Only the first one counts. */
void tdm_torch_clock_anchor(tdm_torch_clock *clock, const tdm_torch_line *line, int64_t utc_ns);

/* By year, in UTC: of the clock's first line. */
void tdm_torch_clock_guess(tdm_torch_clock *clock, int year);

/* Since 1970, of a line `years` new years after the first one. The clock must be set. */
int64_t tdm_torch_clock_ns(const tdm_torch_clock *clock, const tdm_torch_line *line, int years);

#endif
