/* The capture file as libraries fill it: many threads at once, names, forks, full disks. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "capture/buffer.h"

#include "traced_fixture.h"

enum { THREADS = 8, EACH = 20000 };
static char path[64];

/* Each test in a process of its own, since a process has one file. */
static int in_child(void (*test)(void)) {
  pid_t pid = fork();
  if (pid == 0) {
    test();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

static void put_numbered(uint64_t number, uint64_t name) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_CALL, .name = name};
  record.correlation = tdm_capture_correlation();
  record.amount = number;
  tdm_capture_put(&record);
}

static void *fill(void *number) {
  for (uint64_t i = 0; i < EACH; i++) {
    char name[40];
    snprintf(name, sizeof name, "call %d", (int)(i % 100));
    put_numbered((uintptr_t)number * EACH + i, tdm_capture_text(name));
    if (i % 10 == 0) {
      tdm_capture_record shared = {.kind = TDM_CAPTURE_KERNEL};
      shared.ran.grid[0] = (uint32_t)i;
      tdm_capture_put_shared(&shared);
    }
  }
  return NULL;
}

static void fill_by_threads(void) {
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, fill, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static int by_number(const void *a, const void *b) {
  uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static void threads_lose_nothing(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(fill_by_threads), 0);
  capture read = capture_read(path);
  assert_int_equal(read.header->lost, 0);
  size_t calls = 0, kernels = 0;
  uint64_t *numbers = calloc(THREADS * EACH, sizeof *numbers);
  uint64_t *joins = calloc(THREADS * EACH, sizeof *joins);
  char text[1 << 16];
  for (size_t i = 0; i < read.count; i++) {
    const captured_record *r = &read.records[i];
    if (r->record.kind == TDM_CAPTURE_KERNEL) {
      assert_int_equal(r->tid, 0);
      kernels++;
    }
    if (r->record.kind != TDM_CAPTURE_CALL) continue;
    assert_true(calls < THREADS * EACH);
    assert_int_not_equal(r->tid, 0);
    joins[calls] = r->record.correlation;
    numbers[calls++] = r->record.amount;
    if (calls % 1000 == 0) {
      char expected[40];
      snprintf(expected, sizeof expected, "call %d", (int)(r->record.amount % EACH % 100));
      assert_string_equal(capture_text(&read, r->record.name, text), expected);
    }
  }
  assert_int_equal(calls, THREADS * EACH);
  assert_int_equal(kernels, THREADS * EACH / 10);
  qsort(numbers, calls, sizeof *numbers, by_number);
  qsort(joins, calls, sizeof *joins, by_number);
  for (size_t i = 0; i < calls; i++) {
    assert_int_equal(numbers[i], i);
    assert_true(joins[i] > 0 && (i == 0 || joins[i] > joins[i - 1]));
  }
  free(numbers);
  free(joins);
  capture_free(&read);
}

static void name_lengths(void) {
  static char text[80000];
  memset(text, 'x', sizeof text);
  static const size_t lengths[] = {1, 47, 48, 49, 111, 112, 113, 5000, 65535, 80000};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (int times = 0; times < 3; times++)
      put_numbered(lengths[i], tdm_capture_text_bytes(text, lengths[i]));
  put_numbered(0, tdm_capture_text(NULL));
  put_numbered(0, tdm_capture_text(""));
}

static void names_of_all_lengths(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(name_lengths), 0);
  capture read = capture_read(path);
  char *text = malloc(1 << 16);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_CALL, NULL, NULL), 32);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_NAME, NULL, NULL), 9); /* one is cut, not new */
  for (size_t i = 0; i < read.count; i++) {
    const tdm_capture_record *record = &read.records[i].record;
    if (record->kind != TDM_CAPTURE_CALL) continue;
    size_t length = record->amount < 65535 ? record->amount : 65535;
    assert_int_equal(strlen(capture_text(&read, record->name, text)), length);
  }
  free(text);
  capture_free(&read);
}

