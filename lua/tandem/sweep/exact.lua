--- The exact JSON that jobs, answers and points travel and are kept in.
--
-- Owns the rules; the work is done in C (src/bind/exact.c), since every answer of a sweep passes
-- here. Not for people's eyes or files: results are written by report/json.lua, scenarios by
-- json.lua. Called by the crew, the ledger and the machines.
--
-- What comes back is what went in, bit for bit, and the same value is the same text:
--   * integers stay integers, floats stay floats: 2 and 2.0 are two things; -0.0 stays -0.0;
--   * infinity is written 1e999 and -1e999, which any reader of JSON takes for infinity;
--   * not-a-number is written null, and null is read as not-a-number: a table in Lua has no nil
--     that could be meant otherwise. Which NaN it was is not kept;
--   * objects have their keys in the order of bytes. A list is a table 1 … n; an empty table is {};
--   * texts pass byte by byte, whether they are UTF-8 or not.
local core = require "tandem.core"

local exact = {}

--- Raises on what JSON has no place for: functions, mixed keys, lists with holes.
---@type fun(value: any): string
exact.encode = core.exact_encode

--- Strict: refuses what encode would never write, such as keys given twice or integers beyond 64
--- bits. `false` is a value: a failure is a nil.
---@type fun(text: string): any, string?, integer? value, or nil, message, code
exact.decode = core.exact_decode

return exact
