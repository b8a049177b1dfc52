--- The GPU catalogue: one file a family in lib/gpus/, gathered here. Owns the list of families and
-- the rules below; the numbers are in the family files, their citations in lib/sources.lua.
-- Read by tandem.catalogue, which adds what is derived (h2d, d2h, flops, ms_per_token).
--
-- An entry holds
--   name, aliases     upper and lower case, spaces and punctuation do not matter when looked up
--   vendor, architecture, chip, year, form_factor
--   memory_bytes      the printed size in GiB: memory comes in powers of two, whatever the unit
--                     on the sheet; the driver keeps some of it
--   bandwidth         of that memory, bytes/s
--   flops_by_type     peak FLOP/s (OP/s for int), DENSE, boost clock; fp64, fp32: the ordinary
--                     pipelines, fp64_matrix and fp32_matrix the matrix units, all others matrix
--                     units; sheets that print only a rate with 2:4 sparsity are halved, and say so
--   tdp_w             board or module power limit, W
--   link              host link, by its name in lib/links.lua; h2d and d2h come from there
--   peer_link, peer_bandwidth   to other GPUs, raw, one direction, bytes/s (sheets print both)
--   peer              without such a link: what hosts of such cards were measured to do, by its
--                     name in lib/peers.lua; cards that have neither take the host link's rate
--   node              GPUs that see each other, where no machine of lib/nodes.lua says it
--   mfu               share of the dense fp16 peak that a long prompt reached, and on which card it
--                     was measured; given only for cards with the same chip family
--   price_per_hour_usd          on demand: low, high, source
--   notes             where sources disagree and which is followed, and how derived
--   sources           field -> key in lib/sources.lua
-- What has no source is left out.

local all = {}
for _, family in ipairs { "volta_turing", "ampere", "ada", "hopper", "blackwell", "cdna",
  "tpu", "gaudi" } do
  for _, gpu in ipairs(require("lib.gpus." .. family)) do all[#all + 1] = gpu end
end
return all
