/* What nodes of execution traces become, by hand: each form of an attribute, each kind of node, its
 * track, its rank and its times; places of a random graph against a plain search for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "execution_fixture.h"

#define ON "[GPU #0 | compute | stream GPU device=0]"

/* ---- attributes ---- */

/* The numbers of et_def.proto, each with a value at its edge. */
static void each_form_of_an_attribute_has_its_value(void **state) {
  (void)state;
  tdm_recording *got = read_messages(MESSAGES(
      "", "1:1 2'k' 3:4 10{1'a' 3=2.5} 10{1'b' 5%1069547520} 10{1'c' 7:-3} 10{1'd' 9:-4} "
          "10{1'e' 11:4000000000} 10{1'f' 13:5} 10{1'g' 15:3} 10{1'h' 17:4} 10{1'i' 19%4294967295} "
          "10{1'j' 21^6} 10{1'k' 23%4294967295} 10{1'l' 25^18446744073709551614} 10{1'm' 27:0} "
          "10{1'n' 29'text'} 10{1'o' 31'bytes'}"));
  const char *const want[] = {
      "instant kernel 0+0 'k' a=2.5r b=1.5r c=-3 d=-4 e=4000000000 f=5 g=-2 h=2 i=4294967295 j=6 "
      "k=-1 l=-2 m=0b n=t'text' o=t'bytes' node=1 " ON};
  assert_rows(got, 1, want);
  tdm_recording_free(got);
}

/* Packed and one by one; what JSON cannot say is null. */
static void each_form_of_a_list_is_json(void **state) {
  (void)state;
  tdm_recording *got = read_messages(
      MESSAGES("", "1:1 2'k' 3:4 10{1'a' 4{1=2.5 1=nan 1=-inf}} 10{1'b' 6{1%1069547520 1%0}} "
                   "10{1'c' 8{1'\001\002\003'}} 10{1'd' 10{1:-4 2:9 1:5}} 10{1'e' 16{1'\003\004'}} "
                   "10{1'f' 24{1%4294967295}} 10{1'g' 28{1:1 1:0 1:1}} "
                   "10{1'h' 30{1'a\"b' 1:7 1'c'}} 10{1'i' 32{1'x'}} 10{1'j' 10{2:1}}"));
  const char *const want[] = {
      "instant kernel 0+0 'k' a=j'[2.5,null,null]' b=j'[1.5,0.0]' c=j'[1,2,3]' d=j'[-4,5]' "
      "e=j'[-2,2]' f=j'[-1]' g=j'[true,false,true]' h=j'[\"a\\\"b\",\"c\"]' i=j'[\"x\"]' j=j'[]' "
      "node=1 " ON};
  assert_rows(got, 1, want);
  tdm_recording_free(got);
}

static void attributes_that_say_nothing_are_left_out_and_counted(void **state) {
  (void)state;
  tdm_recording *got = read_messages(
      MESSAGES("", "1:1 2'k' 3:4 10{1'a'} 10{7:3} 10{1'b' 2:3} 10{1'c' 33:3} 10{1'd' 7'three'} "
                   "10{1'e' 8:3} 10{1:5 7:3} 10{1'f' 7:1 9'x'} 10'\012\001i\070' 10{1'g' 7:1} 10:4 "
                   "10{1'h' 9:9223372036854775808}"));
  const char *const want[] = {"instant kernel 0+0 'k' f=1 g=1 node=1 " ON};
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "attributes without a name or value"), 8);
  tdm_recording_free(got);
}

/* What the track says is no argument; a collective has its word and its bytes where it is a number
 * that there is. */
