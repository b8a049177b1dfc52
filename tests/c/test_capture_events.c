/* Device times by events, and the table of handles, from many threads at once. The driver is a few
 * functions here: a stream is a moment until which it is busy, by the host's clock. That clock is
 * the test's own (the linker puts it in the place of the real one), as is waiting for the lock:
 * else a busy machine would tell other times, and lose work that it makes wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "capture/buffer.h"
#include "capture/event_times.h"
#include "capture/handles.h"

#include "traced_fixture.h"

enum { THREADS = 6, EACH = 3000, STREAMS = 4 };
static char path[64];

/* ---- the host */

static _Atomic int64_t clock_ns = 1000000000;

/* A microsecond goes by with each look. */
int64_t __wrap_tdm_capture_now_ns(void);
int64_t __wrap_tdm_capture_now_ns(void) {
  return atomic_fetch_add(&clock_ns, 1000) + 1000;
}
static void pass(int64_t ns) {
  atomic_fetch_add(&clock_ns, ns);
}
static int patience = 1;
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *lock, const struct timespec *until);
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *lock, const struct timespec *until) {
  (void)until;
  return patience ? pthread_mutex_lock(lock) : ETIMEDOUT;
}

/* ---- the driver */

typedef struct {
  _Atomic int64_t at_ns;
} moment;
static int the_context;
static int no_context;
static _Atomic int events_made, unsafe_calls;
static double clock_rate = 1;  /* of the device's clock, beside the host's */
static _Thread_local int mode; /* in which it captures streams into graphs; 2: knows what it does */

static int get_current(tdm_word *handle) {
  *handle = no_context ? 0 : (tdm_word)&the_context;
  return 0;
}
static int exchange(int *with) {
  int before = mode;
  return mode = *with, *with = before, 0;
}
static int make_moment(tdm_word *made, unsigned flags) {
  (void)flags;
  unsafe_calls += mode != 2;
  atomic_fetch_add(&events_made, 1);
  moment *m = calloc(1, sizeof *m);
  *made = (tdm_word)m;
  return m == NULL;
}
static _Thread_local tdm_word last_recorded;
static int event_record(tdm_word event, tdm_word stream) {
  last_recorded = event;
  int64_t now = tdm_capture_now_ns(), until = ((moment *)stream)->at_ns;
  ((moment *)event)->at_ns = until > now ? until : now;
  return 0;
}
static pthread_barrier_t stuck, freed;
static tdm_word stuck_on; /* a question about it waits at the one barrier, then at the other */
static int event_query(tdm_word event) {
  unsafe_calls += mode != 2;
  if (event == stuck_on) {
    stuck_on = 0;
    pthread_barrier_wait(&stuck);
    pthread_barrier_wait(&freed);
  }
  return ((moment *)event)->at_ns <= tdm_capture_now_ns() ? 0 : 600;
}
static int event_wait(tdm_word event) {
  while (event_query(event)) sched_yield();
  return 0;
}
static int elapsed(float *milliseconds, tdm_word from, tdm_word to) {
  if (event_query(to)) return 600;
  int64_t ns = ((moment *)to)->at_ns - ((moment *)from)->at_ns;
  *milliseconds = (float)((double)ns * clock_rate / 1e6);
  return 0;
}

void *tdm_driver_real(unsigned call) {
  switch (call) {
  case TDM_CALL_cuThreadExchangeStreamCaptureMode: return (void *)(uintptr_t)exchange;
  case TDM_CALL_cuCtxGetCurrent: return (void *)(uintptr_t)get_current;
  case TDM_CALL_cuStreamCreate:
  case TDM_CALL_cuEventCreate: return (void *)(uintptr_t)make_moment;
  case TDM_CALL_cuEventRecord: return (void *)(uintptr_t)event_record;
  case TDM_CALL_cuEventQuery: return (void *)(uintptr_t)event_query;
  case TDM_CALL_cuEventSynchronize: return (void *)(uintptr_t)event_wait;
  case TDM_CALL_cuEventElapsedTime: return (void *)(uintptr_t)elapsed;
  default: return NULL;
  }
}

/* ---- work */

static moment streams[STREAMS];

/* Puts work of so long onto a stream; its record's stream_id says how long, in us, and its grid
 * when it ends, in ns (upper and lower half). */
