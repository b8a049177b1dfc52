/* What the operating system did: its calls, file accesses, scheduling. See nsys.h. */
#include "read/nsys/nsys.h"

static const tdm_nsys_arg osrt_args[] = {
    {"returnValue", "return_value", TDM_NSYS_NUMBER, 0, false},
    {"nestingLevel", "nesting_level", TDM_NSYS_ID, 0, false},
    {"callchainId", "callchain", TDM_NSYS_ID, 0, true},
    {"argumentsId", "arguments", TDM_NSYS_ID, 0, true},
};

static const tdm_nsys_arg sched_args[] = {
    {"cpu", "cpu", TDM_NSYS_NUMBER, 0, false},
    {"threadState", "thread_state", TDM_NSYS_WORD, TDM_NSYS_THREAD_STATE, false},
    {"threadBlock", "thread_block", TDM_NSYS_WORD, TDM_NSYS_THREAD_BLOCK, false},
};

static void name_switches(tdm_nsys *nsys, tdm_nsys_batch *batch) {
  uint32_t in = tdm_record_text(nsys->recorder, "sched in");
  uint32_t out = tdm_record_text(nsys->recorder, "sched out");
  for (size_t i = 0; i < batch->count; i++) batch->name[i] = batch->extra[i] != 0 ? in : out;
}

const tdm_nsys_table tdm_nsys_system_tables[] = {
    {.name = "OSRT_API",
     .category = {"osrt"},
     .shape = TDM_SHAPE_SPAN,
     .start = "start",
     .end = "end",
     .on = TDM_NSYS_ON_THREAD,
     .naming = TDM_NSYS_NAME_STRING,
     .name_column = {"nameId"},
     .text = "",
     TDM_NSYS_ARGS(osrt_args),
     .dropped = TDM_READ_NO_OSRT},
    {.name = "SCHED_EVENTS",
     .category = {"sched"},
     .shape = TDM_SHAPE_INSTANT,
     .start = "start",
     .on = TDM_NSYS_ON_THREAD,
     .naming = TDM_NSYS_NAME_FIXED,
     .text = "",
     TDM_NSYS_ARGS(sched_args),
     .dropped = TDM_READ_NO_OSRT,
     .extra = "isSchedIn",
     .adjust = name_switches},
    {.name = NULL},
};
