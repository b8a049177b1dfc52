/* What a transformer language model is made of, and what one GPU holds and does of it.
 *
 * Plain data and pure functions: sizes in, parameters, bytes and FLOPs out. Covers grouped-query
 * attention, multi-head latent attention, sliding windows, sparse selection of keys, keys that
 * stand for several tokens, linear attention with a state, dense and mixture-of-experts
 * feed-forward layers with a gate (three matrices). Filled by the binding from a Hugging Face
 * config.json that Lua has read; read by roofline.h and by whoever needs the size of a KV cache. */
#ifndef TDM_MODEL_LLM_ARCHITECTURE_H
#define TDM_MODEL_LLM_ARCHITECTURE_H

#include <stdint.h>

#include "base/error.h"

typedef struct {
  int64_t layers, hidden, vocabulary;
  int64_t tied; /* 1: input embedding and output head are one matrix */
  /* Attention. kv_rank > 0: latent attention, whose cache holds kv_rank + rope_size numbers. */
  int64_t heads, kv_heads, head_size;
  int64_t q_gate; /* 1: the query projection makes a gate for the output, as wide as the queries */
  int64_t q_rank, kv_rank, nope_size, rope_size, value_size;
  int64_t shared_kv;                         /* 1: the keys' projection makes the values as well */
  int64_t window, window_layers;             /* layers whose tokens see `window` keys at most */
  int64_t window_kv_heads, window_head_size; /* of these layers, where they differ; 0: as above */
  int64_t top_keys; /* > 0: a query sees so many keys, which an indexer selects */
  int64_t index_heads, index_size;
  /* o_rank > 0: compressed attention. One key of head_size, which is the value too, stands for
   * key_stride tokens in full layers (of which an indexer picks) and for coarse_stride in coarse
   * ones (of which none does); tokens of the window are seen besides in all. What heads give goes
   * through o_groups matrices of rank o_rank. */
  int64_t o_rank, o_groups, key_stride, coarse_layers, coarse_stride;
  /* Linear attention in so many of the layers, instead of the above. */
  int64_t linear_layers, linear_key_heads, linear_key_size, linear_value_heads, linear_value_size;
  int64_t linear_gate_rank; /* > 0: its two gates are products of matrices of this rank */
  /* Feed-forward: dense_layers of width `intermediate`; the others have experts. */
  int64_t dense_layers, intermediate;
  int64_t experts, experts_active, expert_intermediate, shared_intermediate;
  /* Bytes a number. */
  double attention_bytes, ffn_bytes, expert_bytes, embedding_bytes, kv_bytes, state_bytes,
      activation_bytes;
} tdm_llm_architecture;

/* tensor·data GPUs make a stage, `pipeline` stages a replica. Attention is cut `tensor` ways, and
 * `data` groups have batches of their own; experts are cut tensor·data ways, of which `expert`
 * by whole experts. */
typedef struct {
  int64_t tensor, pipeline, expert, data;
} tdm_llm_parallelism;

/* One GPU's share of one layer of each kind, in parameters, and its share of the whole in bytes. */
typedef struct {
  double attention_params; /* mean of the layers that attend to keys */
  double linear_params, dense_params, shared_params, router_params;
  double expert_params;    /* its part of one expert */
  double experts;          /* experts it holds (a part of) */
  double head_params;      /* of the output head */
  double embedding_params; /* 0 when tied to it */
  double pair_flops;       /* prefill: one query–key pair, one layer */
  double key_flops;        /* decode: one key read, one layer */
  double key_bytes;        /* KV cache of one token (or key), one layer */
  double window_pair_flops, window_key_flops, window_key_bytes; /* the same of window layers */
  double index_flops, index_bytes; /* the indexer's, for each key it looks at */
  double state_bytes, state_flops; /* linear attention: state of a sequence, work a token */
  double full_layers, coarse_layers, window_layers, linear_layers; /* of all stages */
  double dense_layers, expert_layers;
  double weights_bytes; /* resident on one GPU */
  /* On one GPU, all its layers: KV cache of each token; the part of it that window layers need for
   * the last `window` tokens alone; what a sequence has besides, however long it is. */
  double kv_bytes_token, window_bytes_token, state_bytes_seq;
} tdm_llm_shard;

/* TDM_INVALID with one line when sizes do not fit together, or cannot be cut like this. */
tdm_status tdm_llm_shard_of(const tdm_llm_architecture *model, const tdm_llm_parallelism *cut,
                            tdm_llm_shard *out, tdm_error *error);

/* The whole model on one GPU: parameters in all, and those that one token meets. */
double tdm_llm_params(const tdm_llm_shard *whole);
double tdm_llm_active_params(const tdm_llm_shard *whole, int64_t experts_active);

#endif
