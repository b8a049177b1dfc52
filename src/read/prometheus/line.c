/* A line of Prometheus' text formats, 0.0.4 and OpenMetrics, and of `promtool tsdb dump`. See
 * inside.h. */
#include "read/prometheus/inside.h"

#include <math.h>
#include <string.h>

#include "base/calendar.h"
#include "read/number.h"

typedef struct {
  const char *at, *end;
} cursor;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(cursor *c) {
  while (c->at < c->end && is_blank(*c->at)) c->at++;
}

static bool take(cursor *c, char wanted) {
  skip_blanks(c);
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

/* Letters, digits, '_', ':' and, as Prometheus 3 has them in quotes only, '.'. */
static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == ':';
}

static const char *bare_name(cursor *c, tdm_prom_series *series) {
  skip_blanks(c);
  const char *from = c->at;
  if (from < c->end && *from >= '0' && *from <= '9') return NULL;
  while (c->at < c->end && is_name(*c->at)) c->at++;
  return c->at > from ? tdm_prom_series_text(series, from, (size_t)(c->at - from)) : NULL;
}

/* "a\"b\\c\nd", its opening quote next. */
static const char *quoted(cursor *c, tdm_prom_series *series) {
  if (!take(c, '"')) return NULL;
  const char *from = c->at;
  while (c->at < c->end && *c->at != '"') c->at += *c->at == '\\' && c->at + 1 < c->end ? 2 : 1;
  if (c->at >= c->end) return NULL;
  size_t length = (size_t)(c->at - from), out = 0;
  c->at++;
  char *text = (char *)tdm_prom_series_text(series, from, length);
  if (text == NULL) return NULL;
  for (size_t i = 0; i < length; i++) {
    bool escaped = text[i] == '\\' && i + 1 < length && strchr("\\\"n", text[i + 1]) != NULL;
    if (escaped) i++;
    text[out++] = escaped && text[i] == 'n' ? '\n' : text[i];
  }
  text[out] = 0;
  return text;
}

/* {a="b",c="d",}; a text in quotes alone is the series' name. */
static bool labels(cursor *c, tdm_prom_series *series) {
  while (!take(c, '}')) {
    skip_blanks(c);
    bool in_quotes = c->at < c->end && *c->at == '"';
    const char *key = in_quotes ? quoted(c, series) : bare_name(c, series);
    if (key == NULL) return false;
    if (take(c, '=')) {
      const char *value = quoted(c, series);
      if (value == NULL) return false;
      if (strcmp(key, "__name__") == 0)
        series->name = value;
      else
        tdm_prom_series_label(series, key, value);
    } else if (in_quotes && *series->name == 0) {
      series->name = key;
    } else {
      return false;
    }
    if (take(c, ',')) continue;
    if (!take(c, '}')) return false;
    break;
  }
  return true;
}

static size_t word(cursor *c, const char **from) {
  skip_blanks(c);
  *from = c->at;
  while (c->at < c->end && !is_blank(*c->at)) c->at++;
  return (size_t)(c->at - *from);
}

static bool is_word(const char *text, size_t length, const char *wanted) {
  if (length != strlen(wanted)) return false;
  for (size_t i = 0; i < length; i++)
    if ((text[i] | 32) != (wanted[i] | 32)) return false;
  return true;
}

bool tdm_prom_value(const char *text, size_t length, double *value) {
  bool sign = length > 0 && (text[0] == '+' || text[0] == '-');
  bool infinite =
      is_word(text + sign, length - sign, "inf") || is_word(text + sign, length - sign, "infinity");
  if (is_word(text, length, "nan")) {
    *value = NAN;
    return true;
  }
  if (infinite) {
    *value = text[0] == '-' ? -INFINITY : INFINITY;
    return true;
  }
  *value = tdm_number_double(text, length);
  return !isnan(*value);
}

/* Whole numbers beyond a year 5138 in seconds are milliseconds, as the older format has them. */
static bool time_of(const char *text, size_t length, int64_t *utc_ns) {
  int64_t whole;
  bool milliseconds = memchr(text, '.', length) == NULL &&
                      tdm_number_integer(text, length, &whole) &&
                      (whole > 100000000000 || whole < -100000000000);
  return tdm_number_scaled(text, length, milliseconds ? 6 : 9, utc_ns);
}

static tdm_prom_kind comment(const char *text, size_t length, tdm_prom_sample *sample) {
  char said[64];
  cursor c = {text, text + length};
  const char *first;
  size_t size = word(&c, &first);
  if (is_word(first, size, "EOF")) return TDM_PROM_END;
  skip_blanks(&c);
  /* A time may have a blank in it: "2026-03-21 13:24:45". */
  size = (size_t)(text + length - first);
  while (size > 0 && is_blank(first[size - 1])) size--;
  if (size == 0 || size >= sizeof said || *first < '0' || *first > '9') return TDM_PROM_NOTHING;
  memcpy(said, first, size);
  said[size] = 0;
  if (tdm_calendar_read(said, size, &sample->utc_ns)) return TDM_PROM_TIME;
  for (size_t i = 0; i < size; i++)
    if ((said[i] < '0' || said[i] > '9') && said[i] != '.') return TDM_PROM_NOTHING;
  return size >= 9 && time_of(said, size, &sample->utc_ns) ? TDM_PROM_TIME : TDM_PROM_NOTHING;
}

tdm_prom_kind tdm_prom_line(const char *text, size_t length, tdm_prom_series *series,
                            tdm_prom_sample *sample) {
  cursor c = {text, text + length};
  const char *said;
  size_t size;
  *sample = (tdm_prom_sample){NAN, TDM_NONE};
  skip_blanks(&c);
  if (c.at == c.end) return TDM_PROM_NOTHING;
  if (*c.at == '#') return comment(c.at + 1, (size_t)(c.end - c.at) - 1, sample);
  tdm_prom_series_clear(series);
  if (*c.at != '{') {
    const char *name = bare_name(&c, series);
    if (name == NULL) return TDM_PROM_WRONG;
    series->name = name;
  }
  if (take(&c, '{') && !labels(&c, series)) return TDM_PROM_WRONG;
  size = word(&c, &said);
  if (size == 0 || *series->name == 0 || !tdm_prom_value(said, size, &sample->value))
    return TDM_PROM_WRONG;
  size = word(&c, &said);
  if (size == 0 || *said == '#') return TDM_PROM_SAMPLE; /* behind '#': an exemplar */
  if (!time_of(said, size, &sample->utc_ns)) return TDM_PROM_WRONG;
  size = word(&c, &said);
  return size == 0 || *said == '#' ? TDM_PROM_SAMPLE : TDM_PROM_WRONG;
}
