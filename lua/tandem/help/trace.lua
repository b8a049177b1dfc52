--- Help topic: traces.
return require("tandem.help.page")("seeing every span in a browser", [[
  tandem run demo --trace trace.json

writes the first replication as a Chrome trace. Open it at https://ui.perfetto.dev (drag the file
there; nothing is uploaded) or in chrome://tracing. Each resource is a track on its lane (QUEUE,
CPU, H2D, GPU, D2H); arrows join the spans of one request; counters show how many requests are
queued and how many CPU workers, copy engines and GPU slots are busy.

Tracing changes no number: the result is the same bytes with and without it. To trace less, simulate
less: --duration 2s or --requests 500.]])
