/* The bytes of a file: plain, gzip, zstd; whole, cut, damaged; as pieces and as a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "read/input.h"

enum { LARGE = 3000000 };

static tdm_error failure;
static unsigned char *large; /* LARGE bytes that compress by about a half */
static char target[] = "/tmp/tandem-input-XXXXXX";

static int make_files(void **state) {
  (void)state;
  large = malloc(LARGE);
  uint64_t word = 1;
  for (size_t i = 0; i < LARGE; i++) {
    word = word * UINT64_C(6364136223846793005) + 1442695040888963407u;
    large[i] = (unsigned char)("0123456789abcdef"[word >> 60]);
  }
  int fd = mkstemp(target);
  return fd < 0 ? -1 : close(fd);
}

static int remove_files(void **state) {
  (void)state;
  free(large);
  return unlink(target);
}

static size_t gzipped(const void *bytes, size_t length, unsigned char *out, size_t room) {
  z_stream z = {0};
  assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_in = (Bytef *)(uintptr_t)bytes;
  z.avail_in = (uInt)length;
  z.next_out = out;
  z.avail_out = (uInt)room;
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  deflateEnd(&z);
  return room - z.avail_out;
}

/* Reads all; the status that ends it. */
static tdm_status read_all(tdm_input *input, unsigned char **out, size_t *length) {
  *out = malloc(2 * LARGE + 1);
  *length = 0;
  for (;;) {
    const unsigned char *bytes;
    size_t piece;
    tdm_status status = tdm_input_next(input, &bytes, &piece, &failure);
    if (status != TDM_OK || piece == 0) return status;
    assert_true(*length + piece <= 2 * LARGE);
    memcpy(*out + *length, bytes, piece);
    *length += piece;
  }
}

static void write_target(const void *bytes, size_t length) {
  FILE *file = fopen(target, "wb");
  assert_int_equal(fwrite(bytes, 1, length, file), length);
  fclose(file);
}

/* From memory and from a file, with and without a look at the head. */
static void gives(const void *bytes, size_t length, const void *content, size_t content_length,
                  tdm_status expected) {
  write_target(bytes, length);
  for (int way = 0; way < 4; way++) {
    tdm_input *input;
    tdm_status status = way & 1 ? tdm_input_open_memory(bytes, length, &input, &failure)
                                : tdm_input_open(target, &input, &failure);
    assert_int_equal(status, TDM_OK);
    const unsigned char *head;
    size_t head_length;
    if (way & 2) {
      status = tdm_input_head(input, &head, &head_length, &failure);
      if (content_length > 0) {
        assert_int_equal(status, TDM_OK);
        assert_true(head_length >= 4096 || head_length == content_length);
        assert_memory_equal(head, content, head_length);
      }
    }
    unsigned char *all;
    size_t all_length;
    tdm_status end = read_all(input, &all, &all_length);
    if (content_length > 0 || !(way & 2)) assert_int_equal(end, expected);
    assert_int_equal(all_length, content_length);
    if (content_length > 0) assert_memory_equal(all, content, content_length);
    assert_int_equal(tdm_input_next(input, &head, &head_length, &failure), TDM_OK);
    assert_int_equal(head_length, 0); /* a failure comes once */
    free(all);
    tdm_input_close(input);
  }
}

static void plain_content_is_as_it_lies(void **state) {
  (void)state;
  gives("", 0, "", 0, TDM_OK);
  gives("hello", 5, "hello", 5, TDM_OK);
  gives(large, LARGE, large, LARGE, TDM_OK);
}

static void gzip_is_undone_member_by_member(void **state) {
  (void)state;
  unsigned char *packed = malloc(LARGE + 10000);
  size_t length = gzipped("hello ", 6, packed, 1000);
  length += gzipped("world", 5, packed + length, 1000);
  gives(packed, length, "hello world", 11, TDM_OK);
  memset(packed + length, 0, 600); /* padding */
  gives(packed, length + 600, "hello world", 11, TDM_OK);
  packed[length] = 'x';
  gives(packed, length + 600, "hello world", 11, TDM_INVALID);
  assert_non_null(strstr(failure.message, "other bytes follow its end"));
  length = gzipped(large, LARGE, packed, LARGE + 10000);
  gives(packed, length, large, LARGE, TDM_OK);
  length = gzipped("", 0, packed, 1000);
  gives(packed, length, "", 0, TDM_OK);
  free(packed);
}

static void zstd_is_undone_frame_by_frame(void **state) {
  (void)state;
  size_t room = LARGE + 10000;
  unsigned char *packed = malloc(room);
  size_t length = ZSTD_compress(packed, room, "hello ", 6, 1);
  length += ZSTD_compress(packed + length, room - length, "world", 5, 1);
  gives(packed, length, "hello world", 11, TDM_OK);
  gives(packed, length - 1, "hello worl", 10, TDM_INVALID);
  length = ZSTD_compress(packed, room, large, LARGE, 1);
  gives(packed, length, large, LARGE, TDM_OK);
  free(packed);
}

