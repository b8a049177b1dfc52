/* The reader of NCCL Inspector's logs: JSON Lines, a collective or a point-to-point operation each,
 * with how long it took and how fast that was.
 *
 * Verbose logs have times of events: an operation ends with its last kernel. The others say only
 * when they were dumped: an operation is then placed so that it ends there, and that is counted.
 * Called through tdm_readers. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "read/json/json.h"
#include "read/lines.h"
#include "read/nccl/inside.h"

enum { PROGRESS_LINES = 1024, TEXT = 96 };

static const tdm_arg args[] = {{"bytes", TDM_ARG_INT},
                               {"sequence", TDM_ARG_INT},
                               {"peer", TDM_ARG_INT},
                               {"ranks", TDM_ARG_INT},
                               {"nodes", TDM_ARG_INT},
                               {"timing", TDM_ARG_TEXT},
                               {"algorithm_gb_per_s", TDM_ARG_REAL},
                               {"bus_gb_per_s", TDM_ARG_REAL}};
enum { ARGS = sizeof args / sizeof *args };

/* One line; what it does not say is TDM_NONE, NaN or "". */
typedef struct {
  char operation[TEXT], communicator[TEXT], timing[TEXT], version[24], host[TEXT];
  int64_t rank, ranks, nodes, pid, dumped_us, sequence, peer, bytes, last_us;
  int64_t took_ns;
  double algorithm, bus;
} line;

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_json *json;
  line line;
  uint32_t layout;
  uint64_t operations;
  int64_t rank; /* TDM_NONE: of none or several */
  char version[24];
} job;

/* ---- a line ---- */

typedef struct {
  const char *key;
  size_t at;
} place;
#define AT(member) offsetof(line, member)

static void take_text(line *l, const char *key, const char *text) {
  static const place texts[] = {{"coll", AT(operation)},
                                {"p2p", AT(operation)},
                                {"comm_name", AT(communicator)},
                                {"id", AT(communicator)},
                                {"coll_timing_source", AT(timing)},
                                {"p2p_timing_source", AT(timing)},
                                {"hostname", AT(host)}};
  if (strcmp(key, "inspector_output_format_version") == 0)
    snprintf(l->version, sizeof l->version, "%s", text);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *to = (char *)l + texts[i].at;
    if (strcmp(key, texts[i].key) == 0 && *to == 0) snprintf(to, TEXT, "%s", text);
  }
}

static void take_number(line *l, const char *key, const char *text, size_t length) {
  static const place integers[] = {{"rank", AT(rank)},
                                   {"n_ranks", AT(ranks)},
                                   {"nnodes", AT(nodes)},
                                   {"pid", AT(pid)},
                                   {"dump_timestamp_us", AT(dumped_us)},
                                   {"coll_sn", AT(sequence)},
                                   {"p2p_sn", AT(sequence)},
                                   {"p2p_peer", AT(peer)},
                                   {"coll_msg_size_bytes", AT(bytes)},
                                   {"p2p_msg_size_bytes", AT(bytes)}};
  int64_t value;
  if (strcmp(key, "coll_exec_time_us") == 0 || strcmp(key, "p2p_exec_time_us") == 0) {
    if (tdm_number_scaled(text, length, 3, &value) && value >= 0) l->took_ns = value;
  } else if (strcmp(key, "coll_algobw_gbs") == 0 || strcmp(key, "p2p_algobw_gbs") == 0) {
    l->algorithm = tdm_number_double(text, length);
  } else if (strcmp(key, "coll_busbw_gbs") == 0 || strcmp(key, "p2p_busbw_gbs") == 0) {
    l->bus = tdm_number_double(text, length);
  } else if (tdm_number_integer(text, length, &value)) {
    if (strcmp(key, "kernel_stop_ts") == 0 && value > l->last_us) l->last_us = value;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
      int64_t *to = (int64_t *)(void *)((char *)l + integers[i].at);
      if (strcmp(key, integers[i].key) == 0 && *to == TDM_NONE) *to = value;
    }
  }
}

/* Everything in it by its key: no two keys of a line mean different things. */
static void read_line(job *j, const char *text, size_t length) {
  char key[64] = "";
  j->line = (line){.rank = TDM_NONE,
                   .ranks = TDM_NONE,
                   .nodes = TDM_NONE,
                   .pid = TDM_NONE,
                   .dumped_us = TDM_NONE,
                   .sequence = TDM_NONE,
                   .peer = TDM_NONE,
                   .bytes = TDM_NONE,
                   .last_us = TDM_NONE,
                   .took_ns = TDM_NONE,
                   .algorithm = NAN,
                   .bus = NAN};
  tdm_json_text(j->json, text, length);
  for (;;) {
    tdm_json_token token = tdm_json_next(j->json);
    if (token == TDM_JSON_END) return;
    if (token == TDM_JSON_KEY)
      snprintf(key, sizeof key, "%s", tdm_json_value(j->json, NULL));
    else if (token == TDM_JSON_STRING)
      take_text(&j->line, key, tdm_json_value(j->json, NULL));
    else if (token == TDM_JSON_NUMBER) {
      size_t size;
      const char *said = tdm_json_value(j->json, &size);
      take_number(&j->line, key, said, size);
    }
  }
}

