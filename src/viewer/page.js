// Tables that sort, search and fold; figures to save; sources to copy; the entry of the contents that is being read.
// Without scripts a page shows everything. Runs at the end of the page; touches nothing outside it.
"use strict";
(() => {
  const collator = new Intl.Collator(undefined, { numeric: true });
  const integer = new Intl.NumberFormat("en-US");
  const element = (name, fields, parent) => {
    const made = Object.assign(document.createElement(name), fields);
    if (parent) parent.append(made);
    return made;
  };

  // Numbers stand in data-v; a cell without a value has neither and comes last.
  const valueOf = (cell) => {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return cell.textContent.trim();
  };
  const compare = (a, b, down) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    const numbers = typeof a === "number" && typeof b === "number";
    const order = numbers ? a - b : typeof a !== typeof b ? (typeof a === "number" ? -1 : 1)
      : collator.compare(a, b);
    return down ? -order : order;
  };

  const narrow = matchMedia("(max-width: 30rem)");
  const HALF = 19; // characters in half of such a screen
  const NARROWEST = 90; // pixels of a column of words

  class Table {
    constructor(box) {
      this.box = box;
      this.body = box.querySelector("tbody");
      this.rows = [...this.body.rows];
      this.few = Number(box.dataset.few) || 50;
      if (this.rows.length <= this.few * 1.4) this.few = this.rows.length; // no fold for a few
      this.all = this.rows.length <= this.few;
      this.query = "";
      box.querySelectorAll("thead th").forEach((th, column) => this.sortable(th, column));
      if (this.rows.length > 20) this.searchable();
      if (!this.all) this.foldable();
      this.show();
      this.room = box.querySelector(".scroll-rows");
      new ResizeObserver(() => this.stack()).observe(this.room);
    }

    // On a phone a table that is wider than its room has each row as a list: title and value.
    stack() {
      const wide = this.room.scrollWidth > this.room.clientWidth + 1 || this.squeezed();
      const on = narrow.matches && (wide || this.box.classList.contains("stacked"));
      if (on && !this.titled) {
        const titles = [...this.box.querySelectorAll("thead th")].map((th) => th.textContent);
        const isNumber = (cell) => cell.matches(".right[data-v]");
        const columns = titles.map((title, i) => this.rows.map((row) => row.cells[i]).filter((cell) => cell && isNumber(cell)));
        const longest = (words) => Math.max(0, ...words.map((word) => word.length));
        // Two numbers stand side by side, unless there is one only or its words and value need more than half the room.
        const alone = columns.map((cells, i) => cells.length > 0 && (columns.filter((one) => one.length > 0).length === 1
          || longest(titles[i].split(/[\s-]+/)) + cells.reduce((most, cell) => Math.max(most, cell.textContent.length), 0) > HALF));
        for (const row of this.rows) {
          [...row.cells].forEach((cell, i) => {
            cell.dataset.title = titles[i];
            cell.classList.toggle("alone", alone[i] && isNumber(cell));
          });
        }
        this.titled = true;
      }
      this.box.classList.toggle("stacked", on);
    }

    // Words of a column that is left no room, one under the other.
    squeezed() {
      return this.rows.some((row) => [...row.querySelectorAll(".text")].some((cell) => cell.clientHeight > 0
        && cell.clientWidth < NARROWEST && cell.clientHeight > 2 * cell.clientWidth));
    }

    sortable(th, column) {
      const title = th.textContent;
      th.textContent = "";
      const button = element("button", { type: "button", textContent: title }, th);
      button.addEventListener("click", () => {
        const was = th.getAttribute("aria-sort");
        const number = th.classList.contains("right");
        const down = was ? was === "ascending" : number;
        for (const other of th.parentNode.cells) other.removeAttribute("aria-sort");
        th.setAttribute("aria-sort", down ? "descending" : "ascending");
        const keyed = this.rows.map((row) => [valueOf(row.cells[column]), row]);
        keyed.sort((p, q) => compare(p[0], q[0], down));
        this.rows = keyed.map((pair) => pair[1]);
        this.body.append(...this.rows);
        this.show();
      });
    }

    searchable() {
      const tools = element("div", { className: "tools" });
      const label = this.box.getAttribute("aria-label") || "this table";
      const input = element("input", { type: "search", placeholder: "Search" }, tools);
      input.setAttribute("aria-label", "Search " + label);
      this.count = element("output", {}, tools);
      input.addEventListener("input", () => {
        this.query = input.value.trim().toLowerCase();
        this.show();
      });
      this.box.prepend(tools);
    }

    foldable() {
      this.more = element("button", { type: "button", className: "button more" }, this.box);
      this.more.addEventListener("click", () => {
        this.all = !this.all;
        this.show();
      });
    }

    show() {
      let found = 0;
      let shown = 0;
      for (const row of this.rows) {
        const fits = !this.query || row.textContent.toLowerCase().includes(this.query);
        found += fits;
        row.hidden = !fits || (!this.all && shown >= this.few);
        shown += !row.hidden;
      }
      if (this.count) {
        this.count.textContent = shown === this.rows.length ? integer.format(shown) + " rows"
          : integer.format(shown) + " of " + integer.format(this.rows.length) + " rows";
      }
      if (this.more) {
        this.more.hidden = found <= this.few;
        this.more.textContent = this.all ? "Show the first " + this.few
          : "Show all " + integer.format(found) + " rows";
      }
    }
  }
  for (const box of document.querySelectorAll(".table[data-few]")) new Table(box);

  // Pages that are files have no clipboard in every browser: the text is selected then.
  for (const box of document.querySelectorAll("[data-copy]")) {
    const source = box.querySelector("pre");
    const button = element("button", { type: "button", className: "button", textContent: "Copy" },
      box);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        button.textContent = "Selected";
      }
    });
  }

  // Figures as files. A picture has its style inside and follows the reader's colours, which an image drawn on a
  // canvas need not: the colours that are on the screen are written into it. Twice as fine as the screen.
  const FINE = 2;
  const sourceOf = (svg) => {
    const copy = svg.cloneNode(true);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    for (const style of copy.querySelectorAll("style")) {
      style.textContent = style.textContent.replace(/@media \(prefers-color-scheme: ?dark\)/g,
        dark ? "@media all" : "@media not all");
    }
    return new XMLSerializer().serializeToString(copy);
  };
  const urlOf = (source) => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(source);
  const nameOf = (svg) => {
    const title = svg.querySelector("title");
    return ((title && title.textContent) || "figure").toLowerCase().replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "") || "figure";
  };
  const save = (url, name) => element("a", { href: url, download: name }).click();
  const pngOf = async (svg) => {
    const { width, height } = svg.viewBox.baseVal;
    const image = new Image(width, height);
    image.src = urlOf(sourceOf(svg));
    await image.decode();
    const canvas = element("canvas", { width: width * FINE, height: height * FINE });
    const context = canvas.getContext("2d");
    context.scale(FINE, FINE);
    context.drawImage(image, 0, 0, width, height);
    return canvas.toDataURL("image/png");
  };
  // Of a chart that is here at several widths, the one for files is the usual one, which comes first.
  for (const figure of document.querySelectorAll(".figure:has(svg.tdm)")) {
    const svg = figure.querySelector("svg.tdm");
    if (svg.parentNode.closest("svg, noscript")) continue;
    const tools = element("div", { className: "save" }, figure);
    const button = (text, act) => {
      const made = element("button", { type: "button", className: "button", textContent: text }, tools);
      made.addEventListener("click", act);
      return made;
    };
    const png = button("Save as PNG", async () => {
      try {
        save(await pngOf(svg), nameOf(svg) + ".png");
      } catch {
        png.textContent = "This browser cannot draw it";
        png.disabled = true;
      }
    });
    button("Save as SVG", () => save(urlOf(sourceOf(svg)), nameOf(svg) + ".svg"));
  }

  const links = new Map();
  for (const link of document.querySelectorAll(".contents a")) links.set(link.hash.slice(1), link);
  if (links.size > 0 && "IntersectionObserver" in window) {
    const seen = new Set();
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) seen.add(entry.target.id);
        else seen.delete(entry.target.id);
      }
      let current = null;
      for (const [id, link] of links) {
        link.removeAttribute("aria-current");
        if (!current && seen.has(id)) current = link;
      }
      if (current) current.setAttribute("aria-current", "true");
    }, { rootMargin: "0px 0px -55% 0px" });
    for (const id of links.keys()) {
      const target = document.getElementById(id);
      if (target) observer.observe(target);
    }
  }

  // Pages inside this one begin when they come near.
  const begin = (frame) => {
    if (!frame.srcdoc) frame.srcdoc = JSON.parse(document.getElementById(frame.dataset.page).textContent);
  };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      begin(target);
    }
  }, { rootMargin: "400px" });
  for (const frame of document.querySelectorAll("iframe[data-page]")) near.observe(frame);

  // Rows with a time, of spans of a name or about some tracks open these in the timeline; one that still reads gets the last that was
  // asked for.
  const timeline = document.querySelector("iframe.timeline");
  let ready = false, wanted = null;
  const send = () => {
    if (ready && wanted) timeline.contentWindow.postMessage(wanted, "*");
  };
  if (timeline) {
    addEventListener("message", ({ source, data }) => {
      if (source !== timeline.contentWindow) return;
      if (data?.timeline === "ready") {
        ready = true;
        send();
      } else if (data?.timeline === "tall") timeline.style.setProperty("--tall", `${Number(data.tall)}px`);
    });
    for (const row of document.querySelectorAll("tr[data-place], tr[data-find], tr[data-pick]")) {
      const { place, find, pick } = row.dataset, name = row.cells[0].textContent.trim();
      const button = element("button", { type: "button", className: "place", textContent: "↗",
        title: place ? "Show in the timeline" : find ? "Show one in the timeline; once more: the next"
          : "Select its tracks in the timeline and sum them up" });
      button.setAttribute("aria-label", `Show ${name} in the timeline`);
      const then = row.cells[0].querySelector(".then");
      if (then) then.before(" ", button);
      else row.cells[0].append(" ", button);
      button.addEventListener("click", () => {
        wanted = place ? { place } : find ? { find } : { pick: JSON.parse(pick) };
        begin(timeline);
        timeline.scrollIntoView({ block: "center" });
        send();
      });
    }
  }
})();
