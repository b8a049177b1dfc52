/* read/execution: real graphs and trees against figures that a script counts in their bytes, with
 * the places that it gives nodes by the same rule; the rest by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "execution_fixture.h"

#define DATA "tests/data/execution/"

typedef struct {
  uint64_t rows, names, with_schema, aten, collectives, edges;
  int64_t total_ns, last_ns, starts_ns;
  uint64_t data_deps, ctrl_deps;
} figures;

/* Elements of a JSON list of numbers. */
static uint64_t elements(const char *list) {
  uint64_t count = strcmp(list, "[]") != 0;
  for (; *list != 0; list++) count += *list == ',';
  return count;
}

static const char *text_at(const tdm_recording *got, const tdm_layout *layout,
                           const tdm_kept_rows *rows, size_t row, const char *key) {
  uint32_t column = tdm_layout_column(layout, key);
  if (column == 0 || tdm_kept(rows, column, row) == TDM_NONE) return NULL;
  return tdm_recording_name(got, (uint32_t)tdm_kept(rows, column, row), NULL);
}

static void count_row(figures *sum, const tdm_recording *got, const tdm_layout *layout,
                      const tdm_kept_rows *rows, size_t row) {
  int64_t start = tdm_kept(rows, TDM_START, row), dur = tdm_kept(rows, TDM_DUR, row);
  const char *name = tdm_recording_name(got, (uint32_t)tdm_kept(rows, TDM_NAME, row), NULL);
  const char *schema = text_at(got, layout, rows, row, "op_schema");
  const char *data = text_at(got, layout, rows, row, "data_deps");
  const char *ctrl = text_at(got, layout, rows, row, "ctrl_deps");
  sum->rows++;
  sum->total_ns += dur;
  sum->starts_ns += start;
  if (start + dur > sum->last_ns) sum->last_ns = start + dur;
  sum->with_schema += schema != NULL;
  sum->aten += strncmp(name, "aten::", 6) == 0;
  sum->collectives += strcmp(name, "record_param_comms") == 0;
  if (data != NULL) sum->data_deps += elements(data);
  if (ctrl != NULL) sum->ctrl_deps += elements(ctrl);
}

static figures figures_of(const tdm_recording *got) {
  figures sum = {0};
  uint8_t seen[65536] = {0};
  for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
    const tdm_layout *layout = tdm_recording_layout(got, i);
    const tdm_kept_rows *rows = tdm_recording_rows(got, i);
    for (size_t row = 0; row < rows->count; row++) {
      int64_t name = tdm_kept(rows, TDM_NAME, row);
      if (layout->shape == TDM_SHAPE_EDGE) {
        assert_true(tdm_kept(rows, TDM_DUR, row) >= 0); /* nothing begins before it may */
        sum.edges++;
        continue;
      }
      count_row(&sum, got, layout, rows, row);
      assert_true(name < (int64_t)sizeof seen);
      sum.names += !seen[name];
      seen[name] = 1;
    }
  }
  return sum;
}

/* ---- Chakra ---- */

static void a_graph_has_the_figures_and_the_places_that_a_script_finds(void **state) {
  (void)state;
  tdm_recording *got = read_path(&tdm_reader_chakra, DATA "chakra.0.et.gz");
  figures sum = figures_of(got);
  assert_int_equal(sum.rows, 3664);
  assert_int_equal(sum.names, 144);
  assert_int_equal(sum.total_ns, INT64_C(381795000));
  assert_int_equal(sum.data_deps, 181878);
  assert_int_equal(sum.ctrl_deps, 3664);
  assert_int_equal(sum.edges, 181878);
  assert_int_equal(sum.last_ns, INT64_C(295545000));
  assert_int_equal(sum.starts_ns, INT64_C(230949925000));
  assert_string_equal(fact_of(got, "capture.times"), "placed by dependencies");
  assert_string_equal(fact_of(got, "chakra.schema"), "1.0.1");
  assert_int_equal(tdm_recording_source(got, 0)->rank, 0);
  size_t problems;
  tdm_recording_problems(got, &problems);
  assert_int_equal(problems, 0);
  tdm_recording_free(got);
}

