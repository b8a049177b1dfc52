/* See clock.h. */
#include "read/cuda_api/clock.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/memory.h"

enum {
  UNITS = 4,
  BEGUN = 64,    /* calls whose end is looked for */
  LENGTHS = 512, /* calls whose length is looked at */
  ENOUGH_VOTES = 16
};

/* s, ms, us, ns: × 10^power is ns. */
static const int powers[UNITS] = {9, 6, 3, 0};
static const char *const unit_names[UNITS] = {"s", "ms", "us", "ns"};

typedef struct {
  int64_t pid, tid, op_id;
  uint32_t name;
  double fine, coarse; /* the time: see read_plain */
} begun;

struct tdm_api_clock {
  tdm_time_unit asked;
  int unit; /* index of powers */
  bool decided, dates, numbers;
  int keyed; /* unit that the key says + 1 */
  uint32_t votes[UNITS];
  const char *voter;
  begun begun[BEGUN];
  uint32_t next;
  double length[LENGTHS], apart[LENGTHS]; /* of calls; between records; in the unit */
  uint32_t lengths, aparts;
  double last_fine, last_coarse;
  double magnitude; /* of the first time */
  uint32_t digits;  /* behind the point, at most */
  bool utc;
  char second[19]; /* the last date, to the second */
  int64_t second_ns;
  char detail[96];
};

tdm_api_clock *tdm_api_clock_new(tdm_time_unit asked) {
  tdm_api_clock *clock = tdm_array_new(1, sizeof *clock);
  if (clock != NULL) clock->asked = asked;
  return clock;
}

void tdm_api_clock_free(tdm_api_clock *clock) {
  free(clock);
}

static int index_of(tdm_time_unit unit) {
  return unit == TDM_UNIT_S ? 0 : unit == TDM_UNIT_MS ? 1 : unit == TDM_UNIT_US ? 2 : 3;
}

/* ---- texts to numbers ---- */

/* As most of a trace lies within a second that was read before, only its fraction is read. */
static bool read_date(tdm_api_clock *clock, const char *text, size_t length, int64_t *ns) {
  bool plain = length == 30 && text[29] == 'Z' && text[19] == '.';
  if (plain && memcmp(text, clock->second, sizeof clock->second) == 0) {
    int64_t fraction = 0;
    int i = 20;
    for (; i < 29 && isdigit((unsigned char)text[i]); i++) fraction = 10 * fraction + text[i] - '0';
    *ns = clock->second_ns + fraction;
    if (i == 29) return true;
  }
  if (!tdm_calendar_read(text, length, ns)) return false;
  if (plain) {
    memcpy(clock->second, text, sizeof clock->second);
    clock->second_ns = *ns - ((*ns % 1000000000) + 1000000000) % 1000000000;
  }
  return true;
}

bool tdm_api_clock_time(tdm_api_clock *clock, const tdm_api_time *time, int64_t *ns) {
  if (time->length == 0) return false;
  if (time->quoted && read_date(clock, time->text, time->length, ns)) {
    clock->dates = true;
    return true;
  }
  int unit = time->unit == TDM_UNIT_AUTO ? clock->unit : index_of(time->unit);
  return tdm_number_scaled(time->text, time->length, powers[unit], ns) && *ns != TDM_NONE;
}

bool tdm_api_clock_duration(const tdm_api_clock *clock, const tdm_api_time *time, int64_t *ns) {
  if (time->length == 0) return false;
  int unit = time->unit == TDM_UNIT_AUTO ? clock->unit : index_of(time->unit);
  size_t digits = time->length;
  if (time->quoted && time->unit == TDM_UNIT_AUTO) {
    digits = strspn(time->text, "0123456789.eE+-");
    const char *suffix = time->text + digits;
    while (*suffix == ' ') suffix++;
    if (strcmp(suffix, "\xc2\xb5s") == 0) suffix = "us"; /* the micro sign */
    if (*suffix != 0)
      for (unit = UNITS - 1; unit >= 0 && strcmp(suffix, unit_names[unit]) != 0;) unit--;
    if (unit < 0) return false; /* "1m30s": not in a unit that is known */
  }
  return tdm_number_scaled(time->text, digits, powers[unit], ns) && *ns >= 0;
}

/* ---- looking ---- */

/* The time as a whole number and, where int64 holds it, in 1e-9 of its unit: the difference of two
 * must not suffer from their magnitude. */
static bool read_plain(const tdm_api_time *time, double *fine, double *coarse, int64_t exact[2]) {
  bool whole = tdm_number_scaled(time->text, time->length, 0, &exact[0]);
  bool small = tdm_number_scaled(time->text, time->length, 9, &exact[1]);
  *coarse = whole ? (double)exact[0] : NAN;
  *fine = small ? (double)exact[1] * 1e-9 : NAN;
  return whole;
}

static double span_between(const begun *from, double fine, double coarse) {
  double span = fine - from->fine;
  return isnan(span) ? coarse - from->coarse : span;
}

static void vote(tdm_api_clock *clock, const tdm_api_record *record, double span) {
  int64_t ns;
  const tdm_api_time *own = &record->duration;
  if (own->unit == TDM_UNIT_AUTO || !tdm_api_clock_duration(clock, own, &ns) || ns <= 0) return;
  for (int i = 0; i < UNITS; i++) {
    if (fabs(log10(span) + powers[i] - log10((double)ns)) > 0.5) continue;
    clock->votes[i]++;
    clock->voter = own->unit == TDM_UNIT_NS   ? "duration_ns"
                   : own->unit == TDM_UNIT_US ? "duration_us"
                   : own->unit == TDM_UNIT_MS ? "duration_ms"
                                              : "duration_s";
  }
}

