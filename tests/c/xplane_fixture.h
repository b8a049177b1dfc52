/* XPlanes for tests, written as text. */
#ifndef TDM_TESTS_XPLANE_FIXTURE_H
#define TDM_TESTS_XPLANE_FIXTURE_H

#include "proto_text.h"
#include "read/reader.h"
#include "records_as_text.h"

static const tdm_reader *const xplane = &tdm_reader_xplane;

static inline const char *fact_of(const tdm_recording *got, const char *key) {
  size_t count;
  const tdm_fact *facts = tdm_recording_facts(got, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(facts[i].key, key) == 0) return facts[i].value;
  return NULL;
}

static inline tdm_recording *read_fields(const char *text) {
  tdm_proto_buffer file = {0};
  proto_fields(&file, text);
  tdm_recording *got = read_bytes(xplane, file.bytes, file.used);
  tdm_proto_free(&file);
  return got;
}

#define NAME(number, name) "4{1:" #number " 2{1:" #number " 2'" name "'}} "
#define STAT(number, name) "5{1:" #number " 2{1:" #number " 2'" name "'}} "

#endif
