/* See calendar.h. */
#include "base/calendar.h"

#include <string.h>
#include <time.h>

int64_t tdm_calendar_seconds(int year, int month, int day) {
  struct tm date = {.tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day};
  return timegm(&date);
}

int tdm_calendar_year(int64_t utc_s) {
  time_t seconds = utc_s;
  struct tm date;
  return gmtime_r(&seconds, &date) != NULL ? date.tm_year + 1900 : 1970;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool two_digits(const char *p, int *value) {
  if (!is_digit(p[0]) || !is_digit(p[1])) return false;
  *value = (p[0] - '0') * 10 + (p[1] - '0');
  return true;
}

static bool read_zone(const char *p, int *seconds) {
  *seconds = 0;
  if (*p == 0 || strcmp(p, "Z") == 0 || strcmp(p, "z") == 0) return true;
  int hours, minutes;
  if ((*p != '+' && *p != '-') || !two_digits(p + 1, &hours)) return false;
  const char *rest = p + 3 + (p[3] == ':');
  if (!two_digits(rest, &minutes) || rest[2] != 0 || hours > 23 || minutes > 59) return false;
  *seconds = (hours * 3600 + minutes * 60) * (*p == '-' ? -1 : 1);
  return true;
}

bool tdm_calendar_read(const char *text, size_t length, int64_t *utc_ns) {
  int century, years, month, day, hour, minute, second, zone;
  if (length < 19 || text[4] != '-' || text[7] != '-' || strchr("Tt _", text[10]) == NULL ||
      text[13] != ':' || text[16] != ':' || !two_digits(text, &century) ||
      !two_digits(text + 2, &years) || !two_digits(text + 5, &month) ||
      !two_digits(text + 8, &day) || !two_digits(text + 11, &hour) ||
      !two_digits(text + 14, &minute) || !two_digits(text + 17, &second))
    return false;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
    return false;
  const char *p = text + 19;
  int64_t fraction = 0, worth = 100000000;
  if (*p == '.' || *p == ',')
    for (p++; is_digit(*p); p++, worth /= 10) fraction += (*p - '0') * worth;
  if (!read_zone(p, &zone)) return false;
  int64_t seconds = tdm_calendar_seconds(century * 100 + years, month, day) + hour * 3600 +
                    minute * 60 + second - zone;
  return !__builtin_mul_overflow(seconds, INT64_C(1000000000), utc_ns) &&
         !__builtin_add_overflow(*utc_ns, fraction, utc_ns);
}
