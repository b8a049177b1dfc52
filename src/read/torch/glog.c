/* The beginning of a line of PyTorch's structured log, and what its time means; see log.h. */
#include "read/torch/log.h"

#include <string.h>

#include "base/calendar.h"

/* ---- lines ---- */

/* `digits` digits at *p, before `end`. -1: there are none. */
static int take_digits(const char **p, const char *end, int digits) {
  int value = 0;
  for (int i = 0; i < digits; i++, (*p)++) {
    if (*p >= end || **p < '0' || **p > '9') return -1;
    value = value * 10 + (**p - '0');
  }
  return value;
}

static bool take_char(const char **p, const char *end, char c) {
  if (*p >= end || **p != c) return false;
  (*p)++;
  return true;
}

static bool take_time(const char **p, const char *end, tdm_torch_line *out) {
  int hour = take_digits(p, end, 2);
  if (!take_char(p, end, ':')) return false;
  int minute = take_digits(p, end, 2);
  if (!take_char(p, end, ':')) return false;
  int second = take_digits(p, end, 2);
  if (!take_char(p, end, '.')) return false;
  int us = take_digits(p, end, 6);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 || us < 0)
    return false;
  out->of_day_us = ((int64_t)hour * 3600 + minute * 60 + second) * 1000000 + us;
  return true;
}

bool tdm_torch_line_parse(const char *line, size_t length, tdm_torch_line *out) {
  const char *p = line, *end = line + length;
  if (length < 24 || line[0] == 0 || strchr("VIWEC", line[0]) == NULL) return false;
  out->level = *p++;
  out->month = take_digits(&p, end, 2);
  out->day = take_digits(&p, end, 2);
  if (out->month < 1 || out->month > 12 || out->day < 1 || out->day > 31) return false;
  if (!take_char(&p, end, ' ') || !take_time(&p, end, out)) return false;
  while (p < end && *p == ' ') p++;
  out->thread = 0;
  int digits = 0;
  for (; p < end && *p >= '0' && *p <= '9' && digits < 18; p++, digits++)
    out->thread = out->thread * 10 + (*p - '0');
  if (digits == 0 || !take_char(&p, end, ' ')) return false;
  out->from = p;
  const char *bracket = memchr(p, ']', (size_t)(end - p));
  if (bracket == NULL) return false;
  out->from_length = (size_t)(bracket - p);
  for (p = bracket + 1; p < end && *p == ' '; p++) {
  }
  /* An identity of the trace may stand in brackets of its own. */
  while (p < end && *p == '[' && (bracket = memchr(p, ']', (size_t)(end - p))) != NULL)
    for (p = bracket + 1; p < end && *p == ' '; p++) {
    }
  out->rest = p;
  out->rest_length = (size_t)(end - p);
  return true;
}

/* ---- clocks ---- */

static int64_t local_us(const tdm_torch_line *line, int64_t year) {
  return tdm_calendar_seconds((int)year, line->month, line->day) * 1000000 + line->of_day_us;
}

void tdm_torch_clock_pass(tdm_torch_clock *clock, const tdm_torch_line *line) {
  if (clock->last_month == 12 && line->month == 1) clock->years++;
  clock->last_month = line->month;
}

void tdm_torch_clock_anchor(tdm_torch_clock *clock, const tdm_torch_line *line, int64_t utc_ns) {
  const int64_t quarter_us = (int64_t)15 * 60 * 1000000;
  if (clock->set || utc_ns < 0) return;
  int64_t utc_us = utc_ns / 1000, middle = tdm_calendar_year(utc_us / 1000000);
  for (int64_t year = middle - 1; year <= middle + 1; year++) {
    int64_t ahead_us = local_us(line, year) - utc_us;
    int64_t half = ahead_us < 0 ? -quarter_us / 2 : quarter_us / 2;
    int64_t quarters = (ahead_us + half) / quarter_us;
    if (quarters < -13 * 4 || quarters > 15 * 4) continue; /* no place on Earth */
    clock->set = true;
    clock->year = (int)year - clock->years;
    clock->zone_minutes = (int)quarters * 15;
    return;
  }
}

void tdm_torch_clock_guess(tdm_torch_clock *clock, int year) {
  if (clock->set) return;
  clock->set = true;
  clock->year = year;
  clock->zone_minutes = 0;
}

int64_t tdm_torch_clock_ns(const tdm_torch_clock *clock, const tdm_torch_line *line, int years) {
  int64_t us = local_us(line, (int64_t)clock->year + years);
  return (us - (int64_t)clock->zone_minutes * 60 * 1000000) * 1000;
}
