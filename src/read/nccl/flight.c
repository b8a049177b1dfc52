/* The reader of the flight recorder of PyTorch's NCCL process groups: the last collectives of a
 * rank, dumped when one of them hangs. A pickle, or JSON of the same.
 *
 * A collective begins when it was enqueued (time_created_ns) and ends when a watchdog, which looks
 * now and then, found it done: those are no times of kernels, and it is category "nccl", not
 * "kernel". duration_ms is the GPU's own time where timing was on. One that was not found done
 * stays open; those are what the dump is read for. Only the file's name says the rank. Called
 * through tdm_readers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/nccl/inside.h"

enum { MOST_BYTES = 1 << 28, MOST_SIZES = 4096, PROGRESS_ENTRIES = 1024 };

typedef struct {
  tdm_input *input;
  const tdm_read_options *options;
  tdm_recorder *recorder;
  tdm_nccl_tree tree;
  uint32_t layout[TDM_SHAPES];
  uint64_t entries, unfinished;
  int64_t rank;
} job;

static const tdm_arg args[] = {
    {"bytes", TDM_ARG_INT},      {"sequence", TDM_ARG_INT},  {"p2p_sequence", TDM_ARG_INT},
    {"operation", TDM_ARG_INT},  {"record", TDM_ARG_INT},    {"state", TDM_ARG_TEXT},
    {"data_type", TDM_ARG_TEXT}, {"p2p", TDM_ARG_BOOL},      {"found_started_ns", TDM_ARG_INT},
    {"gpu_ms", TDM_ARG_REAL},    {"timeout_ms", TDM_ARG_INT}};
enum { ARGS = sizeof args / sizeof *args };

/* ---- values ---- */

static int64_t integer(const job *j, tdm_nccl_ref of, const char *key) {
  return tdm_nccl_integer(&j->tree, tdm_nccl_get(&j->tree, of, key));
}

static int64_t name_of(const job *j, tdm_nccl_ref text) {
  const char *said = tdm_nccl_text(&j->tree, text);
  return *said != 0 ? (int64_t)tdm_record_text(j->recorder, said) : TDM_NONE;
}

static int64_t bytes_of_type(const char *type) {
  static const struct {
    const char *name;
    int64_t bytes;
  } types[] = {{"Float", 4},  {"Double", 8}, {"Half", 2},         {"BFloat16", 2},
               {"Int", 4},    {"Long", 8},   {"Short", 2},        {"Char", 1},
               {"Byte", 1},   {"Bool", 1},   {"ComplexFloat", 8}, {"ComplexDouble", 16},
               {"UInt16", 2}, {"UInt32", 4}, {"UInt64", 8},       {"ComplexHalf", 4}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, type) == 0) return types[i].bytes;
  return strncmp(type, "Float8", 6) == 0 ? 1 : 0;
}

/* Of all its tensors; TDM_NONE where a size or a type is not known. */
static int64_t bytes_of(const job *j, tdm_nccl_ref entry) {
  tdm_nccl_ref size = tdm_nccl_first(&j->tree, tdm_nccl_get(&j->tree, entry, "input_sizes"));
  tdm_nccl_ref type = tdm_nccl_first(&j->tree, tdm_nccl_get(&j->tree, entry, "input_dtypes"));
  int64_t sum = 0;
  if (size == 0 || type == 0) return TDM_NONE;
  for (int seen = 0; size != 0; size = tdm_nccl_next(&j->tree, size)) {
    int64_t product = bytes_of_type(tdm_nccl_text(&j->tree, type));
    if (product == 0) return TDM_NONE;
    for (tdm_nccl_ref dim = tdm_nccl_first(&j->tree, size); dim != 0;
         dim = tdm_nccl_next(&j->tree, dim)) {
      int64_t length = tdm_nccl_integer(&j->tree, dim);
      if (length < 0 || ++seen > MOST_SIZES || __builtin_mul_overflow(product, length, &product))
        return TDM_NONE;
    }
    if (++seen > MOST_SIZES || __builtin_add_overflow(sum, product, &sum)) return TDM_NONE;
    tdm_nccl_ref next = tdm_nccl_next(&j->tree, type); /* one type for all, or one each */
    if (next != 0) type = next;
  }
  return sum;
}

static double real(const job *j, tdm_nccl_ref value) {
  if (value == 0) return NAN;
  const tdm_nccl_node *node = &j->tree.node[value];
  if (node->kind == TDM_NCCL_REAL) return node->value.real;
  int64_t whole = tdm_nccl_integer(&j->tree, value);
  return whole != TDM_NONE ? (double)whole : NAN;
}

/* ---- entries ---- */

