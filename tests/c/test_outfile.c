/* trace/outfile: a file that appears when it is complete: its name, its buffer, its numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/outfile.h"

static char folder[64], target[128];
static tdm_outfile file;
static tdm_error failure;

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/tandem-outfile-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(target, sizeof target, "%s/out", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  DIR *listing = opendir(folder);
  for (const struct dirent *entry; (entry = readdir(listing)) != NULL;)
    (void)unlinkat(dirfd(listing), entry->d_name, 0);
  closedir(listing);
  return rmdir(folder);
}

static size_t files(void) {
  size_t count = 0;
  DIR *listing = opendir(folder);
  for (const struct dirent *entry; (entry = readdir(listing)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(listing);
  return count;
}

static void put(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static void holds(const char *path, const char *text, size_t length) {
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  char *got = malloc(length + 2);
  assert_int_equal(fread(got, 1, length + 2, in), length);
  assert_memory_equal(got, text, length);
  free(got);
  fclose(in);
}

static void opened(const char *path) {
  if (tdm_outfile_open(&file, path, &failure) != TDM_OK) fail_msg("%s", failure.message);
}

static void commits(void) {
  if (tdm_outfile_commit(&file, &failure) != TDM_OK) fail_msg("%s", failure.message);
}

/* ---- names ---- */

static void the_temporary_name_is_the_first_that_is_free(void **state) {
  (void)state;
  char names[101][160];
  opened(target);
  snprintf(names[0], sizeof *names, "%s.%ld.0.tmp", target, (long)getpid());
  assert_string_equal(file.temporary, names[0]);
  assert_int_equal(access(target, F_OK), -1);
  tdm_outfile_abort(&file);
  assert_int_equal(files(), 0);
  for (unsigned i = 0; i < 100; i++) {
    snprintf(names[i], sizeof *names, "%s.%ld.%u.tmp", target, (long)getpid(), i);
    opened(target);
    assert_string_equal(file.temporary, names[i]);
    tdm_outfile_abort(&file);
    put(names[i], "somebody's");
  }
  assert_int_equal(tdm_outfile_open(&file, target, &failure), TDM_IO);
  char message[256];
  snprintf(message, sizeof message, "cannot write %s: File exists", target);
  assert_string_equal(failure.message, message);
  holds(names[0], "somebody's", 10);
  assert_int_equal(files(), 100);
  for (unsigned i = 0; i < 100; i++) unlink(names[i]);
}

static void a_file_keeps_its_mode_and_a_link_its_target(void **state) {
  (void)state;
  struct stat now;
  char link[160];
  put(target, "old");
  chmod(target, 0604);
  snprintf(link, sizeof link, "%s/link", folder);
  assert_int_equal(symlink("out", link), 0);
  opened(link);
  tdm_outfile_text(&file, "new");
  commits();
  holds(target, "new", 3);
  assert_int_equal(lstat(link, &now), 0);
  assert_true(S_ISLNK(now.st_mode));
  assert_int_equal(stat(target, &now), 0);
  assert_int_equal(now.st_mode & 07777, 0604);
  assert_int_equal(files(), 2);
  unlink(link);
  unlink(target);
  mode_t mask = umask(027);
  opened(target);
  commits();
  umask(mask);
  assert_int_equal(stat(target, &now), 0);
  assert_int_equal(now.st_mode & 07777, 0640);
  unlink(target);
}

/* What an open descriptor is open on is written from where it stands, and stays open. */
static void descriptors_of_ours_are_written_directly(void **state) {
  (void)state;
  static const char *const ways[] = {"/dev/fd/%d", "/proc/self/fd/%d"};
  for (size_t i = 0; i < 2; i++) {
    char name[64];
    put(target, "before,");
    int fd = open(target, O_WRONLY | O_APPEND);
    assert_true(fd > 2);
    snprintf(name, sizeof name, ways[i], fd);
    opened(name);
    assert_null(file.temporary);
    tdm_outfile_text(&file, "ours,");
    commits();
    assert_int_equal(write(fd, "after", 5), 5);
    close(fd);
    holds(target, "before,ours,after", 17);
    assert_int_equal(files(), 1);
    unlink(target);
    assert_int_equal(tdm_outfile_open(&file, name, &failure), TDM_IO); /* it is closed */
    /* more than a number names no descriptor */
    strcat(name, "x");
    assert_int_equal(tdm_outfile_open(&file, name, &failure), TDM_IO);
  }
  assert_int_equal(tdm_outfile_open(&file, "/dev/fd/", &failure), TDM_IO);
  assert_string_equal(failure.message, "cannot write /dev/fd/: Is a directory");
}

static void standard_output_and_error_are_ours(void **state) {
  (void)state;
  static const char *const names[] = {"/dev/stdout", "/dev/stderr"};
  for (int i = 0; i < 2; i++) {
    int number = i + 1, kept = dup(number);
    fflush(stdout);
    put(target, "before,");
    int fd = open(target, O_WRONLY | O_APPEND);
    dup2(fd, number);
    close(fd);
    tdm_status status = tdm_outfile_open(&file, names[i], &failure);
    if (status == TDM_OK) {
      tdm_outfile_text(&file, names[i]);
      status = tdm_outfile_commit(&file, &failure);
    }
    dup2(kept, number);
    close(kept);
    assert_int_equal(status, TDM_OK);
    holds(target, i == 0 ? "before,/dev/stdout" : "before,/dev/stderr", 18);
    unlink(target);
  }
}

