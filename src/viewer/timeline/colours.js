// The colour of a name: the same in all runs of the page, from the eight of the house, which people
// with the common kinds of colour blindness tell apart. The names with most time have the eight, the
// next eight paler ones, and so on.
//
// Owns the palette of the present theme, as 32-bit pixels (ABGR) and as texts.
"use strict";

const Colours = (() => {
  const SERIES = 8, SHADES = 3;

  function parse(text) {
    const hex = text.trim().slice(1);
    return [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16));
  }
  const pixel = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  const mix = (a, b, part) => a.map((v, i) => Math.round(v + (b[i] - v) * part));

  class Colours {
    constructor(runs) {
      const time = new Map();
      for (const run of runs) {
        const { rows, name, total } = run.totalsTable;
        for (let i = 0; i < rows; i++) {
          const text = run.names[name[i]];
          time.set(text, (time.get(text) || 0) + total[i] / run.length);
        }
      }
      this.rank = new Map([...time.keys()].sort((a, b) => time.get(b) - time.get(a) || (a < b ? -1 : 1))
        .map((text, i) => [text, i]));
      this.read();
    }

    // Again when the theme has changed.
    read() {
      const style = getComputedStyle(document.documentElement);
      const of = (name) => parse(style.getPropertyValue(name));
      this.paper = of("--paper");
      this.ink = of("--ink");
      this.grid = of("--grid");
      this.muted = style.getPropertyValue("--muted").trim();
      this.inkText = style.getPropertyValue("--ink").trim();
      this.gridText = style.getPropertyValue("--grid").trim();
      this.limit = style.getPropertyValue("--limit").trim();
      this.shades = [];
      this.texts = [];
      for (let i = 1; i <= SERIES; i++) {
        const colour = of(`--series${i}`);
        for (const part of [0, 0.22, 0.42]) this.shades.push(mix(colour, this.paper, part));
        this.texts.push(style.getPropertyValue(`--series${i}`).trim());
      }
      this.pixels = Uint32Array.from(this.shades, pixel);
      this.dim = Uint32Array.from(this.shades, (c) => pixel(mix(c, this.paper, 0.78)));
      this.paperPixel = pixel(this.paper);
      // Whether words on a shade are dark.
      this.darkWords = this.shades.map(([r, g, b]) => 0.299 * r + 0.587 * g + 0.114 * b > 140);
      this.tables = new Map();
    }

    // For each name of a run the number of its shade.
    shadesOf(run) {
      let table = this.tables.get(run);
      if (!table) {
        table = Uint8Array.from(run.names, (name, i) => {
          const rank = this.rank.get(name) ?? i;
          return rank % SERIES * SHADES + Math.floor(rank / SERIES) % SHADES;
        });
        this.tables.set(run, table);
      }
      return table;
    }

    series(i) { return this.texts[i % SERIES]; }
    seriesPixel(i) { return this.pixels[i % SERIES * SHADES]; }
  }
  Colours.blend = (under, over, part) => {
    const r = (under & 255) + ((over & 255) - (under & 255)) * part;
    const g = (under >> 8 & 255) + ((over >> 8 & 255) - (under >> 8 & 255)) * part;
    const b = (under >> 16 & 255) + ((over >> 16 & 255) - (under >> 16 & 255)) * part;
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  };
  return Colours;
})();
