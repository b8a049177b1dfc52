/* Execution traces for tests: Chakra's messages written as text, PyTorch's trees as JSON. */
#ifndef TDM_TESTS_EXECUTION_FIXTURE_H
#define TDM_TESTS_EXECUTION_FIXTURE_H

#include "proto_text.h"
#include "read/reader.h"
#include "records_as_text.h"

static inline const char *fact_of(const tdm_recording *got, const char *key) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(got, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(facts[i].key, key) == 0) return facts[i].value;
  return NULL;
}

/* Messages, each with its length before it. */
static inline tdm_proto_buffer file_of(size_t count, const char *const *messages) {
  tdm_proto_buffer file = {0}, one = {0};
  for (size_t i = 0; i < count; i++) {
    proto_fields(&one, messages[i]);
    assert_true(tdm_proto_reserve(&file, one.used + 20));
    file.used += tdm_proto_encode(file.bytes + file.used, one.used);
    if (one.used > 0) memcpy(file.bytes + file.used, one.bytes, one.used);
    file.used += one.used;
    one.used = 0;
  }
  tdm_proto_free(&one);
  return file;
}

static inline tdm_recording *read_messages(size_t count, const char *const *messages) {
  tdm_proto_buffer file = file_of(count, messages);
  tdm_recording *got = read_bytes(&tdm_reader_chakra, file.bytes, file.used);
  tdm_proto_free(&file);
  return got;
}
#define MESSAGES(...)                                                                              \
  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]) {             \
    __VA_ARGS__                                                                                    \
  }

#define CPU   "10{1'is_cpu_op' 27:1} 10{1'tid' 9:5}"
#define GPU_7 "10{1'is_cpu_op' 27:0} 10{1'tid' 9:7}"

static inline tdm_recording *read_tree(const char *text) {
  return read_bytes(&tdm_reader_execution, text, strlen(text));
}

#endif
