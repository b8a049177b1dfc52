/* The Gregorian calendar: dates to seconds since 1970 and back, and dates as texts have them.
 *
 * libc counts the days; what is here is the reading, which libc leaves to locales. Owns nothing.
 * Called by readers and bind. */
#ifndef TDM_BASE_CALENDAR_H
#define TDM_BASE_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds from 1970 to a day, UTC. A day beyond its month is one of the next. */
int64_t tdm_calendar_seconds(int year, int month, int day);

/* The year (UTC) in which a second since 1970 lies. */
int tdm_calendar_year(int64_t utc_s);

/* Nanoseconds since 1970 that an ISO 8601 text says: "2026-03-21T13:24:45.937549222Z", also with a
 * space for the T, a comma for the point, "+01:00" or "+0100" for the Z; without a zone UTC. Of the
 * fraction nine digits count. `text` ends with a NUL. False: it is none, or beyond int64. */
bool tdm_calendar_read(const char *text, size_t length, int64_t *utc_ns);

#endif
