/* Names of the leading blocks of prompts, by which replicas find them in their prefix caches: those
 * of a group's common prefix, of a recorded prompt, of a conversation that goes on.
 *
 * A conversation is what a request has asked and been answered so far, in all its rounds; branches
 * of a fork go on from what was said before it, each for itself. Nothing is kept of it but its
 * length: names are pure functions of who speaks. Called by generate.c, dispatch.c and
 * route.c. */
#include "base/memory.h"
#include "base/order.h"
#include "engine/events/llm.h"

/* Tokens said so far, and what they will be once the present turn is answered. */
static double *conversation(const tdm_engine *e, uint32_t index) {
  return &e->state[(size_t)index * e->model->state_slots + e->model->conversation];
}

void tdm_prefix_ask(tdm_engine *e, uint32_t index, int64_t prefix, tdm_serving_request *request) {
  double *tokens = conversation(e, index);
  request->prompt_tokens += tokens[0] > 0 ? (int64_t)tokens[0] : prefix;
  tokens[1] = (double)(request->prompt_tokens + request->output_tokens);
}

void tdm_prefix_answered(tdm_engine *e, uint32_t index) {
  double *tokens = conversation(e, index);
  tokens[0] = tokens[1];
}

void tdm_prefix_forget(tdm_engine *e, uint32_t index) {
  double *tokens = conversation(e, index);
  tokens[0] = tokens[1] = 0;
}

uint64_t tdm_prefix_session(const tdm_engine *e, uint32_t index) {
  const tdm_request *r = &e->requests[index];
  return tdm_mix(tdm_mix((uint64_t)r->class_index + TDM_GAMMA) ^
                 (r->ordinal & (((uint64_t)1 << TDM_VISIT_SHIFT) - 1)));
}

static uint64_t speaker_of(const tdm_engine *e, uint32_t index) {
  uint64_t branch = e->more[index].speaker;
  return branch != 0 ? branch : tdm_prefix_session(e, index);
}

uint64_t tdm_prefix_branch(const tdm_engine *e, uint32_t parent, uint32_t target) {
  uint64_t round = e->requests[parent].ordinal >> TDM_VISIT_SHIFT;
  return tdm_mix(speaker_of(e, parent) ^ tdm_mix(round << 32 | target)) | 1;
}

static uint64_t *room(tdm_engine *e, uint32_t server, size_t count) {
  tdm_server_run *run = &e->servers[server];
  if (tdm_array_grow(&run->hashes, &run->hash_capacity, count, sizeof *run->hashes))
    return run->hashes;
  tdm_engine_fail(e, TDM_MEMORY, "out of memory: prefixes");
  return NULL;
}

static void name_group(uint64_t group, uint64_t *names, size_t count) {
  uint64_t base = tdm_mix(group + TDM_GAMMA);
  for (size_t i = 0; i < count; i++) names[i] = tdm_mix(base + i);
}

/* Blocks that were whole when a fork began are the parent's, and so on up. Sub-agents begin anew.
 */
static void name_conversation(const tdm_engine *e, uint32_t index, size_t shared, int64_t tokens,
                              uint64_t *names, size_t count) {
  for (size_t end = count; end > shared;) {
    uint64_t speaker = speaker_of(e, index);
    uint32_t parent = e->more[index].unit == 0 ? e->more[index].parent : TDM_NO_INDEX;
    size_t first = shared;
    if (parent != TDM_NO_INDEX) {
      size_t before = (size_t)((int64_t)*conversation(e, parent) / tokens);
      if (before > first) first = before;
    }
    for (size_t i = first; i < end; i++) names[i] = tdm_mix(speaker + i);
    if (first < end) end = first;
    if (parent == TDM_NO_INDEX) return;
    index = parent;
  }
}

/* A recorded id may cover several blocks of ours, or one of ours several ids. Chained, so that ids
 * which tell blocks apart, but not what was before them, do as well. */
