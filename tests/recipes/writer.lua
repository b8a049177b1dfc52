-- A format that says how many layouts of records there are.

local function add(copy)
  copy:before("src/write/writer.h", "  WRITER(tdm_writer_folded)", "  WRITER(tdm_writer_recipe) ")
  copy:write("src/write/recipe.c", [[
/* The writer of recipes: how many rows there are. */
#include "trace/outfile.h"
#include "write/writer.h"

static tdm_status write_recipe(const tdm_recording *recording, const char *path,
                               const tdm_write_options *options, tdm_error *error) {
  (void)options;
  tdm_outfile file;
  tdm_status status = tdm_outfile_open(&file, path, error);
  if (status != TDM_OK) return status;
  uint64_t rows = 0;
  for (uint32_t i = 0; i < tdm_recording_layouts(recording); i++)
    rows += tdm_recording_rows(recording, i)->count;
  tdm_outfile_unsigned(&file, rows);
  TDM_OUTFILE_LITERAL(&file, " rows\n");
  return tdm_outfile_commit(&file, error);
}

const tdm_writer tdm_writer_recipe = {
    .name = "recipe", .title = "recipes", .ending = ".recipe", .write = write_recipe};
]])
end

local function check(sh)
  assert(select(2, sh "build/tandem run scenarios/01-demo.lua --store written.db"))
  local text, ok = sh "build/tandem export last --format recipe -o out.recipe --store written.db"
  assert(ok, text)
  local file <close> = assert(io.open "out.recipe")
  assert(file:read "a":find "^[1-9]%d* rows\n$")
end

return { about = "a format that is written", most = 2, add = add, check = check }
