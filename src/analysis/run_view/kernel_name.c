/* Names of kernels and of API calls as people know them; see run_view.h. */
#include "analysis/run_view/run_view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/utf8.h"

static int is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '@';
}

/* The last identifier outside of brackets before the parameters. Parameters are the "(" right after
 * an identifier or its template arguments; "(anonymous namespace)" and "<unnamed>" follow "::". */
void tdm_kernel_base(const char *name, char *out, size_t room) {
  const char *word = NULL, *end = NULL; /* the last identifier at depth 0 */
  int depth = 0;
  for (const char *at = name; *at != 0; at++) {
    if (depth == 0 && is_word(*at)) {
      if (end != at) word = at;
      end = at + 1;
    } else if (*at == '<' || *at == '(') {
      int follows = end != NULL && (at == end || (at > name && at[-1] == '>'));
      if (depth == 0 && *at == '(' && follows) break;
      depth++;
    } else if ((*at == '>' || *at == ')') && depth > 0) {
      depth--;
    } else if (depth == 0 && *at != ':' && *at != ' ') {
      word = NULL; /* "Memcpy HtoD", "a-b.c": no declaration */
      break;
    }
  }
  if (word == NULL || depth > 0 || (strchr(name, '<') == NULL && strchr(name, '(') == NULL)) {
    word = name;
    end = name + strlen(name);
  }
  size_t length = (size_t)(end - word);
  if (length >= room) length = tdm_utf8_valid(word, room - 1); /* cut between characters */
  memcpy(out, word, length);
  out[length] = 0;
}

void tdm_call_base(const char *name, char *out, size_t room) {
  enum { DIGITS = 4 }; /* of a CUDA version, at least: 3020, 11060 */
  size_t length = strlen(name), digits = 0;
  while (digits < length && isdigit((unsigned char)name[length - digits - 1])) digits++;
  if (digits >= DIGITS && length > digits + 2 && strncmp(name + length - digits - 2, "_v", 2) == 0)
    length -= digits + 2;
  if (length >= room) length = room - 1;
  memcpy(out, name, length);
  out[length] = 0;
}

void tdm_base_names_close(tdm_base_names *names) {
  tdm_intern_clear(&names->texts);
  free(names->base);
  free(names->names);
  *names = (tdm_base_names){0};
}

int64_t tdm_base_names_id(tdm_base_names *names, tdm_run_view *view, int64_t name) {
  if (name < 0 || name >= UINT32_MAX) name = 0;
  size_t before = names->room, at = (size_t)name;
  if (at >= before) {
    if (!tdm_array_grow(&names->base, &names->room, at + 1, sizeof *names->base)) return TDM_NONE;
    memset(names->base + before, 0, (names->room - before) * sizeof *names->base);
  }
  if (names->base[at] == 0) {
    char text[4096];
    (names->base_of != NULL ? names->base_of : tdm_kernel_base)(tdm_run_view_name(view, name), text,
                                                                sizeof text);
    uint32_t id = tdm_intern_put(&names->texts, text, strlen(text), NULL);
    if (id == TDM_INTERN_FAILED) return TDM_NONE;
    size_t known = names->names_room;
    if (!tdm_array_grow(&names->names, &names->names_room, id + 1, sizeof *names->names))
      return TDM_NONE;
    if (names->names_room > known)
      memset(names->names + known, 0, (names->names_room - known) * sizeof *names->names);
    names->names[id]++;
    names->base[at] = id + 1;
  }
  return names->base[at] - 1;
}

uint32_t tdm_base_names_count(const tdm_base_names *names, int64_t id) {
  return names->names[id];
}

const char *tdm_base_names_text(const tdm_base_names *names, int64_t id) {
  return names->texts.entries[id].bytes;
}