/* ---- records ---- */

static uint32_t track_of(const job *j) {
  char process[48], name[TEXT + 24];
  tdm_track track = TDM_TRACK_PLAIN;
  const line *l = &j->line;
  if (l->rank != TDM_NONE)
    snprintf(process, sizeof process, "rank %lld", (long long)l->rank);
  else
    snprintf(process, sizeof process, "a rank");
  snprintf(name, sizeof name, "communicator %s", l->communicator);
  track.process = process;
  track.name = name;
  track.lane = TDM_LANE_COMM;
  track.pid = l->pid;
  return tdm_record_track(j->recorder, &track);
}

static void take_operation(job *j) {
  const line *l = &j->line;
  int64_t end_us = l->last_us != TDM_NONE ? l->last_us : l->dumped_us, start_ns;
  if (*l->operation == 0 || l->took_ns == TDM_NONE || end_us == TDM_NONE ||
      __builtin_mul_overflow(end_us, 1000, &start_ns) ||
      __builtin_sub_overflow(start_ns, l->took_ns, &start_ns) || start_ns == TDM_NONE) {
    tdm_record_problem(j->recorder, "lines without an operation and its time (left out)", 1);
    return;
  }
  if (l->last_us == TDM_NONE)
    tdm_record_problem(j->recorder,
                       "operations without times (placed before the time of their dump)", 1);
  if (j->operations++ == 0) {
    j->rank = l->rank;
    snprintf(j->version, sizeof j->version, "%s", l->version);
    if (*l->host != 0) tdm_record_fact(j->recorder, "host.name", l->host);
  } else if (j->rank != l->rank) {
    j->rank = TDM_NONE;
  }
  const int64_t values[ARGS] = {l->bytes,
                                l->sequence,
                                l->peer,
                                l->ranks,
                                l->nodes,
                                *l->timing != 0 ? (int64_t)tdm_record_text(j->recorder, l->timing)
                                                : TDM_NONE,
                                tdm_record_real(l->algorithm),
                                tdm_record_real(l->bus)};
  tdm_record_row(j->recorder, j->layout, start_ns, l->took_ns, track_of(j),
                 tdm_record_text(j->recorder, l->operation), values, ARGS);
}

static tdm_status read_lines(job *j, tdm_error *error) {
  tdm_lines lines;
  const char *text;
  size_t length;
  tdm_status status = TDM_OK;
  tdm_lines_init(&lines, j->input);
  for (uint64_t n = 1; status == TDM_OK && tdm_lines_next(&lines, &text, &length); n++) {
    if (strspn(text, " \t\r") >= length) continue;
    read_line(j, text, length);
    take_operation(j);
    if (n % PROGRESS_LINES != 0) continue;
    if (tdm_recorder_failed(j->recorder)) break;
    status = tdm_read_progress(j->input, j->options, error);
  }
  if (status == TDM_OK && lines.status != TDM_OK) {
    *error = lines.error;
    status = lines.status;
  }
  tdm_lines_clear(&lines);
  return status;
}

static tdm_status read_inspector(tdm_input *input, const tdm_read_options *options,
                                 tdm_recorder *recorder, tdm_error *error) {
  char detail[64];
  job j = {.input = input,
           .options = options,
           .recorder = recorder,
           .json = tdm_json_new_text(),
           .rank = TDM_NONE};
  if (j.json == NULL) return tdm_error_memory(error, "a JSON parser", 0);
  j.layout = tdm_record_layout(recorder, "nccl", TDM_SHAPE_ASYNC, args, ARGS);
  tdm_status status = read_lines(&j, error);
  for (int repair = 0; repair < TDM_JSON_REPAIRS; repair++)
    tdm_record_problem(recorder, tdm_json_repair_name((tdm_json_repair)repair),
                       tdm_json_repaired(j.json, (tdm_json_repair)repair));
  if (status == TDM_OK && j.operations == 0)
    status =
        tdm_error_set(error, TDM_INVALID, "%s: no line of it is an operation of NCCL Inspector",
                      tdm_input_path(input));
  snprintf(detail, sizeof detail, "NCCL Inspector %s", j.version);
  tdm_recorder_detail(recorder, detail);
  tdm_recorder_utc(recorder, 0);
  if (j.rank != TDM_NONE) tdm_recorder_rank(recorder, j.rank);
  tdm_json_free(j.json);
  return status;
}

static int detect_inspector(const unsigned char *head, size_t length, const char *path) {
  static const char *const words[] = {"\"coll_perf\"", "\"p2p_perf\""};
  size_t at = 0;
  (void)path;
  while (at < length && strchr(" \t\r\n", head[at]) != NULL) at++;
  if (at == length || head[at] != '{') return 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(head, length, words[i], strlen(words[i])) != NULL)
      return memmem(head, length, "\"dump_timestamp_us\"", 19) != NULL ? 95 : 60;
  return 0;
}

const tdm_reader tdm_reader_nccl_inspector = {.name = "nccl-inspector",
                                              .title = "NCCL Inspector's JSON Lines",
                                              .accepts = "*.jsonl, *.log",
                                              .detect = detect_inspector,
                                              .read = read_inspector};