static void look_at_end(tdm_api_clock *clock, const tdm_api_record *record, double fine,
                        double coarse) {
  for (uint32_t i = 0; i < BEGUN; i++) { /* newest first */
    begun *b = &clock->begun[(clock->next + BEGUN - 1 - i) % BEGUN];
    if (b->name == 0 || b->pid != record->pid || b->tid != record->tid ||
        b->op_id != record->op_id || b->name != record->word.name + 1)
      continue;
    double span = span_between(b, fine, coarse);
    b->name = 0;
    if (!(span > 0)) return;
    if (clock->lengths < LENGTHS) clock->length[clock->lengths++] = span;
    vote(clock, record, span);
    return;
  }
}

bool tdm_api_clock_look(tdm_api_clock *clock, const tdm_api_record *record) {
  const tdm_api_time *time = &record->time;
  int64_t ns, exact[2];
  if (time->length == 0) return clock->asked != TDM_UNIT_AUTO;
  if (time->quoted && read_date(clock, time->text, time->length, &ns)) return clock->dates = true;
  double fine, coarse;
  if (!read_plain(time, &fine, &coarse, exact)) return false;
  if (!clock->numbers) clock->magnitude = fabs(coarse);
  bool settled = clock->asked != TDM_UNIT_AUTO || time->unit != TDM_UNIT_AUTO;
  if (time->unit != TDM_UNIT_AUTO) clock->keyed = index_of(time->unit) + 1;
  const char *point = strchr(time->text, '.');
  uint32_t digits = point != NULL ? (uint32_t)strspn(point + 1, "0123456789") : 0;
  if (digits > clock->digits) clock->digits = digits;
  if (clock->numbers && clock->aparts < LENGTHS) {
    begun last = {.fine = clock->last_fine, .coarse = clock->last_coarse};
    double apart = fabs(span_between(&last, fine, coarse));
    if (apart > 0) clock->apart[clock->aparts++] = apart;
  }
  clock->numbers = true;
  clock->last_fine = fine;
  clock->last_coarse = coarse;
  if (settled) return true;
  if (record->phase == 'B')
    clock->begun[clock->next++ % BEGUN] = (begun){.pid = record->pid,
                                                  .tid = record->tid,
                                                  .op_id = record->op_id,
                                                  .name = record->word.name + 1,
                                                  .fine = fine,
                                                  .coarse = coarse};
  else if (record->phase == 'E')
    look_at_end(clock, record, fine, coarse);
  return clock->votes[0] + clock->votes[1] + clock->votes[2] + clock->votes[3] >= ENOUGH_VOTES;
}

/* ---- deciding ---- */

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, uint32_t count) {
  if (count == 0) return 0;
  qsort(values, count, sizeof *values, ascending);
  return values[count / 2];
}

/* The unit in which `span` is nearest to `ns`, by ratio. */
static int nearest(double span, double ns) {
  int best = 0;
  double least = INFINITY;
  for (int i = 0; i < UNITS; i++) {
    double distance = fabs(log10(span) + powers[i] - log10(ns));
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return best;
}

/* The unit in which the time is a Unix time of 2015 to 2040, before or after 1970 (BCC's tracers
 * subtract the wall clock from the monotonic one), or -1. */
static int epoch_unit(double magnitude) {
  for (int i = 0; i < UNITS; i++) {
    double seconds = magnitude * pow(10, powers[i] - 9);
    if (seconds > 1.42e9 && seconds < 2.21e9) return i;
  }
  return -1;
}

static const char *choose(tdm_api_clock *clock) {
  if (clock->asked != TDM_UNIT_AUTO) {
    clock->unit = index_of(clock->asked);
    return "as asked";
  }
  if (clock->keyed > 0) {
    clock->unit = clock->keyed - 1;
    return "by its key";
  }
  int most = 0;
  for (int i = 1; i < UNITS; i++)
    if (clock->votes[i] > clock->votes[most]) most = i;
  if (clock->votes[most] > 0) {
    clock->unit = most;
    return clock->voter;
  }
  double length = median(clock->length, clock->lengths);
  int epoch = epoch_unit(clock->magnitude);
  double epoch_ns = epoch >= 0 ? length * pow(10, powers[epoch]) : 0;
  if (epoch >= 0 && (length == 0 || (epoch_ns > 50 && epoch_ns < 1e10))) {
    clock->unit = epoch;
    return "by its magnitude";
  }
  if (length > 0) {
    clock->unit = nearest(length, 2e4);
    return "by the length of calls";
  }
  if (clock->digits >= 9) {
    clock->unit = 0;
    return "by its digits";
  }
  double apart = median(clock->apart, clock->aparts);
  if (apart > 0) {
    clock->unit = nearest(apart, 1e5);
    return "by the distance of records";
  }
  clock->unit = 0;
  return "since nothing says otherwise";
}

void tdm_api_clock_decide(tdm_api_clock *clock) {
  if (clock->decided) return;
  clock->decided = true;
  const char *why = choose(clock);
  bool dated = clock->dates && !clock->numbers && clock->asked == TDM_UNIT_AUTO;
  bool by = strncmp(why, "duration", 8) == 0;
  if (dated)
    snprintf(clock->detail, sizeof clock->detail, "timestamps by RFC 3339, exact to ns");
  else
    snprintf(clock->detail, sizeof clock->detail, "ts in %s, %s%s", unit_names[clock->unit],
             by ? "by " : "", why);
  clock->utc = dated || (epoch_unit(clock->magnitude) == clock->unit && clock->last_coarse > 0);
}

const char *tdm_api_clock_detail(const tdm_api_clock *clock) {
  return clock->detail;
}

bool tdm_api_clock_is_utc(const tdm_api_clock *clock) {
  return clock->utc || (clock->dates && !clock->numbers);
}
