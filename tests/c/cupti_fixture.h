/* For tests of the injected library over the fake libcupti: runs programs in processes of their
 * own, notes activities in them, and walks the capture file that they leave. Owns that file's
 * mapping. */
#ifndef TDM_TESTS_CUPTI_FIXTURE_H
#define TDM_TESTS_CUPTI_FIXTURE_H

#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../capture/fake_cupti.h"
#include "base/sanitizer.h"
#include "capture/format.h"

static char library_path[4096], fake_path[4096], file_path[] = "/tmp/tandem-cupti-XXXXXX";
static const tdm_fake_cupti *fake; /* of the child */

enum {
  ALL =
      TDM_CAPTURE_WANT_API | TDM_CAPTURE_WANT_GPU | TDM_CAPTURE_WANT_MEMORY | TDM_CAPTURE_WANT_SYNC
};

/* The capture file of the process that has ended. */
static struct {
  char *bytes;
  size_t size;
  tdm_capture_header *header;
} file;

static void make_file(uint32_t wanted, bool recording) {
  tdm_capture_header header = {.magic = TDM_CAPTURE_MAGIC,
                               .version = TDM_CAPTURE_VERSION,
                               .wanted = wanted,
                               .recording = recording};
  int fd = open(file_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, &header, sizeof header), sizeof header);
  assert_int_equal(ftruncate(fd, TDM_CAPTURE_HEADER_BYTES), 0);
  close(fd);
}

static void map_file(void) {
  struct stat status;
  int fd = open(file_path, O_RDWR);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &status), 0);
  if (file.bytes) munmap(file.bytes, file.size);
  file.size = (size_t)status.st_size;
  file.bytes = mmap(NULL, file.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert_true(file.bytes != MAP_FAILED);
  file.header = (tdm_capture_header *)file.bytes;
  close(fd);
}

/* The next record after one, of that kind; NULL begins, and ends. */
static const tdm_capture_record *next(const tdm_capture_record *last, tdm_capture_kind kind) {
  size_t slot = TDM_CAPTURE_RECORD_BYTES;
  size_t at = last ? (size_t)((const char *)last - file.bytes) + slot
                   : (size_t)TDM_CAPTURE_HEADER_BYTES + slot;
  while (at + slot <= file.size) {
    size_t in = (at - TDM_CAPTURE_HEADER_BYTES) % TDM_CAPTURE_CHUNK_BYTES / slot;
    const tdm_capture_chunk *chunk = (const void *)(file.bytes + at - in * slot);
    const tdm_capture_record *record = (const void *)(file.bytes + at);
    if (in == 0)
      at += slot;
    else if (in > atomic_load(&chunk->records))
      at += (size_t)TDM_CAPTURE_CHUNK_BYTES - in * slot;
    else if (record->kind == kind)
      return record;
    else
      at +=
          slot * (record->kind == TDM_CAPTURE_NAME ? ((const tdm_capture_name *)record)->slots : 1);
  }
  return NULL;
}

static const tdm_capture_chunk *chunk_of(const tdm_capture_record *record) {
  size_t at = (size_t)((const char *)record - file.bytes) - TDM_CAPTURE_HEADER_BYTES;
  return (const void *)((const char *)record - at % TDM_CAPTURE_CHUNK_BYTES);
}

static size_t count(tdm_capture_kind kind) {
  size_t records = 0;
  for (const tdm_capture_record *r = next(NULL, kind); r; r = next(r, kind)) records++;
  return records;
}

static const char *text(uint64_t id) {
  static char found[1024];
  for (const tdm_capture_record *r = next(NULL, TDM_CAPTURE_NAME); r;
       r = next(r, TDM_CAPTURE_NAME)) {
    const tdm_capture_name *name = (const void *)r;
    if (name->id != id) continue;
    snprintf(found, sizeof found, "%.*s", (int)name->length, name->text);
    return found;
  }
  return NULL;
}

static void assert_message(const char *part) {
  for (const tdm_capture_record *r = next(NULL, TDM_CAPTURE_MESSAGE); r;
       r = next(r, TDM_CAPTURE_MESSAGE))
    if (strstr(text(r->name), part)) return;
  fail_msg("no message says \"%s\"", part);
}

static void nap(long ms) { /* between two looks */
  struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* In the child: what the driver does in the first cuInit. */
static void inject(void) {
  void *cupti = dlopen(fake_path, RTLD_NOW | RTLD_GLOBAL);
  void *library = dlopen(library_path, RTLD_NOW);
  if (!cupti || !library) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(90);
  }
  fake = dlsym(cupti, "fake_cupti");
  int (*initialize)(void) = NULL;
  void *symbol = dlsym(library, "InitializeInjection");
  memcpy(&initialize, &symbol, sizeof symbol);
  if (!initialize || !fake || initialize() != 1) _exit(91);
}