static void what_cannot_take_its_place_is_removed(void **state) {
  (void)state;
  opened(target);
  tdm_outfile_text(&file, "text");
  assert_int_equal(mkdir(target, 0777), 0); /* meanwhile */
  assert_int_equal(tdm_outfile_commit(&file, &failure), TDM_IO);
  char message[256];
  snprintf(message, sizeof message, "cannot write %s: Is a directory", target);
  assert_string_equal(failure.message, message);
  assert_null(file.path);
  assert_null(file.temporary);
  assert_int_equal(files(), 1);
  assert_int_equal(rmdir(target), 0);
}

/* ---- the buffer ---- */

static void pieces_of_any_length_come_out_in_order(void **state) {
  (void)state;
  const size_t full = TDM_OUTFILE_BUFFER;
  const size_t pieces[][6] = {{full},
                              {full, 1},
                              {1, full},
                              {full - 1, 1, 1},
                              {full - 1, 2},
                              {full + 1, 3},
                              {3, full + 1, 5},
                              {3, 2 * full, 5, full - 5, 1},
                              {full, full, full},
                              {0, 0, 7}};
  size_t room = 4 * full;
  char *text = malloc(room);
  for (size_t i = 0; i < room; i++) text[i] = (char)('a' + (i * 7 + i / 256) % 26);
  for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
    size_t sum = 0;
    opened(target);
    for (size_t i = 0; i < 6; i++) {
      tdm_outfile_put(&file, text + sum, pieces[p][i]);
      sum += pieces[p][i];
      assert_in_range(file.used, 0, full);
    }
    commits();
    holds(target, text, sum);
  }
  free(text);
  unlink(target);
}

static void the_first_failure_is_told(void **state) {
  (void)state;
  opened("/dev/full");
  assert_null(file.temporary);
  char *text = calloc(1, TDM_OUTFILE_BUFFER);
  tdm_outfile_put(&file, text, TDM_OUTFILE_BUFFER);
  assert_int_equal(file.failure, 0); /* it is in the buffer */
  tdm_outfile_put(&file, text, 1);
  assert_true(file.failure != 0 && file.used == 1);
  free(text);
  tdm_outfile_text(&file, "more");
  assert_int_equal(tdm_outfile_commit(&file, &failure), TDM_IO);
  assert_string_equal(failure.message, "cannot write /dev/full: No space left on device");
}

/* ---- numbers, against printf ---- */

static void expect(const char *text) {
  file.buffer[file.used] = 0;
  assert_string_equal(file.buffer, text);
  file.used = 0;
}

static void numbers_are_those_of_printf(void **state) {
  (void)state;
  char text[64];
  opened(target);
  for (int bits = 0; bits < 64; bits++)
    for (int step = -101; step <= 101; step++) {
      uint64_t value = (UINT64_C(1) << bits) + (uint64_t)(int64_t)step;
      tdm_outfile_unsigned(&file, value);
      snprintf(text, sizeof text, "%llu", (unsigned long long)value);
      expect(text);
      tdm_outfile_integer(&file, (int64_t)value);
      snprintf(text, sizeof text, "%lld", (long long)value);
      expect(text);
      uint64_t size = (int64_t)value < 0 ? 0 - value : value;
      tdm_outfile_micros(&file, (int64_t)value);
      snprintf(text, sizeof text, "%s%llu.%03llu", (int64_t)value < 0 ? "-" : "",
               (unsigned long long)(size / 1000), (unsigned long long)(size % 1000));
      expect(text);
    }
  for (uint64_t value = 0; value <= 1100; value++) {
    tdm_outfile_unsigned(&file, value);
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    expect(text);
  }
  tdm_outfile_abort(&file);
}

static void doubles_read_back_the_same_in_the_fewest_digits(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.0, "0"},
               {-0.0, "-0"},
               {1.0, "1"},
               {-7.0, "-7"},
               {0.5, "0.5"},
               {0.1, "0.1"},
               {0.30000000000000004, "0.30000000000000004"},
               {1.0 / 3, "0.3333333333333333"},
               {2.0 / 3, "0.6666666666666666"},
               {5e-324, "4.94065645841247e-324"},
               {DBL_MAX, "1.7976931348623157e+308"},
               {999999999999999.0, "999999999999999"},
               {1e15, "1e+15"},
               {-1e15, "-1e+15"},
               {1e15 + 2, "1000000000000002"},
               {123456.5, "123456.5"},
               {(double)INFINITY, "null"},
               {-(double)INFINITY, "null"},
               {(double)NAN, "null"}};
  opened(target);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tdm_outfile_double(&file, cases[i].value);
    expect(cases[i].text);
  }
  tdm_outfile_json(&file, "a\"b");
  expect("\"a\\\"b\"");
  tdm_outfile_abort(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_temporary_name_is_the_first_that_is_free),
      cmocka_unit_test(a_file_keeps_its_mode_and_a_link_its_target),
      cmocka_unit_test(descriptors_of_ours_are_written_directly),
      cmocka_unit_test(standard_output_and_error_are_ours),
      cmocka_unit_test(what_cannot_take_its_place_is_removed),
      cmocka_unit_test(pieces_of_any_length_come_out_in_order),
      cmocka_unit_test(the_first_failure_is_told),
      cmocka_unit_test(numbers_are_those_of_printf),
      cmocka_unit_test(doubles_read_back_the_same_in_the_fewest_digits),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
