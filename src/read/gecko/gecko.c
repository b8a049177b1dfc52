/* The reader of Firefox's profiles: what Gecko writes (raw), and what the Firefox Profiler, samply
 * and other tools make of that (processed).
 *
 * Raw tables are rows with a schema, each process holding those of its own processes; processed
 * ones are an array a column, from version 56 on shared by all threads. Versions that are not known
 * are refused by their number. Times are milliseconds from the start that meta tells. Counters,
 * allocations and pages are not read. Called through tdm_readers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/gecko/inside.h"

enum { OLDEST_RAW = 9, NEWEST_RAW = 36, NEWEST_PROCESSED = 70, NESTED = 8 };

static int64_t whole(tdm_gecko *g, tdm_json_token token) {
  int64_t value;
  size_t length;
  if (token != TDM_JSON_NUMBER && token != TDM_JSON_STRING) return TDM_NONE;
  const char *text = tdm_json_value(g->json, &length);
  return tdm_number_integer(text, length, &value) ? value : TDM_NONE;
}

static void keep_text(tdm_gecko *g, char **to, tdm_json_token token) {
  if (token != TDM_JSON_STRING || *to != NULL) return;
  *to = tdm_string_copy(tdm_json_value(g->json, NULL));
  g->failed |= *to == NULL;
}

/* ---- meta ---- */

/* Behind OBJECT: {"time": "ms", …} */
static void read_units(tdm_gecko *g) {
  while (tdm_gecko_next(g) == TDM_JSON_KEY) {
    bool time = strcmp(tdm_json_value(g->json, NULL), "time") == 0;
    tdm_json_token token = tdm_gecko_next(g);
    if (time && token == TDM_JSON_STRING) {
      g->nanoseconds = strcmp(tdm_json_value(g->json, NULL), "ns") == 0;
      g->sizes = strcmp(tdm_json_value(g->json, NULL), "bytes") == 0;
    }
    tdm_gecko_skip(g, token);
  }
}

/* Behind OBJECT. */
static void read_meta(tdm_gecko *g, size_t process) {
  while (tdm_gecko_next(g) == TDM_JSON_KEY) {
    char key[40];
    snprintf(key, sizeof key, "%s", tdm_json_value(g->json, NULL));
    tdm_json_token token = tdm_gecko_next(g);
    bool first = process == 0;
    if (strcmp(key, "startTime") == 0 && token == TDM_JSON_NUMBER) {
      size_t length;
      const char *text = tdm_json_value(g->json, &length);
      int64_t *start_ns = &g->process[process].start_ns;
      if (!tdm_number_scaled(text, length, 6, start_ns)) *start_ns = TDM_NONE;
    } else if (first && strcmp(key, "version") == 0) {
      g->version = whole(g, token);
    } else if (first && strcmp(key, "preprocessedProfileVersion") == 0) {
      g->processed = whole(g, token);
    } else if (first && strcmp(key, "product") == 0 && token == TDM_JSON_STRING) {
      snprintf(g->product, sizeof g->product, "%s", tdm_json_value(g->json, NULL));
    } else if (first && strcmp(key, "sampleUnits") == 0 && token == TDM_JSON_OBJECT) {
      read_units(g);
      continue;
    }
    tdm_gecko_skip(g, token);
  }
}

/* ---- threads ---- */

/* Behind OBJECT. */
static void read_thread(tdm_gecko *g, size_t process) {
  static const char *const samples[] = {"stack", "time", "timeDeltas", "weight", NULL};
  static const char *const markers[] = {"name", "time", "startTime", "endTime", "phase", NULL};
  char key[40];
  if (!tdm_array_grow(&g->thread, &g->thread_room, g->threads + 1, sizeof *g->thread)) {
    g->failed = true;
    return;
  }
  tdm_gecko_thread *thread = &g->thread[g->threads++];
  *thread = (tdm_gecko_thread){.pid = TDM_NONE, .tid = TDM_NONE, .of = process};
  while (tdm_gecko_next(g) == TDM_JSON_KEY) {
    snprintf(key, sizeof key, "%s", tdm_json_value(g->json, NULL));
    tdm_json_token token = tdm_gecko_next(g);
    if (token == TDM_JSON_OBJECT && strcmp(key, "samples") == 0) {
      tdm_gecko_read_table(g, samples, &thread->samples);
    } else if (token == TDM_JSON_OBJECT && strcmp(key, "markers") == 0) {
      tdm_gecko_read_table(g, markers, &thread->markers);
    } else if (!tdm_gecko_read_shared(g, key, token, &thread->own)) {
      if (strcmp(key, "name") == 0) keep_text(g, &thread->name, token);
      if (strcmp(key, "processName") == 0) keep_text(g, &thread->process, token);
      if (strcmp(key, "tid") == 0) thread->tid = whole(g, token);
      if (strcmp(key, "pid") == 0) {
        thread->pid = whole(g, token);
        if (thread->pid == TDM_NONE) keep_text(g, &thread->process, token);
      }
      tdm_gecko_skip(g, token);
    }
  }
}

