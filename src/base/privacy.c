/* See privacy.h. */
#include "base/privacy.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { OTHERS = 077, ALL = 0777, OCTAL = 8 };

static mode_t of_user;
static bool begun;

static mode_t mask_now(void) {
  mode_t mask = umask(0);
  umask(mask);
  return mask;
}

bool tdm_privacy_begin(const char *told) {
  mode_t mask = mask_now();
  mode_t wanted = mask | OTHERS;
  if (told != NULL && told[0] != '\0') {
    char *end;
    unsigned long value = strtoul(told, &end, OCTAL);
    if (told[0] < '0' || told[0] > '7' || *end != '\0' || value > ALL) return false;
    wanted = (mode_t)value;
  }
  of_user = mask;
  begun = true;
  umask(wanted);
  return true;
}

mode_t tdm_privacy_mask_of_user(void) {
  return begun ? of_user : mask_now();
}
