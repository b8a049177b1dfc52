--- Help topic: recorded requests, with td.resample from its specification.
local opening = [[
Recorded requests come as they came, td.replay { file = … }, or as they were: td.poisson { rps = 8,
sizes = td.resample { file = … } } draws whole rows, so that long prompts keep their short answers.
Every arrival process takes sizes; td.closed { users = 32, sizes = … } is a closed loop over them,
row after row with order = "recorded". Files are CSV, JSON Lines or an array of conversations,
packed with gzip or zstd or not.

Known by their columns: Azure (TIMESTAMP, ContextTokens, GeneratedTokens), BurstGPT (Timestamp,
Model, Request tokens, Response tokens), Mooncake (timestamp in ms, input_length, output_length,
hash_ids of 512 tokens), Bailian (the same with chat_id: seconds, 16 tokens). Others say columns = {
arrival = "…", prompt_tokens = "…", output_tokens = "…" }. where = { Model = "GPT-4" } takes only
such rows; from, to and limit cut.

Pace: speed = 2 is twice as fast; rps = 50 gives the mean rate; time = "24h" stretches the recording
to a day; both together take more or fewer requests, copies spread over the gap behind their own:
td.replay { file = "azure.csv.gz", time = "24h", rps = 5 }. sample = 0.1 leaves nine of ten out.
repeats = 10 plays it ten times, at no cost in memory.

hash_ids name the blocks of a prompt, each with all before it: td.generate finds equal ones in its
prefix cache. Copies and repeats are other prompts. hash_tokens says how many tokens an id names
where the layout is not known; it and engine.block_tokens must be multiples.

Conversations (ShareGPT: conversations or messages; or columns = { session = "…" }) are rows that
one request has one after the other: r.turns tells how many, and each round of td.loop has the next,
so that td.loop { times = "r.turns", td.generate "chat" { history = true }, td.delay "think" { time
= "20s" } } holds them again. Words count as a token for each 4 bytes (bytes_per_token).]]

return require("tandem.help.reference").topic("rows", "recorded requests: files, pace, prompts",
  opening)
