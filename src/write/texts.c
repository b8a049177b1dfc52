/* See texts.h. */
#include "write/texts.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/utf8.h"

enum { NOT_ASKED, STRUCTURE, NO_STRUCTURE };

tdm_status tdm_texts_open(tdm_texts *texts, const tdm_recording *recording, tdm_error *error) {
  uint32_t count = tdm_recording_names(recording);
  *texts = (tdm_texts){
      .recording = recording, .names = tdm_array_new(count, sizeof *texts->names), .count = count};
  if (texts->names == NULL)
    return tdm_error_memory(error, "the names of a trace", count * sizeof *texts->names);
  return TDM_OK;
}

void tdm_texts_close(tdm_texts *texts) {
  for (uint32_t i = 0; texts->names != NULL && i < texts->count; i++)
    if (texts->names[i].state == TDM_TEXT_ESCAPED) free((char *)(uintptr_t)texts->names[i].text);
  free(texts->names);
  *texts = (tdm_texts){0};
}

/* Whether a text needs nothing but quotes around it. */
static int is_plain(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) return 0;
  }
  return tdm_utf8_valid(text, length) == length;
}

void tdm_texts_put_fresh(tdm_texts *texts, tdm_outfile *file, int64_t id) {
  size_t length = 0;
  const char *text = tdm_recording_name(texts->recording, id, &length);
  if (text == NULL) {
    TDM_OUTFILE_LITERAL(file, "\"\"");
    return;
  }
  tdm_text *name = &texts->names[id];
  name->state = TDM_TEXT_PLAIN;
  if (!is_plain(text, length)) {
    char *escaped = tdm_json_quote(text, &length);
    if (escaped == NULL) {
      if (file->failure == 0) file->failure = ENOMEM;
      name->state = TDM_TEXT_FRESH;
      return;
    }
    char *fitting = realloc(escaped, length + 1); /* quoting reckons with the worst */
    text = fitting != NULL ? fitting : escaped;
    name->state = TDM_TEXT_ESCAPED;
  }
  name->text = text;
  name->length = (uint32_t)length;
  tdm_texts_put(texts, file, id);
}

static void put_structure(tdm_texts *texts, tdm_outfile *file, int64_t id) {
  size_t length = 0;
  const char *text = tdm_recording_name(texts->recording, id, &length);
  if (text != NULL && texts->names[id].structure == NOT_ASKED)
    texts->names[id].structure = tdm_json_is_structure(text, length) ? STRUCTURE : NO_STRUCTURE;
  if (text != NULL && texts->names[id].structure == STRUCTURE)
    tdm_outfile_put(file, text, length);
  else
    tdm_texts_put(texts, file, id);
}

void tdm_texts_value(tdm_texts *texts, tdm_outfile *file, tdm_arg_type type, int64_t value) {
  double real;
  switch (type) {
  case TDM_ARG_REAL:
    memcpy(&real, &value, sizeof real);
    if (isinf(real))
      tdm_outfile_text(file, real > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else
      tdm_outfile_double(file, real);
    break;
  case TDM_ARG_TEXT: tdm_texts_put(texts, file, value); break;
  case TDM_ARG_JSON: put_structure(texts, file, value); break;
  case TDM_ARG_BOOL: tdm_outfile_text(file, value != 0 ? "true" : "false"); break;
  default: tdm_outfile_integer(file, value); break;
  }
}

/* ---- is it JSON? ---- */

typedef struct {
  const char *at, *end;
} scan;

enum { DEEPEST = 200 };

static int any_value(scan *s, int depth);

static int next_is(scan *s, char c) {
  if (s->at < s->end && *s->at == c) {
    s->at++;
    return 1;
  }
  return 0;
}

static void skip_spaces(scan *s) {
  while (s->at < s->end && (*s->at == ' ' || *s->at == '\t')) s->at++;
}

static int a_string(scan *s) {
  if (!next_is(s, '"')) return 0;
  while (s->at < s->end) {
    unsigned char c = (unsigned char)*s->at++;
    if (c == '"') return 1;
    if (c < 0x20) return 0;
    if (c != '\\') continue;
    if (s->at == s->end) return 0;
    char escape = *s->at++;
    if (escape == 'u') {
      for (int i = 0; i < 4; i++)
        if (s->at == s->end || !isxdigit((unsigned char)*s->at++)) return 0;
    } else if (escape == 0 || strchr("\"\\/bfnrt", escape) == NULL) {
      return 0;
    }
  }
  return 0;
}

static int digits(scan *s) {
  const char *from = s->at;
  while (s->at < s->end && *s->at >= '0' && *s->at <= '9') s->at++;
  return s->at > from;
}

static int a_number(scan *s) {
  (void)next_is(s, '-');
  if (!next_is(s, '0') && !digits(s)) return 0;
  if (next_is(s, '.') && !digits(s)) return 0;
  if (next_is(s, 'e') || next_is(s, 'E')) {
    if (!next_is(s, '+')) (void)next_is(s, '-');
    return digits(s);
  }
  return 1;
}

static int a_word(scan *s, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) return 0;
  s->at += length;
  return 1;
}

static int a_structure(scan *s, int depth) {
  int object = *s->at == '{';
  char close = object ? '}' : ']';
  if (depth == DEEPEST) return 0;
  s->at++;
  skip_spaces(s);
  if (next_is(s, close)) return 1;
  do {
    skip_spaces(s);
    if (object) {
      if (!a_string(s)) return 0;
      skip_spaces(s);
      if (!next_is(s, ':')) return 0;
    }
    if (!any_value(s, depth + 1)) return 0;
    skip_spaces(s);
  } while (next_is(s, ','));
  return next_is(s, close);
}

static int any_value(scan *s, int depth) {
  skip_spaces(s);
  if (s->at == s->end) return 0;
  switch (*s->at) {
  case '{':
  case '[': return a_structure(s, depth);
  case '"': return a_string(s);
  case 't': return a_word(s, "true");
  case 'f': return a_word(s, "false");
  case 'n': return a_word(s, "null");
  default: return a_number(s);
  }
}

int tdm_json_is_structure(const char *text, size_t length) {
  scan s = {text, text + length};
  if (length == 0 || (*text != '{' && *text != '[')) return 0;
  return any_value(&s, 0) && s.at == s.end && tdm_utf8_valid(text, length) == length;
}
