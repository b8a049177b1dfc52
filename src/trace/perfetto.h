/* Field numbers of Perfetto's trace format, as its .proto files give them, for those messages that
 * tandem writes and reads. Owns nothing. Used by write/perfetto and read/pftrace. */
#ifndef TDM_TRACE_PERFETTO_H
#define TDM_TRACE_PERFETTO_H

enum { TDM_PF_TRACE_PACKET = 1 };

enum { /* TracePacket */
       TDM_PF_PACKET_CLOCK_SNAPSHOT = 6,
       TDM_PF_PACKET_TIMESTAMP = 8,
       TDM_PF_PACKET_SEQUENCE = 10,
       TDM_PF_PACKET_TRACK_EVENT = 11,
       TDM_PF_PACKET_INTERNED = 12,
       TDM_PF_PACKET_FLAGS = 13,
       TDM_PF_PACKET_SYNC_MARKER = 36,
       TDM_PF_PACKET_CLEARED = 41, /* the old way to say TDM_PF_FLAG_CLEARED */
       TDM_PF_PACKET_DROPPED = 42,
       TDM_PF_PACKET_PROCESS_DESCRIPTOR = 43,
       TDM_PF_PACKET_THREAD_DESCRIPTOR = 44,
       TDM_PF_PACKET_COMPRESSED = 50,
       TDM_PF_PACKET_RENDER_STAGE = 53,
       TDM_PF_PACKET_CLOCK_ID = 58,
       TDM_PF_PACKET_DEFAULTS = 59,
       TDM_PF_PACKET_TRACK_DESCRIPTOR = 60,
       TDM_PF_PACKET_ZSTD_COMPRESSED = 133
};

enum { TDM_PF_FLAG_CLEARED = 1, TDM_PF_FLAG_NEEDS_STATE = 2 };

enum { TDM_PF_DEFAULTS_TRACK_EVENT = 11 };

enum { /* TrackEvent, TrackEventDefaults */
       TDM_PF_EVENT_DELTA_US = 1,
       TDM_PF_EVENT_CATEGORY_IIDS = 3,
       TDM_PF_EVENT_ANNOTATION = 4,
       TDM_PF_EVENT_LEGACY = 6,
       TDM_PF_EVENT_TYPE = 9,
       TDM_PF_EVENT_NAME_IID = 10,
       TDM_PF_EVENT_TRACK = 11,
       TDM_PF_EVENT_EXTRA_VALUES = 12,
       TDM_PF_EVENT_ABSOLUTE_US = 16,
       TDM_PF_EVENT_CATEGORIES = 22,
       TDM_PF_EVENT_NAME = 23,
       TDM_PF_EVENT_COUNTER = 30,
       TDM_PF_EVENT_EXTRA_TRACKS = 31,
       TDM_PF_EVENT_FLOWS_OLD = 36,
       TDM_PF_EVENT_FLOWS_END_OLD = 42,
       TDM_PF_EVENT_COUNTER_DOUBLE = 44,
       TDM_PF_EVENT_EXTRA_DOUBLE_TRACKS = 45,
       TDM_PF_EVENT_EXTRA_DOUBLE_VALUES = 46,
       TDM_PF_EVENT_FLOWS = 47,
       TDM_PF_EVENT_FLOWS_END = 48,
       TDM_PF_EVENT_CORRELATION = 52,
       TDM_PF_EVENT_CORRELATION_TEXT = 53,
       TDM_PF_EVENT_GPU_CORRELATION = 3000 /* in it 1: ids of render stages */
};

enum { TDM_PF_TYPE_BEGIN = 1, TDM_PF_TYPE_END, TDM_PF_TYPE_INSTANT, TDM_PF_TYPE_COUNTER };

enum { /* LegacyEvent */
       TDM_PF_LEGACY_NAME_IID = 1,
       TDM_PF_LEGACY_PHASE = 2,
       TDM_PF_LEGACY_DURATION_US = 3,
       TDM_PF_LEGACY_UNSCOPED_ID = 6,
       TDM_PF_LEGACY_SCOPE = 7,
       TDM_PF_LEGACY_LOCAL_ID = 10,
       TDM_PF_LEGACY_GLOBAL_ID = 11
};

enum { /* DebugAnnotation */
       TDM_PF_ANNOTATION_NAME_IID = 1,
       TDM_PF_ANNOTATION_BOOL = 2,
       TDM_PF_ANNOTATION_UINT = 3,
       TDM_PF_ANNOTATION_INT = 4,
       TDM_PF_ANNOTATION_DOUBLE = 5,
       TDM_PF_ANNOTATION_STRING = 6,
       TDM_PF_ANNOTATION_POINTER = 7,
       TDM_PF_ANNOTATION_NESTED = 8,
       TDM_PF_ANNOTATION_JSON = 9,
       TDM_PF_ANNOTATION_NAME = 10,
       TDM_PF_ANNOTATION_DICT = 11,
       TDM_PF_ANNOTATION_ARRAY = 12,
       TDM_PF_ANNOTATION_STRING_IID = 17
};

enum { /* DebugAnnotation.NestedValue */
       TDM_PF_NESTED_TYPE = 1,
       TDM_PF_NESTED_KEYS = 2,
       TDM_PF_NESTED_VALUES = 3,
       TDM_PF_NESTED_ITEMS = 4,
       TDM_PF_NESTED_INT = 5,
       TDM_PF_NESTED_DOUBLE = 6,
       TDM_PF_NESTED_BOOL = 7,
       TDM_PF_NESTED_STRING = 8
};