static size_t name_recorded(const tdm_request_rows *rows, size_t row, uint64_t pass, int64_t tokens,
                            uint64_t *names, size_t room_for) {
  size_t ids, count = 0;
  const uint32_t *id = tdm_rows_blocks(rows, row, &ids);
  size_t each = rows->block_tokens > tokens ? (size_t)(rows->block_tokens / tokens) : 1;
  size_t stride = tokens > rows->block_tokens ? (size_t)(tokens / rows->block_tokens) : 1;
  uint64_t chain = tdm_mix(pass + TDM_GAMMA);
  for (size_t i = 0; i < ids; i++) {
    chain = tdm_mix(chain ^ tdm_mix((uint64_t)id[i] + TDM_GAMMA));
    if ((i + 1) % stride != 0) continue;
    for (size_t k = 0; k < each && count < room_for; k++) names[count++] = tdm_mix(chain + k);
  }
  return count;
}

/* In segments, where ours divide the recorded blocks. */
static bool name_segments(tdm_engine *e, uint32_t server, const tdm_request_rows *rows, size_t row,
                          uint64_t pass, int64_t tokens, tdm_serving_request *request) {
  if (rows->segments == NULL || rows->block_tokens % tokens != 0) return false;
  const uint64_t *hashes;
  size_t count = tdm_rows_segments(rows, row, &hashes, &request->hash_ends);
  uint64_t *names = count > 0 ? room(e, server, count) : NULL;
  uint64_t salt = tdm_mix(pass + TDM_GAMMA);
  for (size_t i = 0; names != NULL && i < count; i++) names[i] = tdm_mix(hashes[i] ^ salt);
  request->hashes = names;
  request->hash_count = names != NULL ? count : 0;
  return true;
}

static size_t ceiling(int64_t tokens, int64_t each) {
  return (size_t)((tokens + each - 1) / each);
}

/* Tokens that the greatest KV cache of the server holds: who has more runs nowhere, and is not
 * named beyond them. */
static int64_t most_tokens(const tdm_llm_server *server) {
  int64_t most = 0;
  for (size_t p = 0; p < server->pool_count; p++) {
    const tdm_serving_config *c = &server->pools[p].config;
    if (c->blocks * c->block_tokens > most) most = c->blocks * c->block_tokens;
  }
  return most;
}

void tdm_prefix_name(tdm_engine *e, const tdm_stage *stage, uint32_t index, int64_t prefix,
                     uint64_t group, tdm_serving_request *request) {
  const tdm_serving_config *config = &e->model->servers[stage->server].pools[0].config;
  const tdm_request *r = &e->requests[index];
  const tdm_request_rows *rows = &e->model->classes[r->class_index].arrivals->rows;
  if (!config->prefix_caching) return;
  if (prefix == 0 && !stage->remembers && rows->block_tokens == 0) return;
  int64_t most = most_tokens(&e->model->servers[stage->server]), tokens = config->hash_tokens;
  int64_t prompt = tdm_least(request->prompt_tokens, most);
  int64_t all = tdm_least(request->prompt_tokens + request->output_tokens, most);
  size_t shared = (size_t)((prefix < prompt ? prefix : prompt) / tokens), count = shared;
  bool recorded = prefix == 0 && !stage->remembers && rows->block_tokens > 0;
  uint64_t n = r->ordinal & (((uint64_t)1 << TDM_VISIT_SHIFT) - 1);
  if (recorded && name_segments(e, stage->server, rows, tdm_request_row(e, index),
                                tdm_rows_pass(rows, n), tokens, request))
    return;
  if (stage->remembers)
    count = ceiling(all, tokens);
  else if (recorded)
    count = ceiling(prompt, tokens);
  uint64_t *names = count > 0 ? room(e, stage->server, count) : NULL;
  if (names == NULL) return;
  if (recorded) {
    count = name_recorded(rows, tdm_request_row(e, index), tdm_rows_pass(rows, n), tokens, names,
                          count);
  } else {
    name_group(group, names, shared);
  }
  if (stage->remembers) {
    name_conversation(e, index, shared, tokens, names, count);
    request->hashed_tokens = all;
  }
  request->hashes = names;
  request->hash_count = count;
}