/* Runs a program in a process of its own, maps what it captured, returns how it ended. */
static int run(uint32_t wanted, bool recording, const char *how, void (*program)(void)) {
  make_file(wanted, recording);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    setenv(TDM_CAPTURE_FILE_VARIABLE, file_path, 1);
    setenv("TANDEM_CUPTI", fake_path, 1);
    setenv("FAKE_CUPTI", how, 1);
    alarm(600);                                                      /* a hang */
    for (int signal_number = 1; signal_number < 20; signal_number++) /* cmocka has its own */
      signal(signal_number, SIG_DFL);
    program();
    exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  map_file();
  return status;
}

static CUpti_ActivityAPI an_api_call(CUpti_ActivityKind kind, uint32_t number, uint32_t thread) {
  uint64_t now = fake->now();
  return (CUpti_ActivityAPI){.kind = kind,
                             .cbid = number,
                             .start = now,
                             .end = now + 1500,
                             .threadId = thread,
                             .correlationId = 7,
                             .returnValue = 2};
}

static CUpti_ActivityKernel10 a_kernel(uint32_t correlation) {
  uint64_t now = fake->now();
  return (CUpti_ActivityKernel10){.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                  .registersPerThread = 40,
                                  .start = now,
                                  .end = now + 25000,
                                  .deviceId = 3,
                                  .contextId = 1,
                                  .streamId = 13,
                                  .gridX = 100000,
                                  .gridY = 2,
                                  .gridZ = 3,
                                  .blockX = 256,
                                  .blockY = 4,
                                  .blockZ = 1,
                                  .staticSharedMemory = 1024,
                                  .dynamicSharedMemory = 512,
                                  .correlationId = correlation,
                                  .name = "_Z6matmulIfEvPKT_S2_PS0_i"};
}

#define NOTE(one) fake->note(&(one), sizeof(one))

static void note_calls_and_kernel(void) {
  CUpti_ActivityAPI runtime = an_api_call(CUPTI_ACTIVITY_KIND_RUNTIME,
                                          CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, 4242);
  CUpti_ActivityAPI driver =
      an_api_call(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 4243);
  CUpti_ActivityKernel10 kernel = a_kernel(7);
  NOTE(runtime);
  NOTE(driver);
  NOTE(kernel);
}

static void note_copies(void) {
  CUpti_ActivityMemcpy6 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD,
                                .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
                                .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                                .bytes = 1ull << 33,
                                .start = fake->now(),
                                .deviceId = 1,
                                .contextId = 2,
                                .streamId = 14,
                                .correlationId = 8};
  copy.end = copy.start + 1000;
  NOTE(copy);
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  NOTE(copy);
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  NOTE(copy);
  CUpti_ActivityMemcpyPtoP4 peer = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
                                    .bytes = 4096,
                                    .start = copy.start,
                                    .end = copy.end,
                                    .deviceId = 1,
                                    .streamId = 15,
                                    .correlationId = 9};
  NOTE(peer);
  CUpti_ActivityMemset4 fill = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                .bytes = 77,
                                .start = copy.start,
                                .end = copy.end,
                                .streamId = 16,
                                .correlationId = 10};
  NOTE(fill);
}

static void note_others(void) {
  uint64_t now = fake->now();
  CUpti_ActivitySynchronization2 sync = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                         .type =
                                             CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE,
                                         .start = now,
                                         .end = now + 9,
                                         .correlationId = 11,
                                         .streamId = 17,
                                         .cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE};
  NOTE(sync);
  CUpti_ActivityDevice5 device = {.kind = CUPTI_ACTIVITY_KIND_DEVICE,
                                  .globalMemorySize = 80ull << 30,
                                  .id = 3,
                                  .name = "A card"};
  NOTE(device);
  CUpti_ActivityMemory4 memory = {.kind = CUPTI_ACTIVITY_KIND_MEMORY2,
                                  .memoryOperationType =
                                      CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION,
                                  .memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
                                  .correlationId = 12,
                                  .address = 0x7f0000000000,
                                  .bytes = 1 << 20,
                                  .timestamp = now,
                                  .deviceId = 3};
  NOTE(memory);
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  NOTE(memory);
  CUpti_ActivityGraphTrace2 graph = {.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
                                     .correlationId = 13,
                                     .start = now,
                                     .end = now + 50,
                                     .deviceId = 3,
                                     .graphId = 99,
                                     .streamId = 18};
  NOTE(graph);
  CUpti_ActivityOverhead3 overhead = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
                                      .overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH,
                                      .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
                                      .objectId.pt.threadId = 4242,
                                      .start = now,
                                      .end = now + 2000000};
  NOTE(overhead);
}

#endif