static void a_cut_file_gives_what_is_there_then_fails_once(void **state) {
  (void)state;
  unsigned char packed[200];
  size_t length = gzipped("hello hello hello", 17, packed, sizeof packed);
  for (size_t cut = 3; cut < length; cut++) {
    tdm_input *input;
    assert_int_equal(tdm_input_open_memory(packed, cut, &input, &failure), TDM_OK);
    unsigned char *all;
    size_t got;
    assert_int_equal(read_all(input, &all, &got), TDM_INVALID);
    assert_string_equal(failure.message, "memory: its gzip data ends too early");
    assert_true(got <= 17);
    assert_memory_equal(all, "hello hello hello", got);
    free(all);
    tdm_input_close(input);
  }
  unsigned char *all = malloc(LARGE + 10000);
  length = gzipped(large, LARGE, all, LARGE + 10000);
  write_target(all, length / 2);
  tdm_input *input;
  assert_int_equal(tdm_input_open(target, &input, &failure), TDM_OK);
  unsigned char *content;
  size_t got;
  assert_int_equal(read_all(input, &content, &got), TDM_INVALID);
  assert_true(got > LARGE / 3 && got < 2 * LARGE / 3);
  assert_memory_equal(content, large, got);
  free(content);
  free(all);
  tdm_input_close(input);
}

static void a_damaged_file_fails_in_one_line(void **state) {
  (void)state;
  unsigned char *packed = malloc(LARGE + 10000);
  size_t length = gzipped(large, LARGE, packed, LARGE + 10000);
  memset(packed + length / 2, 0xff, 64);
  tdm_input *input;
  assert_int_equal(tdm_input_open_memory(packed, length, &input, &failure), TDM_OK);
  unsigned char *content;
  size_t got;
  assert_int_equal(read_all(input, &content, &got), TDM_INVALID);
  assert_non_null(strstr(failure.message, "memory: its gzip data is damaged"));
  free(content);
  free(packed);
  tdm_input_close(input);
}

static void an_input_may_be_closed_before_its_end(void **state) {
  (void)state;
  unsigned char *packed = malloc(LARGE + 10000);
  size_t length = gzipped(large, LARGE, packed, LARGE + 10000);
  for (int pieces = 0; pieces < 4; pieces++) {
    tdm_input *input;
    const unsigned char *bytes;
    size_t got;
    assert_int_equal(tdm_input_open_memory(packed, length, &input, &failure), TDM_OK);
    for (int i = 0; i < pieces; i++)
      assert_int_equal(tdm_input_next(input, &bytes, &got, &failure), TDM_OK);
    tdm_input_close(input);
  }
  free(packed);
}

static void holds(const char *path, const void *content, size_t length) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  unsigned char *all = malloc(length + 1);
  assert_int_equal(fread(all, 1, length + 1, file), length);
  assert_memory_equal(all, content, length);
  free(all);
  fclose(file);
}

static void a_file_is_itself_or_spooled(void **state) {
  (void)state;
  tdm_input *input;
  const char *path;
  char kept[256];
  write_target("plain", 5);
  assert_int_equal(tdm_input_open(target, &input, &failure), TDM_OK);
  assert_int_equal(tdm_input_file(input, &path, &failure), TDM_OK);
  assert_string_equal(path, target);
  tdm_input_close(input);
  holds(target, "plain", 5);

  unsigned char packed[200];
  size_t length = gzipped("packed", 6, packed, sizeof packed);
  write_target(packed, length);
  assert_int_equal(tdm_input_open(target, &input, &failure), TDM_OK);
  const unsigned char *head;
  assert_int_equal(tdm_input_head(input, &head, &length, &failure), TDM_OK);
  assert_int_equal(tdm_input_file(input, &path, &failure), TDM_OK);
  assert_string_not_equal(path, target);
  holds(path, "packed", 6);
  snprintf(kept, sizeof kept, "%s", path);
  assert_int_equal(tdm_input_file(input, &path, &failure), TDM_OK);
  assert_string_equal(path, kept);
  tdm_input_close(input);
  assert_int_not_equal(access(kept, F_OK), 0);

  assert_int_equal(tdm_input_open_memory(large, LARGE, &input, &failure), TDM_OK);
  assert_int_equal(tdm_input_file(input, &path, &failure), TDM_OK);
  holds(path, large, LARGE);
  tdm_input_close(input);
}