static void attributes_with_a_meaning_have_it_only_as_numbers(void **state) {
  (void)state;
  tdm_recording *got = read_messages(
      MESSAGES("",
               "1:1 2'a' 3:4 10{1'is_cpu_op' 9:1} 10{1'tid' 29'9'} 10{1'comm_size' 29'x'} "
               "10{1'comm_type' 29'y'}",
               "1:2 2'a' 3:7 10{1'is_cpu_op' 29'1'} 10{1'comm_size' 3=1.5} 10{1'comm_type' 9:10}",
               "1:3 2'a' 3:7 10{1'comm_size' 27:1} 10{1'comm_type' 9:-1}"));
  const char *const want[] = {("instant communication 0+0 'a' bytes=1b comm_type=-1 node=3 "
                               "[GPU #0 | communication | stream COMM device=0]"),
                              ("instant communication 0+0 'a' comm_size=1.5r comm_type=10 node=2 "
                               "[GPU #0 | communication | stream COMM device=0]"),
                              ("instant cpu_op 0+0 'a' comm_size=t'x' comm_type=t'y' node=1 "
                               "[host | thread 0 | thread CPU tid=0]")};
  assert_rows(got, 3, want);
  tdm_recording_free(got);
}

static void collectives_have_the_words_of_their_numbers(void **state) {
  (void)state;
  static const char *const words[] = {
      "all_reduce", "reduce",         "all_gather",           "gather", "scatter", "broadcast",
      "all_to_all", "reduce_scatter", "reduce_scatter_block", "barrier"};
  for (int i = 0; i < 10; i++) {
    char node[80], want[200];
    snprintf(node, sizeof node, "1:1 2'ncclX' 3:7 10{1'comm_type' 9:%d}", i);
    snprintf(want, sizeof want,
             "instant kernel 0+0 'ncclX' comm_type=t'%s' node=1 "
             "[GPU #0 | communication | stream COMM device=0]",
             words[i]);
    tdm_recording *got = read_messages(MESSAGES("", node));
    assert_rows(got, 1, &(const char *){want});
    tdm_recording_free(got);
  }
}

static void what_goes_in_and_out_is_told_apart(void **state) {
  (void)state;
  tdm_recording *got =
      read_messages(MESSAGES("", "1:1 2'k' 3:4 8{1'i' 2'is' 3'it' 1:4 4'no'} 9{1'o' 2'os' 3'ot'}",
                             "1:2 2'k' 3:4 8{1'' 2''} 9{3'x'} 8:3"));
  const char *const want[] = {
      ("instant kernel 0+0 'k' inputs=t'i' input_shapes=t'is' input_types=t'it' outputs=t'o' "
       "output_shapes=t'os' output_types=t'ot' node=1 " ON),
      "instant kernel 0+0 'k' output_types=t'x' node=2 " ON};
  assert_rows(got, 2, want);
  tdm_recording_free(got);
}

/* ---- kinds and tracks ---- */

static void each_kind_of_node_has_its_category_and_its_track(void **state) {
  (void)state;
  tdm_recording *got = read_messages(MESSAGES(
      "", "2'meta' 3:1 10{1'tid' 9:3}", "2'load' 3:2", "2'store' 3:3", "2'k' 3:4", "2'send' 3:5",
      "2'recv' 3:6", "2'coll' 3:7", "2'ncclDev' 3:5", "2'rcclDev' 3:7", "2'nccl' 3:4",
      "2'send7' 3:5 10{1'tid' 9:7}", "2'rcc' 3:6", "2'op' 3:7 10{1'is_cpu_op' 27:1}",
      "2'Memcpy DtoH (Device -> Pageable)' 3:4", "2'Memset (Device)' 3:4", "2'Memcp' 3:4",
      "2'Memcpy and a name that is longer than the text that is looked at, DtoH' 3:4"));
#define COMM "[GPU #0 | communication | stream COMM device=0]"
  const char *const want[] = {
      "instant communication 0+0 'coll' node=0 " COMM,
      "instant communication 0+0 'rcc' node=0 " COMM,
      "instant communication 0+0 'recv' node=0 " COMM,
      "instant communication 0+0 'send' node=0 " COMM,
      "instant communication 0+0 'send7' node=0 [GPU #0 | stream 7 | stream GPU device=0 stream=7]",
      "instant cpu_op 0+0 'op' node=0 [host | thread 0 | thread CPU tid=0]",
      "instant kernel 0+0 'Memcp' node=0 " ON,
      "instant kernel 0+0 'k' node=0 " ON,
      "instant kernel 0+0 'nccl' node=0 " ON,
      "instant kernel 0+0 'ncclDev' node=0 " COMM,
      "instant kernel 0+0 'rcclDev' node=0 " COMM,
      "instant mem_load 0+0 'load' node=0 " ON,
      "instant mem_store 0+0 'store' node=0 " ON,
      "instant memcpy 0+0 'Memcpy DtoH (Device -> Pageable)' kind=t'DtoH' node=0 " ON,
      ("instant memcpy 0+0 'Memcpy and a name that is longer than the text that is looked at, "
       "DtoH' node=0 " ON),
      "instant memset 0+0 'Memset (Device)' node=0 " ON,
      "instant metadata 0+0 'meta' node=0 [host | thread 3 | thread CPU tid=3]"};
  assert_rows(got, sizeof want / sizeof *want, want);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "17 nodes");
  tdm_recording_free(got);
}

