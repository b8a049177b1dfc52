/* Texts of an export by their id: StringIds. See nsys.h.
 *
 * The table is read once, as bytes; a name is made of a text when a record first needs it, so that
 * what no record names (environments, captured output) does not enter the trace. */
#include "read/nsys/nsys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* Ids below this are looked up in an array; trimmed exports have few texts and large ids. */
enum { DENSE = 1 << 22 };

static bool put(tdm_nsys_strings *strings, int64_t id, tdm_nsys_text text) {
  if (!tdm_array_grow(&strings->bytes, &strings->room, strings->used + text.length + 1, 1) ||
      !tdm_array_grow(&strings->entry, &strings->room_entries, strings->entries + 1,
                      sizeof *strings->entry) ||
      !tdm_array_grow(&strings->id, &strings->room_ids, strings->entries + 1, sizeof *strings->id))
    return false;
  memcpy(strings->bytes + strings->used, text.bytes, text.length);
  strings->id[strings->entries] = id;
  strings->entry[strings->entries++] =
      (tdm_nsys_string){.offset = strings->used, .length = text.length};
  strings->used += text.length;
  return true;
}

static bool make_index(tdm_nsys_strings *strings) {
  int64_t largest = -1;
  for (size_t i = 0; i < strings->entries; i++)
    if (strings->id[i] > largest && strings->id[i] < DENSE) largest = strings->id[i];
  strings->dense_count = (size_t)(largest + 1);
  strings->dense = tdm_array_new(strings->dense_count + 1, sizeof *strings->dense);
  if (strings->dense == NULL) return false;
  for (size_t i = 0; i < strings->entries; i++) {
    int64_t id = strings->id[i];
    if (id >= 0 && id < DENSE)
      strings->dense[id] = (uint32_t)i + 1;
    else if (!tdm_id_map_put(&strings->sparse, (uint64_t)id, (uint32_t)i))
      return false;
  }
  return true;
}

/* NULL: the file does not have it. */
static tdm_nsys_string *entry_of(const tdm_nsys_strings *strings, int64_t id) {
  if (id >= 0 && (uint64_t)id < strings->dense_count)
    return strings->dense[id] != 0 ? &strings->entry[strings->dense[id] - 1] : NULL;
  uint32_t index = tdm_id_map_get(&strings->sparse, (uint64_t)id);
  return index != TDM_ID_NONE ? &strings->entry[index] : NULL;
}

static tdm_status load_block(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  (void)context;
  for (size_t i = 0; i < block->count; i++) {
    int64_t id = block->column[0].integer[i];
    tdm_nsys_text text = block->column[1].text[i];
    if (id == TDM_NONE || text.bytes == NULL) continue;
    if (!put(&nsys->strings, id, text)) return tdm_nsys_memory(error);
  }
  return TDM_OK;
}

tdm_status tdm_nsys_strings_load(tdm_nsys *nsys, tdm_error *error) {
  static const tdm_nsys_column columns[] = {{"id", TDM_NSYS_INT}, {"value", TDM_NSYS_TEXT}};
  tdm_status status = tdm_nsys_scan(nsys, "StringIds", columns, 2, load_block, NULL, error);
  if (status == TDM_OK && !make_index(&nsys->strings)) status = tdm_nsys_memory(error);
  free(nsys->strings.id);
  nsys->strings.id = NULL;
  return status;
}

void tdm_nsys_strings_free(tdm_nsys_strings *strings) {
  free(strings->bytes);
  free(strings->entry);
  free(strings->dense);
  tdm_id_map_free(&strings->sparse);
}

static uint32_t unknown(tdm_nsys *nsys, int64_t id) {
  char text[40];
  snprintf(text, sizeof text, "string %lld", (long long)id);
  tdm_record_problem(nsys->recorder, "names whose text is not in the file (kept by number)", 1);
  return tdm_record_text(nsys->recorder, text);
}

uint32_t tdm_nsys_string_name(tdm_nsys *nsys, int64_t id) {
  tdm_nsys_string *entry = entry_of(&nsys->strings, id);
  if (id == TDM_NONE) return tdm_record_text(nsys->recorder, "");
  if (entry == NULL) return unknown(nsys, id);
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
  if (entry == NULL) return tdm_nsys_string_name(nsys, id);
  if (entry->call == 0) {
    const char *text = nsys->strings.bytes + entry->offset;
    entry->call = tdm_record_name(nsys->recorder, text, without_version(text, entry->length)) + 1;
  }
  return entry->call - 1;
}

tdm_nsys_text tdm_nsys_string_text(const tdm_nsys *nsys, int64_t id) {
  const tdm_nsys_string *entry = id != TDM_NONE ? entry_of(&nsys->strings, id) : NULL;
  if (entry == NULL) return (tdm_nsys_text){NULL, 0};
  return (tdm_nsys_text){nsys->strings.bytes + entry->offset, entry->length};
}
