-- A format of one line a span: RECIPE1, then "name start end" in nanoseconds.

local function add(copy)
  copy:before("src/read/reader.h", "  READER(tdm_reader_folded)", "  READER(tdm_reader_recipe) ")
  copy:write("src/read/recipe.c", [[
/* The reader of recipes: one span, "RECIPE1 name start end". */
#include <stdio.h>
#include <string.h>

#include "read/reader.h"

static int detect(const unsigned char *head, size_t length, const char *path) {
  (void)path;
  return length >= 8 && memcmp(head, "RECIPE1 ", 8) == 0 ? 100 : 0;
}

static tdm_status read_recipe(tdm_input *input, const tdm_read_options *options,
                              tdm_recorder *recorder, tdm_error *error) {
  const unsigned char *bytes;
  size_t length;
  char text[200] = "", name[64];
  long long start, end;
  (void)options;
  tdm_status status = tdm_input_next(input, &bytes, &length, error);
  if (status != TDM_OK) return status;
  memcpy(text, bytes, length < sizeof text ? length : sizeof text - 1);
  if (sscanf(text, "RECIPE1 %63s %lld %lld", name, &start, &end) != 3)
    return tdm_error_set(error, TDM_INVALID, "%s: no recipe", tdm_input_path(input));
  tdm_track about = TDM_TRACK_PLAIN;
  about.name = "recipe";
  about.kind = TDM_TRACK_THREAD;
  uint32_t track = tdm_record_track(recorder, &about);
  uint32_t layout = tdm_record_layout(recorder, "sample", TDM_SHAPE_SPAN, NULL, 0);
  tdm_record_row(recorder, layout, start, end - start, track,
                 tdm_record_name(recorder, name, strlen(name)), NULL, 0);
  return TDM_OK;
}

const tdm_reader tdm_reader_recipe = {.name = "recipe",
                                      .title = "recipes",
                                      .accepts = "*.recipe",
                                      .detect = detect,
                                      .read = read_recipe};
]])
end

local function check(sh)
  local file = assert(io.open("one.recipe", "w"))
  file:write "RECIPE1 soup 100 350\n"
  file:close()
  local text, ok = sh "build/tandem import one.recipe --store recipes.db"
  assert(ok, text)
  local rows = sh "build/tandem sql 'SELECT name, dur_ns FROM span' --csv --store recipes.db"
  assert(rows:find "soup,250", rows)
end

return { about = "a format that is read", most = 2, add = add, check = check }