static void times_that_are_none_are_left_out_and_counted(void **state) {
  (void)state;
  tdm_recording *got =
      read_messages(MESSAGES("", "1:1 2'a' 3:4 6:5 7:0", "1:9223372036854775808 2'b' 3:4 6:-1 7:-1",
                             "1:3 2'c' 3:4 6:9223372036854775 7:9223372036854776"));
  const char *const want[] = {"instant kernel 0+0 'b' " ON,
                              "instant kernel 9223372036854775000+0 'c' node=3 " ON,
                              "span kernel 5000+0 'a' node=1 " ON};
  assert_rows(got, 3, want);
  assert_int_equal(problem_count(got, "below zero or beyond 64 bits"), 3);
  assert_null(fact_of(got, "capture.times"));
  assert_string_equal(tdm_recording_source(got, 0)->detail, "3 nodes");
  tdm_recording_free(got);
}

/* Of the file only the header is read, under each name. */
static int64_t rank_of(const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s", scratch_path(name));
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputc(0, file);
  fclose(file);
  tdm_recording *got = read_path(&tdm_reader_chakra, path);
  int64_t rank = tdm_recording_source(got, 0)->rank;
  tdm_recording_free(got);
  remove(path);
  return rank;
}

static void a_rank_is_the_number_before_the_ending(void **state) {
  (void)state;
  static const char *const endings[] = {".et",   ".et.gz",   ".et.zst",
                                        ".json", ".json.gz", ".json.zst"};
  char name[40];
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    snprintf(name, sizeof name, "-x.12%s", endings[i]);
    assert_int_equal(rank_of(name), 12);
  }
  assert_int_equal(rank_of(".0.et"), 0);
  assert_int_equal(rank_of("-x12.et"), TDM_NONE);
  assert_int_equal(rank_of(".x.et"), TDM_NONE);
  assert_int_equal(rank_of(".12"), TDM_NONE);
  assert_int_equal(rank_of(".12.pb"), TDM_NONE);
}

/* ---- what holds for all of it, and damage ---- */

static void facts_of_a_graph_are_its_texts_and_whole_numbers(void **state) {
  (void)state;
  tdm_recording *got = read_messages(
      MESSAGES("1'v' 2{1'a' 9:-7} 2{1'b' 27:1} 2{1'c' 29'x'} 2{1'd' 3=1.5} 2{1'e' 10{1:4}} 2{7:1} "
               "2:3 3{1'f' 9:1}"));
  assert_string_equal(fact_of(got, "chakra.a"), "-7");
  assert_string_equal(fact_of(got, "chakra.b"), "1");
  assert_string_equal(fact_of(got, "chakra.c"), "x");
  assert_null(fact_of(got, "chakra.d"));
  assert_string_equal(fact_of(got, "chakra.e"), "[4]");
  assert_null(fact_of(got, "chakra.f"));
  tdm_recording_free(got);
}

