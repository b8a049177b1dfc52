/* What a map calls things by: a glob (`*`, `?`), or a regular expression written /…/ (PCRE2), whose
 * first capture is a value; see visits.h. Searches are bounded, so that no expression can hang the
 * program: one that gives up has not matched. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "analysis/visits/visits.h"

#include <math.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { STEPS_MAX = 200000, NAMES_MAX = 1 << 28, NUMBER_MAX = 64 };

void tdm_pattern_close(tdm_pattern *pattern) {
  pcre2_code_free(pattern->code);
  pcre2_match_data_free(pattern->match);
  pcre2_match_context_free(pattern->limits);
  free(pattern->text);
  free(pattern->known);
  *pattern = (tdm_pattern){0};
}

static tdm_status compile(tdm_pattern *out, size_t length, tdm_error *error) {
  int code;
  size_t offset;
  out->code = pcre2_compile((PCRE2_SPTR)(out->text + 1), length - 2,
                            PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C, &code,
                            &offset, NULL);
  if (out->code == NULL) {
    PCRE2_UCHAR words[128];
    if (pcre2_get_error_message(code, words, sizeof words) < 0) words[0] = '\0';
    return tdm_error_set(error, TDM_INVALID, "pattern %.120s: %s (at offset %zu)", out->text,
                         (const char *)words, offset);
  }
  out->match = pcre2_match_data_create_from_pattern(out->code, NULL);
  out->limits = pcre2_match_context_create(NULL);
  if (out->match == NULL || out->limits == NULL) return tdm_error_memory(error, "a pattern", 0);
  pcre2_set_match_limit(out->limits, STEPS_MAX);
  return TDM_OK;
}

tdm_status tdm_pattern_open(const char *text, tdm_pattern *out, tdm_error *error) {
  *out = (tdm_pattern){0};
  if (text == NULL) return TDM_OK;
  out->text = tdm_string_copy(text);
  if (out->text == NULL) return tdm_error_memory(error, "a pattern", strlen(text));
  size_t length = strlen(text);
  if (length < 3 || text[0] != '/' || text[length - 1] != '/') return TDM_OK;
  tdm_status status = compile(out, length, error);
  if (status != TDM_OK) tdm_pattern_close(out);
  return status;
}

/* The usual walk: a star that failed takes one character more. */
static bool glob(const char *pattern, const char *text) {
  const char *star = NULL, *from = NULL;
  while (*text != '\0') {
    if (*pattern == '*') {
      star = pattern++;
      from = text;
    } else if (*pattern == '?' || *pattern == *text) {
      pattern++;
      text++;
    } else if (star != NULL) {
      pattern = star + 1;
      text = ++from;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == '\0';
}

static int search(const tdm_pattern *pattern, const char *text) {
  return pcre2_match(pattern->code, (PCRE2_SPTR)text, strlen(text), 0, 0, pattern->match,
                     pattern->limits);
}

bool tdm_pattern_takes(tdm_pattern *pattern, const char *text) {
  if (pattern->text == NULL) return true;
  return pattern->code != NULL ? search(pattern, text) > 0 : glob(pattern->text, text);
}

bool tdm_pattern_takes_name(tdm_pattern *pattern, tdm_run_view *view, int64_t name) {
  if (pattern->text == NULL) return true;
  if (name >= 0 && (size_t)name < pattern->room && pattern->known[name] != 0)
    return pattern->known[name] == 2;
  bool takes = tdm_pattern_takes(pattern, tdm_run_view_name(view, name));
  if (name < 0 || name >= NAMES_MAX) return takes;
  size_t before = pattern->room;
  if ((size_t)name >= before) {
    if (!tdm_array_grow(&pattern->known, &pattern->room, (size_t)name + 1, 1)) return takes;
    memset(pattern->known + before, 0, pattern->room - before);
  }
  pattern->known[name] = takes ? 2 : 1;
  return takes;
}

double tdm_pattern_number(tdm_pattern *pattern, const char *text) {
  if (pattern->code == NULL || search(pattern, text) < 2) return NAN;
  const size_t *at = pcre2_get_ovector_pointer(pattern->match);
  char digits[NUMBER_MAX], *end;
  if (at[2] == PCRE2_UNSET || at[3] - at[2] >= sizeof digits) return NAN;
  memcpy(digits, text + at[2], at[3] - at[2]);
  digits[at[3] - at[2]] = '\0';
  double value = strtod(digits, &end);
  return end == digits ? NAN : value;
}
