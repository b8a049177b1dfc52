/* Sampled metrics of GPUs and network cards, as counter samples. See nsys.h. */
#include "read/nsys/nsys.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct {
  uint32_t name, unit;
} metric;

enum { METRIC_MEMO = 256 };

typedef struct {
  tdm_id_map known; /* (number, list) → index of `metrics` */
  metric *metrics;
  size_t count, room;
  bool gpu;
  const char *track; /* of a network metric: "NIC" */
  struct {
    int64_t list, number;
    uint32_t index;
    bool used;
  } memo[METRIC_MEMO];
  int64_t last_card;
  uint32_t last_track;
} metric_reading;

/* "SMs Active [Throughput %]" is in percent, "GPC Clock Frequency [MHz]" in MHz. */
static tdm_nsys_text unit_of(tdm_nsys_text name) {
  tdm_nsys_text none = {"", 0};
  if (name.length < 3 || name.bytes[name.length - 1] != ']') return none;
  if (name.bytes[name.length - 2] == '%') return (tdm_nsys_text){"%", 1};
  for (size_t i = name.length - 1; i-- > 0;)
    if (name.bytes[i] == '[') return (tdm_nsys_text){name.bytes + i + 1, name.length - i - 2};
  return none;
}

static uint32_t add_metric(tdm_nsys *nsys, metric_reading *reading, int64_t list, int64_t number,
                           tdm_nsys_text name, tdm_nsys_text unit) {
  if (!tdm_array_grow(&reading->metrics, &reading->room, reading->count + 1,
                      sizeof *reading->metrics))
    return UINT32_MAX;
  uint32_t index = (uint32_t)reading->count;
  if (!tdm_id_map_set(&reading->known, (uint64_t)number, (uint64_t)list, index)) return UINT32_MAX;
  reading->metrics[reading->count++] =
      (metric){.name = tdm_record_name(nsys->recorder, name.bytes, name.length),
               .unit = tdm_record_name(nsys->recorder, unit.bytes, unit.length)};
  return index;
}

/* Columns: list, number, name, unit (or not there). */
static tdm_status read_names(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                             tdm_error *error) {
  metric_reading *reading = context;
  for (size_t i = 0; i < block->count; i++) {
    tdm_nsys_text name = block->column[2].text[i], unit = block->column[3].text[i];
    if (name.bytes == NULL) continue;
    if (unit.bytes == NULL) unit = unit_of(name);
    if (add_metric(nsys, reading, block->column[0].integer[i], block->column[1].integer[i], name,
                   unit) == UINT32_MAX)
      return tdm_nsys_memory(error);
  }
  return TDM_OK;
}

static uint32_t metric_of(tdm_nsys *nsys, metric_reading *reading, int64_t list, int64_t number) {
  size_t at = ((uint64_t)number ^ (uint64_t)list * 31) % METRIC_MEMO;
  if (reading->memo[at].used && reading->memo[at].list == list &&
      reading->memo[at].number == number)
    return reading->memo[at].index;
  uint32_t index = tdm_id_map_find(&reading->known, (uint64_t)number, (uint64_t)list);
  if (index == TDM_ID_NONE) {
    char text[40];
    int length = snprintf(text, sizeof text, "metric %lld", (long long)number);
    index = add_metric(nsys, reading, list, number, (tdm_nsys_text){text, (size_t)length},
                       (tdm_nsys_text){"", 0});
    if (index == UINT32_MAX) return index;
  }
  reading->memo[at].list = list;
  reading->memo[at].number = number;
  reading->memo[at].index = index;
  reading->memo[at].used = true;
  return index;
}

/* A GPU's metrics bear its number in the lowest byte of their type. */
static uint32_t track_of(tdm_nsys *nsys, metric_reading *reading, int64_t card) {
  if (card == reading->last_card) return reading->last_track;
  reading->last_card = card;
  if (reading->gpu) {
    reading->last_track = tdm_nsys_gpu_track(nsys, card == TDM_NONE ? TDM_NONE : card & 0xff);
  } else {
    char name[48];
    snprintf(name, sizeof name, "%s %lld", reading->track,
             (long long)(card == TDM_NONE ? 0 : card & 0xffffff));
    reading->last_track = tdm_nsys_host_track(nsys, name);
  }
  return reading->last_track;
}

