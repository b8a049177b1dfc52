// What stands below what: what is pinned, then lanes with their activity, under an open lane its
// tracks, then counters.
//
// Owns which lanes and tracks are open, and the list of items with their heights; how a person has
// arranged them is arrangement.js's. An item has a key, y and height, and is
//   { kind: "lane", lane, parts: [{ run, activity }], open }
//   { kind: "track", run, track, open, rowHeight }
//   { kind: "heading", text, open }  of counters
//   { kind: "counter", run, counter }
// Those that are pinned come first; they stay where they are while the others scroll.
"use strict";

const Scene = (() => {
  const LANE = 34, ROW = 16, SHUT = 18, COUNTER = 34, HEADING = 24, MANY_TRACKS = 14, EDGE = 4;
  const HEIGHTS = { lane: LANE, counter: COUNTER, heading: HEADING };

  class Scene {
    constructor(runs, lanes, arrangement) {
      this.runs = runs;
      this.lanes = lanes;
      this.arrangement = arrangement;
      this.open = new Set();
      this.made = new Map(); // title → { lane, run }: made.js's
      this.tree();
      let tracks = 0;
      for (const run of runs) tracks += run.tracks.length;
      if (tracks <= MANY_TRACKS) lanes.forEach((_, lane) => this.open.add(`L${lane}`));
      this.arrange();
    }

    // Tracks that were made on the page, in a lane of their own; null: no more.
    put(title, run) {
      const lane = this.made.get(title)?.lane ?? this.lanes.push(title) - 1;
      this.made.set(title, { lane, run });
      if (run) {
        for (const track of run.tracks) {
          track.lane = lane;
          if (track.rows <= 6) this.open.add(Scene.trackKey(track));
        }
        this.open.add(`L${lane}`);
      }
      this.tree();
      this.arrange();
    }

    static trackKey(track) { return `T${track.run.index}.${track.id}`; }

    // Everything there is, in the order of the runs: lanes and counters with what is under them.
    tree() {
      const under = this.lanes.map(() => []);
      const made = [...this.made.values()].filter(({ run }) => run);
      for (const run of [...this.runs, ...made.map((one) => one.run)]) {
        for (const track of run.tracks) {
          if (track.rows > 0) under[track.lane]?.push({ kind: "track", key: Scene.trackKey(track), run, track });
        }
      }
      this.roots = [];
      this.lanes.forEach((_, lane) => {
        const parts = [];
        for (const run of this.runs) {
          const activity = run.activity.find((one) => one.lane === lane);
          if (activity) parts.push({ run, activity });
        }
        if (parts.length === 0 && under[lane].length === 0) return;
        this.roots.push({ kind: "lane", key: `L${lane}`, lane, parts, under: under[lane] });
      });
      const isMade = ({ lane }) => made.some((one) => one.lane === lane);
      this.roots = [...this.roots.filter(isMade), ...this.roots.filter((root) => !isMade(root))];
      const counters = [];
      for (const run of this.runs) {
        for (const counter of run.counters) {
          counters.push({ kind: "counter", key: `C${run.index}.${counter.index}`, run, counter });
        }
      }
      if (counters.length > 0) {
        this.roots.push({ kind: "heading", key: "H", text: `Counters (${counters.length})`, under: counters });
      }
      this.byKey = new Map();
      for (const root of this.roots) {
        this.byKey.set(root.key, root);
        for (const one of root.under) {
          one.parent = root;
          this.byKey.set(one.key, one);
        }
      }
    }

    // What a thing is called, for people and for the filter.
    nameOf({ kind, lane, text, counter, track, run }) {
      if (kind === "lane") return this.lanes[lane];
      if (kind === "heading") return text;
      if (kind === "counter") return run.counterName(counter);
      return track.name || run.groupOf(track);
    }

    toggle(item) {
      if (!this.open.delete(item.key)) this.open.add(item.key);
      this.arrange();
    }

    setAll(open) {
      this.open.clear();
      if (open) for (const key of this.byKey.keys()) if (!key.startsWith("C")) this.open.add(key);
      this.arrange();
    }

    // Opens what hides a track.
    reveal(track) {
      const key = Scene.trackKey(track), { arrangement } = this;
      this.open.add(`L${track.lane}`);
      if (track.rows > 1) this.open.add(key);
      arrangement.hidden.delete(key);
      arrangement.hidden.delete(`L${track.lane}`);
      this.arrange();
      const there = () => this.items.find((item) => item.track === track);
      if (!there()) {
        arrangement.filter = "";
        this.arrange();
      }
      return there();
    }

    // Opens lanes and tracks in turn while everything fits into a height.
    openUpTo(height) {
      for (const item of [...this.items.filter((one) => one.kind === "lane"), null]) {
        const tracks = item ? [] : this.items.filter((one) => one.kind === "track" && !one.open);
        for (const one of item && !item.open ? [item] : tracks) {
          this.toggle(one);
          if (this.height > height) this.toggle(one);
        }
      }
    }

    add(node, more) {
      const scale = this.arrangement.scale.get(node.key) || 1;
      const item = { ...node, ...more, y: this.height };
      if (node.kind === "track") {
        const { track } = node;
        item.open = track.rows <= 1 || this.open.has(node.key);
        item.rowHeight = item.open ? Math.max(4, Math.round(ROW * scale))
          : Math.max(2, Math.floor(SHUT * scale / Math.min(track.rows, 6)));
        item.height = EDGE + (item.open ? track.rows * item.rowHeight : Math.round(SHUT * scale));
      } else {
        item.height = Math.round(HEIGHTS[node.kind] * scale);
      }
      this.items.push(item);
      this.height += item.height;
    }

    addRoot(root, match) {
      const { arrangement } = this, pinned = new Set(arrangement.pinned);
      if (arrangement.hidden.has(root.key)) return;
      const whole = match(this.nameOf(root));
      const group = ({ run, track }) => (track ? run.groupOf(track) : "");
      const under = root.under.filter((one) => !arrangement.hidden.has(one.key) && !pinned.has(one.key)
        && (whole || match(this.nameOf(one)) || match(group(one))));
      const few = root.kind === "heading" && root.under.length <= 6;
      const open = few || this.open.has(root.key) || (arrangement.filter !== "" && !whole);
      if (!whole && under.length === 0) return;
      if (!pinned.has(root.key)) this.add(root, { open });
      if (open) for (const one of arrangement.sorted(under)) this.add(one);
    }

    arrange() {
      const { arrangement } = this, match = arrangement.matcher();
      this.items = [];
      this.height = 0;
      for (const key of arrangement.pinned) {
        const node = this.byKey.get(key);
        if (node && !arrangement.hidden.has(key)) this.add(node, { pinned: true, open: this.open.has(key) });
      }
      this.pinned = this.items.length;
      this.pinnedHeight = this.height;
      for (const root of arrangement.sorted(this.roots)) this.addRoot(root, match);
    }

    // Keys of what stands beside an item, in order.
    siblings(item) {
      if (item.pinned) return this.arrangement.pinned;
      const list = item.parent ? item.parent.under : this.roots;
      return this.arrangement.sorted(list).map((one) => one.key);
    }

    // Which item is at a height, or -1.
    indexAt(y) {
      let low = 0, high = this.items.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.items[middle].y + this.items[middle].height <= y) low = middle + 1;
        else high = middle;
      }
      return low < this.items.length && y >= this.items[low].y ? low : -1;
    }

    at(y) { return this.items[this.indexAt(y)] ?? null; }

    // Items between two heights.
    between(top, bottom) {
      const first = this.indexAt(top), out = [];
      if (first < 0) return out;
      for (let i = first; i < this.items.length && this.items[i].y < bottom; i++) {
        out.push(this.items[i]);
      }
      return out;
    }

    // The drawing row of a track's item at a distance from its top, or -1.
    rowAt(item, y) {
      const row = Math.floor((y - 2) / item.rowHeight);
      return row >= 0 && row < item.track.rows ? item.track.firstRow + row : -1;
    }
  }
  Scene.EDGE = EDGE; // above and under a track's rows, together
  return Scene;
})();