/* Says in the record whose it is: the reader must find the same. */
static void *fill_a_little(void *unused) {
  tdm_capture_record record = {.kind = TDM_CAPTURE_CALL, .name = tdm_capture_text("short")};
  record.address = (uint64_t)gettid();
  record.amount = (uint64_t)getpid();
  tdm_capture_put(&record);
  return unused;
}
static void short_threads(int bursts, int at_once) {
  pthread_t threads[THREADS];
  for (int i = 0; i < bursts; i++) {
    for (int t = 0; t < at_once; t++) pthread_create(&threads[t], NULL, fill_a_little, NULL);
    for (int t = 0; t < at_once; t++) pthread_join(threads[t], NULL);
  }
}
static void assert_short_threads(const capture *of, size_t count) {
  assert_int_equal(of->header->lost, 0);
  assert_int_equal(capture_count(of, TDM_CAPTURE_CALL, "short", NULL), count);
  for (size_t i = 0; i < of->count; i++) {
    if (of->records[i].record.kind != TDM_CAPTURE_CALL) continue;
    assert_int_equal(of->records[i].record.address, of->records[i].tid);
    assert_int_equal(of->records[i].record.amount, of->records[i].pid);
  }
}

static void one_after_another(void) {
  short_threads(5000, 1);
}
static void by_eights(void) {
  short_threads(200, THREADS);
}
static void threads_that_end_leave_their_room_to_others(void **unused) {
  (void)unused;
  /* A record and who writes it: 625 KiB. */
  capture_make(path, CAPTURE_ALL, 1 << 20, true);
  assert_int_equal(in_child(one_after_another), 0);
  capture read = capture_read(path);
  assert_short_threads(&read, 5000);
  assert_int_equal(read.opened, 3);
  capture_free(&read);
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(by_eights), 0);
  read = capture_read(path);
  assert_short_threads(&read, 200 * THREADS);
  assert_in_range(read.opened, 1, THREADS);
  capture_free(&read);
}

static void fork_between_threads(void) {
  short_threads(1, THREADS);
  pid_t pid = fork();
  short_threads(300, THREADS);
  if (pid) waitpid(pid, NULL, 0);
}
static void a_child_leaves_the_room_of_its_parents_threads_alone(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(fork_between_threads), 0);
  capture read = capture_read(path);
  assert_short_threads(&read, 601 * THREADS);
  assert_in_range(read.opened, 2, 2 * THREADS);
  capture_free(&read);
}

static pthread_barrier_t begun, left;
static void *fill_first(void *unused) {
  fill_a_little(unused);
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&begun);
  return unused;
}
static void *fill_much(void *unused) {
  pthread_barrier_wait(&begun);
  put_numbered(0, 0);
  pthread_barrier_wait(&begun);
  pthread_barrier_wait(&left); /* room before this thread's in the file */
  for (uint64_t i = 1; i < 5000; i++) put_numbered(i, 0);
  return unused;
}
static void first_and_long_thread(void) {
  pthread_t first, second;
  pthread_barrier_init(&begun, NULL, 2);
  pthread_barrier_init(&left, NULL, 2);
  pthread_create(&first, NULL, fill_first, NULL);
  pthread_create(&second, NULL, fill_much, NULL);
  pthread_join(first, NULL);
  pthread_barrier_wait(&left);
  pthread_join(second, NULL);
}
static void a_threads_records_stay_in_order(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(first_and_long_thread), 0);
  capture read = capture_read(path);
  uint64_t next = 0;
  for (size_t i = 0; i < read.count; i++)
    if (read.records[i].record.kind == TDM_CAPTURE_CALL && !read.records[i].record.name)
      assert_int_equal(read.records[i].record.amount, next++);
  assert_int_equal(next, 5000);
  capture_free(&read);
}

