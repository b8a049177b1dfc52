/* Artifacts of a stored run: texts and files that a source left behind (graphs, generated code);
 * see scan.h. */
#include "trace/store/scan.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "trace/intern.h"
#include "trace/store/pages.h"

struct tdm_artifacts {
  sqlite3 *database;
  int64_t run;
  tdm_intern names; /* of all of the run */
  int64_t *id;      /* by name: the first that has it */
  size_t room;
  sqlite3_stmt *row;
  void *whole;
};

tdm_status tdm_artifact_unpack(const char *name, const void *data, size_t stored, int64_t bytes,
                               void **whole, tdm_error *error) {
  *whole = NULL;
  if (bytes <= (int64_t)stored) return TDM_OK;
  /* zstd's best block is 128 KiB of one byte in four; a damaged length must not make us allocate
   * more. */
  if ((uint64_t)bytes / 32768 > stored)
    return tdm_error_set(error, TDM_IO, "artifact %s of the store is damaged", name);
  void *made = malloc((size_t)bytes);
  if (made == NULL) return tdm_error_memory(error, "an artifact", (size_t)bytes);
  if (ZSTD_decompress(made, (size_t)bytes, data, stored) != (size_t)bytes) {
    free(made);
    return tdm_error_set(error, TDM_IO, "artifact %s of the store is damaged", name);
  }
  *whole = made;
  return TDM_OK;
}

static tdm_status cannot_read(const tdm_artifacts *artifacts, tdm_error *error) {
  return tdm_error_set(error, TDM_IO, "cannot read the store: %s",
                       tdm_pages_reason(artifacts->database));
}

static tdm_status list(tdm_artifacts *artifacts, tdm_error *error) {
  sqlite3_stmt *rows = NULL;
  tdm_status status = TDM_OK;
  int code = sqlite3_prepare_v2(artifacts->database,
                                "SELECT name, id FROM artifact WHERE run = ?1 ORDER BY id", -1,
                                &rows, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(rows, 1, artifacts->run);
  while (code == SQLITE_OK && (code = sqlite3_step(rows)) == SQLITE_ROW) {
    code = SQLITE_OK;
    int fresh;
    const void *name = sqlite3_column_blob(rows, 0);
    uint32_t at = tdm_intern_put(&artifacts->names, name != NULL ? name : "",
                                 (size_t)sqlite3_column_bytes(rows, 0), &fresh);
    if (at == TDM_INTERN_FAILED ||
        !tdm_array_grow(&artifacts->id, &artifacts->room, (size_t)at + 1, sizeof *artifacts->id)) {
      status = tdm_error_memory(error, "names of artifacts", 0);
      break;
    }
    if (fresh) artifacts->id[at] = sqlite3_column_int64(rows, 1);
  }
  sqlite3_finalize(rows);
  if (status == TDM_OK && code != SQLITE_DONE) status = cannot_read(artifacts, error);
  return status;
}

tdm_status tdm_artifacts_open(sqlite3 *database, int64_t run, tdm_artifacts **out,
                              tdm_error *error) {
  *out = NULL;
  tdm_artifacts *artifacts = tdm_array_new(1, sizeof *artifacts);
  if (artifacts == NULL) return tdm_error_memory(error, "artifacts", sizeof *artifacts);
  artifacts->database = database;
  artifacts->run = run;
  tdm_status status = list(artifacts, error);
  if (status == TDM_OK &&
      sqlite3_prepare_v2(database, "SELECT bytes, data FROM artifact WHERE run = ?1 AND id = ?2",
                         -1, &artifacts->row, NULL) != SQLITE_OK)
    status = cannot_read(artifacts, error);
  if (status == TDM_OK)
    *out = artifacts;
  else
    tdm_artifacts_close(artifacts);
  return status;
}

void tdm_artifacts_close(tdm_artifacts *artifacts) {
  if (artifacts == NULL) return;
  sqlite3_finalize(artifacts->row);
  tdm_intern_clear(&artifacts->names);
  free(artifacts->id);
  free(artifacts->whole);
  free(artifacts);
}

tdm_status tdm_artifacts_read(tdm_artifacts *artifacts, const char *name, const char **text,
                              size_t *length, tdm_error *error) {
  *text = NULL;
  *length = 0;
  sqlite3_reset(artifacts->row);
  free(artifacts->whole);
  artifacts->whole = NULL;
  uint32_t at = tdm_intern_find(&artifacts->names, name, strlen(name));
  if (at == TDM_INTERN_FAILED) return TDM_OK;
  int code = sqlite3_bind_int64(artifacts->row, 1, artifacts->run);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(artifacts->row, 2, artifacts->id[at]);
  if (code == SQLITE_OK) code = sqlite3_step(artifacts->row);
  if (code == SQLITE_DONE) return TDM_OK;
  if (code != SQLITE_ROW) return cannot_read(artifacts, error);
  const void *data = sqlite3_column_blob(artifacts->row, 1);
  size_t stored = (size_t)sqlite3_column_bytes(artifacts->row, 1);
  int64_t bytes = sqlite3_column_int64(artifacts->row, 0);
  tdm_status status = tdm_artifact_unpack(name, data, stored, bytes, &artifacts->whole, error);
  if (status != TDM_OK) return status;
  *text = artifacts->whole != NULL ? artifacts->whole : data != NULL ? data : "";
  *length = artifacts->whole != NULL ? (size_t)bytes : stored;
  return TDM_OK;
}
