/* Why a graph broke, a function was compiled again or a cache was passed by: the texts that
 * PyTorch's structured log carries as payloads, reduced to what one would group by; see log.h. */
#include "read/torch/log.h"

#include <string.h>

enum { REASON_ROOM = 4096 }; /* bytes; the whole text is kept as an artifact */

typedef struct {
  const char *at, *end;
} slice;

const char *tdm_torch_cache_word(const char *artifact) {
  static const char *const words[] = {"hit", "miss", "bypass", "hash"};
  const char *cache = strstr(artifact, "cache_");
  if (cache == NULL) return NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strncmp(cache + 6, words[i], strlen(words[i])) == 0) return words[i];
  return NULL;
}

static const char *find(slice in, const char *word) {
  return memmem(in.at, (size_t)(in.end - in.at), word, strlen(word));
}

static slice line_at(const char *at, const char *end) {
  const char *newline = memchr(at, '\n', (size_t)(end - at));
  return (slice){at, newline != NULL ? newline : end};
}

static bool is_blank(slice line) {
  for (; line.at < line.end; line.at++)
    if ((unsigned char)*line.at > ' ') return false;
  return true;
}

static void put_slice(tdm_torch_text *out, slice text) {
  while (text.at < text.end && (unsigned char)*text.at <= ' ') text.at++;
  while (text.end > text.at && (unsigned char)text.end[-1] <= ' ') text.end--;
  size_t length = (size_t)(text.end - text.at);
  if (length > REASON_ROOM) {
    length = REASON_ROOM;
    while (length > 0 && ((unsigned char)text.at[length] & 0xc0) == 0x80) length--;
  }
  tdm_torch_text_add(out, text.at, length);
}

static slice last_line(slice text) {
  slice last = {text.at, text.at};
  for (const char *p = text.at; p < text.end;) {
    slice line = line_at(p, text.end);
    if (!is_blank(line)) last = line;
    p = line.end + 1;
  }
  return last;
}

/* The last '  File "F", line N, in NAME' of a traceback. */
static void put_frame(tdm_torch_text *frame, slice text) {
  slice best = {NULL, NULL};
  for (const char *p; (p = find(text, "File \"")) != NULL; text.at = best.end) {
    best = line_at(p, text.end);
  }
  if (best.at == NULL) return;
  slice file = {best.at + 6, memchr(best.at + 6, '"', (size_t)(best.end - best.at - 6))};
  if (file.end == NULL) return;
  slice rest = {file.end, best.end};
  const char *line = find(rest, "line "), *name = find(rest, ", in ");
  tdm_torch_text_add(frame, file.at, (size_t)(file.end - file.at));
  if (line != NULL) {
    const char *digits = line + 5, *p = digits;
    while (p < rest.end && *p >= '0' && *p <= '9') p++;
    tdm_torch_text_put(frame, ":");
    tdm_torch_text_add(frame, digits, (size_t)(p - digits));
  }
  if (name != NULL) {
    tdm_torch_text_put(frame, " ");
    put_slice(frame, (slice){name + 5, rest.end});
  }
}

static const char from_user_code[] = "\nfrom user code:";

/* The exception that a Python traceback ends with: the first line behind its frames that is not
 * indented, and those that follow it without a gap. */
static slice exception_of(slice text) {
  const char *user = find(text, from_user_code);
  if (user != NULL) text.end = user;
  slice last = last_line(text);
  const char *frames_end = NULL;
  for (slice rest = text; (rest.at = find(rest, "\n  File \"")) != NULL;)
    frames_end = rest.at = rest.at + 1;
  if (frames_end == NULL) return last;
  slice found = {NULL, NULL};
  for (const char *p = frames_end; p < text.end;) {
    slice line = line_at(p, text.end);
    bool blank = is_blank(line), indented = !blank && *line.at == ' ';
    if (found.at == NULL && !blank && !indented) found.at = line.at;
    if (found.at != NULL && blank) break;
    if (found.at != NULL) found.end = line.end;
    p = line.end + 1;
  }
  return found.at != NULL ? found : last;
}

/* "Graph break in user code at F:N\nReason: R\nUser code traceback:\n …", "Graph Break Reason: R\n
 * …", or a traceback alone. */
static void graph_break(slice text, tdm_torch_text *reason, tdm_torch_text *frame) {
  const char *trace = find(text, "Traceback (most recent call last)");
  slice user = {text.at, trace != NULL ? trace : text.end};
  const char *said = find(user, "Reason: ");
  if (said != NULL)
    put_slice(reason, line_at(said + 8, user.end));
  else
    put_slice(reason, exception_of(text));
  put_frame(frame, user);
}

/* A traceback within PyTorch, and then one of the user's code. */
static void failure(slice text, tdm_torch_text *reason, tdm_torch_text *frame) {
  put_slice(reason, exception_of(text));
  const char *user = find(text, from_user_code);
  if (user != NULL) put_frame(frame, (slice){user, text.end});
}

/* A text, or a JSON list of texts. */
static void recompile(slice text, tdm_json *json, tdm_torch_text *reason) {
  slice start = text;
  while (start.at < start.end && (unsigned char)*start.at <= ' ') start.at++;
  if (start.at == start.end || *start.at != '[') {
    put_slice(reason, text);
    return;
  }
  size_t before = reason->length;
  tdm_json_text(json, start.at, (size_t)(start.end - start.at));
  tdm_json_token token = tdm_json_next(json);
  while ((token = tdm_json_next(json)) != TDM_JSON_ARRAY_END && token != TDM_JSON_END) {
    size_t length;
    const char *each = tdm_json_value(json, &length);
    if (token == TDM_JSON_STRING && reason->length - before < REASON_ROOM) {
      if (reason->length > before) tdm_torch_text_put(reason, "\n");
      put_slice(reason, (slice){each, each + length});
    }
    tdm_json_skip(json);
  }
}

void tdm_torch_reason(const char *artifact, const char *payload, size_t length, tdm_json *json,
                      tdm_torch_text *reason, tdm_torch_text *frame) {
  slice text = {payload, payload + length};
  if (strcmp(artifact, "dynamo_graph_break_reason") == 0)
    graph_break(text, reason, frame);
  else if (strcmp(artifact, "recompile_reasons") == 0)
    recompile(text, json, reason);
  else if (strcmp(artifact, "dynamo_error") == 0)
    failure(text, reason, frame);
}