static void json_has_the_same_nodes(void **state) {
  (void)state;
  tdm_recording *got = read_path(&tdm_reader_chakra_json, DATA "small_chakra.0.json");
  figures sum = figures_of(got);
  assert_int_equal(sum.rows, 7);
  assert_int_equal(sum.names, 6);
  assert_int_equal(sum.total_ns, 695000);
  assert_int_equal(sum.data_deps, 6);
  assert_int_equal(sum.ctrl_deps, 7);
  assert_int_equal(sum.edges, 6);
  assert_string_equal(fact_of(got, "chakra.soc"), "soc_name");
  tdm_recording_free(got);
}

static void nodes_start_after_their_data_and_when_their_stream_is_free(void **state) {
  (void)state;
  tdm_recording *got = read_messages(
      MESSAGES("1'2'", "1:1 2'a' 3:4 7:10 " CPU, "1:2 2'k' 3:4 5:1 7:30 " GPU_7,
               "1:3 2'k' 3:4 5:1 7:40 " GPU_7, /* the stream is busy until 40 */
               "1:4 2'ncclDevKernel' 3:7 5:2 4:3 7:5 10{1'is_cpu_op' 27:0} 10{1'comm_type' 9:2} "
               "10{1'comm_size' 9:64} 10{1'involved_dim' 28{1:1 1:0}}",
               "1:5 2'Memcpy HtoD (Pinned -> Device)' 3:4 5:4 7:1 " GPU_7));
  const char *const want[] = {
      "edge edge 10+0 'data' [host | thread 5 | thread CPU tid=5]"
      "[GPU #0 | stream 7 | stream GPU device=0 stream=7]",
      "edge edge 10+30 'data' [host | thread 5 | thread CPU tid=5]"
      "[GPU #0 | stream 7 | stream GPU device=0 stream=7]",
      "edge edge 40+0 'data' [GPU #0 | stream 7 | stream GPU device=0 stream=7]"
      "[GPU #0 | communication | stream COMM device=0]",
      "edge edge 45+35 'data' [GPU #0 | communication | stream COMM device=0]"
      "[GPU #0 | stream 7 | stream GPU device=0 stream=7]",
      "span cpu_op 0+10 'a' node=1 [host | thread 5 | thread CPU tid=5]",
      "span kernel 10+30 'k' node=2 data_deps=j'[1]' "
      "[GPU #0 | stream 7 | stream GPU device=0 stream=7]",
      "span kernel 40+40 'k' node=3 data_deps=j'[1]' "
      "[GPU #0 | stream 7 | stream GPU device=0 stream=7]",
      "span kernel 40+5 'ncclDevKernel' comm_type=t'all_gather' bytes=64 "
      "involved_dim=j'[true,false]' node=4 data_deps=j'[2]' ctrl_deps=j'[3]' "
      "[GPU #0 | communication | stream COMM device=0]",
      "span memcpy 80+1 'Memcpy HtoD (Pinned -> Device)' kind=t'HtoD' node=5 data_deps=j'[4]' "
      "[GPU #0 | stream 7 | stream GPU device=0 stream=7]"};
  lines all = lines_of(got);
  for (size_t i = 0; i < all.count; i++) { /* microseconds read better */
    char *at = all.line[i], *to = at;
    for (; *at != 0; at++)
      if (strncmp(at, "000", 3) != 0 || (at[3] != ' ' && at[3] != '+'))
        *to++ = *at;
      else
        at += 2;
    *to = 0;
  }
  qsort(all.line, all.count, sizeof *all.line, lines_order);
  assert_int_equal(all.count, sizeof want / sizeof *want);
  for (size_t i = 0; i < all.count; i++) assert_string_equal(all.line[i], want[i]);
  lines_free(&all);
  tdm_recording_free(got);
}