static int64_t work(moment *stream, int64_t takes_ns) {
  tdm_timed *timed = tdm_event_times_begin((tdm_word)stream);
  int64_t now = tdm_capture_now_ns(), until = stream->at_ns;
  stream->at_ns = (until > now ? until : now) + takes_ns;
  tdm_capture_record record = {.kind = TDM_CAPTURE_KERNEL, .start_ns = now, .end_ns = now};
  record.ran.stream_id = (uint32_t)(takes_ns / 1000);
  record.ran.grid[0] = (uint32_t)(stream->at_ns >> 32);
  record.ran.grid[1] = (uint32_t)stream->at_ns;
  tdm_event_times_end(timed, &record);
  return stream->at_ns;
}

static int in_child(void (*test)(void)) {
  pid_t pid = fork();
  if (pid == 0) {
    test();
    if (unsafe_calls) fprintf(stderr, "%d calls would spoil others' captures\n", unsafe_calls);
    if (mode) fprintf(stderr, "the thread's mode is left at %d\n", mode);
    _exit(mode || unsafe_calls);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

static void one_stream(void) {
  for (int i = 1; i <= 20; i++) work(&streams[0], i * 100000);
  pass(1000000000);
  tdm_event_times_collect();
}

static void work_on_a_stream_has_its_length_and_its_order(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(one_stream), 0);
  capture read = capture_read(path);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_KERNEL, NULL, NULL), 20);
  int64_t last_end = 0;
  for (size_t i = 0; i < read.count; i++) {
    const tdm_capture_record *r = &read.records[i].record;
    assert_int_equal(read.records[i].tid, 0);
    int64_t length = r->end_ns - r->start_ns, wanted = (int64_t)r->ran.stream_id * 1000;
    /* The first begins with its call, by clocks joined to some us. */
    int64_t unsure = last_end ? 1000 : 5000;
    assert_true(length > wanted - unsure && length < wanted + unsure);
    assert_true(r->start_ns >= last_end - 1000);
    last_end = r->end_ns;
  }
  capture_free(&read);
}

static void *many_of_thread(void *number) {
  for (int i = 0; i < EACH; i++) {
    work(&streams[((uintptr_t)number + (uintptr_t)i) % STREAMS], 0);
    if (i % 50 == 0) tdm_event_times_collect();
  }
  return NULL;
}
static void end_all(void) {
  tdm_event_times_collect();
  tdm_event_times_forget(0);
}
static void many(void) {
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, many_of_thread, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  end_all();
}

static void work_of_many_threads_is_complete(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(many), 0);
  capture read = capture_read(path);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_KERNEL, NULL, NULL), THREADS * EACH);
  assert_int_equal(read.header->lost, 0);
  capture_free(&read);
}

static void *collect_of_thread(void *unused) {
  tdm_event_times_collect();
  return unused;
}
static void beside_a_stuck_driver(void) {
  pthread_t thread;
  pthread_barrier_init(&stuck, NULL, 2);
  pthread_barrier_init(&freed, NULL, 2);
  work(&streams[0], 0);
  stuck_on = last_recorded;
  pthread_create(&thread, NULL, collect_of_thread, NULL);
  pthread_barrier_wait(&stuck);
  patience = 0;
  work(&streams[1], 0);
  patience = 1;
  pthread_barrier_wait(&freed);
  pthread_join(thread, NULL);
  work(&streams[1], 0);
  tdm_event_times_collect();
}

static void work_beside_a_stuck_driver_goes_on_untimed(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(beside_a_stuck_driver), 0);
  capture read = capture_read(path);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_KERNEL, NULL, NULL), 2);
  assert_int_equal(read.header->lost, 1);
  capture_free(&read);
}

static void many_and_ends(void) {
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, many_of_thread, (void *)i);
  for (int i = 0; i < 300; i++) {
    end_all();
    sched_yield();
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  end_all();
}

static void contexts_may_end_while_threads_work(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(many_and_ends), 0);
  capture read = capture_read(path);
  size_t kernels = capture_count(&read, TDM_CAPTURE_KERNEL, NULL, NULL);
  assert_int_equal(kernels + read.header->lost, THREADS * EACH);
  assert_true(kernels > 0);
  capture_free(&read);
}

/* More than there are events for, then an end of the context while it runs. */
static void too_much(void) {
  int64_t hour_ns = 3600000000000;
  for (int i = 0; i < 5000; i++) work(&streams[1], hour_ns);
  end_all();
  work(&streams[2], 0);
  tdm_event_times_collect();
  no_context = 1;
  work(&streams[2], 0);
}

