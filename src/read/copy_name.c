/* See copy_name.h. */
#include "read/copy_name.h"

#include <stddef.h>
#include <string.h>

typedef struct {
  const char *spelling, *word;
} word;

/* Longer spellings before those that they begin with. */
static const word kinds[] = {
    {"HtoD", "HtoD"},
    {"DtoH", "DtoH"},
    {"DtoD", "DtoD"},
    {"HtoH", "HtoH"},
    {"PtoP", "PtoP"},
    {"HtoA", "HtoA"},
    {"AtoH", "AtoH"},
    {"AtoA", "AtoA"},
    {"AtoD", "AtoD"},
    {"DtoA", "DtoA"},
    {"HostToDevice", "HtoD"},
    {"DeviceToHost", "DtoH"},
    {"DeviceToDevice", "DtoD"},
    {"HostToHost", "HtoH"},
    {"PeerToPeer", "PtoP"},
    {"H2D", "HtoD"},
    {"D2H", "DtoH"},
    {"D2D", "DtoD"},
    {"P2P", "PtoP"},
};

static const word memories[] = {
    {"Pageable", "pageable"}, {"Pinned", "pinned"}, {"Device Static", "device_static"},
    {"Device", "device"},     {"Array", "array"},   {"Managed Static", "managed_static"},
    {"Managed", "managed"},
};

static const char *memory_at(const char *text) {
  for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
    if (strncmp(text, memories[i].spelling, strlen(memories[i].spelling)) == 0)
      return memories[i].word;
  return NULL;
}

tdm_copy_name tdm_copy_name_of(const char *name) {
  tdm_copy_name copy = {NULL, NULL, NULL};
  const char *first = NULL;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const char *at = strstr(name, kinds[i].spelling);
    if (at == NULL || (first != NULL && at >= first)) continue;
    first = at;
    copy.kind = kinds[i].word;
  }
  const char *from = strchr(name, '(');
  const char *to = from != NULL ? strstr(from, "-> ") : NULL;
  if (to == NULL) return copy;
  copy.from = memory_at(from + 1);
  copy.to = memory_at(to + 3);
  return copy;
}

const char *tdm_copy_name_memset(const char *name) {
  const char *open = strchr(name, '(');
  return open != NULL ? memory_at(open + 1) : NULL;
}
