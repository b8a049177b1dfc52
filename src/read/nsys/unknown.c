/* Tables that no one describes: calls of a library are read by what such tables have in common; of
 * others that have times it is told how many rows were not read. Called by nsys.c. */
#include "read/nsys/nsys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool has_column(const tdm_nsys *nsys, const char *table, const char *column) {
  return nsys->source->has_column(nsys->source->context, table, column);
}

/* "OPENACC_DATA_EVENTS" → "openacc_data": a name, so that it lives as long as the recorder. */
static const char *category_of(tdm_nsys *nsys, const char *table) {
  char text[96];
  size_t length = 0;
  for (; table[length] != 0 && length < sizeof text; length++)
    text[length] = (char)tolower((unsigned char)table[length]);
  static const char *const endings[] = {"_events", "_api"};
  for (size_t i = 0; i < 2; i++) {
    size_t n = strlen(endings[i]);
    if (length > n && memcmp(text + length - n, endings[i], n) == 0) length -= n;
  }
  uint32_t name = tdm_record_name(nsys->recorder, text, length);
  return tdm_recorder_name(nsys->recorder, name, NULL);
}

tdm_status tdm_nsys_unknown_read(tdm_nsys *nsys, const char *name, tdm_error *error) {
  bool started = has_column(nsys, name, "start");
  if (started && has_column(nsys, name, "end") && has_column(nsys, name, "globalTid") &&
      (has_column(nsys, name, "nameId") || has_column(nsys, name, "textId"))) {
    static const tdm_nsys_arg args[] = {
        {.column = "correlationId", .key = "correlation", .how = TDM_NSYS_ID}};
    const char *category = category_of(nsys, name);
    if (category == NULL) return TDM_OK; /* the recorder has failed */
    tdm_nsys_table table = {.name = name,
                            .category = {category},
                            .shape = TDM_SHAPE_SPAN,
                            .start = "start",
                            .end = "end",
                            .on = TDM_NSYS_ON_THREAD,
                            .naming = TDM_NSYS_NAME_CALL,
                            .name_column = {"nameId", "textId"},
                            .text = "",
                            TDM_NSYS_ARGS(args),
                            .dropped = TDM_READ_NO_API};
    return tdm_nsys_table_read(nsys, &table, error);
  }
  size_t length_of = strlen(name);
  bool stacks = length_of > 10 && strcasecmp(name + length_of - 10, "CALLCHAINS") == 0;
  if (!started && !stacks && !has_column(nsys, name, "timestamp") &&
      !has_column(nsys, name, "startedAt"))
    return TDM_OK;
  char text[160];
  int length = snprintf(text, sizeof text, "rows of table %.100s (not read)", name);
  uint32_t kind = tdm_record_name(nsys->recorder, text, (size_t)length);
  const char *kept = tdm_recorder_name(nsys->recorder, kind, NULL);
  if (kept != NULL)
    tdm_record_problem(nsys->recorder, kept, nsys->source->rows(nsys->source->context, name));
  return TDM_OK;
}