/* Behind ARRAY. */
static void read_threads(tdm_gecko *g, size_t process) {
  for (;;) {
    tdm_json_token token = tdm_gecko_next(g);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    if (token == TDM_JSON_OBJECT)
      read_thread(g, process);
    else
      tdm_record_problem(g->recorder, "threads that are no objects (left out)", 1);
    if (token == TDM_JSON_ARRAY) tdm_json_skip(g->json);
  }
}

/* ---- profiles ---- */

static void read_profile(tdm_gecko *g, int depth);

/* Behind ARRAY: the profiles of other processes. */
static void read_processes(tdm_gecko *g, int depth) {
  for (;;) {
    tdm_json_token token = tdm_gecko_next(g);
    if (token == TDM_JSON_ARRAY_END || token == TDM_JSON_END) return;
    if (token == TDM_JSON_OBJECT && depth < NESTED) {
      read_profile(g, depth + 1);
    } else {
      tdm_record_problem(g->recorder, "processes that are no objects (left out)", 1);
      tdm_gecko_skip(g, token);
    }
  }
}

/* Behind OBJECT. */
static void read_profile(tdm_gecko *g, int depth) {
  size_t process = g->processes;
  char key[40];
  if (!tdm_array_grow(&g->process, &g->process_room, process + 1, sizeof *g->process)) {
    g->failed = true;
    return;
  }
  g->process[g->processes++] = (tdm_gecko_process){.start_ns = TDM_NONE};
  while (tdm_gecko_next(g) == TDM_JSON_KEY) {
    snprintf(key, sizeof key, "%s", tdm_json_value(g->json, NULL));
    tdm_json_token token = tdm_gecko_next(g);
    if (token == TDM_JSON_OBJECT && strcmp(key, "meta") == 0) {
      read_meta(g, process);
    } else if (token == TDM_JSON_ARRAY && strcmp(key, "threads") == 0) {
      read_threads(g, process);
    } else if (token == TDM_JSON_ARRAY && strcmp(key, "processes") == 0) {
      read_processes(g, depth);
    } else if (token == TDM_JSON_OBJECT && depth == 0 && strcmp(key, "shared") == 0) {
      while (tdm_gecko_next(g) == TDM_JSON_KEY) {
        snprintf(key, sizeof key, "%s", tdm_json_value(g->json, NULL));
        token = tdm_gecko_next(g);
        if (!tdm_gecko_read_shared(g, key, token, &g->shared)) tdm_gecko_skip(g, token);
      }
    } else if (token == TDM_JSON_OBJECT && depth == 0 && strcmp(key, "profile") == 0 &&
               g->threads == 0) {
      g->wrapped = true;
      g->processes = 0;
      read_profile(g, 1);
    } else {
      tdm_gecko_skip(g, token);
    }
  }
}

/* ---- the file ---- */

static tdm_status check(const tdm_gecko *g) {
  const char *path = tdm_input_path(g->input);
  if (g->sizes)
    return tdm_error_set(g->error, TDM_INVALID,
                         "%s: a profile of sizes (its samples are bytes), which has no times",
                         path);
  if (g->processed != TDM_NONE && g->processed > NEWEST_PROCESSED)
    return tdm_error_set(g->error, TDM_INVALID,
                         "%s: a processed profile of version %lld; versions up to %d are read",
                         path, (long long)g->processed, NEWEST_PROCESSED);
  if (g->processed != TDM_NONE && g->processed > 0) return TDM_OK;
  if (g->version == TDM_NONE)
    return tdm_error_set(g->error, TDM_INVALID, "%s: no profile of Firefox: it has no meta.version",
                         path);
  if (g->version < OLDEST_RAW || g->version > NEWEST_RAW)
    return tdm_error_set(g->error, TDM_INVALID,
                         "%s: a Gecko profile of version %lld; versions %d to %d are read", path,
                         (long long)g->version, OLDEST_RAW, NEWEST_RAW);
  return TDM_OK;
}