static void circles_and_twins_are_counted_and_all_nodes_are_placed(void **state) {
  (void)state;
  tdm_recording *got =
      read_messages(MESSAGES("", "1:1 2'a' 3:4 5:2 7:10", "1:2 2'b' 3:4 5:1 7:10",
                             "1:2 2'c' 3:4 5:2 5:77 7:10", "1:3 2'd' 3:4 5:3 7:10"));
  figures sum = figures_of(got);
  assert_int_equal(sum.rows, 4);
  assert_int_equal(sum.last_ns, 40000); /* one after the other on one stream */
  assert_int_equal(problem_count(got, "wait for themselves through others"), 1);
  assert_int_equal(problem_count(got, "whose number another one has"), 1);
  assert_int_equal(problem_count(got, "that are not in the file"), 1);
  tdm_recording_free(got);
}

static void recorded_starts_are_kept_and_without_durations_there_are_no_times(void **state) {
  (void)state;
  tdm_recording *got =
      read_messages(MESSAGES("", "1:1 2'a' 3:4 6:500 7:10", "1:2 2'b' 3:5 5:1 6:100 7:10"));
  assert_null(fact_of(got, "capture.times"));
  assert_int_equal(tdm_recording_source(got, 0)->first_ns, 100000);
  tdm_recording_free(got);
  got = read_messages(MESSAGES("", "1:1 2'a' 3:1", "1:2 2'b' 3:2 5:1"));
  const char *const want[] = {
      "instant mem_load 0+0 'b' node=2 data_deps=j'[1]' "
      "[GPU #0 | compute | stream GPU device=0]",
      "instant metadata 0+0 'a' node=1 [host | thread 0 | thread CPU tid=0]"};
  assert_rows(got, 2, want);
  assert_string_equal(fact_of(got, "capture.times"), "none");
  assert_int_equal(tdm_recording_source(got, 0)->first_ns, TDM_NONE);
  assert_int_equal(tdm_recording_source(got, 0)->last_ns, TDM_NONE);
  assert_int_equal(tdm_recording_source(got, 0)->rows, 2);
  tdm_recording_free(got);
}

static int sure(size_t count, const char *const *messages, const char *path) {
  tdm_proto_buffer file = file_of(count, messages);
  int how = tdm_reader_chakra.detect(file.bytes, file.used, path);
  assert_int_equal(tdm_reader_pftrace.detect(file.bytes, file.used, path), 0);
  assert_int_equal(tdm_reader_xplane.detect(file.bytes, file.used, path), 0);
  tdm_proto_free(&file);
  return how;
}

static void a_graph_is_told_by_its_first_two_messages(void **state) {
  (void)state;
  assert_true(sure(MESSAGES("2{1'schema' 29'1'}", "1:1 2'a' 3:4"), "x") > 0);
  assert_true(sure(MESSAGES("", "2'a' 3:1"), "x") > 0);
  assert_true(sure(MESSAGES(""), "empty.et") > 0);
  assert_int_equal(sure(MESSAGES(""), "x"), 0);
  assert_int_equal(sure(MESSAGES("", "1:1 3:4"), "x"), 0);
  assert_int_equal(sure(MESSAGES("", "1:1 2'a' 3:44"), "x"), 0);
  assert_int_equal(sure(MESSAGES("2'text'", "1:1 2'a' 3:4"), "x"), 0);
  tdm_recording *got = read_messages(MESSAGES(""));
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
}

/* ---- PyTorch ---- */

static void trees_have_the_figures_that_a_script_counts(void **state) {
  (void)state;
  static const struct {
    const char *path;
    figures want;
  } files[] = {
      {DATA "linear_et.json.gz", {.rows = 931, .names = 52, .with_schema = 710, .aten = 710}},
      {DATA "pt2_et.json.gz", {.rows = 20, .names = 13, .with_schema = 2, .aten = 2}},
      {DATA "1.0.2-chakra.0.0.4.json.gz",
       {.rows = 263, .names = 18, .with_schema = 220, .aten = 210, .collectives = 20}}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    tdm_recording *got = read_path(&tdm_reader_execution, files[i].path);
    figures sum = figures_of(got);
    assert_int_equal(sum.rows, files[i].want.rows);
    assert_int_equal(sum.names, files[i].want.names);
    assert_int_equal(sum.with_schema, files[i].want.with_schema);
    assert_int_equal(sum.aten, files[i].want.aten);
    assert_int_equal(sum.collectives, files[i].want.collectives);
    assert_int_equal(sum.last_ns, 0);
    assert_int_equal(tdm_recording_source(got, 0)->first_ns, TDM_NONE);
    assert_string_equal(fact_of(got, "capture.times"), "none");
    tdm_recording_free(got);
  }
}

