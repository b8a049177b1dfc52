/* Tables of a profile, in either layout; see inside.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/gecko/inside.h"

enum { PROGRESS_TOKENS = 1 << 16, MOST_ROWS = 1 << 28 };

tdm_json_token tdm_gecko_next(tdm_gecko *g) {
  if (g->status != TDM_OK || g->failed) return TDM_JSON_END;
  if (++g->tokens % PROGRESS_TOKENS == 0) {
    g->status = tdm_read_progress(g->input, g->options, g->error);
    if (g->status != TDM_OK || tdm_recorder_failed(g->recorder)) return TDM_JSON_END;
  }
  return tdm_json_next(g->json);
}

void tdm_gecko_skip(tdm_gecko *g, tdm_json_token token) {
  if (token == TDM_JSON_OBJECT || token == TDM_JSON_ARRAY) tdm_json_skip(g->json);
}

/* ---- cells ---- */

static void put(tdm_gecko *g, tdm_gecko_table *table, int column, size_t row, int64_t value) {
  if (row >= MOST_ROWS ||
      !tdm_array_grow(&table->cell[column], &table->room[column], row + 1, sizeof(int64_t))) {
    g->failed = true;
    return;
  }
  while (table->count[column] <= row) table->cell[column][table->count[column]++] = TDM_NONE;
  table->cell[column][row] = value;
}

static int64_t cell_at(const tdm_gecko_table *table, int column, size_t row) {
  return row < table->count[column] ? table->cell[column][row] : TDM_NONE;
}

int64_t tdm_gecko_cell(const tdm_gecko_table *table, int role, size_t row) {
  return table->column[role] > 0 ? cell_at(table, table->column[role] - 1, row) : TDM_NONE;
}

int64_t tdm_gecko_index(const tdm_gecko_table *table, int role, size_t row) {
  int64_t value = tdm_gecko_cell(table, role, row);
  return value == TDM_NONE || value % TDM_GECKO_SCALE != 0 ? TDM_NONE : value / TDM_GECKO_SCALE;
}

int64_t tdm_gecko_side(const tdm_gecko_table *table, int column, size_t row) {
  return cell_at(table, column, row);
}

void tdm_gecko_table_free(tdm_gecko_table *table) {
  for (int i = 0; i < TDM_GECKO_COLUMNS; i++) free(table->cell[i]);
  *table = (tdm_gecko_table){0};
}

/* ---- values ---- */

static int64_t number(tdm_gecko *g) {
  size_t length;
  int64_t value;
  const char *text = tdm_json_value(g->json, &length);
  return tdm_number_scaled(text, length, 6, &value) && value != TDM_NONE ? value : TDM_NONE;
}

/* Behind OBJECT: a marker's payload. Older ones have their times and phase there. */
static void read_payload(tdm_gecko *g, tdm_gecko_table *table, size_t row) {
  for (;;) {
    if (tdm_gecko_next(g) != TDM_JSON_KEY) return;
    const char *key = tdm_json_value(g->json, NULL);
    int column = strcmp(key, "startTime") == 0  ? TDM_GECKO_DATA_START
                 : strcmp(key, "endTime") == 0  ? TDM_GECKO_DATA_END
                 : strcmp(key, "interval") == 0 ? TDM_GECKO_DATA_PHASE
                                                : -1;
    tdm_json_token token = tdm_gecko_next(g);
    if (token == TDM_JSON_NUMBER &&
        (column == TDM_GECKO_DATA_START || column == TDM_GECKO_DATA_END))
      put(g, table, column, row, number(g));
    if (token == TDM_JSON_STRING && column == TDM_GECKO_DATA_PHASE)
      put(g, table, column, row, strcmp(tdm_json_value(g->json, NULL), "end") == 0 ? 3 : 2);
    tdm_gecko_skip(g, token);
  }
}

/* Behind a value's first token. `column`: -1 where it is not wanted. */
static void take(tdm_gecko *g, tdm_gecko_table *table, int column, size_t row,
                 tdm_json_token token) {
  if (token == TDM_JSON_OBJECT)
    read_payload(g, table, row);
  else if (token == TDM_JSON_NUMBER && column >= 0)
    put(g, table, column, row, number(g));
  else
    tdm_gecko_skip(g, token);
}

/* ---- layouts ---- */

static int role_of(const char *const *roles, const char *name) {
  for (int i = 0; roles[i] != NULL; i++)
    if (strcmp(roles[i], name) == 0) return i;
  return -1;
}