static uint32_t track_of(const job *j, tdm_nccl_ref entry) {
  char process[48], name[256];
  tdm_track track = TDM_TRACK_PLAIN;
  tdm_nccl_ref group = tdm_nccl_get(&j->tree, entry, "process_group");
  tdm_nccl_ref first = tdm_nccl_first(&j->tree, group), second = tdm_nccl_next(&j->tree, first);
  const char *number = tdm_nccl_text(&j->tree, first), *words = tdm_nccl_text(&j->tree, second);
  if (j->rank != TDM_NONE)
    snprintf(process, sizeof process, "rank %lld", (long long)j->rank);
  else
    snprintf(process, sizeof process, "a rank");
  int64_t id = integer(j, entry, "pg_id");
  if (*number == 0 && id == TDM_NONE)
    snprintf(name, sizeof name, "process group");
  else if (*number == 0)
    snprintf(name, sizeof name, "process group %lld", (long long)id);
  else
    snprintf(name, sizeof name, "process group %.80s%s%.120s", number, *words != 0 ? ", " : "",
             words);
  track.process = process;
  track.name = name;
  track.lane = TDM_LANE_COMM;
  return tdm_record_track(j->recorder, &track);
}

static uint32_t layout_of(job *j, tdm_shape shape) {
  return j->layout[shape] = tdm_record_layout(j->recorder, "nccl", shape, args, ARGS);
}

static void take_entry(job *j, tdm_nccl_ref entry) {
  const tdm_nccl_tree *tree = &j->tree;
  int64_t created = integer(j, entry, "time_created_ns"), dur_ns = 0;
  int64_t done = integer(j, entry, "time_discovered_completed_ns");
  if (created == TDM_NONE) {
    tdm_record_problem(j->recorder, "entries without a time (left out)", 1);
    return;
  }
  j->entries++;
  const char *state = tdm_nccl_text(tree, tdm_nccl_get(tree, entry, "state"));
  bool open = done == TDM_NONE && strcmp(state, "completed") != 0;
  if (done == TDM_NONE && !open)
    tdm_record_problem(j->recorder, "collectives whose end was not seen (made 0 long)", 1);
  if (done != TDM_NONE && (done < created || __builtin_sub_overflow(done, created, &dur_ns))) {
    tdm_record_problem(j->recorder, "records that end before they begin (made 0 long)", 1);
    dur_ns = 0;
  }
  j->unfinished += open;
  tdm_nccl_ref p2p = tdm_nccl_get(tree, entry, "is_p2p");
  tdm_nccl_ref type = tdm_nccl_first(tree, tdm_nccl_get(tree, entry, "input_dtypes"));
  const char *name = tdm_nccl_text(tree, tdm_nccl_get(tree, entry, "profiling_name"));
  const int64_t values[ARGS] = {
      bytes_of(j, entry),
      integer(j, entry, "collective_seq_id") != TDM_NONE ? integer(j, entry, "collective_seq_id")
                                                         : integer(j, entry, "seq_id"),
      integer(j, entry, "p2p_seq_id"),
      integer(j, entry, "op_id"),
      integer(j, entry, "record_id"),
      name_of(j, tdm_nccl_get(tree, entry, "state")),
      name_of(j, type),
      p2p != 0 && tree->node[p2p].kind == TDM_NCCL_BOOL ? tree->node[p2p].value.integer : TDM_NONE,
      integer(j, entry, "time_discovered_started_ns"),
      tdm_record_real(real(j, tdm_nccl_get(tree, entry, "duration_ms"))),
      integer(j, entry, "timeout_ms")};
  tdm_record_row(j->recorder, layout_of(j, open ? TDM_SHAPE_OPEN : TDM_SHAPE_ASYNC), created,
                 dur_ns, track_of(j, entry),
                 tdm_record_text(j->recorder, *name != 0 ? name : "collective"), values, ARGS);
}

/* {"0": {"desc": "default_pg", "ranks": "[0, 1]"}}: facts of each group, "pg.0.desc". */
static void take_groups(job *j, tdm_nccl_ref groups) {
  for (tdm_nccl_ref at = tdm_nccl_first(&j->tree, groups); at != 0;) {
    tdm_nccl_ref about = tdm_nccl_next(&j->tree, at);
    for (tdm_nccl_ref key = tdm_nccl_first(&j->tree, about); key != 0;) {
      char name[128], number[24];
      tdm_nccl_ref value = tdm_nccl_next(&j->tree, key);
      const char *said = tdm_nccl_text(&j->tree, value);
      int64_t whole = tdm_nccl_integer(&j->tree, value);
      snprintf(number, sizeof number, "%lld", (long long)whole);
      snprintf(name, sizeof name, "pg.%.40s.%.60s", tdm_nccl_text(&j->tree, at),
               tdm_nccl_text(&j->tree, key));
      if (*said != 0 || whole != TDM_NONE)
        tdm_record_fact(j->recorder, name, *said != 0 ? said : number);
      key = tdm_nccl_next(&j->tree, value);
    }
    at = tdm_nccl_next(&j->tree, about);
  }
}

