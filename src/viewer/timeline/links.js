// Where we are, in the address: #t=FROM..TO&sel=RUN:SPAN&q=TEXT&mode=MODE&at=TIME, and how tracks are
// arranged (arrangement.js). Opening such an address shows the same picture.
"use strict";

(() => {
  TimelineFeatures.push((parts) => {
    const { runs, time, detail, view, arrangement } = parts;

    function address() {
      const out = new URLSearchParams();
      if (time.from !== time.first || time.to !== time.last) {
        out.set("t", `${Math.round(time.from)}..${Math.round(time.to)}`);
      }
      if (detail.span) out.set("sel", `${detail.span.run.index}:${detail.span.number}`);
      if (detail.range) out.set("range", `${Math.round(detail.range.from)}..${Math.round(detail.range.to)}`);
      if (parts.searchText()) out.set("q", parts.searchText());
      if (view.mode !== "stacked") out.set("mode", view.mode);
      if (parts.moment() !== null) out.set("at", String(Math.round(parts.moment())));
      return `#${arrangement.write(out)}`;
    }

    const pair = (text) => (text || "").match(/^(-?\d+)\.\.(-?\d+)$/)?.slice(1).map(Number);

    async function follow() {
      const wanted = new URLSearchParams(location.hash.slice(1)), t = pair(wanted.get("t"));
      const mode = document.querySelector(`#tl-modes input[value="${CSS.escape(wanted.get("mode") || "stacked")}"]`);
      if (mode) {
        mode.checked = true;
        view.mode = mode.value;
      }
      if (arrangement.read(wanted)) parts.arranged();
      if (wanted.get("q")) await parts.search(wanted.get("q"));
      const [run, number] = (wanted.get("sel") || "").split(":").map(Number);
      if (runs[run] && number >= 0 && number < runs[run].held) await detail.choose(await runs[run].span(number), !t);
      const range = pair(wanted.get("range"));
      if (range) detail.mark(...range, true);
      if (wanted.get("at")) parts.moveTo(Number(wanted.get("at")), false);
      if (t) time.set(...t);
      view.soon();
    }

    let waiting;
    const note = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        // Inside another page there is no address of our own.
        if (location.protocol !== "about:") history.replaceState(null, "", address());
      }, 250);
    };
    const changed = time.changed;
    time.changed = () => {
      changed();
      note();
    };
    detail.changed.push(note);
    arrangement.changed = note;
    document.getElementById("tl-search").addEventListener("input", note);
    document.getElementById("tl-modes")?.addEventListener("change", note);
    window.addEventListener("hashchange", follow);

    // Inside another page, that page says what to show: FROM..TO, a moment where both are the same.
    function show(from, to) {
      if (from === undefined) return;
      if (to > from) detail.mark(from, to, true);
      const around = to > from ? 0 : (time.last - time.first) / 1000;
      time.show(from - around, to + around);
      view.soon();
    }
    if (window.parent !== window) {
      window.addEventListener("message", ({ source, data }) => {
        if (source !== window.parent) return;
        if (typeof data?.place === "string" || typeof data?.find === "string") parts.unpick();
        if (typeof data?.place === "string") show(...(pair(data.place) || []));
        if (typeof data?.find === "string") parts.walk(data.find);
        if (typeof data?.pick === "object" && data.pick !== null) parts.pick(data.pick);
      });
    }
    parts.show = show;
    parts.address = address;
    parts.follow = follow;
    follow();
    if (window.parent !== window) window.parent.postMessage({ timeline: "ready" }, "*");
  });
})();
