/* Texts of an export by their id: StringIds. See nsys.h.
 *
 * The table is read once, as bytes; a name is made of a text when a record first needs it, so that
 * what no record names (environments, captured output) does not enter the trace. */
#include "read/nsys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* Ids are 0, 1, 2, … in every real file; anything far beyond that goes through a hash table. */
static bool is_dense(const tdm_nsys_strings *strings, int64_t id) {
  return id >= 0 && (uint64_t)id < 2 * (uint64_t)strings->entries + 4096;
}

static tdm_nsys_string *entry_of(tdm_nsys_strings *strings, int64_t id) {
  if (id >= 0 && (uint64_t)id < strings->dense) return &strings->entry[id];
  return NULL;
}

static bool grow_dense(tdm_nsys_strings *strings, size_t need) {
  size_t old = strings->dense;
  if (!tdm_array_grow(&strings->entry, &strings->room_entries, need, sizeof *strings->entry))
    return false;
  memset(strings->entry + old, 0, (strings->room_entries - old) * sizeof *strings->entry);
  strings->dense = strings->room_entries;
  return true;
}

static bool put(tdm_nsys *nsys, int64_t id, tdm_nsys_text text) {
  tdm_nsys_strings *strings = &nsys->strings;
  strings->entries++;
  if (!is_dense(strings, id)) {
    /* Far out: interned at once, key and name. */
    uint32_t name = tdm_record_name(nsys->recorder, text.bytes, text.length);
    return tdm_nsys_map_put(&strings->sparse, id, 0, name);
  }
  if ((uint64_t)id >= strings->dense && !grow_dense(strings, (size_t)id + 1)) return false;
  if (!tdm_array_grow(&strings->bytes, &strings->room, strings->used + text.length + 1, 1))
    return false;
  strings->entry[id] =
      (tdm_nsys_string){.offset = strings->used, .length = text.length, .there = true};
  memcpy(strings->bytes + strings->used, text.bytes, text.length);
  strings->used += text.length;
  return true;
}

static tdm_status load_block(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  (void)context;
  for (size_t i = 0; i < block->count; i++) {
    int64_t id = block->column[0].integer[i];
    tdm_nsys_text text = block->column[1].text[i];
    if (id == TDM_NONE || text.bytes == NULL) continue;
    if (!put(nsys, id, text)) return tdm_nsys_memory(error);
  }
  return TDM_OK;
}

tdm_status tdm_nsys_strings_load(tdm_nsys *nsys, tdm_error *error) {
  static const tdm_nsys_column columns[] = {{"id", TDM_NSYS_INT}, {"value", TDM_NSYS_TEXT}};
  return tdm_nsys_scan(nsys, "StringIds", columns, 2, load_block, NULL, error);
}

void tdm_nsys_strings_free(tdm_nsys_strings *strings) {
  free(strings->bytes);
  free(strings->entry);
  tdm_nsys_map_free(&strings->sparse);
}

static uint32_t unknown(tdm_nsys *nsys, int64_t id) {
  uint32_t name;
  if (tdm_nsys_map_get(&nsys->strings.sparse, id, 0, &name)) return name;
  char text[40];
  snprintf(text, sizeof text, "string %lld", (long long)id);
  tdm_record_problem(nsys->recorder, "names whose text is not in the file (kept by number)", 1);
  return tdm_record_text(nsys->recorder, text);
}

uint32_t tdm_nsys_string_name(tdm_nsys *nsys, int64_t id) {
  tdm_nsys_string *entry = entry_of(&nsys->strings, id);
  if (id == TDM_NONE) return tdm_record_text(nsys->recorder, "");
  if (entry == NULL || !entry->there) return unknown(nsys, id);
  if (entry->name == 0)
    entry->name =
        tdm_record_name(nsys->recorder, nsys->strings.bytes + entry->offset, entry->length) + 1;
  return entry->name - 1;
}

/* "_v3020" and longer are API versions; "_v2" belongs to a driver call's name. */
static size_t without_version(const char *text, size_t length) {
  size_t digits = 0;
  while (digits < length && isdigit((unsigned char)text[length - 1 - digits])) digits++;
  size_t rest = length - digits;
  if (digits < 4 || rest < 3 || text[rest - 1] != 'v' || text[rest - 2] != '_') return length;
  return rest - 2;
}

uint32_t tdm_nsys_string_call(tdm_nsys *nsys, int64_t id) {
  tdm_nsys_string *entry = entry_of(&nsys->strings, id);
  if (entry == NULL || !entry->there) return tdm_nsys_string_name(nsys, id);
  if (entry->call == 0) {
    const char *text = nsys->strings.bytes + entry->offset;
    entry->call = tdm_record_name(nsys->recorder, text, without_version(text, entry->length)) + 1;
  }
  return entry->call - 1;
}

tdm_nsys_text tdm_nsys_string_text(const tdm_nsys *nsys, int64_t id) {
  const tdm_nsys_strings *strings = &nsys->strings;
  if (id < 0 || (uint64_t)id >= strings->dense || !strings->entry[id].there)
    return (tdm_nsys_text){NULL, 0};
  return (tdm_nsys_text){strings->bytes + strings->entry[id].offset, strings->entry[id].length};
}
