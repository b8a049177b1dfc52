/* Rows of PyTorch's structured log that wait until it is known what year and zone its lines are in;
 * see log.h. */
#include "read/torch/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"

enum { WAITING = 1 << 17 }; /* rows that may wait */

void tdm_torch_wait_free(tdm_torch_wait *wait) {
  free(wait->rows);
  wait->rows = NULL;
}

static void put_row(tdm_torch_wait *wait, const tdm_torch_row *row) {
  int64_t time_ns = tdm_torch_clock_ns(&wait->clock, &row->line, row->years);
  if (time_ns > wait->last_ns) wait->last_ns = time_ns;
  tdm_record_row(wait->recorder, row->layout, time_ns, 0, row->track, row->name, row->args,
                 row->arg_count);
}

static void put_all(tdm_torch_wait *wait) {
  for (size_t i = 0; i < wait->count; i++) put_row(wait, &wait->rows[i]);
  wait->count = 0;
}

void tdm_torch_wait_anchor(tdm_torch_wait *wait, const tdm_torch_line *line, int64_t time_ns) {
  tdm_torch_clock *clock = &wait->clock;
  if (clock->set || time_ns == TDM_NONE) return;
  tdm_torch_clock_anchor(clock, line, time_ns);
  if (!clock->set) return;
  char detail[96];
  int minutes = clock->zone_minutes < 0 ? -clock->zone_minutes : clock->zone_minutes;
  snprintf(detail, sizeof detail, "year %d and zone UTC%c%02d:%02d by its own events", clock->year,
           clock->zone_minutes < 0 ? '-' : '+', minutes / 60, minutes % 60);
  tdm_recorder_detail(wait->recorder, detail);
  tdm_recorder_utc(wait->recorder, 0);
  put_all(wait);
}

void tdm_torch_wait_end(tdm_torch_wait *wait) {
  if (wait->clock.set) return;
  struct stat about;
  struct tm date;
  int year = 1970;
  bool changed = stat(wait->path, &about) == 0 && S_ISREG(about.st_mode) &&
                 gmtime_r(&about.st_mtime, &date) != NULL;
  if (changed) year = 1900 + date.tm_year - wait->clock.years;
  tdm_torch_clock_guess(&wait->clock, year);
  char detail[96];
  snprintf(detail, sizeof detail, "year %d %s, zone unknown: times as if UTC", year,
           changed ? "by the file's time of change" : "since nothing says it");
  tdm_recorder_detail(wait->recorder, detail);
  put_all(wait);
}

bool tdm_torch_wait_put(tdm_torch_wait *wait, const tdm_torch_line *line,
                        const tdm_torch_row *row) {
  if (!wait->clock.set && wait->count == WAITING) tdm_torch_wait_end(wait);
  if (!wait->clock.set &&
      !tdm_array_grow(&wait->rows, &wait->room, wait->count + 1, sizeof *wait->rows))
    return false;
  tdm_torch_row each = *row;
  each.line = *line;
  each.line.from = each.line.rest = NULL; /* the line's text does not stay */
  each.years = wait->clock.years;
  if (wait->clock.set)
    put_row(wait, &each);
  else
    wait->rows[wait->count++] = each;
  return true;
}