/* Columns: time, list, number, value, card. */
static tdm_status read_values(tdm_nsys *nsys, const tdm_nsys_block *block, void *context,
                              tdm_error *error) {
  metric_reading *reading = context;
  uint64_t timeless = 0;
  for (size_t i = 0; i < block->count; i++) {
    int64_t time_ns = block->column[0].integer[i];
    double value = block->column[3].real[i];
    if (time_ns == TDM_NONE) {
      timeless++;
      continue;
    }
    int64_t list = block->column[1].integer[i];
    uint32_t index = metric_of(nsys, reading, list, block->column[2].integer[i]);
    if (index == UINT32_MAX) return tdm_nsys_memory(error);
    uint32_t track = track_of(nsys, reading, reading->gpu ? list : block->column[4].integer[i]);
    tdm_record_sample(nsys->recorder, time_ns, track, reading->metrics[index].name, value,
                      reading->metrics[index].unit);
    if (nsys->last_ns == TDM_NONE || time_ns > nsys->last_ns) nsys->last_ns = time_ns;
  }
  tdm_record_problem(nsys->recorder, "events without a time (dropped)", timeless);
  return TDM_OK;
}

typedef struct {
  const char *names, *values, *track;
  tdm_nsys_column name_column[4], value_column[5];
} metric_tables;

static const metric_tables all_metrics[] = {
    {"TARGET_INFO_GPU_METRICS",
     "GPU_METRICS",
     NULL,
     {{"typeId", TDM_NSYS_INT},
      {"metricId", TDM_NSYS_INT},
      {"metricName", TDM_NSYS_TEXT},
      {"unit", TDM_NSYS_TEXT}},
     {{"timestamp", TDM_NSYS_INT},
      {"typeId", TDM_NSYS_INT},
      {"metricId", TDM_NSYS_INT},
      {"value", TDM_NSYS_REAL},
      {"gpuId", TDM_NSYS_INT}}},
    {"TARGET_INFO_NETWORK_METRICS",
     "NET_NIC_METRIC",
     "NIC",
     {{"metricsListId", TDM_NSYS_INT},
      {"metricsIdx", TDM_NSYS_INT},
      {"name", TDM_NSYS_TEXT},
      {"unit", TDM_NSYS_TEXT}},
     {{"start", TDM_NSYS_INT},
      {"metricsListId", TDM_NSYS_INT},
      {"metricsIdx", TDM_NSYS_INT},
      {"value", TDM_NSYS_REAL},
      {"globalId", TDM_NSYS_INT}}},
    {"TARGET_INFO_NETWORK_METRICS",
     "NET_IB_SWITCH_METRIC",
     "switch",
     {{"metricsListId", TDM_NSYS_INT},
      {"metricsIdx", TDM_NSYS_INT},
      {"name", TDM_NSYS_TEXT},
      {"unit", TDM_NSYS_TEXT}},
     {{"start", TDM_NSYS_INT},
      {"metricsListId", TDM_NSYS_INT},
      {"metricsIdx", TDM_NSYS_INT},
      {"value", TDM_NSYS_REAL},
      {"globalId", TDM_NSYS_INT}}},
};

static tdm_status read_metrics(tdm_nsys *nsys, const metric_tables *tables, tdm_error *error) {
  if (!tdm_nsys_has(nsys, tables->values)) return TDM_OK;
  metric_reading *reading = tdm_array_new(1, sizeof *reading);
  if (reading == NULL) return tdm_nsys_memory(error);
  reading->gpu = tables->track == NULL;
  reading->track = tables->track;
  reading->last_card = INT64_MAX;
  tdm_status status =
      tdm_nsys_scan(nsys, tables->names, tables->name_column, 4, read_names, reading, error);
  if (status == TDM_OK)
    status =
        tdm_nsys_scan(nsys, tables->values, tables->value_column, 5, read_values, reading, error);
  tdm_id_map_free(&reading->known);
  free(reading->metrics);
  free(reading);
  return status;
}

tdm_status tdm_nsys_metrics_read(tdm_nsys *nsys, tdm_error *error) {
  if ((nsys->options->dropped & TDM_READ_NO_GPU) != 0) return TDM_OK;
  for (size_t i = 0; i < sizeof all_metrics / sizeof all_metrics[0]; i++) {
    tdm_status status = read_metrics(nsys, &all_metrics[i], error);
    if (status != TDM_OK) return status;
  }
  return TDM_OK;
}

bool tdm_nsys_metrics_are(const char *table) {
  for (size_t i = 0; i < sizeof all_metrics / sizeof all_metrics[0]; i++)
    if (strcmp(table, all_metrics[i].values) == 0) return true;
  return false;
}
