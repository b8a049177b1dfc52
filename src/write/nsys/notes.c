/* What a recording has that Nsight Systems' layout has no place for, told in a line a category. See
 * inside.h. */
#include <stdio.h>
#include <string.h>

#include "trace/intern.h"
#include "write/nsys/inside.h"

static void note(const tdm_to_nsys_out *out, const char *text) {
  if (out->options != NULL && out->options->note != NULL)
    out->options->note(out->options->note_context, text);
}

static size_t rows_of(const tdm_to_nsys_out *out, uint32_t layout) {
  return tdm_recording_layout(out->recording, layout) != NULL
             ? tdm_recording_rows(out->recording, layout)->count
             : 0;
}

static const char *category_of(const tdm_to_nsys_out *out, uint32_t layout) {
  return tdm_recording_layout(out->recording, layout)->category;
}

/* The first layout of its category that has rows speaks for the others. */
static bool speaks(const tdm_to_nsys_out *out, uint32_t layout) {
  for (uint32_t l = 0; l < layout; l++)
    if (rows_of(out, l) > 0 && strcmp(category_of(out, l), category_of(out, layout)) == 0)
      return false;
  return rows_of(out, layout) > 0;
}

static bool has_place(const tdm_layout *layout, const tdm_to_nsys_table **table) {
  int which;
  *table = tdm_to_nsys_table_of(layout->category, &which);
  return *table != NULL && layout->shape != TDM_SHAPE_EDGE && layout->shape != TDM_SHAPE_SAMPLE;
}

static bool is_column(const tdm_to_nsys_table *table, const char *key) {
  for (uint32_t c = 0; c < table->count; c++) {
    if (table->columns[c].key != NULL && strcmp(table->columns[c].key, key) == 0) return true;
    if (table->columns[c].source == NSYS_DOMAIN && strcmp(key, "domain") == 0) return true;
  }
  return false;
}

/* Without memory for one it is not told of: a note is no reason to fail. */
static void add_keys(const tdm_to_nsys_table *table, const tdm_layout *layout, tdm_intern *keys) {
  for (uint32_t a = 0; a < layout->args; a++) {
    const char *key = layout->arg[a].key;
    if (!is_column(table, key)) tdm_intern_put(keys, key, strlen(key), NULL);
  }
}

static void note_keys(const tdm_to_nsys_out *out, const char *category, const tdm_intern *keys) {
  char line[400];
  size_t shown = 0;
  int length = snprintf(line, sizeof line, "not in the file: arguments of %.64s rows:", category);
  for (; shown < keys->count && length < 260; shown++)
    length += snprintf(line + length, sizeof line - (size_t)length, "%s %.64s",
                       shown > 0 ? "," : "", keys->entries[shown].bytes);
  if (shown < keys->count)
    snprintf(line + length, sizeof line - (size_t)length, " and %zu more", keys->count - shown);
  if (keys->count > 0) note(out, line);
}

static void note_category(const tdm_to_nsys_out *out, uint32_t first) {
  const char *category = category_of(out, first);
  size_t rows = 0;
  tdm_intern keys = {0};
  for (uint32_t l = first; l < tdm_recording_layouts(out->recording); l++) {
    const tdm_to_nsys_table *table;
    if (rows_of(out, l) == 0 || strcmp(category_of(out, l), category) != 0) continue;
    const tdm_layout *layout = tdm_recording_layout(out->recording, l);
    if (has_place(layout, &table))
      add_keys(table, layout, &keys);
    else
      rows += rows_of(out, l);
  }
  char line[160];
  snprintf(line, sizeof line, "not in the file: %zu row%s of category %.64s", rows,
           rows == 1 ? "" : "s", category);
  if (rows > 0) note(out, line);
  note_keys(out, category, &keys);
  tdm_intern_clear(&keys);
}

static void note_rank(const tdm_to_nsys_out *out) {
  for (uint32_t i = 0; i < tdm_recording_sources(out->recording); i++) {
    const tdm_source *source = tdm_recording_source(out->recording, i);
    if (source == NULL || source->rank == TDM_NONE) continue;
    char line[64];
    snprintf(line, sizeof line, "not in the file: rank %lld", (long long)source->rank);
    note(out, line);
  }
}

void tdm_to_nsys_note_left_out(const tdm_to_nsys_out *out) {
  for (uint32_t l = 0; l < tdm_recording_layouts(out->recording); l++)
    if (speaks(out, l)) note_category(out, l);
  char line[120];
  snprintf(line, sizeof line, "not in the file: %llu word%s that the format has no number for",
           (unsigned long long)out->unknown_words, out->unknown_words == 1 ? "" : "s");
  if (out->unknown_words > 0) note(out, line);
  note_rank(out);
}
