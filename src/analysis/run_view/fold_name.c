/* Names of ranges and operators without what only counts: see run_view.h. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "analysis/run_view/run_view.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Of the number that begins here: digits, and a fraction behind a point. */
static size_t number_length(const char *at) {
  size_t n = strspn(at, "0123456789");
  bool fraction = n > 0 && at[n] == '.' && is_digit(at[n + 1]);
  return fraction ? n + 1 + strspn(at + n + 1, "0123456789") : n;
}

/* PyTorch's emit_nvtx numbers operators; what follows is of the next part of the name. */
static size_t counter_length(const char *at) {
  static const char *const counters[] = {", seq = ", ", op_id = "};
  for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
    size_t length = strlen(counters[i]);
    if (strncmp(at, counters[i], length) == 0 && is_digit(at[length]))
      return length + strspn(at + length, "0123456789");
  }
  return 0;
}

/* The word that ends before `end` counts what follows it. */
static bool is_counting_word(const char *name, const char *end) {
  static const char *const words[] = {"layer", "layers", "block", "blocks",
                                      "step",  "iter",   "epoch", "iteration"};
  const char *from = end;
  while (from > name && isalpha((unsigned char)from[-1])) from--;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i]) == (size_t)(end - from) &&
        strncasecmp(from, words[i], strlen(words[i])) == 0)
      return true;
  return false;
}

/* A number here, at a digit that follows none, only counts. */
static bool only_counts(const char *name, const char *at) {
  size_t length = strspn(at, "0123456789");
  if (at == name) return false;
  const char *before = at - 1;
  if (*before == '#' || *before == '@' || *before == '=') return true;
  if (*before == ' ' && before > name && before[-1] == '=') return true;
  if (*before == '.' && (at[length] == '.' || at[length] == 0)) return true; /* layers.3.mlp */
  if (*before == '_' && at[length] == 0 && strncmp(name, "nn.Module: ", 11) == 0) return true;
  if (strchr(" _.-[", *before) != NULL) return is_counting_word(name, before);
  return is_counting_word(name, at);
}

void tdm_name_fold(const char *name, char *out, size_t room) {
  size_t used = 0;
  for (const char *at = name; *at != 0 && used + 2 < room;) {
    size_t counter = at > name ? counter_length(at) : 0;
    if (counter > 0) {
      at += counter;
    } else if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && isxdigit((unsigned char)at[2])) {
      out[used++] = '*'; /* an address */
      at += 2 + strspn(at + 2, "0123456789abcdefABCDEF");
    } else if (is_digit(*at)) {
      size_t length = number_length(at);
      bool star = only_counts(name, at);
      if (star && name < at && at[-1] == '.') length = strspn(at, "0123456789");
      if (!star && used + length + 1 >= room) length = room - used - 1;
      if (star)
        out[used++] = '*';
      else
        memcpy(out + used, at, length), used += length;
      at += length;
    } else {
      out[used++] = *at++;
    }
  }
  out[used] = 0;
}

bool tdm_name_is(const char *name, const char *meant) {
  char folded[4096];
  if (strcmp(name, meant) == 0) return true;
  tdm_name_fold(name, folded, sizeof folded);
  return strcmp(folded, meant) == 0;
}
