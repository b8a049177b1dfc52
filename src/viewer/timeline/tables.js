// What a page holds as tables for SQL, with the names that `tandem sql` has: span, track, request, class, name,
// counter, run. What a page does not hold (the store's numbers of rows, instants, edges) is not there.
//
// A moment is on its run's clock, as in the store. Owns nothing: tables are made for one query. Called by asked.js.
"use strict";

const PageTables = (() => {
  const { small } = SqlValues, CHUNK = Run.CHUNK;
  const KEYS = ["correlation", "bytes", "kind", "batch"];
  const whole = (n) => (n === undefined || n === null || Number.isNaN(n) ? null : n);

  // A run's moment on its own clock, exact: since 1970 it is beyond what a double holds.
  function clockOf(run) {
    const origin = BigInt(run.origin), near = Number(origin);
    const safe = Number.isSafeInteger(near) && Number.isSafeInteger(near + run.length);
    return safe ? (ns) => near + ns : (ns) => small(origin + BigInt(ns));
  }

  const columns = (list) => new Map(list.map(([name, affinity, value, need]) => [name, { name, affinity, value, need }]));

  // Tables of rows that are all there: `list` is called when they are read.
  function listed(fields, list) {
    return { small: true, columns: columns(fields.map(([name, affinity]) => [name, affinity, (row) => row[name] ?? null])),
      async* parts() {
        const rows = await list();
        yield { rows: rows.length, row: (i) => rows[i], done: 1 };
      } };
  }

  // ---- spans

  // As src/trace/record.c has it.
  function laneOf(category, kind, name, track) {
    if (category === "kernel") return /^[nr]ccl/.test(name) ? "COMM" : "GPU";
    if (category === "memcpy" || category === "um") {
      const way = (kind || "").replace(/^UVM /, "");
      return /^Hto[DA]/.test(way) ? "H2D" : /^[DA]toH/.test(way) ? "D2H" : way.startsWith("PtoP") ? "COMM" : "GPU";
    }
    if (category === "memset" || category === "graph") return "GPU";
    return category === "runtime" || category === "driver" ? "CPU" : track;
  }

  // A double as tandem's JSON has it: 15 digits or as many as it takes, always with a point or a power.
  function realJson(value) {
    if (!Number.isFinite(value)) return "null";
    if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
    const [head, power] = value.toExponential().split("e"), point = Number(power) + 1;
    if (point > 17 || point < -4) {
      return `${head}e${point > 0 ? "+" : "-"}${String(Math.abs(point - 1)).padStart(2, "0")}`;
    }
    const sign = value < 0 ? "-" : "", digits = head.replace(/[-.]/g, "");
    if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
    return digits.length > point ? `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
      : `${sign}${digits.padEnd(point, "0")}.0`;
  }

  // The cursor over spans: one that moves.
  class Spans {
    constructor(runs, lanes) {
      this.runs = runs;
      this.lanes = lanes;
      this.wanted = new Set(); // arguments that the query reads; "*": all
    }

    reads(layout) { return this.wanted.has("*") || layout.args.some(([key]) => this.wanted.has(key)); }

    async open(run, chunk) {
      const { blocks } = run, first = chunk * CHUNK;
      this.part = await blocks.once(run.chunks[chunk], Run.SPAN);
      this.rows = this.part.rows;
      this.args = [];
      this.seen = [];
      for (const entry of run.argBlocks[chunk]) {
        const [id, block] = entry, layout = run.layouts[id];
        if (!this.reads(layout)) continue;
        this.args[id] = await blocks.once(block, Run.argKinds(layout, entry));
        this.seen[id] = -1;
      }
      this.first = first;
      this.drawn = run.rowOf(first);
      this.last = -1;
    }

    row(i) {
      this.i = i;
      const { run } = this;
      this.layout = run.layouts[this.part.layout[i]];
      for (; this.last < i; this.last++) {
        const id = this.part.layout[this.last + 1];
        if (this.seen[id] !== undefined) this.seen[id]++;
      }
      while (this.first + i >= run.first[this.drawn + 1]) this.drawn++;
      this.track = run.tracks[run.rowTrack[this.drawn]];
      return this;
    }

    argument(a) {
      const [, type] = this.layout.args[a], id = this.part.layout[this.i], value = this.args[id][a][this.seen[id]];
      if (type === "real") return Number.isNaN(value) ? null : new Real(value);
      if (value === -(1n << 63n)) return null;
      if (type === "text" || type === "json") return this.run.names[Number(value)] ?? null;
      return small(value);
    }

    of(key) {
      const a = this.layout.args.findIndex(([one]) => one === key);
      return a < 0 ? null : key === "request" ? this.request(a) : this.argument(a);
    }

    // The page says it once, as a row of its requests.
    request(a) {
      const at = this.part.request[this.i];
      return Number.isNaN(at) ? this.argument(a) : this.requests.id[at];
    }

    name() { return this.run.names[this.part.name[this.i]] ?? null; }

    lane() { return laneOf(this.layout.category, this.of("kind"), this.name(), this.lanes[this.track.lane]); }

    json() {
      const out = [];
      this.layout.args.forEach(([key, type], a) => {
        const value = key === "request" ? this.request(a) : this.argument(a);
        if (value === null) return;
        const text = type === "bool" ? String(value !== 0) : value instanceof Real ? realJson(value.value)
          : type === "text" ? JSON.stringify(value) : String(value);
        out.push(`${JSON.stringify(key)}:${text}`);
      });
      return `{${out.join()}}`;
    }

    async* parts() {
      const all = this.runs.reduce((sum, run) => sum + run.chunks.length, 0);
      let done = 0;
      for (const run of this.runs) {
        this.run = run;
        this.clock = clockOf(run);
        this.requests = await run.requestsKnown();
        for (let chunk = 0; chunk < run.chunks.length; chunk++) {
          await this.open(run, chunk);
          this.done = ++done / all;
          yield this;
        }
      }
    }
  }

  function spans(runs, lanes) {
    const made = new Spans(runs, lanes), start = (c) => c.part.start[c.i], length = (c) => c.part.length[c.i];
    const reads = (...keys) => () => keys.forEach((key) => made.wanted.add(key));
    const ofTrack = (key) => [key, "number", (c) => whole(c.track[key])];
    const table = { small: false, parts: () => made.parts(), columns: columns([
      ["run", "number", (c) => c.run.index + 1],
      ["start_ns", "number", (c) => c.clock(start(c))],
      ["dur_ns", "number", length],
      ["end_ns", "number", (c) => c.clock(start(c) + length(c))],
      ["category", "text", (c) => c.layout.category],
      ["name", "text", (c) => c.name()],
      ["track", "number", (c) => c.track.id],
      ["lane", "text", (c) => c.lane(), reads("kind")],
      ["shape", "text", (c) => c.layout.shape],
      ...["device", "stream", "pid", "tid"].map(ofTrack),
      ...KEYS.map((key) => [key, key === "kind" ? "text" : "number", (c) => c.of(key), reads(key)]),
      ["request", "number", (c) => c.of("request"), reads("request")],
      ["source", "number", (c) => whole(c.track.source)],
      ["args", "text", (c) => c.json(), reads("*")],
    ]) };
    return table;
  }

  // ---- the rest

  async function requestsOf(run) {
    const all = await run.requestsKnown(), clock = clockOf(run);
    return Array.from({ length: all.rows }, (_, i) => ({ run: run.index + 1, id: all.id[i], class: all.class[i],
      arrival_ns: clock(all.arrival[i]), end_ns: Number.isNaN(all.end[i]) ? null : clock(all.end[i]),
      gpu: all.gpu[i] < 0 ? null : whole(all.gpu[i]), outcome: run.outcomes[all.outcome[i]] }));
  }

  async function samplesOf(run) {
    const out = [], clock = clockOf(run);
    for (const { derived, coarse, name, unit, track: at, blocks } of run.counters) {
      if (derived || !blocks || coarse) continue;
      const all = await run.blocks.all(blocks, [["first", "number"], ["mean", "real"]]); // as curves.js calls them
      for (let i = 0; i < all.rows; i++) {
        out.push({ run: run.index + 1, time_ns: clock(all.first[i]), track: run.tracks[at]?.id, name, unit: unit || null,
          value: Number.isNaN(all.mean[i]) ? null : new Real(all.mean[i]) });
      }
    }
    return out;
  }

  const gathered = (runs, read) => async () => (await Promise.all(runs.map(read))).flat();

  function of(runs, lanes) {
    const numbers = (...names) => names.map((name) => [name, "number"]), texts = (...names) => names.map((name) => [name, "text"]);
    const tracks = (run) => run.tracks.map((track) => ({ run: run.index + 1, id: track.id, process: run.groups[track.group],
      name: track.name, kind: track.kind, lane: lanes[track.lane], capacity: track.capacity, pid: track.pid, tid: track.tid,
      device: track.device, context: track.context, stream: track.stream, source: track.source }));
    return {
      span: spans(runs, lanes),
      track: listed([...numbers("run", "id"), ...texts("process", "name", "kind", "lane"), ...numbers("capacity", "pid", "tid",
        "device", "context", "stream", "source")], gathered(runs, tracks)),
      request: listed([...numbers("run", "id", "class", "arrival_ns", "end_ns", "gpu"), ...texts("outcome")],
        gathered(runs, requestsOf)),
      class: listed([...numbers("run", "id"), ...texts("name")],
        gathered(runs, (run) => (run.classes || []).map((name, id) => ({ run: run.index + 1, id, name })))),
      name: listed([...numbers("run", "id"), ...texts("name")],
        gathered(runs, (run) => run.names.map((name, id) => ({ run: run.index + 1, id, name })))),
      counter: listed([...numbers("run", "time_ns", "track"), ...texts("name"), ["value", "real"], ...texts("unit")]
        .map(([name, affinity]) => [name, affinity === "real" ? "number" : affinity]), gathered(runs, samplesOf)),
      run: listed([...numbers("number"), ...texts("id", "kind", "name"), ...numbers("spans")],
        gathered(runs, (run) => ({ number: run.index + 1, id: run.id, kind: run.kind, name: run.name, spans: run.spans + run.instants }))),
    };
  }

  // run('last') and run('6f64'): numbers in columns `run`.
  function runNumber(runs) {
    return [1, 1, (wanted) => {
      if (wanted === null) return null;
      const text = SqlValues.text(wanted);
      const found = runs.filter(({ id, name }) => text === "last" || id.startsWith(text) || name === text);
      if (found.length === 1) return found[0].index + 1;
      throw new Error(`run('${text}'): the page shows ${runs.map(({ id }) => id).join(" and ")}`);
    }];
  }

  return { of, functions: (runs) => ({ run: runNumber(runs) }), clockOf };
})();
