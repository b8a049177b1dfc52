/* Series to tracks and counters. See inside.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/number.h"
#include "read/prometheus/inside.h"
#include "trace/intern.h"

typedef struct {
  uint32_t track, counter, unit;
  bool start, grows, restarted;
  int64_t last_ns;
  double last;
} counter;

struct tdm_prom {
  tdm_recorder *recorder;
  uint64_t dropped;
  tdm_intern keys; /* name and labels as they came */
  counter *counter;
  size_t room;
  uint64_t restarts;
  char *text;
  size_t text_room;
};

void tdm_prom_series_clear(tdm_prom_series *series) {
  series->name = "";
  series->labels = series->used = 0;
  series->full = false;
}

const char *tdm_prom_series_text(tdm_prom_series *series, const char *text, size_t length) {
  if (series->used + length + 1 > sizeof series->bytes) {
    series->full = true;
    return NULL;
  }
  char *copy = series->bytes + series->used;
  memcpy(copy, text, length);
  copy[length] = 0;
  series->used += length + 1;
  return copy;
}

void tdm_prom_series_label(tdm_prom_series *series, const char *key, const char *value) {
  if (series->labels == TDM_PROM_LABELS)
    series->full = true;
  else
    series->label[series->labels++] = (tdm_prom_label){key, value};
}

tdm_prom *tdm_prom_new(tdm_recorder *recorder, const tdm_read_options *options) {
  tdm_prom *prom = calloc(1, sizeof *prom);
  if (prom == NULL) return NULL;
  prom->recorder = recorder;
  prom->dropped = options->dropped;
  return prom;
}

void tdm_prom_free(tdm_prom *prom) {
  if (prom == NULL) return;
  tdm_intern_clear(&prom->keys);
  free(prom->counter);
  free(prom->text);
  free(prom);
}

/* ---- names ---- */

/* What labels say of where: they make the track. */
typedef enum { INSTANCE, HOST, GPU, CARD, MODEL, ENGINE, IDENTITY, PLACES } place;

static place place_of(const char *key) {
  static const struct {
    const char *key;
    place place;
  } keys[] = {{"instance", INSTANCE},
              {"Hostname", HOST},
              {"hostname", HOST},
              {"gpu", GPU},
              {"gpu_id", GPU},
              {"modelName", CARD},
              {"card_model", CARD},
              {"model_name", MODEL},
              {"engine", ENGINE},
              {"UUID", IDENTITY},
              {"device", IDENTITY},
              {"pci_bus_id", IDENTITY},
              {"serial_number", IDENTITY},
              {"job", IDENTITY},
              {"gpu_uuid", IDENTITY}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i].key, key) == 0) return keys[i].place;
  return strncmp(key, "DCGM_FI_", 8) == 0 ? IDENTITY : PLACES;
}

static uint32_t track_of(tdm_prom *prom, const tdm_prom_series *series) {
  const char *said[PLACES] = {0};
  char process[192], name[192];
  tdm_track track = TDM_TRACK_PLAIN;
  int64_t gpu;
  for (size_t i = 0; i < series->labels; i++) {
    place at = place_of(series->label[i].key);
    if (at < PLACES && said[at] == NULL) said[at] = series->label[i].value;
  }
  const char *where = said[INSTANCE] != NULL ? said[INSTANCE]
                      : said[HOST] != NULL   ? said[HOST]
                                             : "server";
  track.process = process;
  track.name = name;
  if (said[GPU] != NULL && tdm_number_integer(said[GPU], strlen(said[GPU]), &gpu)) {
    snprintf(process, sizeof process, "%.80s #%lld%s%.80s", said[CARD] != NULL ? said[CARD] : "GPU",
             (long long)gpu, said[INSTANCE] != NULL || said[HOST] != NULL ? " of " : "",
             said[INSTANCE] != NULL || said[HOST] != NULL ? where : "");
    snprintf(name, sizeof name, "GPU");
    track.kind = TDM_TRACK_DEVICE;
    track.lane = TDM_LANE_GPU;
    track.device = gpu;
    return tdm_record_track(prom->recorder, &track);
  }
  snprintf(process, sizeof process, "%.160s", where);
  snprintf(name, sizeof name, "%.120s%s%.40s", said[MODEL] != NULL ? said[MODEL] : "metrics",
           said[ENGINE] != NULL ? " engine " : "", said[ENGINE] != NULL ? said[ENGINE] : "");
  track.kind = TDM_TRACK_PROCESS;
  return tdm_record_track(prom->recorder, &track);
}

static bool add(tdm_prom *prom, size_t *used, const char *text) {
  size_t length = strlen(text);
  if (!tdm_array_grow(&prom->text, &prom->text_room, *used + length + 1, 1)) return false;
  memcpy(prom->text + *used, text, length + 1);
  *used += length;
  return true;
}