static void damage_is_counted_and_what_comes_before_is_kept(void **state) {
  (void)state;
  static const char file[] = "\0"                       /* the header */
                             "\5\10\1\22\1a"            /* node 1, "a" */
                             "\2\22\5"                  /* a name that goes beyond its node */
                             "\377\377\377\377\377\377" /* no length of a message */
                             "\377\377\377\377\377";
  tdm_recording *got = read_bytes(&tdm_reader_chakra, file, sizeof file - 1);
  const char *const want[] = {"instant kernel 0+0 'a' node=1 " ON};
  assert_rows(got, 1, want);
  assert_int_equal(problem_count(got, "nodes that cannot be read"), 1);
  assert_int_equal(problem_count(got, "which is not nodes"), 1);
  assert_int_equal(problem_count(got, "cut off"), 0);
  assert_string_equal(tdm_recording_source(got, 0)->detail, "1 node");
  tdm_recording_free(got);
}

static int sure(size_t count, const char *const *messages, size_t cut) {
  tdm_proto_buffer file = file_of(count, messages);
  int how = tdm_reader_chakra.detect(file.bytes, file.used - cut, "x");
  tdm_proto_free(&file);
  return how;
}

static void a_graph_is_told_by_what_there_is_of_it(void **state) {
  (void)state;
  assert_true(sure(MESSAGES("2{1'schema' 29'1'}"), 0) > 0);
  assert_int_equal(sure(MESSAGES("2{1'schema' 29'1'}"), 1), 0);
  assert_int_equal(sure(MESSAGES("2{1'schema' 29'1'} 3:1"), 0), 0);
  assert_int_equal(sure(MESSAGES("2{7:1}"), 0), 0);
  assert_int_equal(sure(MESSAGES("2'n'"), 0), 0);
  assert_int_equal(sure(MESSAGES("2:7"), 0), 0);
  assert_true(sure(MESSAGES("1'1.0'", "1:1 2'a' 3:7"), 0) > 0);
  assert_int_equal(sure(MESSAGES("1'1.0'", "1:1 2'a' 3:8"), 0), 0);
  assert_int_equal(sure(MESSAGES("1'1.0'", "1:1 2'a' 3'x'"), 0), 0);
  assert_int_equal(sure(MESSAGES("1'1.0'", "1:1 2'a' 4:1"), 0), 0);
  assert_true(sure(MESSAGES("", "1:1 2'name' 3:4 8{1'in'}"), 4) > 0); /* the head is only a part */
  assert_true(sure(MESSAGES("", "1:1 2'name'"), 0) > 0);
  assert_int_equal(sure(MESSAGES("", "1:1 2'name'"), 1), 0);
  assert_int_equal(sure(MESSAGES("", "1'x' 2'name'"), 0), 0);
  assert_int_equal(sure(MESSAGES("", "1:1"), 0), 0);
}

/* ---- where nodes lie ---- */

/* Where no data is waited for, control decides; otherwise not. */
static void control_counts_where_there_is_no_data(void **state) {
  (void)state;
  tdm_recording *got =
      read_messages(MESSAGES("", "1:1 2'a' 3:4 7:10 " CPU, "1:2 2'b' 3:4 4:1 7:5 " GPU_7));
  const char *const want[] = {("edge edge 10000+0 'ctrl' [host | thread 5 | thread CPU tid=5]"
                               "[GPU #0 | stream 7 | stream GPU device=0 stream=7]"),
                              "span cpu_op 0+10000 'a' node=1 [host | thread 5 | thread CPU tid=5]",
                              ("span kernel 10000+5000 'b' node=2 ctrl_deps=j'[1]' "
                               "[GPU #0 | stream 7 | stream GPU device=0 stream=7]")};
  assert_rows(got, 3, want);
  tdm_recording_free(got);
  got = read_messages(MESSAGES("", "1:1 2'a' 3:4 7:10 " CPU,
                               "1:2 2'b' 3:4 4:1 5'\003\004' 7:5 " GPU_7, "1:3 2'c' 3:4 7:2 " GPU_7,
                               "1:4 2'd' 3:4 7:1 10{1'tid' 9:8}"));
  const char *const data[] = {
      ("edge edge 1000+1000 'data' [GPU #0 | stream 8 | stream GPU device=0 stream=8]"
       "[GPU #0 | stream 7 | stream GPU device=0 stream=7]"),
      ("edge edge 2000+0 'data' [GPU #0 | stream 7 | stream GPU device=0 stream=7]"
       "[GPU #0 | stream 7 | stream GPU device=0 stream=7]"),
      "span cpu_op 0+10000 'a' node=1 [host | thread 5 | thread CPU tid=5]",
      "span kernel 0+1000 'd' node=4 [GPU #0 | stream 8 | stream GPU device=0 stream=8]",
      "span kernel 0+2000 'c' node=3 [GPU #0 | stream 7 | stream GPU device=0 stream=7]",
      ("span kernel 2000+5000 'b' node=2 data_deps=j'[3,4]' ctrl_deps=j'[1]' "
       "[GPU #0 | stream 7 | stream GPU device=0 stream=7]")};
  assert_rows(got, 6, data);
  tdm_recording_free(got);
}

