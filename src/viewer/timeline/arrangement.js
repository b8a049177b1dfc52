// How a person has arranged a timeline: what is pinned, hidden, taller or in another order, how wide
// the labels are, which tracks the filter leaves, which are selected for sums.
//
// Owns these choices and where they are kept: by run in the browser's storage where it allows that,
// and as parts of the page's address. What stands where is scene.js's. A thing is named by a key that
// is the same on every page of the run: L3 a lane, T0.17 a track (run, id), C0.5 a counter, H counters.
"use strict";

const Arrangement = (() => {
  const LEAST = 0.5, MOST = 8, NARROW = 60, WIDE = 900;

  class Arrangement {
    constructor(runs) {
      this.store = `tandem timeline ${runs.map((run) => run.id).join(" ")}`;
      this.changed = () => {};
      this.clear();
      this.came = () => {}; // when what was kept has come later than the picture
      Kept.get(this.store, (text) => {
        if (text && this.read(new URLSearchParams(text))) this.came();
      });
    }

    clear() {
      this.pinned = [];
      this.hidden = new Set();
      this.rank = new Map(); // of things that were moved, and of those beside them
      this.scale = new Map();
      this.selected = new Set(); // keys of tracks
      this.filter = "";
      this.gutter = 0; // pixels; 0: as the page has it
    }

    // Choices as parts of an address.
    write(out) {
      const put = (name, list) => { if (list.length > 0) out.set(name, list.join("_")); };
      put("pin", this.pinned);
      put("hide", [...this.hidden]);
      put("order", [...this.rank.keys()].sort((a, b) => this.rank.get(a) - this.rank.get(b)));
      put("tall", [...this.scale].map(([key, scale]) => `${key}x${+scale.toFixed(2)}`));
      put("only", [...this.selected]);
      if (this.filter) out.set("tracks", this.filter);
      if (this.gutter) out.set("labels", String(Math.round(this.gutter)));
      return out;
    }

    // Whether the parts say anything; what they do not say is as at first.
    read(parts) {
      const names = ["pin", "hide", "order", "tall", "only", "tracks", "labels"];
      if (!names.some((name) => parts.get(name))) return false;
      const list = (name) => (parts.get(name) || "").split("_").filter((key) => /^(L\d+|[TC]\d+\.\d+|H)(x|$)/.test(key));
      this.clear();
      this.pinned = list("pin");
      this.hidden = new Set(list("hide"));
      list("order").forEach((key, i) => this.rank.set(key, i));
      for (const one of list("tall")) {
        const [key, scale] = one.split("x");
        this.resize(key, Number(scale));
      }
      this.selected = new Set(list("only"));
      this.filter = parts.get("tracks") || "";
      this.gutter = Number(parts.get("labels")) || 0;
      return true;
    }

    keep() {
      Kept.set(this.store, this.write(new URLSearchParams()).toString() || null);
      this.changed();
    }

    pin(key) {
      if (this.pinned.includes(key)) this.pinned = this.pinned.filter((one) => one !== key);
      else this.pinned.push(key);
    }

    // By a factor of the usual height.
    resize(key, scale) {
      const wanted = Math.min(MOST, Math.max(LEAST, scale || 1));
      if (Math.abs(wanted - 1) < 0.02) this.scale.delete(key);
      else this.scale.set(key, wanted);
    }

    widen(pixels) { this.gutter = Math.min(WIDE, Math.max(NARROW, pixels)); }

    // Puts `key` at a place among the keys that stand beside it.
    move(key, siblings, place) {
      if (this.pinned.includes(key)) {
        this.pinned = Arrangement.moved(this.pinned, key, place);
        return;
      }
      // Their ranks begin after those of all others, so that groups do not mix.
      const beside = new Set(siblings), rest = [...this.rank.keys()].filter((one) => !beside.has(one))
        .sort((a, b) => this.rank.get(a) - this.rank.get(b));
      this.rank = new Map([...rest, ...Arrangement.moved(siblings, key, place)].map((one, i) => [one, i]));
    }

    // In the person's order; what was never moved stays where it is, after what was.
    sorted(list) {
      if (this.rank.size === 0 || !list.some(({ key }) => this.rank.has(key))) return list;
      const rank = ({ key }) => this.rank.get(key) ?? Infinity;
      return [...list].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
    }

    // Whether the filter's text leaves a name: in any case; /…/ is a regular expression.
    matcher() {
      const match = this.filter && Arrangement.matcher(this.filter);
      return match || (() => true);
    }
  }
  Arrangement.moved = (list, key, place) => {
    const rest = list.filter((one) => one !== key);
    rest.splice(Math.max(0, Math.min(place, rest.length)), 0, key);
    return rest;
  };
  // Null for an expression that is none.
  Arrangement.matcher = (text) => {
    const plain = text.match(/^\/(.+)\/$/);
    if (plain) {
      try {
        const expression = new RegExp(plain[1], "i");
        return (name) => expression.test(name);
      } catch {
        return null;
      }
    }
    const wanted = text.toLowerCase();
    return (name) => name.toLowerCase().includes(wanted);
  };
  return Arrangement;
})();