static void both_layouts_give_the_same_node(void **state) {
  (void)state;
  const char *const want[] = {
      "instant cpu_op 0+0 'aten::mm' rf_id=5 scope=0 op_schema=t'aten::mm()' inputs=j'[[1,2]]' "
      "Input Dims=j'[[2,2]]' Input type=j'[\"Tensor(float)\"]' node=3 parent=2 "
      "[process 7 | thread 1 | thread CPU pid=7 tid=1]",
      "instant user_annotation 0+0 'step' scope=7 node=2 [process 7 | thread 1 | thread CPU pid=7 "
      "tid=1]"};
  tdm_recording *got = read_tree(
      "{\"schema\":\"1.0.1\",\"pid\":7,\"nodes\":[{\"name\":\"step\",\"id\":2,\"parent\":2,"
      "\"scope\":7,\"tid\":1,\"seq_id\":-1,\"inputs\":[]},{\"name\":\"aten::mm\",\"id\":3,"
      "\"rf_id\":5,\"parent\":2,\"fw_parent\":0,\"fw_tid\":0,\"scope\":0,\"tid\":1,"
      "\"op_schema\":\"aten::mm()\",\"inputs\":[[1,2]],\"input_shapes\":[[2,2]],"
      "\"input_types\":[\"Tensor(float)\"],\"outputs\":[]}]}");
  assert_rows(got, 2, want);
  tdm_recording_free(got);
  got = read_tree(
      "{\"schema\":\"1.1.0\",\"pid\":7,\"nodes\":[{\"id\":2,\"name\":\"step\",\"ctrl_deps\":2,"
      "\"attrs\":[{\"name\":\"scope\",\"type\":\"uint64\",\"value\":7},{\"name\":\"tid\","
      "\"value\":1}]},{\"id\":3,\"name\":\"aten::mm\",\"ctrl_deps\":2,\"attrs\":[{\"name\":"
      "\"rf_id\",\"value\":5},{\"name\":\"fw_parent\",\"value\":0},{\"name\":\"scope\",\"value\":0}"
      ","
      "{\"name\":\"tid\",\"value\":1},{\"name\":\"op_schema\",\"value\":\"aten::mm()\"}],"
      "\"inputs\":{\"values\":[[1,2]],\"shapes\":[[2,2]],\"types\":[\"Tensor(float)\"]},"
      "\"outputs\":{\"values\":[],\"shapes\":[],\"types\":[]}}],\"finish_ts\":9}");
  assert_rows(got, 2, want);
  assert_string_equal(fact_of(got, "execution.finish_ts"), "9");
  tdm_recording_free(got);
}

#define THREAD       "[process 0 | thread 0 | thread CPU]"
#define OLD(members) "{\"schema\":\"1.0.1\",\"nodes\":[{" members "}]}"