/* Behind OBJECT: {"stack": 0, "time": 1, …} */
static void read_schema(tdm_gecko *g, const char *const *roles, tdm_gecko_table *table) {
  while (tdm_gecko_next(g) == TDM_JSON_KEY) {
    int role = role_of(roles, tdm_json_value(g->json, NULL));
    tdm_json_token token = tdm_gecko_next(g);
    int64_t at = token == TDM_JSON_NUMBER ? number(g) : TDM_NONE;
    if (role >= 0 && at >= 0 && at < (int64_t)TDM_GECKO_POSITIONS * TDM_GECKO_SCALE)
      table->column[role] = (int)(at / TDM_GECKO_SCALE) + 1;
    tdm_gecko_skip(g, token);
  }
}

/* Behind ARRAY of "data": rows, whose columns the schema names, before or after; or, beside other
 * columns, the payloads of markers. */
static void read_data(tdm_gecko *g, tdm_gecko_table *table) {
  for (size_t row = 0;; row++) {
    tdm_json_token token = tdm_gecko_next(g);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    if (row >= table->rows) table->rows = row + 1;
    if (token == TDM_JSON_OBJECT) read_payload(g, table, row);
    if (token != TDM_JSON_ARRAY) continue;
    for (int position = 0;; position++) {
      token = tdm_gecko_next(g);
      if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) break;
      take(g, table, position < TDM_GECKO_POSITIONS ? position : -1, row, token);
    }
  }
}

/* Behind ARRAY: one column. */
static void read_column(tdm_gecko *g, tdm_gecko_table *table, int role) {
  for (size_t row = 0;; row++) {
    tdm_json_token token = tdm_gecko_next(g);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    take(g, table, role, row, token);
    if (row >= table->rows) table->rows = row + 1;
  }
}

void tdm_gecko_read_table(tdm_gecko *g, const char *const *roles, tdm_gecko_table *table) {
  tdm_gecko_table_free(table);
  table->there = true;
  while (tdm_gecko_next(g) == TDM_JSON_KEY) {
    const char *key = tdm_json_value(g->json, NULL);
    bool schema = strcmp(key, "schema") == 0, data = strcmp(key, "data") == 0;
    int role = role_of(roles, key);
    tdm_json_token token = tdm_gecko_next(g);
    if (schema && token == TDM_JSON_OBJECT) {
      read_schema(g, roles, table);
    } else if (token == TDM_JSON_ARRAY && data) {
      read_data(g, table);
    } else if (token == TDM_JSON_ARRAY && role >= 0) {
      table->column[role] = role + 1;
      read_column(g, table, role);
    } else {
      tdm_gecko_skip(g, token);
    }
  }
}

/* ---- tables that may be shared ---- */

static const char *const stack_roles[] = {"prefix", "frame", "prefixOffset", NULL};
static const char *const frame_roles[] = {"location", "func", NULL};
static const char *const func_roles[] = {"name", NULL};

/* Behind ARRAY: texts, which are names at once. */
static void read_strings(tdm_gecko *g, tdm_gecko_tables *tables) {
  tables->has_strings = true;
  tables->strings = 0;
  for (;;) {
    tdm_json_token token = tdm_gecko_next(g);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    size_t length = 0;
    const char *text = token == TDM_JSON_STRING ? tdm_json_value(g->json, &length) : "";
    if (!tdm_array_grow(&tables->string, &tables->string_room, tables->strings + 1,
                        sizeof *tables->string)) {
      g->failed = true;
      return;
    }
    tables->string[tables->strings++] = tdm_record_name(g->recorder, text, length);
    tdm_gecko_skip(g, token);
  }
}

bool tdm_gecko_read_shared(tdm_gecko *g, const char *key, tdm_json_token token,
                           tdm_gecko_tables *tables) {
  bool object = token == TDM_JSON_OBJECT;
  if (object && strcmp(key, "stackTable") == 0)
    tdm_gecko_read_table(g, stack_roles, &tables->stacks);
  else if (object && strcmp(key, "frameTable") == 0)
    tdm_gecko_read_table(g, frame_roles, &tables->frames);
  else if (object && strcmp(key, "funcTable") == 0)
    tdm_gecko_read_table(g, func_roles, &tables->funcs);
  else if (token == TDM_JSON_ARRAY &&
           (strcmp(key, "stringTable") == 0 || strcmp(key, "stringArray") == 0))
    read_strings(g, tables);
  else
    return false;
  return true;
}

void tdm_gecko_tables_free(tdm_gecko_tables *tables) {
  tdm_gecko_table_free(&tables->stacks);
  tdm_gecko_table_free(&tables->frames);
  tdm_gecko_table_free(&tables->funcs);
  free(tables->string);
  free(tables->named);
  *tables = (tdm_gecko_tables){0};
}