enum { /* InternedData; each entry: iid = 1, text = 2 */
       TDM_PF_INTERNED_CATEGORIES = 1,
       TDM_PF_INTERNED_NAMES = 2,
       TDM_PF_INTERNED_KEYS = 3,
       TDM_PF_INTERNED_CONTEXTS = 23,
       TDM_PF_INTERNED_SPECIFICATIONS = 24,
       TDM_PF_INTERNED_TEXTS = 29,
       TDM_PF_INTERNED_KERNELS = 1000,
       TDM_PF_INTERNED_COMPUTE_KEYS = 1001,
       TDM_PF_ENTRY_IID = 1,
       TDM_PF_ENTRY_TEXT = 2,
       TDM_PF_ENTRY_DEMANGLED = 3 /* of a kernel */
};

enum { /* TrackDescriptor */
       TDM_PF_TRACK_UUID = 1,
       TDM_PF_TRACK_NAME = 2,
       TDM_PF_TRACK_PROCESS = 3,
       TDM_PF_TRACK_THREAD = 4,
       TDM_PF_TRACK_PARENT = 5,
       TDM_PF_TRACK_COUNTER = 8,
       TDM_PF_TRACK_STATIC_NAME = 10,
       TDM_PF_TRACK_CHILD_ORDERING = 11,
       TDM_PF_TRACK_RANK = 12,
       TDM_PF_TRACK_DESCRIPTION = 14
};

enum { TDM_PF_ORDER_EXPLICIT = 3 };

enum { TDM_PF_PROCESS_PID = 1, TDM_PF_PROCESS_NAME = 6 };
enum {
  TDM_PF_THREAD_PID = 1,
  TDM_PF_THREAD_TID = 2,
  TDM_PF_THREAD_NAME = 5,
  TDM_PF_THREAD_REFERENCE_US = 6
};

enum { /* CounterDescriptor */
       TDM_PF_COUNTER_TYPE = 1,
       TDM_PF_COUNTER_CATEGORIES = 2,
       TDM_PF_COUNTER_UNIT = 3,
       TDM_PF_COUNTER_MULTIPLIER = 4,
       TDM_PF_COUNTER_INCREMENTAL = 5,
       TDM_PF_COUNTER_UNIT_NAME = 6
};

enum { TDM_PF_UNIT_TIME_NS = 1, TDM_PF_UNIT_COUNT, TDM_PF_UNIT_BYTES };

enum { /* GpuRenderStageEvent */
       TDM_PF_STAGE_ID = 1,
       TDM_PF_STAGE_DURATION = 2,
       TDM_PF_STAGE_CONTEXT = 5,
       TDM_PF_STAGE_EXTRA = 6,
       TDM_PF_STAGE_GPU = 11,
       TDM_PF_STAGE_QUEUE = 13,
       TDM_PF_STAGE_STAGE = 14,
       TDM_PF_STAGE_NAME = 17,
       TDM_PF_STAGE_WAITS = 18,
       TDM_PF_STAGE_KERNEL = 19,
       TDM_PF_STAGE_NAME_IID = 20,
       TDM_PF_STAGE_LAUNCH = 21
};

enum { TDM_PF_LAUNCH_GRID = 1, TDM_PF_LAUNCH_WORKGROUP, TDM_PF_LAUNCH_ARGS };

enum { /* ExtraComputeArg */
       TDM_PF_COMPUTE_NAME_IID = 1,
       TDM_PF_COMPUTE_NAME,
       TDM_PF_COMPUTE_INT,
       TDM_PF_COMPUTE_UINT,
       TDM_PF_COMPUTE_DOUBLE,
       TDM_PF_COMPUTE_STRING,
       TDM_PF_COMPUTE_STRING_IID
};

enum { TDM_PF_SNAPSHOT_CLOCKS = 1, TDM_PF_SNAPSHOT_PRIMARY = 2 };
enum {
  TDM_PF_CLOCK_ID = 1,
  TDM_PF_CLOCK_TIME = 2,
  TDM_PF_CLOCK_INCREMENTAL = 3,
  TDM_PF_CLOCK_UNIT_NS = 4
};
enum { TDM_PF_CLOCK_REALTIME = 1, TDM_PF_CLOCK_BOOTTIME = 6 };

/* What tandem itself says in a Perfetto trace, so that reading gives back what was written. A
 * track's description begins with the first; the first event has this category and name, and what
 * holds for the whole file in its annotations. A span whose end was not seen has the annotation. */
#define TDM_PF_TANDEM_TRACK      "tandem:"
#define TDM_PF_TANDEM_ASYNC      "async" /* in the description of a lane of such spans */
#define TDM_PF_TANDEM_CATEGORY   "tandem"
#define TDM_PF_TANDEM_EVENT      "about this trace"
#define TDM_PF_TANDEM_KINDS      "flow kinds" /* JSON array: a flow's kind is id >> 48, from 0 */
#define TDM_PF_TANDEM_SHIFT      "shift_ns"   /* was added to all times */
#define TDM_PF_TANDEM_FACT       "fact "      /* and its key */
#define TDM_PF_TANDEM_UNFINISHED "unfinished"

#endif