/* Starts are kept only where each node that lasts has one; edges do not begin after they end. */
static void starts_count_where_each_node_that_lasts_has_one(void **state) {
  (void)state;
  tdm_recording *got = read_messages(
      MESSAGES("", "1:1 2'a' 3:4 6:500 7:10", "1:2 2'b' 3:4 5:1 6:505 7:10", "1:3 2'c' 3:4 5:2"));
  const char *const kept[] = {"edge edge 0+0 'data' " ON ON, "edge edge 505000+0 'data' " ON ON,
                              "instant kernel 0+0 'c' node=3 data_deps=j'[2]' " ON,
                              "span kernel 500000+10000 'a' node=1 " ON,
                              "span kernel 505000+10000 'b' node=2 data_deps=j'[1]' " ON};
  assert_rows(got, 5, kept);
  assert_null(fact_of(got, "capture.times"));
  tdm_recording_free(got);
  got = read_messages(MESSAGES("", "1:1 2'a' 3:4 6:500 7:10", "1:2 2'b' 3:4 5:1 7:10",
                               "1:3 2'c' 3:4 5:1 7:0", "1:4 2'd' 3:4"));
  const char *const placed[] = {"edge edge 10000+0 'data' " ON ON,
                                "edge edge 10000+10000 'data' " ON ON,
                                "instant kernel 10000+0 'd' node=4 " ON,
                                "span kernel 0+10000 'a' node=1 " ON,
                                "span kernel 10000+10000 'b' node=2 data_deps=j'[1]' " ON,
                                "span kernel 20000+0 'c' node=3 data_deps=j'[1]' " ON};
  assert_rows(got, 6, placed);
  assert_string_equal(fact_of(got, "capture.times"), "placed by dependencies");
  tdm_recording_free(got);
}

enum { NODES = 120, STREAMS = 3, MOST = 3 };

typedef struct {
  int64_t dur, start, id;
  int stream, waits, wait[MOST];
} planned;

/* Always the node that may begin and became ready first, of equals that with the lowest number: it
 * begins when its stream is free. */
static void place_plainly(planned *node) {
  int64_t free_at[STREAMS] = {0};
  bool placed[NODES] = {false};
  for (int round = 0; round < NODES; round++) {
    int best = -1;
    int64_t best_ready = 0;
    for (int n = 0; n < NODES; n++) {
      int64_t ready = 0;
      bool may = !placed[n];
      for (int w = 0; w < node[n].waits && may; w++) {
        const planned *on = &node[node[n].wait[w]];
        may = placed[node[n].wait[w]];
        if (may && on->start + on->dur > ready) ready = on->start + on->dur;
      }
      if (!may || (best >= 0 &&
                   (ready > best_ready || (ready == best_ready && node[n].id > node[best].id))))
        continue;
      best = n;
      best_ready = ready;
    }
    int64_t *at = &free_at[node[best].stream];
    node[best].start = best_ready > *at ? best_ready : *at;
    if (node[best].dur > 0) *at = node[best].start + node[best].dur;
    placed[best] = true;
  }
}

static int draw(int below) {
  static uint32_t luck = 1;
  luck = luck * 1664525u + 1013904223u;
  return (int)(luck >> 8) % below;
}

