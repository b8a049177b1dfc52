// What stands left of the picture: a button for each item that is seen, with its name.
//
// Owns the buttons and the words on them. A name too long for its room is cut where it says least:
// what tells it from those beside it is kept. What can be done with an item is tracks.js's.
"use strict";

const Labels = (() => {
  const byId = (id) => document.getElementById(id);
  const NEAR = 4; // characters
  const LEAST = 40, GAP = 8; // px: what has no room for a word is not written; between both
  const pen = document.createElement("canvas").getContext("2d");

  // Characters that two texts begin with alike.
  function alike(a, b) {
    let n = 0;
    while (n < a.length && n < b.length && a[n] === b[n]) n++;
    return n;
  }

  // `text` within `room` (in what `wide` says): its end goes if the beginning tells it from others
  // (`differs`: the first character that does), else its middle, before that character.
  function cut(text, room, differs, wide) {
    if (wide(text) <= room) return text;
    const fit = (make) => {
      let low = 1, high = text.length;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (wide(make(middle)) <= room) low = middle; else high = middle - 1;
      }
      return low;
    };
    const end = fit((n) => `${text.slice(0, n)}…`);
    if (differs < end) return `${text.slice(0, end)}…`;
    let head = Math.max(1, Math.floor(end / 3)), from = Math.max(head, differs - 1);
    // Where the word that differs begins, if that is near: a word is told by its beginning.
    const word = text.slice(0, differs + 1).search(/[^\s:/.]+$/);
    if (word > head && Math.abs(from - word) <= NEAR) from = word;
    const tail = (at) => `${text.slice(0, head)}…${text.slice(at)}`;
    if (wide(tail(from)) > room) {
      const last = fit((n) => `${text.slice(0, head)}…${text.slice(from, from + n)}…`);
      return `${text.slice(0, head)}…${text.slice(from, from + last)}…`;
    }
    while (from === word && head < from && wide(`${text.slice(0, head + 1)}…${text.slice(from)}`) <= room) head++;
    let at = from;
    while (from !== word && at > head && wide(tail(at - 1)) <= room) at--;
    return tail(at);
  }

  class Labels {
    constructor(view) {
      this.view = view;
      this.scene = view.scene;
      this.box = byId("tl-gutter");
      this.made = new Map();
      this.styles = new Map();
      this.differs = new Map(); // by root: text → the first character that tells it from the others
    }

    fill(items) {
      const gone = new Set(this.made.keys()), { arrangement } = this.scene, width = this.box.clientWidth;
      for (const item of items) {
        let label = this.made.get(item.key);
        if (!label) {
          label = this.make(item);
          this.made.set(item.key, label);
          this.box.append(label);
        }
        gone.delete(item.key);
        label.item = item;
        label.style.transform = `translateY(${this.view.yOf(item)}px)`;
        label.style.height = `${item.height}px`;
        label.classList.toggle("tl-pinned", Boolean(item.pinned));
        const chosen = this.isSelected(item, arrangement);
        label.classList.toggle("tl-selected", chosen);
        if (item.kind !== "counter" && (item.kind !== "track" || item.track.rows > 1)) {
          label.setAttribute("aria-expanded", String(item.open));
        }
        if (item.kind === "counter" && Boolean(item.counter.series) !== label.known) this.tell(label);
        if (label.width !== width) this.words(label, width);
      }
      this.order(items);
      for (const key of gone) {
        const label = this.made.get(key);
        if (label === document.activeElement) continue;
        label.remove();
        this.made.delete(key);
      }
    }

    isSelected(item, arrangement) {
      if (arrangement.selected.size === 0) return false;
      if (item.kind === "track") return arrangement.selected.has(item.key);
      return item.kind === "lane" && item.under.length > 0
        && item.under.every((one) => arrangement.selected.has(one.key));
    }

    // Keys walk through labels from top to bottom, whenever they were made.
    order(items) {
      const focused = document.activeElement;
      [...items].sort((a, b) => a.y - b.y).forEach((item, i) => {
        const label = this.made.get(item.key), there = this.box.children[i];
        if (there !== label) this.box.insertBefore(label, there);
      });
      if (focused !== document.activeElement && this.box.contains(focused)) focused.focus();
    }

    make(item) {
      const label = document.createElement("button");
      label.type = "button";
      label.className = `tl-label tl-${item.kind}`;
      label.dataset.key = item.key;
      label.item = item;
      label.append(document.createElement("span"), document.createElement("small"));
      this.tell(label);
      return label;
    }

    // What there is to say beside the name: of a counter, more when its samples are read.
    tell(label) {
      const { item } = label, more = this.moreOf(item);
      label.known = Boolean(item.counter && item.counter.series);
      label.lastChild.textContent = more;
      label.title = [this.scene.nameOf(item), more].filter(Boolean).join(" · ");
      label.setAttribute("aria-label", label.title);
    }

    // The name as far as there is room; the rest only beside a whole one.
    words(label, width) {
      label.width = width;
      const [name, more] = label.children, text = this.scene.nameOf(label.item);
      const { font, small, edges } = this.styleOf(label);
      pen.font = font;
      const room = width - edges - 2;
      const shown = cut(text, room, this.differsAt(label.item, text), (one) => pen.measureText(one).width);
      name.textContent = shown;
      const left = room - GAP - pen.measureText(shown).width;
      if (label.item.kind !== "track") return;
      pen.font = small;
      more.hidden = shown !== text || left < Math.min(pen.measureText(more.textContent).width, LEAST);
    }

    // Of labels of a kind, in a window as wide, asked once.
    styleOf(label) {
      const key = `${label.item.kind} ${innerWidth}`;
      if (!this.styles.has(key)) {
        const style = getComputedStyle(label), { fontSize } = getComputedStyle(label.lastChild);
        this.styles.set(key, { font: `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`,
          small: `${fontSize} ${style.fontFamily}`, edges: parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) });
      }
      return this.styles.get(key);
    }

    // Of names in order, only neighbours can begin alike the longest.
    differsAt(item, text) {
      const root = item.parent || null;
      let table = this.differs.get(root);
      if (!table) {
        table = new Map();
        const list = root ? root.under : this.scene.roots;
        const names = [...new Set(list.map((one) => this.scene.nameOf(one)))].sort();
        names.forEach((name, i) => {
          const beside = [names[i - 1], names[i + 1]].filter((one) => one !== undefined);
          table.set(name, Math.max(0, ...beside.map((one) => alike(name, one))));
        });
        this.differs.set(root, table);
      }
      return table.get(text) || 0;
    }

    moreOf(item) {
      const which = this.scene.runs.length > 1 && item.run ? `${item.run.word}: ` : "";
      if (item.kind === "lane") {
        const tops = item.parts.map(({ activity }) => Format.count(activity.series.top));
        return tops.length > 0 ? `most ${tops.join(" / ")}` : "";
      }
      if (item.kind === "counter") {
        const { series, unit } = item.counter, top = series && Number.isFinite(series.top);
        const said = (top ? `most ${Format.value(+series.top.toPrecision(3))} ` : "") + (unit || "");
        return which ? `${said}, ${item.run.word}` : said;
      }
      if (item.kind === "track") {
        const group = item.track.name ? item.run.groupOf(item.track) : "";
        return item.parent && group === this.scene.nameOf(item.parent) ? "" : which + group;
      }
      return "";
    }
  }
  Labels.cut = cut;
  return Labels;
})();
