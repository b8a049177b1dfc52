--- Help topic: what is sent, how, and what a receiver of one's own has to answer.
local topic = { title = "sending runs elsewhere: what leaves, the outbox, the protocol" }

local TEXT <const> = [[
Nothing is ever sent unless somebody asks: tandem upload RUN… --to URL, tandem run --upload URL,
td.upload(run, { to = URL }), tandem outbox send.

What leaves: a store with these runs only, without recorded environments, arguments and artifacts,
packed with zstd. Directories of paths, and the host and user names that the recording or this
machine tells, are taken out of every text: names, notes, tags, figures, arguments of spans. --raw
sends runs as they are. --dry-run prints runs, fields, what was removed, bytes and the key; --output
FILE.db writes just what would be sent. Names of kernels and ranges stay: tandem scrub --names takes
those out before. Its own files are in $TMPDIR (/tmp), about three times what is sent; what a killed
upload left there goes with the next one.

Tokens: $TANDEM_TOKEN, or --token-file of mode 0600. They are in no argument, row, log or message.
Certificates are verified before anything is sent (--ca-file for one's own authority), redirects not
followed, http:// to another machine only with --plain-http. Proxies: https_proxy, no_proxy.

Failures: time-outs, broken connections, 429 and 5xx are asked again, after a random part of 0.5 s,
1 s, 2 s … 30 s and not before Retry-After, for --patience seconds without progress; pieces become
smaller on a line that breaks (down to 1 KiB) and larger again. Then, and after any other answer,
it stays in the outbox (tandem outbox lists, sends, forgets). The outbox keeps what was asked, not
the bytes: they are made anew, and are the same while the runs are.

The protocol, JSON over HTTP/1.1, Authorization: Bearer TOKEN where there is one:
  POST /v1/uploads, Idempotency-Key: KEY, {key, bytes, sha256, media_type, runs:[{id, name, kind,
    digest}]}: 201 or 200 {upload_id, offset, chunk_bytes}, or 200 {done: true, run_ids}.
  PATCH /v1/uploads/ID, Upload-Offset: N, application/offset+octet-stream: 204 with the new
    Upload-Offset, 409 with the true one. HEAD tells it.
  POST /v1/uploads/ID/finish: 200 {run_ids}; 202 while another request finishes it: ask again;
    422 when what came is damaged.
KEY and sha256 are the SHA-256 of the bytes, so that a repeat is harmless; digest is that of a run's
rows, so that a run that came in another upload is not stored twice.

Any other endpoint: --json POSTs {"schema": "tandem.upload/1", "generator": {name, version}, "runs":
[{id, name, kind, state, note, tags, seed, version, scenario_hash, created_utc_ns, duration_s,
spans, spans_dropped, digest, figures: [{scope, subject, ordinal, name, unit, value, text}],
summary, breakdown}]} as gzip in one request to URL as it stands, with Idempotency-Key; any 2xx
will do.]]

function topic.text() return TEXT end

return topic