/* le="1.0" and le="1" are one bound. */
static const char *bound(const char *key, const char *value, char *out, size_t room) {
  if (strcmp(key, "le") != 0 && strcmp(key, "quantile") != 0) return value;
  double number = tdm_number_double(value, strlen(value));
  if (isnan(number) || isinf(number)) return value;
  snprintf(out, room, "%.15g", number);
  return out;
}

/* name{a="b"} of the labels that `all` says, or that say nothing of where. */
static bool spell(tdm_prom *prom, const tdm_prom_series *series, bool all, size_t *used) {
  char number[40];
  bool open = false;
  *used = 0;
  if (!add(prom, used, series->name)) return false;
  for (size_t i = 0; i < series->labels; i++) {
    const tdm_prom_label *label = &series->label[i];
    if (!all && place_of(label->key) < PLACES) continue;
    if (!add(prom, used, open ? "," : "{") || !add(prom, used, label->key) ||
        !add(prom, used, "=\"") ||
        !add(prom, used, bound(label->key, label->value, number, sizeof number)) ||
        !add(prom, used, "\""))
      return false;
    open = true;
  }
  return !open || add(prom, used, "}");
}

/* What a name ends in, before what kind of series it is. */
static const char *unit_of(const char *name) {
  static const char *const parts[] = {"_total", "_bucket", "_sum", "_count"};
  static const char *const units[][2] = {
      {"_seconds", "s"},       {"_bytes", "bytes"}, {"_us", "us"},
      {"_celsius", "degC"},    {"_watts", "W"},     {"_joules", "J"},
      {"_milliseconds", "ms"}, {"_ratio", ""},      {"_tokens", "tokens"}};
  size_t length = strlen(name);
  bool counted = false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    size_t part = strlen(parts[i]);
    if (length <= part || strcmp(name + length - part, parts[i]) != 0) continue;
    length -= part;
    counted = i == 1 || i == 3; /* buckets and counts count events */
    break;
  }
  for (size_t i = 0; !counted && i < sizeof units / sizeof *units; i++) {
    size_t size = strlen(units[i][0]);
    if (length > size && strncmp(name + length - size, units[i][0], size) == 0) return units[i][1];
  }
  return "";
}

static bool ends_in(const char *text, const char *end) {
  size_t length = strlen(text), size = strlen(end);
  return length > size && strcmp(text + length - size, end) == 0;
}

/* What is never less than before, while its server lives. Histograms of what is negative aside. */
static bool only_grows(const char *name) {
  return ends_in(name, "_total") || ends_in(name, "_bucket") || ends_in(name, "_count");
}

uint32_t tdm_prom_series_of(tdm_prom *prom, const tdm_prom_series *series, bool *fresh) {
  size_t used;
  int is_new = 0;
  *fresh = false;
  if (!spell(prom, series, true, &used)) return UINT32_MAX;
  uint32_t id = tdm_intern_put(&prom->keys, prom->text, used, &is_new);
  if (id == TDM_INTERN_FAILED || !is_new) return id;
  *fresh = true;
  if (!tdm_array_grow(&prom->counter, &prom->room, (size_t)id + 1, sizeof *prom->counter) ||
      !spell(prom, series, false, &used))
    return UINT32_MAX;
  prom->counter[id] = (counter){.start = ends_in(series->name, "_created"),
                                .grows = only_grows(series->name),
                                .last_ns = INT64_MIN};
  if (prom->counter[id].start) return id;
  prom->counter[id].track = track_of(prom, series);
  prom->counter[id].counter = tdm_record_name(prom->recorder, prom->text, used);
  prom->counter[id].unit = tdm_record_text(prom->recorder, unit_of(series->name));
  return id;
}

bool tdm_prom_is_start(const tdm_prom *prom, uint32_t series) {
  return prom->counter[series].start;
}

void tdm_prom_put(tdm_prom *prom, uint32_t series, int64_t utc_ns, double value) {
  counter *c = &prom->counter[series];
  if (isnan(value)) return; /* "not there": quantiles of nothing, a series that ended */
  if (c->grows && utc_ns > c->last_ns) {
    if (c->last_ns != INT64_MIN && value < c->last && !c->restarted) prom->restarts++;
    if (c->last_ns != INT64_MIN && value < c->last) c->restarted = true;
    c->last_ns = utc_ns;
    c->last = value;
  }
  tdm_record_sample(prom->recorder, utc_ns, c->track, c->counter, value, c->unit);
}

void tdm_prom_finish(const tdm_prom *prom) {
  if (prom->restarts > 0)
    tdm_record_problem(prom->recorder, "counters that began anew, as of a restarted server (kept)",
                       prom->restarts);
}
