/* The capture file: what libraries inside a traced program write, and what tandem reads.
 *
 * One file for one `tandem capture`, shared by every process and thread that it traces: each maps
 * it, takes chunks by one atomic addition and fills them alone, so that a call costs no lock and no
 * system call, and a program that dies at any instruction leaves all that it had written. What a
 * thread that ends has not filled goes to the next one of its process. tandem
 * makes the file with its header; libraries only ever append. Owns nothing; written by src/capture,
 * read by read/capture, made and followed by bind/capture. Little-endian, as the machines with
 * CUDA are; sizes of records are part of the format. */
#ifndef TDM_CAPTURE_FORMAT_H
#define TDM_CAPTURE_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#define TDM_CAPTURE_MAGIC "TANDEMC1"

enum {
  TDM_CAPTURE_VERSION = 2, /* 1 had no TDM_CAPTURE_THREAD */
  TDM_CAPTURE_HEADER_BYTES = 4096,
  TDM_CAPTURE_CHUNK_BYTES = 1 << 18,
  TDM_CAPTURE_RECORD_BYTES = 64, /* a slot; names and messages take several in a row */
  TDM_CAPTURE_CHUNK_RECORDS = TDM_CAPTURE_CHUNK_BYTES / TDM_CAPTURE_RECORD_BYTES - 1
};

/* What is wanted of the libraries (header.wanted). */
enum {
  TDM_CAPTURE_WANT_API = 1 << 0,    /* runtime and driver calls */
  TDM_CAPTURE_WANT_GPU = 1 << 1,    /* kernels, copies, fills on the device's clock */
  TDM_CAPTURE_WANT_MEMORY = 1 << 2, /* allocations */
  TDM_CAPTURE_WANT_NVTX = 1 << 3,
  TDM_CAPTURE_WANT_SYNC = 1 << 4,
  TDM_CAPTURE_WANT_GRAPHS = 1 << 5, /* each node of a CUDA graph, not the graph as a whole */
  TDM_CAPTURE_WANT_RANGES = 1 << 6  /* cuProfilerStart and Stop set and clear `recording` */
};

typedef struct {
  char magic[8];
  uint32_t version;
  uint32_t wanted;
  /* The same moment by CLOCK_MONOTONIC and by CLOCK_REALTIME. All times of records are
   * CLOCK_MONOTONIC. */
  int64_t start_ns;
  int64_t start_utc_ns;
  uint64_t limit_bytes;       /* the file grows no further; 0: as the disk allows */
  _Atomic uint64_t chunks;    /* handed out so far */
  _Atomic uint64_t lost;      /* records that found no room */
  _Atomic uint32_t recording; /* 0: paused (before a delay, after a duration, outside a range) */
  _Atomic uint32_t ended;     /* tandem has stopped looking */
  char command[1024];         /* what is traced, for people; ends with NUL */
  char range[256];            /* NVTX ranges of this name set and clear `recording`; "": none */
  _Atomic uint32_t inside;    /* such ranges that are open */
  /* Why a process could write no more: its errno; 0: none, or an older file. */
  _Atomic uint32_t unreachable;
} tdm_capture_header;

/* Chunk i begins at HEADER_BYTES + i * CHUNK_BYTES with this, in the first slot. A chunk that was
 * handed out and never opened has pid 0. */
typedef struct {
  uint32_t pid;
  uint32_t tid; /* whose calls these are, up to TDM_CAPTURE_THREAD; 0: no thread's (GPU activity) */
  _Atomic uint32_t records; /* slots filled, stored last (release) */
  uint32_t unused;
  char program[32]; /* of the process: its short name, ends with NUL */
  char unused_too[16];
} tdm_capture_chunk;

typedef enum {
  TDM_CAPTURE_NOTHING,
  TDM_CAPTURE_NAME,    /* a text and its id; comes before its first use in a process */
  TDM_CAPTURE_CALL,    /* a call of an API by the chunk's thread */
  TDM_CAPTURE_LAUNCH,  /* more of a launching call: same correlation */
  TDM_CAPTURE_KERNEL,  /* ran on a device */
  TDM_CAPTURE_COPY,    /* a memcpy, on a device */
  TDM_CAPTURE_FILL,    /* a memset, on a device */
  TDM_CAPTURE_GRAPH,   /* a CUDA graph as a whole, on a device */
  TDM_CAPTURE_SYNC,    /* waiting for a device, as CUPTI tells it */
  TDM_CAPTURE_MEMORY,  /* an allocation or its end */
  TDM_CAPTURE_RANGE,   /* NVTX: a range that has ended */
  TDM_CAPTURE_OPEN,    /* NVTX: a range that has begun, so that one cut short is known */
  TDM_CAPTURE_MARK,    /* NVTX: an instant */
  TDM_CAPTURE_DEVICE,  /* a device: its name is `name`, its bytes `amount` */
  TDM_CAPTURE_MESSAGE, /* a sentence for the user: `name` */
  TDM_CAPTURE_CAUGHT,  /* records that a library counted itself as lost: `amount` */
  TDM_CAPTURE_THREAD /* its thread has ended: from here on the chunk is that of thread `address` */
} tdm_capture_kind;

