// Notes on moments and ranges: bookmarks where they have no words. They are drawn over the picture,
// listed in the toolbar, and kept: with the run where tandem serve shows it, else by the browser; a file carries
// them to somebody else. What was kept with the run is in the page.
//
// Owns the notes: { run (index), from, to, text }, nanoseconds from the run's origin.
"use strict";

TimelineFeatures.push((parts, keys) => {
  const byId = (id) => document.getElementById(id), SCHEMA = "tandem.notes/1", MOST = 1000, LONGEST = 2000;
  const { runs, view, time, detail } = parts, box = byId("tl-notes"), input = byId("tl-note-text");
  const list = byId("tl-note-list"), said = byId("tl-note-said");
  const place = `tandem notes ${runs.map((run) => run.id).join(" ")}`;
  let notes = [];

  // What of a file or of what was kept is a note of these runs.
  function read(text) {
    let told;
    try {
      told = JSON.parse(text);
    } catch {
      return null;
    }
    if (told?.schema !== SCHEMA || !Array.isArray(told.notes)) return null;
    const out = [];
    for (const one of told.notes.slice(0, MOST)) {
      const run = runs.findIndex(({ id }) => id === one?.run);
      if (run < 0 || !Number.isFinite(one.from) || !Number.isFinite(one.to) || one.to < one.from) continue;
      out.push({ run, from: one.from, to: one.to, text: String(one.text ?? "").slice(0, LONGEST) });
    }
    return out;
  }

  const write = () => JSON.stringify({ schema: SCHEMA,
    notes: notes.map(({ run, ...rest }) => ({ run: runs[run].id, ...rest })) });

  function settle() {
    notes.sort((a, b) => a.from + runs[a.run].shift - b.from - runs[b.run].shift || a.to - b.to);
    byId("tl-notes-words").textContent = notes.length > 0 ? `notes (${Format.count(notes.length)})` : "notes";
    byId("tl-note-save").disabled = notes.length === 0;
    list.replaceChildren(...notes.map(line));
    view.soon();
  }

  const wordsOf = ({ text, run, from }) => text || `bookmark at ${Format.exact(from + runs[run].shift)}`;

  function line(note) {
    const item = Detail.element("li"), go = Detail.element("button"), away = Detail.element("button", "×", "tl-away");
    go.type = away.type = "button";
    const whose = runs.length > 1 ? `${runs[note.run].word}: ` : "";
    go.append(Detail.element("span", wordsOf(note)), Detail.element("small",
      `${whose}${Format.exact(note.from)}, ${Format.length(note.to - note.from)}`));
    go.addEventListener("click", () => show(note));
    away.setAttribute("aria-label", `Remove the note ${wordsOf(note)}`);
    away.addEventListener("click", () => {
      notes = notes.filter((one) => one !== note);
      settle();
      Kept.set(place, notes.length > 0 ? write() : null);
      input.focus();
    });
    item.append(go, away);
    return item;
  }

  function show(note) {
    const { shift } = runs[note.run];
    if (note.to > note.from) detail.mark(note.from + shift, note.to + shift, true);
    time.show(note.from + shift, note.to + shift, 0.8);
  }

  // On the range or the span that is chosen, else on what is seen.
  function add(text) {
    const { span, range } = detail, run = span ? span.run : runs[0];
    const [from, to] = span ? [span.start, span.end]
      : [(range || time).from - run.shift, (range || time).to - run.shift];
    if (notes.length >= MOST) {
      said.textContent = `There are ${Format.count(MOST)} notes already.`;
      return;
    }
    notes.push({ run: run.index, from: Math.round(from), to: Math.round(to), text: text.trim().slice(0, LONGEST) });
    settle();
    Kept.set(place, write());
  }

  // Not a form: a sandbox has none.
  const enter = () => {
    said.textContent = "";
    add(input.value);
    input.value = "";
  };
  byId("tl-note-add").addEventListener("click", enter);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") enter();
    if (event.key !== "Escape") return;
    box.open = false;
    view.scroll.focus();
  });
  byId("tl-note-save").addEventListener("click", () => {
    const link = Detail.element("a");
    link.href = URL.createObjectURL(new Blob([write()], { type: "application/json" }));
    link.download = `${runs.map((run) => run.id).join("-")}.notes.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  byId("tl-note-file").addEventListener("change", async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    const more = read(await file.text());
    event.target.value = "";
    if (!more || more.length === 0) {
      said.textContent = more ? `${file.name} has no notes on this run.` : `${file.name} is no file of notes.`;
      return;
    }
    const known = new Set(notes.map((note) => JSON.stringify(note)));
    notes.push(...more.filter((note) => !known.has(JSON.stringify(note))).slice(0, MOST - notes.length));
    said.textContent = "";
    settle();
    Kept.set(place, write());
  });
  keys.b = () => {
    box.open = true;
    input.focus();
  };

  view.over.push((pen) => {
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "top";
    const begins = notes.map((note) => time.x(note.from + runs[note.run].shift)); // from left to right
    for (const [i, note] of notes.entries()) {
      const x = begins[i], end = time.x(note.to + runs[note.run].shift);
      if (end < 0 || x > view.width) continue;
      pen.fillStyle = view.colours.series(4);
      const left = Math.max(x, 0), bottom = view.height - 16;
      pen.fillRect(left, bottom + 13, Math.max(Math.min(end, view.width) - left, 2), 3);
      if (x >= 0) pen.fillRect(Math.round(x), 0, 1, view.height);
      const next = begins.find((begin, k) => k > i && begin > left) ?? Infinity; // whose words begin there
      const words = Paint.fit(pen, wordsOf(note), Math.min(Math.max(end - left, 60), next - left - 6));
      pen.fillStyle = view.colours.inkText;
      pen.fillText(words, left + 3, bottom);
    }
  });

  Kept.get(place, (text) => {
    if (notes.length > 0) return;
    notes = (text && read(text)) || runs.flatMap((run) => (run.notes || []).map((one) => ({ run: run.index, ...one })));
    settle();
  });
  parts.notes = () => notes;
  settle();
});
