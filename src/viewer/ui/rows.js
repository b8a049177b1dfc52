// Rows of a query as tracks of a timeline: a module of the server's pages, and a plain script of timelines.
//
// Owns nothing. Whole numbers may be numbers, BigInts or texts of digits.
"use strict";

globalThis.AnsweredRows = (() => {
  const MOST_SPANS = 20000, MOST_TRACKS = 40;
  const STARTS = ["start_ns", "at_ns", "time_ns", "begin_ns", "arrival_ns"], LENGTHS = ["dur_ns", "length_ns", "total_ns"];

  // Which columns say when, how long, what, and on which track; null where no time is told.
  function rolesOf(columns, rows) {
    const first = (names) => names.find((name) => columns.includes(name));
    const start = first(STARTS);
    if (!start || rows.length === 0) return null;
    const isText = (name) => rows.some((row) => typeof row[name] === "string" && !/^-?\d+$/.test(row[name]));
    return { start, length: first(LENGTHS), end: first(["end_ns"]), name: columns.includes("name") ? "name"
      : columns.find((name) => name !== "track" && isText(name)), track: columns.includes("track") ? "track" : null };
  }

  const whole = (value) => {
    if (value === null || value === undefined || typeof value === "bigint") return value ?? null;
    if (typeof value === "number") return Number.isFinite(value) ? BigInt(Math.round(value)) : null;
    return /^-?\d+$/.test(value) ? BigInt(value) : null;
  };

  // Rows as spans, by track: starts are texts.
  function tracksOf(columns, rows, is) {
    const tracks = new Map();
    for (const row of rows.slice(0, MOST_SPANS)) {
      const start = whole(row[is.start]);
      if (start === null) continue;
      const end = is.end && whole(row[is.end]);
      const length = is.length ? Number(row[is.length] ?? 0) : end ? Number(end - start) : 0;
      const track = is.track ? String(row[is.track]) : "rows";
      if (!tracks.has(track) && tracks.size >= MOST_TRACKS) continue;
      if (!tracks.has(track)) tracks.set(track, []);
      tracks.get(track).push({ start: String(start), length: length > 0 ? length : 0, name: String((is.name && row[is.name]) ?? "row"),
        facts: columns.filter((name) => row[name] !== null && row[name] !== undefined)
          .map((name) => [name, String(row[name])]) });
    }
    return [...tracks].map(([name, spans]) => ({ name, spans }));
  }

  // From when to when a row is, as texts.
  function placeOf(row, is) {
    const start = whole(row[is.start]);
    const end = is.length ? start + (whole(row[is.length]) ?? 0n) : (is.end && whole(row[is.end])) ?? start;
    return [String(start), String(end)];
  }

  // Spans of a category that touch a time, the longest first; null where the question is none. Of each run `run` is
  // how SQL names it, from … to are texts of digits, tracks a list of ids, or null: all.
  function spansQuery({ category, runs }) {
    const sound = ({ from, to, tracks }) => [from, to].every((text) => /^-?\d{1,19}$/.test(text))
      && (tracks === null || (Array.isArray(tracks) && tracks.every(Number.isInteger)));
    if (typeof category !== "string" || !runs.every(sound)) return null;
    const where = runs.map(({ run, from, to, tracks }) => `run = ${run} AND start_ns < ${to} AND end_ns > ${from}`
      + `${tracks ? ` AND track IN (${tracks.join()})` : ""}`);
    return `SELECT ${runs.length > 1 ? "run, " : ""}name, start_ns, dur_ns, track FROM span
WHERE category = '${category.replaceAll("'", "''")}' AND (${where.join("\n  OR ")})
ORDER BY dur_ns DESC LIMIT 10000`;
  }

  return { MOST_SPANS, spansQuery, rolesOf, tracksOf, placeOf };
})();
