--- Help topic: traces.
return require("tandem.help.page")("seeing every span in a browser", [[
  tandem run demo --trace trace.json

writes the first replication as a Chrome trace. Open it at https://ui.perfetto.dev (drag the file
there; nothing is uploaded) or in chrome://tracing. Each resource is a track on its lane (QUEUE,
CPU, H2D, GPU, D2H); arrows join the spans of one request; counters show how many requests are
queued and how many CPU workers, copy engines and GPU slots are busy.

Each request is a span of its own too, on the track "requests": from its arrival to its end, named
as its class, with its number and its attributes. A td.transfer's spans carry the bytes it moved,
unless a Lua function that tandem could not follow says how many (the trace would have to call it
again); of a transfer that an outage or a higher priority cut in pieces, the last piece has them. A
batch has one span, its first member's; the wait of every other member ends where it begins.

Every run is kept in a store, tandem.db in the working directory unless --store FILE.db or
$TANDEM_STORE names another: its figures, and its trace when that is small (--spans all keeps it in
any case). tandem runs lists them; tandem sql asks them; tandem export last --format perfetto writes
the trace later.

Tracing changes no number: the result is the same bytes with and without it. To trace less, simulate
less: --duration 2s or --requests 500.]])
