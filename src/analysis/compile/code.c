/* What texts of torch.compile say: operators of a graph, kernels of generated code, hints; see
 * inside.h. Lines are looked at as they are printed; nothing is parsed further. */
#include "analysis/compile/inside.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef struct {
  const char *at, *end;
} slice;

static bool begins(slice text, const char *with) {
  size_t length = strlen(with);
  return (size_t)(text.end - text.at) >= length && memcmp(text.at, with, length) == 0;
}

static const char *find(slice text, const char *word) {
  size_t length = strlen(word);
  for (const char *p = text.at; (size_t)(text.end - p) >= length; p++) {
    p = memchr(p, word[0], (size_t)(text.end - p));
    if (p == NULL || (size_t)(text.end - p) < length) return NULL;
    if (memcmp(p, word, length) == 0) return p;
  }
  return NULL;
}

static slice take_line(slice *text) {
  const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
  slice line = {text->at, newline != NULL ? newline : text->end};
  text->at = newline != NULL ? newline + 1 : text->end;
  return line;
}

static size_t skip_blanks(slice *line) {
  const char *from = line->at;
  while (line->at < line->end && (*line->at == ' ' || *line->at == '\t')) line->at++;
  return (size_t)(line->at - from);
}

int64_t tdm_graph_operators(const char *text, size_t length) {
  int64_t count = 0;
  for (slice rest = {text, text + length}; rest.at < rest.end;) {
    slice line = take_line(&rest);
    skip_blanks(&line);
    if (line.at < line.end && *line.at != '#' && find(line, " = torch.ops.") != NULL) count++;
  }
  return count;
}

/* ---- generated code ---- */

/* The line without "name = ". */
static slice call_of(slice line) {
  const char *p = line.at;
  while (p < line.end && (isalnum((unsigned char)*p) || *p == '_' || *p == ',' || *p == ' ')) p++;
  if (p < line.end && *p == '=' && p + 1 < line.end && p[1] == ' ' && p > line.at && p[-1] == ' ')
    return (slice){p + 2, line.end};
  return line;
}

/* "NAME.run(…": kernels are objects that are launched. */
static bool is_launch(slice call) {
  const char *p = call.at;
  while (p < call.end && (isalnum((unsigned char)*p) || *p == '_')) p++;
  return p > call.at && begins((slice){p, call.end}, ".run(");
}

static bool is_cpp(slice call) {
  if (!begins(call, "cpp_fused") && !begins(call, "cpp_CppMicroGemm")) return false;
  const char *p = call.at;
  while (p < call.end && (isalnum((unsigned char)*p) || *p == '_')) p++;
  return p < call.end && *p == '(';
}

static void count_line(slice line, tdm_code_calls *calls) {
  slice call = call_of(line);
  if (is_launch(call))
    calls->triton++;
  else if (begins(call, "extern_kernels."))
    calls->extern_kernels++;
  else if (is_cpp(call))
    calls->cpp++;
  else if (begins(call, "torch.ops.") || begins(call, "aten.") || begins(call, "inductor_ops."))
    calls->fallback++;
}

/* What runs is in `call` and, where the graph was cut in parts, in `partition_N`. A function ends
 * with the next line that is not indented deeper. */
tdm_code_calls tdm_code_count(const char *text, size_t length) {
  tdm_code_calls calls = {0};
  bool inside = false;
  size_t depth = 0;
  for (slice rest = {text, text + length}; rest.at < rest.end;) {
    slice line = take_line(&rest);
    size_t indent = skip_blanks(&line);
    if (line.at == line.end || *line.at == '#') continue;
    if (inside && indent <= depth) inside = false;
    if (begins(line, "def call(") || begins(line, "def partition_")) {
      inside = true;
      depth = indent;
    } else if (inside) {
      count_line(line, &calls);
    }
  }
  return calls;
}

size_t tdm_break_hint(const char *text, size_t length, const char **hint) {
  slice rest = {text, text + length};
  const char *found = find(rest, "Hint:");
  if (found == NULL) return 0;
  rest.at = found + 5;
  slice line = take_line(&rest);
  skip_blanks(&line);
  while (line.end > line.at && (unsigned char)line.end[-1] <= ' ') line.end--;
  *hint = line.at;
  return (size_t)(line.end - line.at);
}
