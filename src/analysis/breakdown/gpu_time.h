/* GPU work by device and class, and the sets of times that each class covers.
 *
 * Owns its arrays; the rows are the view's. Used by every breakdown. */
#ifndef TDM_ANALYSIS_BREAKDOWN_GPU_TIME_H
#define TDM_ANALYSIS_BREAKDOWN_GPU_TIME_H

#include "analysis/analysis.h"
#include "analysis/bins.h"
#include "analysis/intervals.h"
#include "analysis/run_view/gpu_work.h"

enum { TDM_CLASSES = TDM_CLASS_MEMSET + 1, TDM_LEFT_OUT = UINT8_MAX };

/* A GPU that did something, at any time of the run: in what a filter leaves of times it may have
 * done nothing. Work whose track names no device belongs to one GPU a source. */
typedef struct {
  const char *name;
  int64_t rank;
  uint32_t source;
  size_t rows;
  int64_t first_ns, last_ns; /* first start, last end */
} tdm_gpu;

typedef struct {
  tdm_run_view *view;    /* that the rows are of */
  const tdm_table *work; /* tdm_gpu_work */
  uint8_t *class_of;     /* by row: tdm_work_class, or TDM_LEFT_OUT */
  uint32_t *gpu_of;      /* by row: number of its GPU */
  tdm_gpu *gpu;          /* in the order of their first work */
  uint32_t gpus;
  size_t rows; /* not left out */
} tdm_gpu_rows;

/* Options: rules = "hta": kernels named hip… are communication, kernels named dma…, Memcpy… or
 * Memset… are memory, as HolisticTraceAnalysis has it; work = "launched": only what has a recorded
 * launch, which is what TraceLens counts; "whole_steps": only what was launched before the last
 * ProfilerStep# began, which is what HolisticTraceAnalysis counts. */
tdm_status tdm_gpu_rows_open(tdm_run_view *view, const tdm_options *options, tdm_gpu_rows *rows,
                             tdm_error *error);
/* The rows of all times, for what is idle or queued in a part of the run's timeline. Where the
 * filter leaves no time at all, as tdm_gpu_rows_open. */
tdm_status tdm_gpu_rows_open_whole(tdm_run_view *view, const tdm_options *options,
                                   tdm_gpu_rows *rows, tdm_error *error);
void tdm_gpu_rows_close(tdm_gpu_rows *rows);

/* What rows were left out where the view looks, and by which rules, as basis; what is missing when
 * there are no GPUs. */
void tdm_gpu_rows_tell(tdm_run_view *view, const tdm_options *options, const tdm_gpu_rows *rows,
                       tdm_answer *out);

typedef struct {
  tdm_intervals busy[TDM_CLASSES]; /* by tdm_work_class */
  tdm_intervals counted; /* the time that counts: from first start to last end, or the filter's */
} tdm_gpu_sets;

/* One a GPU, cut to the time that counts. NULL and a set error: out of memory. */
tdm_gpu_sets *tdm_gpu_sets_open(const tdm_run_view *view, const tdm_gpu_rows *rows,
                                tdm_error *error);
void tdm_gpu_sets_close(tdm_gpu_sets *sets, uint32_t gpus);

/* *out is everything of the classes whose bits (1 << class) are set. *out comes in zeroed. */
tdm_status tdm_gpu_sets_join(const tdm_gpu_sets *sets, unsigned classes, tdm_intervals *out,
                             tdm_error *error);

enum {
  TDM_ANY_WORK = (1u << TDM_CLASSES) - 1,
  TDM_COMPUTE_OR_MEMSET = 1u << TDM_CLASS_COMPUTE | 1u << TDM_CLASS_MEMSET,
  TDM_COPY_OR_MEMSET = 1u << TDM_CLASS_COPY | 1u << TDM_CLASS_MEMSET
};

/* Equal bins from the first start to the last end of all GPUs, or over the time that the filter
 * leaves. */
tdm_bins tdm_gpu_bins(const tdm_run_view *view, const tdm_gpu_rows *rows, size_t bins);

/* The two fields that tell a GPU. */
#define TDM_GPU_FIELDS                                                                             \
  {"rank", TDM_FIELD_INT}, {                                                                       \
    "device", TDM_FIELD_TEXT                                                                       \
  }
enum { TDM_GPU_FIELD_COUNT = 2 };
void tdm_gpu_put(const tdm_gpu *gpu, tdm_frame *frame);

/* a / b; NaN, which is an absent value, where b is 0. */
double tdm_share(int64_t part, int64_t whole);

#endif
