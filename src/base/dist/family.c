/* The list of families, and what can be asked of any distribution. Owns the life of a tdm_dist: its
 * shell, its tables and parts when it goes. A family's own line stands beside its constructor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dist/inside.h"
#include "base/memory.h"

#define LISTED(name) &tdm_dist_family_##name,
const tdm_dist_family *const tdm_dist_families[] = {DIST_FAMILIES(LISTED) NULL};

const tdm_dist_family *tdm_dist_family_named(const char *name) {
  for (size_t i = 0; tdm_dist_families[i] != NULL; i++)
    if (strcmp(tdm_dist_families[i]->name, name) == 0) return tdm_dist_families[i];
  return NULL;
}

tdm_dist *tdm_dist_shell(dist_kind kind, tdm_error *error) {
  tdm_dist *dist = tdm_array_new(1, sizeof *dist);
  if (dist == NULL)
    tdm_error_memory(error, "a distribution", sizeof *dist);
  else
    dist->kind = kind;
  return dist;
}

void tdm_dist_free(tdm_dist *dist) {
  if (dist == NULL) return;
  if (dist->parts != NULL) {
    for (size_t i = 0; i < dist->count; i++) tdm_dist_free(dist->parts[i]);
  }
  free(dist->parts);
  free(dist->values);
  free(dist->table.cumulative);
  free(dist->table.guide);
  free(dist);
}

bool tdm_dist_is_exponential(const tdm_dist *dist, double *mean) {
  if (dist->kind != KIND_EXPONENTIAL) return false;
  if (mean != NULL) *mean = dist->as.exponential.mean;
  return true;
}

bool tdm_dist_needs_script(const tdm_dist *dist) {
  return dist->needs_script;
}

double tdm_dist_mean(const tdm_dist *dist) {
  return dist->mean;
}

double tdm_dist_variance(const tdm_dist *dist) {
  return dist->variance;
}

char *tdm_dist_describe(const tdm_dist *dist, char *buffer, size_t size) {
  snprintf(buffer, size, "%s", dist->text);
  return buffer;
}