static void attributes_of_a_tree_keep_their_type_and_none_says_nothing(void **state) {
  (void)state;
  tdm_recording *got = read_tree(
      OLD("\"id\":3,\"name\":\"op\",\"parent\":3,\"a\":true,\"b\":false,\"c\":1.5,\"d\":\"\","
          "\"e\":\"x\",\"f\":[],\"g\":[0],\"h\":{\"k\":1},\"i\":null,\"fw_parent\":1,"
          "\"fw_tid\":2,\"seq_id\":0,\"rf_id\":0,\"scope\":6,\"input_shapes\":[[1]],"
          "\"input_types\":[\"t\"],\"output_shapes\":[[2]],\"output_types\":[\"u\"]"));
  const char *const said[] = {
      "instant cpu_op 0+0 'op' a=1b b=0b c=1.5r e=t'x' g=j'[0]' h=j'{\"k\":1}' fw_parent=1 "
      "fw_tid=2 seq_id=0 rf_id=0 scope=6 Input Dims=j'[[1]]' Input type=j'[\"t\"]' "
      "Output Dims=j'[[2]]' Output type=j'[\"u\"]' node=3 " THREAD};
  assert_rows(got, 1, said);
  tdm_recording_free(got);
  got = read_tree(OLD("\"name\":7,\"fw_parent\":0,\"fw_tid\":0,\"seq_id\":-1,\"fw_x\":0,"
                      "\"ctrl_deps\":[4,5],\"inputs\":{\"strides\":[1],\"other\":[2,{\"a\":1}],"
                      "\"values\":7},\"outputs\":{\"strides\":[3],\"shapes\":[4],\"types\":[5]}"));
  const char *const none[] = {"instant cpu_op 0+0 '' name=7 fw_x=0 ctrl_deps=j'[4,5]' "
                              "Input Strides=j'[1]' Output Strides=j'[3]' Output Dims=j'[4]' "
                              "Output type=j'[5]' " THREAD};
  assert_rows(got, 1, none);
  tdm_recording_free(got);
}

static void attributes_of_the_new_layout_are_found_by_their_names(void **state) {
  (void)state;
  tdm_recording *got = read_tree(
      OLD("\"id\":1,\"name\":\"op\",\"ctrl_deps\":0,\"attrs\":[[1,{\"name\":\"no\"}],3,"
          "{\"value\":1,\"name\":\"late\"},{\"name\":\"a\",\"type\":{\"x\":[1]},\"doc\":[{}],"
          "\"value\":{\"y\":2}},{\"name\":\"tid\",\"value\":8},{\"name\":5,\"value\":6}]"));
  const char *const want[] = {"instant cpu_op 0+0 'op' a=j'{\"y\":2}' node=1 parent=0 "
                              "[process 0 | thread 8 | thread CPU tid=8]"};
  assert_rows(got, 1, want);
  tdm_recording_free(got);
}

static void what_stands_beside_the_nodes_is_a_fact(void **state) {
  (void)state;
  tdm_recording *got =
      read_tree("{\"schema\":\"1.2\",\"pid\":9,\"list\":[1],\"map\":{\"a\":{}},"
                "\"yes\":true,\"time\":\"now\",\"nodes\":[7,{\"id\":1}],\"end\":4}");
  const char *const want[] = {
      "instant cpu_op 0+0 '' node=1 [process 9 | thread 0 | thread CPU pid=9]"};
  assert_rows(got, 1, want);
  assert_string_equal(fact_of(got, "execution.pid"), "9");
  assert_string_equal(fact_of(got, "execution.time"), "now");
  assert_string_equal(fact_of(got, "execution.end"), "4");
  assert_null(fact_of(got, "execution.list"));
  assert_null(fact_of(got, "execution.map"));
  assert_null(fact_of(got, "execution.yes"));
  assert_string_equal(tdm_recording_source(got, 0)->detail, "schema 1.2");
  tdm_recording_free(got);
}

static void nodes_that_are_not_wanted_are_left_out(void **state) {
  (void)state;
  static const char text[] =
      OLD("\"id\":1,\"name\":\"mine\",\"scope\":7},{\"id\":2,\"name\":\"op\",\"scope\":0");
  tdm_read_options options = {.dropped = TDM_READ_NO_CPU};
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory(text, sizeof text - 1, &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_execution, input, &options, &got, &error), TDM_OK);
  const char *const want[] = {"instant user_annotation 0+0 'mine' scope=7 node=1 " THREAD};
  assert_rows(got, 1, want);
  tdm_recording_free(got);
}

/* ---- Chakra as JSON ---- */

#define GRAPH(nodes) "{\"workload_graph\":[" nodes "]}"

