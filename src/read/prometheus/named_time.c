/* When a scrape was made, by the name of its file. See inside.h. */
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "read/number.h"
#include "read/prometheus/inside.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t digits(const char *text) {
  size_t n = 0;
  while (is_digit(text[n])) n++;
  return n;
}

/* Copies `count` digits behind at most one of `between`; NULL: there are none. */
static const char *part(const char *text, size_t count, const char *between, char *out) {
  if (*between != 0 && *text != 0 && strchr(between, *text) != NULL) text++;
  for (size_t i = 0; i < count; i++)
    if (!is_digit(text[i])) return NULL;
  memcpy(out, text, count);
  out[count] = 0;
  return text + count;
}

/* 2026-03-21T13:24:45, 20260321T132445, 2026_03_21_13_24_45 */
static bool date(const char *text, int64_t *utc_ns) {
  static const struct {
    size_t count;
    const char *between;
  } parts[] = {{4, ""}, {2, "-_."}, {2, "-_."}, {2, "T-_ ."}, {2, ":-_."}, {2, ":-_."}};
  char said[6][8], whole[56];
  for (size_t i = 0; i < 6; i++) {
    text = part(text, parts[i].count, parts[i].between, said[i]);
    if (text == NULL) return false;
  }
  if (is_digit(*text)) return false;
  snprintf(whole, sizeof whole, "%s-%s-%sT%s:%s:%sZ", said[0], said[1], said[2], said[3], said[4],
           said[5]);
  return tdm_calendar_read(whole, strlen(whole), utc_ns);
}

bool tdm_prom_named_time(const char *path, int64_t *utc_ns) {
  const char *name = strrchr(path, '/');
  name = name != NULL ? name + 1 : path;
  for (const char *at = name; *at != 0;) {
    size_t count = digits(at);
    if (count > 0 && date(at, utc_ns)) return true;
    bool since_1970 = (count == 10 || count == 13) && *at == '1';
    if (since_1970 && tdm_number_scaled(at, count, count == 10 ? 9 : 6, utc_ns)) return true;
    at += count > 0 ? count : 1;
  }
  return false;
}