/* `detail` of a call: whose API; of a copy: where from and to; of memory: what kind. */
typedef enum { TDM_CAPTURE_DRIVER, TDM_CAPTURE_RUNTIME } tdm_capture_domain;
typedef enum {
  TDM_CAPTURE_H2D = 1,
  TDM_CAPTURE_D2H,
  TDM_CAPTURE_D2D,
  TDM_CAPTURE_H2H,
  TDM_CAPTURE_P2P,
  TDM_CAPTURE_ANY /* the driver finds out itself */
} tdm_capture_direction;
typedef enum {
  TDM_CAPTURE_MEMORY_DEVICE = 1,
  TDM_CAPTURE_MEMORY_PINNED,
  TDM_CAPTURE_MEMORY_MANAGED,
  TDM_CAPTURE_MEMORY_ARRAY
} tdm_capture_memory;

enum {
  TDM_CAPTURE_FREED = 1 << 0,    /* of memory: its end */
  TDM_CAPTURE_PAGEABLE = 1 << 1, /* of a copy: its host side is not pinned */
  TDM_CAPTURE_ASYNC = 1 << 2,    /* of a call: returns before the device is done */
  TDM_CAPTURE_CAPTURED = 1 << 3, /* of a call: only recorded into a CUDA graph, nothing ran */
  TDM_CAPTURE_ESTIMATED =
      1 << 4,                 /* of a kernel or copy: between events, not the device's own time */
  TDM_CAPTURE_PUSHED = 1 << 5 /* of a range: push/pop of a thread; without: start/end */
};

/* Of a record that waits: its context has one, all streams of its context. */
enum { TDM_CAPTURE_NO_DEVICE = UINT16_MAX };
#define TDM_CAPTURE_NO_STREAM UINT32_MAX

typedef struct {
  uint8_t kind;
  uint8_t detail;
  uint16_t flags;
  uint32_t correlation; /* joins a call with what it caused, within its process; 0: none */
  int64_t start_ns;
  int64_t end_ns;
  uint64_t name; /* of the call, kernel, range …; 0: none */
  union {
    struct {          /* call, memory, sync, device, copy, fill, caught, graph */
      int32_t result; /* what the call returned: 0 is success */
      uint16_t device;
      uint16_t context;
      uint64_t stream;  /* a number the program's own, 0: the default stream */
      uint64_t address; /* of memory; of a call in a chunk of no thread, and of thread: its number;
                         * else an id: of a graph, an event, a domain */
      uint64_t amount;  /* bytes; of caught: records */
    };
    struct { /* launch, kernel */
      uint32_t grid[3];
      uint16_t block[3];
      uint16_t registers; /* a thread; 0: unknown */
      uint32_t stream_id;
      uint16_t device_id;
      uint16_t context_id;
      uint32_t shared_bytes; /* static and dynamic */
    } ran;
    struct {             /* range, open, mark */
      uint64_t domain;   /* a name; 0: the default domain */
      uint64_t category; /* below 2^32 the program's number; else it has a name: this one */
      uint64_t range;    /* the id of a start/end pair */
      uint32_t color;    /* ARGB; 0: none */
      uint32_t tid;
    } nvtx;
  };
} tdm_capture_record;

/* A name: this slot, then as many as its bytes need. Its id is the FNV-1a hash of the bytes (never
 * 0), so that processes need not agree on numbers. */
typedef struct {
  uint8_t kind;
  uint8_t unused;
  uint16_t length; /* bytes of the text, no NUL */
  uint32_t slots;  /* with this one */
  uint64_t id;
  char text[48]; /* goes on in the next slots */
} tdm_capture_name;

_Static_assert(sizeof(tdm_capture_header) <= TDM_CAPTURE_HEADER_BYTES, "fits its page");
_Static_assert(sizeof(tdm_capture_chunk) == TDM_CAPTURE_RECORD_BYTES, "a slot");
_Static_assert(sizeof(tdm_capture_record) == TDM_CAPTURE_RECORD_BYTES, "a slot");
_Static_assert(sizeof(tdm_capture_name) == TDM_CAPTURE_RECORD_BYTES, "a slot");

/* How a library finds the file. */
#define TDM_CAPTURE_FILE_VARIABLE "TANDEM_CAPTURE_FILE"

#endif