static void work_that_cannot_be_timed_is_counted(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(too_much), 0);
  capture read = capture_read(path);
  assert_int_equal(read.header->lost, 5001);
  assert_int_equal(capture_count(&read, TDM_CAPTURE_KERNEL, NULL, NULL), 1);
  capture_free(&read);
}

/* The device's clock is 2 % fast, and it is never idle. */
static const int64_t LONG_NS = 2500000000, ALL_NS = 3200000000;
static void clocks_drift(void) {
  clock_rate = 1.02;
  work(&streams[1], 3600000000000);
  work(&streams[2], LONG_NS);
  for (int64_t begin = clock_ns; clock_ns < begin + ALL_NS;) {
    work(&streams[0], 1000000);
    pass(1200000);
    tdm_event_times_collect();
  }
}

static void clocks_are_joined_again_while_work_is_under_way(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  assert_int_equal(in_child(clocks_drift), 0);
  capture read = capture_read(path);
  assert_true(capture_count(&read, TDM_CAPTURE_KERNEL, NULL, NULL) > 2);
  int64_t last = 0, error_ns = 0;
  bool long_one = false;
  for (size_t i = 0; i < read.count; i++) {
    const tdm_capture_record *r = &read.records[i].record;
    int64_t end = (int64_t)r->ran.grid[0] << 32 | r->ran.grid[1];
    int64_t begin = end - (int64_t)r->ran.stream_id * 1000;
    if (r->ran.stream_id == LONG_NS / 1000) { /* from the reference of its own time */
      long_one = true;
      assert_in_range(r->start_ns - begin + 1000000, 0, 2000000);
    } else if (end > last) {
      last = end;
      error_ns = r->end_ns - end;
    }
  }
  assert_true(long_one);
  /* 2 % of the second since the last reference, not 64 ms, of the whole. */
  assert_in_range(error_ns + 1000000, 0, 22000000);
  capture_free(&read);
}

static void fork_while_busy(void) {
  pthread_t thread;
  work(&streams[0], 0); /* a child of a first call waits for ever in thread sanitizers' once */
  pthread_create(&thread, NULL, many_of_thread, NULL);
  for (int i = 0; i < 20; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      alarm(600);
      work(&streams[0], 0);
      end_all();
      raise(SIGKILL); /* a plain end, but for thread sanitizers: threads are missing */
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (WTERMSIG(status) != SIGKILL) _exit(1);
  }
  pthread_join(thread, NULL);
}

static void forks_do_not_wait_for_locks_of_the_parent(void **unused) {
  (void)unused;
  capture_make(path, CAPTURE_ALL, 0, true);
  alarm(600);
  assert_int_equal(in_child(fork_while_busy), 0);
  alarm(0);
}

/* ---- handles */

static tdm_handle slots[1024];
static const tdm_handles table = {slots, 1024};
static void *set_many(void *number) {
  for (uint64_t i = 1; i <= 300; i++) {
    tdm_handles_set(&table, i * 4096, i);
    uint64_t found = tdm_handles_get(&table, i * 4096);
    if (found != i && found != 0) return number;
  }
  return NULL;
}
static void handles_are_found_again(void **unused) {
  (void)unused;
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, set_many, slots);
  for (int i = 0; i < THREADS; i++) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
  for (uint64_t i = 1; i <= 300; i++) assert_int_equal(tdm_handles_get(&table, i * 4096), i);
  assert_int_equal(tdm_handles_get(&table, 5), 0);
  for (uint64_t i = 1; i <= 5000; i++) { /* more than fit: the last ones are there */
    tdm_handles_set(&table, i << 32, i);
    assert_int_equal(tdm_handles_get(&table, i << 32), i);
  }
}

int main(void) {
  snprintf(path, sizeof path, "/tmp/tandem-capture-XXXXXX");
  close(mkstemp(path));
  setenv(TDM_CAPTURE_FILE_VARIABLE, path, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(work_on_a_stream_has_its_length_and_its_order),
      cmocka_unit_test(work_of_many_threads_is_complete),
      cmocka_unit_test(work_beside_a_stuck_driver_goes_on_untimed),
      cmocka_unit_test(contexts_may_end_while_threads_work),
      cmocka_unit_test(work_that_cannot_be_timed_is_counted),
      cmocka_unit_test(clocks_are_joined_again_while_work_is_under_way),
      cmocka_unit_test(forks_do_not_wait_for_locks_of_the_parent),
      cmocka_unit_test(handles_are_found_again),
  };
  int failures = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(path);
  return failures;
}