static void keys_of_a_graph_are_spelled_freely_and_the_rest_are_arguments(void **state) {
  (void)state;
  static const char text[] =
      "{\"soc\":\"x\",\"ngpus\":8,\"list\":[{\"a\":1}],\"map\":{},\"no\":null,"
      "\"workload_graph\":[7,{\"Name\":\"lost\"},{\"ID\":1,\"Name\":\"a\",\"node_type\":4,"
      "\"IsCpuOp\":true,\"tid\":5,\"runTime\":10,\"a\":true,\"b\":2.5,\"c\":\"x\",\"d\":[1,{}],"
      "\"e\":7,\"f\":false,\"g\":\"8\"},{\"id\":\"2\",\"name\":\"Memcpy HtoD\",\"type\":\"4\","
      "\"is_cpu_op\":0,\"duration_micros\":3,\"dataDeps\":[1,[3],{\"a\":1},\"9\",null],"
      "\"ctrl_deps\":[1],\"names\":1,\"nam\":2},{\"id\":3,\"name\":[1],\"data_deps\":7,"
      "\"ctrl_deps\":{\"a\":1},\"is_cpu_op\":1,\"x\":1},{\"id\":4,\"is_cpu_op\":[1]}]}";
  tdm_recording *got = read_bytes(&tdm_reader_chakra_json, text, sizeof text - 1);
  const char *const want[] = {
      ("edge edge 10000+0 'data' [host | thread 5 | thread CPU tid=5]"
       "[GPU #0 | compute | stream GPU device=0]"),
      "instant cpu_op 0+0 '' name=j'[1]' x=1 node=3 [host | thread 0 | thread CPU tid=0]",
      "instant kernel 0+0 '' is_cpu_op=j'[1]' node=4 [GPU #0 | compute | stream GPU device=0]",
      ("span cpu_op 0+10000 'a' a=1b b=2.5r c=t'x' d=j'[1,{}]' e=7 f=0b g=t'8' node=1 "
       "[host | thread 5 | thread CPU tid=5]"),
      ("span memcpy 10000+3000 'Memcpy HtoD' names=1 nam=2 kind=t'HtoD' node=2 "
       "data_deps=j'[1,9]' ctrl_deps=j'[1]' [GPU #0 | compute | stream GPU device=0]")};
  assert_rows(got, 5, want);
  assert_int_equal(problem_count(got, "nodes without a number"), 1);
  assert_int_equal(problem_count(got, "dependencies that are no numbers"), 3);
  assert_int_equal(problem_count(got, "nodes that are not in the file"), 1);
  assert_string_equal(fact_of(got, "chakra.soc"), "x");
  assert_string_equal(fact_of(got, "chakra.ngpus"), "8");
  assert_null(fact_of(got, "chakra.list"));
  assert_null(fact_of(got, "chakra.no"));
  assert_string_equal(tdm_recording_source(got, 0)->detail, "JSON, 4 nodes");
  tdm_recording_free(got);
}

/* A name is that of its own node, whatever came before. */
static void a_node_has_nothing_of_the_one_before(void **state) {
  (void)state;
  static const char text[] =
      GRAPH("{\"id\":1,\"name\":\"Memset\",\"dataDeps\":[7],\"ctrlDeps\":[8]},{\"id\":2}");
  tdm_recording *got = read_bytes(&tdm_reader_chakra_json, text, sizeof text - 1);
  const char *const want[] = {
      "instant kernel 0+0 '' node=2 [GPU #0 | compute | stream GPU device=0]",
      ("instant memset 0+0 'Memset' node=1 data_deps=j'[7]' ctrl_deps=j'[8]' "
       "[GPU #0 | compute | stream GPU device=0]")};
  assert_rows(got, 2, want);
  tdm_recording_free(got);
}

static int sure_of(const tdm_reader *reader, const char *text) {
  return reader->detect((const unsigned char *)text, strlen(text), "x");
}

static void assert_refused(const tdm_reader *reader, const char *text, const char *why) {
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory(text, strlen(text), &input, &error), TDM_OK);
  assert_int_equal(read_input(reader, input, NULL, &got, &error), TDM_INVALID);
  assert_string_equal(error.message, why);
  tdm_recording_free(got);
}