static tdm_status take_dump(job *j, tdm_nccl_ref root, tdm_error *error) {
  char detail[128];
  const tdm_nccl_tree *tree = &j->tree;
  tdm_nccl_ref entries = tdm_nccl_get(tree, root, "entries");
  const char *version = tdm_nccl_text(tree, tdm_nccl_get(tree, root, "version"));
  const char *nccl = tdm_nccl_text(tree, tdm_nccl_get(tree, root, "nccl_version"));
  if (entries == 0 && *version == 0)
    return tdm_error_set(error, TDM_INVALID,
                         "%s: no dump of a flight recorder: it has neither \"version\" nor "
                         "\"entries\"",
                         tdm_input_path(j->input));
  uint64_t taken = 0;
  for (tdm_nccl_ref entry = tdm_nccl_first(tree, entries); entry != 0;
       entry = tdm_nccl_next(tree, entry)) {
    take_entry(j, entry);
    if (++taken % PROGRESS_ENTRIES != 0) continue;
    tdm_status status = tdm_read_progress(j->input, j->options, error);
    if (status != TDM_OK || tdm_recorder_failed(j->recorder)) return status;
  }
  take_groups(j, tdm_nccl_get(tree, root, "pg_config"));
  take_groups(j, tdm_nccl_get(tree, root, "pg_status"));
  snprintf(detail, sizeof detail, "flight recorder %.16s%s%.24s, %llu unfinished", version,
           *nccl != 0 ? ", NCCL " : "", nccl, (unsigned long long)j->unfinished);
  tdm_recorder_detail(j->recorder, detail);
  tdm_recorder_utc(j->recorder, 0);
  if (j->rank != TDM_NONE) tdm_recorder_rank(j->recorder, j->rank);
  return TDM_OK;
}

/* ---- the file ---- */

/* A ring's dump is small; the pickle machine wants it whole. */
static tdm_status load(job *j, unsigned char **bytes, size_t *length, tdm_error *error) {
  size_t room = 0;
  for (;;) {
    const unsigned char *piece;
    size_t got;
    tdm_status status = tdm_input_next(j->input, &piece, &got, error);
    if (status == TDM_OK) status = tdm_read_progress(j->input, j->options, error);
    if (status != TDM_OK || got == 0) return status;
    if (*length + got > MOST_BYTES)
      return tdm_error_set(error, TDM_INVALID, "%s: over 256 MiB, which no flight recorder dumps",
                           tdm_input_path(j->input));
    if (!tdm_array_grow(bytes, &room, *length + got, 1))
      return tdm_error_memory(error, "a dump", *length + got);
    memcpy(*bytes + *length, piece, got);
    *length += got;
  }
}

static tdm_status read_flight(tdm_input *input, const tdm_read_options *options,
                              tdm_recorder *recorder, tdm_error *error) {
  job j = {.input = input,
           .options = options,
           .recorder = recorder,
           .rank = tdm_read_rank_of_path(tdm_input_path(input))};
  unsigned char *bytes = NULL;
  const unsigned char *head;
  size_t length = 0;
  tdm_nccl_ref root = 0;
  tdm_status status = tdm_input_head(input, &head, &length, error);
  if (status == TDM_OK && length > 0 && head[0] == 0x80) {
    length = 0;
    status = load(&j, &bytes, &length, error);
    if (status == TDM_OK)
      status = tdm_nccl_pickle(&j.tree, tdm_input_path(input), bytes, length, &root, error);
    free(bytes);
  } else if (status == TDM_OK) {
    status = tdm_nccl_json(&j.tree, input, recorder, &root, error);
  }
  if (status == TDM_OK && j.tree.failed)
    status = tdm_error_memory(error, "a dump's values", j.tree.nodes);
  if (status == TDM_OK) status = take_dump(&j, root, error);
  tdm_nccl_tree_free(&j.tree);
  return status;
}

static bool holds(const unsigned char *head, size_t length, const char *word) {
  return memmem(head, length, word, strlen(word)) != NULL;
}

static int detect_flight(const unsigned char *head, size_t length, const char *path) {
  size_t at = 0;
  (void)path;
  if (length > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5)
    return holds(head, length, "collective_seq_id") || holds(head, length, "pg_config") ||
                   holds(head, length, "time_created_ns")
               ? 92
           : holds(head, length, "entries") && holds(head, length, "version") ? 60
                                                                              : 0;
  while (at < length && strchr(" \t\r\n", head[at]) != NULL) at++;
  if (at == length || head[at] != '{' || holds(head, length, "\"traceEvents\"")) return 0;
  if (holds(head, length, "\"pg_config\"") || holds(head, length, "\"collective_seq_id\""))
    return holds(head, length, "\"version\"") || holds(head, length, "\"entries\"") ? 85 : 0;
  return length < 256 && holds(head, length, "\"entries\"") && holds(head, length, "\"version\"")
             ? 60
             : 0;
}

const tdm_reader tdm_reader_nccl_flight = {.name = "nccl-flight-recorder",
                                           .title = "PyTorch's NCCL flight recorder",
                                           .accepts = "nccl_trace_rank_*, *.json",
                                           .detect = detect_flight,
                                           .read = read_flight};