static void fork_and_fill(void) {
  put_numbered(1, tdm_capture_text("before"));
  pid_t pid = fork();
  for (int i = 0; i < 5000; i++)
    put_numbered(2, tdm_capture_text(pid ? "of the parent" : "of the child"));
  if (pid) waitpid(pid, NULL, 0);
}

static void forks_have_chunks_of_their_own(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(fork_and_fill), 0);
  capture read = capture_read(path);
  const captured_record *parent = NULL, *child = NULL;
  assert_int_equal(read.header->lost, 0);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_CALL, "before", NULL), 1);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_CALL, "of the parent", &parent), 5000);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_CALL, "of the child", &child), 5000);
  assert_int_not_equal(parent->pid, child->pid);
  assert_int_not_equal(parent->tid, child->tid);
  assert_int_equal(child->pid, child->tid);
  capture_free(&read);
}

static void fill_one(void) {
  fill(NULL);
}

static void a_limit_is_kept_and_losses_are_counted(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 1 << 20, true);
  assert_int_equal(in_child(fill_one), 0);
  capture read = capture_read(path);
  size_t calls = capture_count(&read, TDM_CAPTURE_CALL, NULL, NULL);
  size_t kernels = capture_count(&read, TDM_CAPTURE_KERNEL, NULL, NULL);
  assert_true(read.size <= 1 << 20 && calls > 4000);
  assert_int_equal(calls + kernels + read.header->lost, EACH + EACH / 10);
  capture_free(&read);
}

static void small_files_only(void) {
  struct rlimit files = {600000, 600000};
  setrlimit(RLIMIT_FSIZE, &files);
  fill(NULL);
}
static void a_process_limited_to_small_files_is_not_killed(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(small_files_only), 0);
  capture read = capture_read(path);
  assert_int_equal(read.opened, 2);
  assert_true(read.header->lost > 0);
  capture_free(&read);
}

static void file_is_lost(void) {
  put_numbered(1, tdm_capture_text("kept"));
  unlink(path);
  errno = 77;
  fill(NULL);
  assert_int_equal(errno, 77);
}
static void a_file_taken_away_costs_records_only(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(file_is_lost), 0);
}

static void fill_without_file(void) {
  unsetenv(TDM_CAPTURE_FILE_VARIABLE);
  assert_false(tdm_capture_wants(CAPTURE_ALL));
  fill(NULL);
}
static void fill_wrong_file(void) {
  assert_false(tdm_capture_wants(CAPTURE_ALL));
  fill(NULL);
}
static void without_a_file_nothing_happens(void **unused) {
  (void)unused;
  assert_int_equal(in_child(fill_without_file), 0);
  FILE *file = fopen(path, "w");
  for (int i = 0; i < 5000; i++) fputc('x', file);
  fclose(file);
  assert_int_equal(in_child(fill_wrong_file), 0);
  struct stat after;
  assert_int_equal(stat(path, &after), 0);
  assert_int_equal(after.st_size, 5000);
}

int main(void) {
  snprintf(path, sizeof path, "/tmp/tandem-capture-XXXXXX");
  int fd = mkstemp(path);
  close(fd);
  setenv(TDM_CAPTURE_FILE_VARIABLE, path, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_lose_nothing),
      cmocka_unit_test(names_of_all_lengths),
      cmocka_unit_test(threads_that_end_leave_their_room_to_others),
      cmocka_unit_test(a_child_leaves_the_room_of_its_parents_threads_alone),
      cmocka_unit_test(a_threads_records_stay_in_order),
      cmocka_unit_test(forks_have_chunks_of_their_own),
      cmocka_unit_test(a_limit_is_kept_and_losses_are_counted),
      cmocka_unit_test(a_process_limited_to_small_files_is_not_killed),
      cmocka_unit_test(a_file_taken_away_costs_records_only),
      cmocka_unit_test(without_a_file_nothing_happens),
  };
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failures;
}