static void other_json_is_not_taken_and_what_has_no_nodes_is_refused(void **state) {
  (void)state;
  assert_true(sure_of(&tdm_reader_execution, " {\n \"schema\" : \"1.0.1\", \"nodes\": []}") > 0);
  assert_int_equal(sure_of(&tdm_reader_execution, "{\"schema\":\"tandem.x/1\",\"nodes\":[]}"), 0);
  assert_int_equal(sure_of(&tdm_reader_execution, "{\"schema\":\"1.0.1\"}"), 0);
  assert_int_equal(sure_of(&tdm_reader_execution, "{\"nodes\":[],\"schema\":\"1.0.1\"}"), 0);
  assert_true(sure_of(&tdm_reader_execution, "{\"schema\":\"0\",\"nodes\"") > 0);
  assert_true(sure_of(&tdm_reader_execution, "{\"schema\":\"9\",\"nodes\"") > 0);
  static const char *const none[] = {"",
                                     " ",
                                     "{",
                                     "[\"schema\":\"1\",\"nodes\"",
                                     "{\"schema\"",
                                     "{\"schema\":",
                                     "{\"schema\":\"",
                                     "{\"schema\" \"1\",\"nodes\"",
                                     "{\"schema\":1,\"nodes\"",
                                     "{\"schemas\":\"1\",\"nodes\"",
                                     "{\"schema\":\":\",\"nodes\"",
                                     "{\"schema\":\"/\",\"nodes\""};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assert_int_equal(sure_of(&tdm_reader_execution, none[i]), 0);
  assert_int_equal(sure_of(&tdm_reader_chakra_json, " \n"), 0);
  assert_int_equal(sure_of(&tdm_reader_chakra_json, "{\"workload_grap"), 0);
  assert_true(sure_of(&tdm_reader_chakra_json, "\t\r\n {\"workload_graph\"") > 0);
  assert_true(sure_of(&tdm_reader_chakra_json, "{\"soc\":1,\"workload_graph\":[") > 0);
  assert_int_equal(sure_of(&tdm_reader_chakra_json, "[\"workload_graph\"]"), 0);
  assert_refused(&tdm_reader_execution, "{\"schema\":\"1.0.1\",\"nodes\":{}}",
                 "memory: no execution trace of PyTorch: nodes is no list");
  assert_refused(&tdm_reader_chakra_json, "{\"workload_graph\":3}",
                 "memory: no graph of Chakra: workload_graph is no list");
  assert_refused(&tdm_reader_chakra, "",
                 "memory: no Chakra execution trace: there is nothing in it");
  assert_refused(&tdm_reader_chakra, "\x05zz",
                 "memory: no Chakra execution trace: it ends within its first message");
  tdm_recording *got = read_tree("{\"schema\":\"1.0.1\",\"nodes\":[]}");
  assert_int_equal(rows_count(got), 0);
  tdm_recording_free(got);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_graph_has_the_figures_and_the_places_that_a_script_finds),
      cmocka_unit_test(json_has_the_same_nodes),
      cmocka_unit_test(nodes_start_after_their_data_and_when_their_stream_is_free),
      cmocka_unit_test(circles_and_twins_are_counted_and_all_nodes_are_placed),
      cmocka_unit_test(recorded_starts_are_kept_and_without_durations_there_are_no_times),
      cmocka_unit_test(a_graph_is_told_by_its_first_two_messages),
      cmocka_unit_test(trees_have_the_figures_that_a_script_counts),
      cmocka_unit_test(both_layouts_give_the_same_node),
      cmocka_unit_test(attributes_of_a_tree_keep_their_type_and_none_says_nothing),
      cmocka_unit_test(attributes_of_the_new_layout_are_found_by_their_names),
      cmocka_unit_test(what_stands_beside_the_nodes_is_a_fact),
      cmocka_unit_test(nodes_that_are_not_wanted_are_left_out),
      cmocka_unit_test(keys_of_a_graph_are_spelled_freely_and_the_rest_are_arguments),
      cmocka_unit_test(a_node_has_nothing_of_the_one_before),
      cmocka_unit_test(other_json_is_not_taken_and_what_has_no_nodes_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
