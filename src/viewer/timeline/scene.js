// What stands below what: lanes with their activity, under an open lane its tracks, then counters.
//
// Owns which lanes and tracks are open, and the list of items with their heights. An item is
//   { kind: "lane", lane, parts: [{ run, activity }], open, y, height }
//   { kind: "track", run, track, open, rowHeight, y, height }
//   { kind: "heading", text, open, y, height }  of counters
//   { kind: "counter", run, counter, y, height }
"use strict";

const Scene = (() => {
  const LANE = 34, ROW = 16, SHUT = 18, COUNTER = 34, HEADING = 24, MANY_TRACKS = 14;

  class Scene {
    constructor(runs, lanes) {
      this.runs = runs;
      this.lanes = lanes;
      this.open = new Set();
      this.filter = null; // tracks to show, or all
      let tracks = 0;
      for (const run of runs) tracks += run.tracks.length;
      if (tracks <= MANY_TRACKS) lanes.forEach((_, lane) => this.open.add(`lane ${lane}`));
      this.arrange();
    }

    static key(item) {
      if (item.kind === "lane") return `lane ${item.lane}`;
      if (item.kind === "heading") return "counters";
      return `track ${item.run.index} ${item.track.index}`;
    }

    toggle(item) {
      const key = Scene.key(item);
      if (!this.open.delete(key)) this.open.add(key);
      this.arrange();
    }

    setAll(open) {
      this.open.clear();
      if (open) {
        this.lanes.forEach((_, lane) => this.open.add(`lane ${lane}`));
        for (const run of this.runs) {
          for (const track of run.tracks) this.open.add(`track ${run.index} ${track.index}`);
        }
      }
      this.arrange();
    }

    // Opens what hides a track.
    reveal(track) {
      this.open.add(`lane ${track.lane}`);
      if (track.rows > 1) this.open.add(`track ${track.run.index} ${track.index}`);
      this.arrange();
      return this.items.find((item) => item.track === track);
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

    add(item) {
      item.y = this.height;
      this.items.push(item);
      this.height += item.height;
    }

    addTrack(run, track) {
      const open = track.rows <= 1 || this.open.has(`track ${run.index} ${track.index}`);
      const rowHeight = open ? ROW : Math.max(2, Math.floor(SHUT / Math.min(track.rows, 6)));
      const height = open ? track.rows * ROW + 4 : SHUT + 4;
      this.add({ kind: "track", run, track, open, rowHeight, height });
    }

    arrange() {
      this.items = [];
      this.height = 0;
      this.lanes.forEach((_, lane) => {
        const parts = [], tracks = [];
        for (const run of this.runs) {
          const activity = run.activity.find((one) => one.lane === lane);
          if (activity) parts.push({ run, activity });
          for (const track of run.tracks) {
            if (track.lane === lane && track.rows > 0) tracks.push([run, track]);
          }
        }
        if (parts.length === 0 && tracks.length === 0) return;
        const open = this.open.has(`lane ${lane}`);
        this.add({ kind: "lane", lane, parts, tracks: tracks.length, open, height: LANE });
        if (open) for (const [run, track] of tracks) this.addTrack(run, track);
      });
      const counters = [];
      for (const run of this.runs) for (const counter of run.counters) counters.push([run, counter]);
      if (counters.length === 0) return;
      const open = this.open.has("counters") || counters.length <= 6;
      this.add({ kind: "heading", text: `Counters (${counters.length})`, open, height: HEADING });
      if (open) {
        for (const [run, counter] of counters) this.add({ kind: "counter", run, counter, height: COUNTER });
      }
    }

    // The item at a height, or null.
    at(y) {
      let low = 0, high = this.items.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.items[middle].y + this.items[middle].height <= y) low = middle + 1;
        else high = middle;
      }
      const item = this.items[low];
      return item && y >= item.y ? item : null;
    }

    // The drawing row of a track's item at a height, or -1.
    rowAt(item, y) {
      const row = Math.floor((y - item.y - 2) / item.rowHeight);
      return row >= 0 && row < item.track.rows ? item.track.firstRow + row : -1;
    }
  }
  Scene.ROW = ROW;
  return Scene;
})();
