--- What functions of a scenario are given: objects that the engine makes (src/bind), so that no
--- module has a definition for their comments to stand above.
--
-- Owns their annotations alone; nothing here runs. Read by help, the reference and the stubs.
-- luacheck: ignore 212

--- A request as cost functions, hooks, routers and admit see it: to be read during the call alone.
---@class tandem.Request
---@field id integer              its number within its class
---@field class string            the class's name
---@field stage string            the stage's name
---@field outcome string          of one that was dropped: dropped, refused, abandoned, …
---@field now number              the simulated time in seconds
---@field time number             the same, in seconds
---@field arrival number          when it arrived, in seconds
---@field waited number           how long it just waited, in seconds
---@field batch number            how many members its batch has: 1 when it is not batched
---@field sum table<string, number>  an attribute summed over the batch, in its unit
---@field gpu table<string, number>  fields of the GPU the request is on, in SI units
---@field [string] number         its attributes, in SI units

--- A request as functions of an LLM server's engine see it.
---@class tandem.LlmRequest
---@field class string         the class's name
---@field tenant integer       its number
---@field priority integer     the smallest first
---@field arrival number       seconds
---@field waited number        seconds since then
---@field prompt integer       tokens
---@field max_output integer   tokens it may generate at most
---@field predicted integer    tokens it is thought to generate
---@field generated integer    tokens so far
---@field computed integer     tokens with KV, or that it would find cached
---@field kv_blocks integer    that it has
---@field preemptions integer  so far

--- A replica of an LLM server.
---@class tandem.LlmState
---@field time number           seconds
---@field running integer       requests
---@field waiting integer       requests
---@field free_blocks integer   of the KV cache
---@field blocks integer        all of them
---@field block_tokens integer  of a block

--- A step of an LLM server, as the function that says how long it takes sees it. Sums go over its
--- sequences.
---@class tandem.LlmBatch
---@field prefill_seqs number        how many sequences compute prompt tokens
---@field prefill_tokens number      new prompt tokens
---@field prefill_context number     tokens that these sequences already have
---@field prefill_attention number   query-key pairs of the prompt tokens
---@field prefill_squares number     squares of each one's new prompt tokens
---@field decode_seqs number         how many sequences get a further token
---@field decode_context number      tokens of context that these read
---@field decode_context_max number  tokens of the longest of these contexts
---@field decode_squares number      squares of these contexts, in tokens
---@field sampled number             how many sequences leave with a token

--- What the function of a td.process is given: what its request does, step by step. It has the
--- fields of a request, too.
---@class tandem.Process: tandem.Request
local Process = {}

--- Waits in the queue of a station, holds it for so long, leaves it. Of a link the amount is bytes.
---@param station string|tandem.Resource  "cpu", "h2d", "gpu", "d2h", or a resource of the scenario
---@param amount number|string|tandem.Dist  seconds or "2ms"; of a link bytes or "8MiB"
function Process:use(station, amount) end

--- Lets time pass.
---@param time number|string|tandem.Dist  seconds or "2ms"
function Process:hold(time) end

--- Waits for memory and takes it.
---@param memory string|tandem.Resource  "gpu", or a td.memory of the scenario
---@param bytes number|string  bytes or "2GiB"
function Process:seize(memory, bytes) end

--- Gives memory back.
---@param memory string|tandem.Resource  "gpu", or a td.memory of the scenario
---@param bytes number|string  bytes or "2GiB"
function Process:release(memory, bytes) end

return Process