static void describe(const tdm_gecko *g) {
  char detail[160];
  bool processed = g->processed != TDM_NONE;
  snprintf(detail, sizeof detail, "%s %lld%s%.60s, %llu samples, %llu markers",
           processed ? "processed profile" : "Gecko profile",
           (long long)(processed ? g->processed : g->version), *g->product != 0 ? ", " : "",
           g->product, (unsigned long long)g->samples, (unsigned long long)g->markers);
  tdm_recorder_detail(g->recorder, detail);
  if (g->process[0].start_ns != TDM_NONE && !g->wrapped)
    tdm_recorder_utc(g->recorder, g->process[0].start_ns);
}

static tdm_status finish(tdm_gecko *g) {
  for (int repair = 0; repair < TDM_JSON_REPAIRS; repair++)
    tdm_record_problem(g->recorder, tdm_json_repair_name((tdm_json_repair)repair),
                       tdm_json_repaired(g->json, (tdm_json_repair)repair));
  if (g->status == TDM_OK && g->processes == 0)
    g->status = tdm_error_set(g->error, TDM_INVALID, "%s: a profile is an object",
                              tdm_input_path(g->input));
  if (g->status == TDM_OK && !g->failed) g->status = check(g);
  if (g->status == TDM_OK && !g->failed) {
    tdm_gecko_record(g);
    if (!g->failed) describe(g);
  }
  if (g->status == TDM_OK && g->failed)
    g->status = tdm_error_memory(g->error, "a profile's tables", g->thread_room);
  return g->status;
}

static void release(tdm_gecko *g) {
  for (size_t i = 0; i < g->threads; i++) {
    free(g->thread[i].name);
    free(g->thread[i].process);
    tdm_gecko_table_free(&g->thread[i].samples);
    tdm_gecko_table_free(&g->thread[i].markers);
    tdm_gecko_tables_free(&g->thread[i].own);
  }
  tdm_gecko_tables_free(&g->shared);
  free(g->thread);
  free(g->process);
  tdm_json_free(g->json);
}

static tdm_status read_gecko(tdm_input *input, const tdm_read_options *options,
                             tdm_recorder *recorder, tdm_error *error) {
  tdm_gecko g = {.input = input,
                 .options = options,
                 .recorder = recorder,
                 .json = tdm_json_new(input),
                 .version = TDM_NONE,
                 .processed = TDM_NONE,
                 .error = error};
  if (g.json == NULL) return tdm_error_memory(error, "a JSON parser", 0);
  if (tdm_gecko_next(&g) == TDM_JSON_OBJECT) read_profile(&g, 0);
  if (g.status == TDM_OK && !g.failed) g.status = tdm_json_finish(g.json, error);
  tdm_status status = finish(&g);
  release(&g);
  return status;
}

static bool holds(const unsigned char *head, size_t length, const char *word) {
  return memmem(head, length, word, strlen(word)) != NULL;
}

/* Raw profiles may be a whole megabyte of threads before their meta: any two of its words do. */
static int detect_gecko(const unsigned char *head, size_t length, const char *path) {
  static const char *const words[] = {"\"stackTable\"",  "\"frameTable\"", "\"stringTable\"",
                                      "\"stringArray\"", "\"funcTable\"",  "\"pausedRanges\"",
                                      "\"GeckoMain\"",   "\"stackwalk\"",  "\"markerSchema\""};
  size_t at = 0;
  int found = 0;
  (void)path;
  while (at < length && strchr(" \t\r\n", head[at]) != NULL && head[at] != 0) at++;
  if (at == length || head[at] != '{' || holds(head, length, "\"traceEvents\"")) return 0;
  if (holds(head, length, "\"preprocessedProfileVersion\"")) return 92;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) found += holds(head, length, words[i]);
  if (found >= 2) return 88;
  bool meta = holds(head, length, "\"meta\"") && holds(head, length, "\"version\"");
  return meta && holds(head, length, "\"threads\"")                                         ? 60
         : found > 0 && holds(head, length, "\"meta\"")                                     ? 60
         : meta && holds(head, length, "\"libs\"") && holds(head, length, "\"breakpadId\"") ? 70
                                                                                            : 0;
}

const tdm_reader tdm_reader_gecko = {.name = "gecko",
                                     .title = "Firefox profiles (Gecko, Firefox Profiler, samply)",
                                     .accepts = "*.json",
                                     .detect = detect_gecko,
                                     .read = read_gecko};
