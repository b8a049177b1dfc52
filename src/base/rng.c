/* Stream naming: FNV-1a over the name, then two rounds of mixing with seed and replication.
 * Owns no state. */
#include "base/rng.h"

tdm_stream tdm_stream_named(uint64_t seed, uint32_t replication, const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char *c = name; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
  uint64_t key = tdm_mix(seed + TDM_GAMMA);
  key = tdm_mix(key ^ ((uint64_t)replication + 1) * 0xd1342543de82ef95u);
  return (tdm_stream){tdm_mix(key ^ tdm_mix(hash))};
}
