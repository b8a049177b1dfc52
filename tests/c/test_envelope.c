/* Frames of the Jupyter protocol: opened with identities and buffers, refused where they are no
 * message, where the signature is another's, where a part was changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/envelope.h"

static const char header[] = "{\"msg_id\":\"1\",\"msg_type\" : \"interrupt_request\"}";

static tdm_frame frame(const char *text) {
  return (tdm_frame){text, strlen(text)};
}

typedef struct {
  tdm_frame frames[16];
  size_t count;
  char hex[TDM_ENVELOPE_HEX + 1];
} message;

/* Two identities, a signed message, one buffer. */
static void make(message *m, const char *key) {
  static const char *const texts[] = {"one", "two", "<IDS|MSG>", "",      header,
                                      "{}",  "{}",  "[1]",       "buffer"};
  m->count = sizeof texts / sizeof *texts;
  for (size_t i = 0; i < m->count; i++) m->frames[i] = frame(texts[i]);
  tdm_envelope_sign(m->frames + 4, frame(key), m->hex);
  m->frames[3] = frame(m->hex);
}

static void opens_what_was_signed(void **unused) {
  (void)unused;
  message m;
  tdm_envelope opened;
  make(&m, "secret");
  assert_int_equal(tdm_envelope_open(m.frames, m.count, frame("secret"), &opened, NULL), TDM_OK);
  assert_int_equal(opened.identities, 2);
  assert_int_equal(opened.buffers, 8);
  assert_ptr_equal(opened.parts[3].text, m.frames[7].text);
  assert_true(tdm_envelope_is(&opened, "interrupt_request"));
  assert_false(tdm_envelope_is(&opened, "interrupt"));
  assert_false(tdm_envelope_is(&opened, "shutdown_request"));
}

static void refuses_every_change(void **unused) {
  (void)unused;
  message m;
  tdm_envelope opened;
  tdm_error error;
  for (size_t i = 3; i < 8; i++) {
    make(&m, "secret");
    char changed[128];
    memcpy(changed, m.frames[i].text, m.frames[i].bytes);
    changed[m.frames[i].bytes / 2] ^= 1;
    m.frames[i].text = changed;
    assert_int_equal(tdm_envelope_open(m.frames, m.count, frame("secret"), &opened, &error),
                     TDM_INVALID);
    assert_string_equal(error.message, "its signature is not the key's");
  }
  make(&m, "secret");
  assert_int_equal(tdm_envelope_open(m.frames, m.count, frame("other"), &opened, NULL),
                   TDM_INVALID);
  m.frames[3].bytes = 63;
  assert_int_equal(tdm_envelope_open(m.frames, m.count, frame("secret"), &opened, NULL),
                   TDM_INVALID);
}

static void refuses_what_is_no_message(void **unused) {
  (void)unused;
  message m;
  tdm_envelope opened;
  tdm_error error;
  make(&m, "secret");
  assert_int_equal(tdm_envelope_open(m.frames, 0, frame("secret"), &opened, &error), TDM_INVALID);
  assert_int_equal(tdm_envelope_open(m.frames, 2, frame("secret"), &opened, &error), TDM_INVALID);
  assert_string_equal(error.message, "no frame of 2 is the delimiter <IDS|MSG>");
  assert_int_equal(tdm_envelope_open(m.frames, 7, frame("secret"), &opened, &error), TDM_INVALID);
  assert_string_equal(error.message, "4 frames follow the delimiter, not 5");
}

static void an_empty_key_signs_nothing(void **unused) {
  (void)unused;
  message m;
  tdm_envelope opened;
  make(&m, "");
  assert_string_equal(m.hex, "");
  assert_int_equal(tdm_envelope_open(m.frames, m.count, frame(""), &opened, NULL), TDM_OK);
}

static void finds_the_type_where_it_is_the_key(void **unused) {
  (void)unused;
  static const struct {
    const char *header;
    int is;
  } cases[] = {
      {"{\"msg_type\":\"stop\"}", 1},
      {"{\"username\":\"msg_type\",\"msg_type\":\n\"stop\"}", 1},
      {"{\"username\":\"\\\"msg_type\\\":\\\"stop\\\"\",\"msg_type\":\"go\"}", 0},
      {"{\"msg_type\":\"stop", 0},
      {"{\"msg_type\"", 0},
      {"\"msg_type\" \"stop\"", 0},
      {"", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tdm_envelope opened = {.parts = {frame(cases[i].header)}};
    assert_int_equal(tdm_envelope_is(&opened, "stop"), cases[i].is);
  }
  /* A frame ends where it says, whatever follows in memory. */
  static const char whole[] = "{\"msg_type\" : \"stop\"}";
  for (size_t bytes = 0; bytes < sizeof whole; bytes++) {
    tdm_envelope opened = {.parts = {{whole, bytes}}};
    assert_int_equal(tdm_envelope_is(&opened, "stop"), bytes >= sizeof whole - 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opens_what_was_signed),
      cmocka_unit_test(refuses_every_change),
      cmocka_unit_test(refuses_what_is_no_message),
      cmocka_unit_test(an_empty_key_signs_nothing),
      cmocka_unit_test(finds_the_type_where_it_is_the_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
