/* A program with ranges of NVTX, by the part of NVTX that is compiled into programs: it loads the
 * library that $NVTX_INJECTION64_PATH names and lets it fill the tables. Exits with 0 if what the
 * library answers is what NVTX promises. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef void function(void);
static function *core[16], *core2[16], *other[16];
static function **core_slots[16], **core2_slots[16];

static int functions_of(int module, function ****table, unsigned *size) {
  function **from = module == 1 ? core : core2;
  function ***slots = module == 1 ? core_slots : core2_slots;
  if (module != 1 && module != 5) return 0;
  for (int i = 1; i < 16; i++) slots[i] = &from[i];
  *table = slots;
  *size = 16;
  return 1;
}
static const struct {
  size_t bytes;
  int (*functions_of)(int module, function ****table, unsigned *size);
} callbacks = {sizeof callbacks, functions_of};
static const void *export_table(uint32_t table) {
  return table == 1 ? &callbacks : NULL;
}

typedef struct {
  uint16_t version, size;
  uint32_t category;
  int32_t color_kind;
  uint32_t color;
  int32_t payload_kind, reserved;
  uint64_t payload;
  int32_t message_kind;
  const void *message;
} attributes;

#define CORE(number, ...)  ((int (*)(__VA_ARGS__))core[number])
#define CORE2(number, ...) ((int (*)(__VA_ARGS__))core2[number])

static uint64_t in_thread;
static void *ends_it(void *unused) {
  ((void (*)(uint64_t))core[7])(in_thread);
  return unused;
}

/* What other destructors of a thread do when NVTX's own has been. */
static pthread_key_t late_key;
static void late(void *unused) {
  (void)unused;
  CORE(11, void)();
  CORE(9, const char *)("late");
  CORE(11, void)();
}
static void *ends_with_ranges_open(void *unused) {
  CORE(9, const char *)("left open");
  pthread_key_create(&late_key, late);
  pthread_setspecific(late_key, &late_key);
  return unused;
}

int main(void) {
  const char *path = getenv("NVTX_INJECTION64_PATH");
  void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
  int (*begin)(const void *(*)(uint32_t)) = NULL;
  if (library) *(void **)&begin = dlsym(library, "InitializeInjectionNvtx2");
  if (!begin || !begin(export_table)) return 1;
  if (core[2] == NULL || core2[1] == NULL || other[1] != NULL) return 2;

  if (CORE(9, const char *)("outer") != 0 || CORE(10, const wchar_t *)(L"größer \U0001F600") != 1)
    return 3;
  CORE(2, const char *)("a mark");
  void *domain = ((void *(*)(const char *))core2[12])("engine");
  void *text = ((void *(*)(void *, const char *))core2[10])(domain, "step");
  CORE2(8, void *, uint32_t, const char *)(domain, 7, "decode");
  attributes with = {.version = 3,
                     .size = sizeof with,
                     .category = 7,
                     .color_kind = 1,
                     .color = 0xFF00FF00,
                     .message_kind = 3,
                     .message = text};
  if (CORE2(4, void *, attributes *)(domain, &with) != 0) return 4;
  if (CORE(11, void)() != 1) return 5; /* the default domain's, not the one pushed last */
  if (CORE2(5, void *)(domain) != 0 || CORE2(5, void *)(domain) >= 0) return 6;
  if (CORE(11, void)() != 0 || CORE(11, void)() >= 0) return 7;

  in_thread = ((uint64_t(*)(const char *))core[5])("handed over");
  pthread_t thread;
  pthread_create(&thread, NULL, ends_it, NULL);
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, ends_with_ranges_open, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 200; i++) CORE(9, const char *)("deep");
  for (int i = 0; i < 200; i++)
    if (CORE(11, void)() != 199 - i) return 8;
  CORE(9, const char *)("never ended");
  return 0;
}