/* Numbers are shuffled, so that neither the order of the file nor theirs is that of the waits. */
static void places_of_random_graphs_are_those_of_a_plain_search(void **state) {
  (void)state;
  for (int graph = 0; graph < 8; graph++) {
    static planned node[NODES];
    static char text[NODES + 1][120];
    const char *messages[NODES + 1];
    for (int n = 0; n < NODES; n++) {
      node[n] = (planned){.id = n + 1, .dur = draw(6), .stream = draw(STREAMS)};
      node[n].waits = n > 0 ? draw(MOST + 1) : 0;
      for (int w = 0; w < node[n].waits; w++) node[n].wait[w] = draw(n);
    }
    for (int n = NODES - 1; n > 0; n--) {
      int other = draw(n + 1);
      int64_t id = node[n].id;
      node[n].id = node[other].id;
      node[other].id = id;
    }
    place_plainly(node);
    messages[0] = text[0];
    for (int n = 0; n < NODES; n++) {
      const planned *p = &node[NODES - 1 - n];
      int used = snprintf(text[n + 1], sizeof *text, "1:%d 2'%d' 3:4 7:%d 10{1'tid' 9:%d}",
                          (int)p->id, (int)p->id, (int)p->dur, p->stream);
      for (int w = 0; w < p->waits; w++)
        used += snprintf(text[n + 1] + used, sizeof *text - (size_t)used, " 5:%d",
                         (int)node[p->wait[w]].id);
      messages[n + 1] = text[n + 1];
    }
    tdm_recording *got = read_messages(NODES + 1, messages);
    size_t seen = 0;
    for (uint32_t i = 0; i < tdm_recording_layouts(got); i++) {
      const tdm_kept_rows *rows = tdm_recording_rows(got, i);
      if (tdm_recording_layout(got, i)->shape != TDM_SHAPE_SPAN) continue;
      for (size_t row = 0; row < rows->count; row++) {
        int id = atoi(tdm_recording_name(got, (uint32_t)tdm_kept(rows, TDM_NAME, row), NULL));
        for (int n = 0; n < NODES; n++)
          if (node[n].id == id)
            assert_int_equal(tdm_kept(rows, TDM_START, row), 1000 * node[n].start);
        seen++;
      }
    }
    assert_int_equal(seen, NODES);
    tdm_recording_free(got);
  }
}

static void what_is_not_wanted_is_left_out(void **state) {
  (void)state;
  tdm_proto_buffer file =
      file_of(MESSAGES("", "1:1 2'a' 3:4 7:10 " CPU, "1:2 2'b' 3:4 5:1 7:5 " GPU_7));
  tdm_read_options options = {.dropped = TDM_READ_NO_CPU};
  tdm_input *input;
  tdm_recording *got;
  tdm_error error;
  assert_int_equal(tdm_input_open_memory(file.bytes, file.used, &input, &error), TDM_OK);
  assert_int_equal(read_input(&tdm_reader_chakra, input, &options, &got, &error), TDM_OK);
  assert_int_equal(rows_count(got), 2); /* the kernel and what it waits for */
  tdm_recording_free(got);
  tdm_proto_free(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_form_of_an_attribute_has_its_value),
      cmocka_unit_test(each_form_of_a_list_is_json),
      cmocka_unit_test(attributes_that_say_nothing_are_left_out_and_counted),
      cmocka_unit_test(attributes_with_a_meaning_have_it_only_as_numbers),
      cmocka_unit_test(collectives_have_the_words_of_their_numbers),
      cmocka_unit_test(what_goes_in_and_out_is_told_apart),
      cmocka_unit_test(each_kind_of_node_has_its_category_and_its_track),
      cmocka_unit_test(times_that_are_none_are_left_out_and_counted),
      cmocka_unit_test(a_rank_is_the_number_before_the_ending),
      cmocka_unit_test(facts_of_a_graph_are_its_texts_and_whole_numbers),
      cmocka_unit_test(damage_is_counted_and_what_comes_before_is_kept),
      cmocka_unit_test(a_graph_is_told_by_what_there_is_of_it),
      cmocka_unit_test(control_counts_where_there_is_no_data),
      cmocka_unit_test(starts_count_where_each_node_that_lasts_has_one),
      cmocka_unit_test(places_of_random_graphs_are_those_of_a_plain_search),
      cmocka_unit_test(what_is_not_wanted_is_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