/* The last bytes, and then everything: from memory, a file and, spooled, what is packed. */
static void ends(const void *bytes, size_t length, const unsigned char *content, size_t whole) {
  unsigned char tail[64];
  write_target(bytes, length);
  for (int way = 0; way < 4; way++) {
    tdm_input *input;
    tdm_status status = way & 1 ? tdm_input_open_memory(bytes, length, &input, &failure)
                                : tdm_input_open(target, &input, &failure);
    assert_int_equal(status, TDM_OK);
    const unsigned char *head;
    size_t got;
    if (way & 2) assert_int_equal(tdm_input_head(input, &head, &got, &failure), TDM_OK);
    for (size_t wanted = 7; wanted < sizeof tail; wanted += 50) {
      assert_int_equal(tdm_input_tail(input, tail, wanted, &got, &failure), TDM_OK);
      assert_int_equal(got, wanted < whole ? wanted : whole);
      assert_memory_equal(tail, content + whole - got, got);
    }
    unsigned char *all;
    assert_int_equal(read_all(input, &all, &got), TDM_OK);
    assert_int_equal(got, whole);
    assert_memory_equal(all, content, whole);
    free(all);
    tdm_input_close(input);
  }
}

static void the_end_is_known_ahead(void **state) {
  (void)state;
  unsigned char *packed = malloc(LARGE);
  ends(large, LARGE, large, LARGE);
  ends("twenty bytes of text", 20, (const unsigned char *)"twenty bytes of text", 20);
  ends(packed, gzipped(large, LARGE, packed, LARGE), large, LARGE);
  tdm_input *input;
  unsigned char tail[8];
  size_t length = gzipped(large, LARGE, packed, LARGE) / 2, got;
  assert_int_equal(tdm_input_open_memory(packed, length, &input, &failure), TDM_OK);
  assert_int_equal(tdm_input_tail(input, tail, sizeof tail, &got, &failure), TDM_INVALID);
  tdm_input_close(input);
  free(packed);
}

static int third_time(void *context, uint64_t done, uint64_t total) {
  assert_int_equal(done, 0);
  assert_int_equal(total, 0);
  return ++*(int *)context == 3;
}

static void making_a_file_stops_when_asked(void **state) {
  (void)state;
  tdm_input *input;
  const char *path;
  int asked = 0;
  assert_int_equal(tdm_input_open_memory(large, LARGE, &input, &failure), TDM_OK);
  tdm_input_watch(input, third_time, &asked);
  assert_int_equal(tdm_input_file(input, &path, &failure), TDM_INTERRUPTED);
  assert_int_equal(asked, 3);
  tdm_input_close(input);
}

static void standard_input_is_spooled(void **state) {
  (void)state;
  int ends[2], own = dup(STDIN_FILENO);
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "from a pipe", 11), 11);
  close(ends[1]);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  tdm_input *input;
  const char *path;
  assert_int_equal(tdm_input_open("-", &input, &failure), TDM_OK);
  assert_int_equal(tdm_input_file(input, &path, &failure), TDM_OK);
  holds(path, "from a pipe", 11);
  tdm_input_close(input);

  write_target("from a file", 11); /* its name is not known */
  FILE *file = fopen(target, "rb");
  dup2(fileno(file), STDIN_FILENO);
  fclose(file);
  assert_int_equal(tdm_input_open("-", &input, &failure), TDM_OK);
  assert_int_equal(tdm_input_file(input, &path, &failure), TDM_OK);
  holds(path, "from a file", 11);
  tdm_input_close(input);
  dup2(own, STDIN_FILENO);
  close(own);
}

static void progress_is_of_the_file_on_disk(void **state) {
  (void)state;
  tdm_input *input;
  uint64_t done, total;
  write_target(large, LARGE);
  assert_int_equal(tdm_input_open(target, &input, &failure), TDM_OK);
  tdm_input_progress(input, &done, &total);
  assert_int_equal(done, 0);
  assert_int_equal(total, LARGE);
  unsigned char *all;
  size_t length;
  read_all(input, &all, &length);
  tdm_input_progress(input, &done, &total);
  assert_int_equal(done, LARGE);
  free(all);
  tdm_input_close(input);
}

static void what_cannot_be_read_is_said(void **state) {
  (void)state;
  tdm_input *input;
  assert_int_equal(tdm_input_open("/nowhere/x", &input, &failure), TDM_IO);
  assert_null(input);
  assert_string_equal(failure.message, "cannot read /nowhere/x: No such file or directory");
  assert_int_equal(tdm_input_open("/tmp", &input, &failure), TDM_IO);
  assert_string_equal(failure.message, "cannot read /tmp: it is a directory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_content_is_as_it_lies),
      cmocka_unit_test(gzip_is_undone_member_by_member),
      cmocka_unit_test(zstd_is_undone_frame_by_frame),
      cmocka_unit_test(a_cut_file_gives_what_is_there_then_fails_once),
      cmocka_unit_test(a_damaged_file_fails_in_one_line),
      cmocka_unit_test(an_input_may_be_closed_before_its_end),
      cmocka_unit_test(a_file_is_itself_or_spooled),
      cmocka_unit_test(the_end_is_known_ahead),
      cmocka_unit_test(making_a_file_stops_when_asked),
      cmocka_unit_test(standard_input_is_spooled),
      cmocka_unit_test(progress_is_of_the_file_on_disk),
      cmocka_unit_test(what_cannot_be_read_is_said),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
