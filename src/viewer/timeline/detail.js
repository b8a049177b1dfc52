// What is known of the thing under the pointer (a tip) and of the thing that was chosen (the pane).
//
// Owns the selection: a span, a range of time, or nothing. Others learn of a change by `changed`.
"use strict";

const Detail = (() => {
  const byId = (id) => document.getElementById(id);

  function element(tag, text, name) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  }

  function table(rows) {
    const made = element("table"), body = element("tbody");
    for (const [key, value] of rows) {
      const row = element("tr"), head = element("th", key);
      head.scope = "row";
      row.append(head, element("td", value));
      body.append(row);
    }
    made.append(body);
    return made;
  }

  class Detail {
    constructor(view) {
      this.view = view;
      this.tip = byId("tl-tip");
      this.pane = byId("tl-detail");
      this.body = byId("tl-detail-body");
      this.span = null;
      this.range = null;
      this.text = ""; // what copying it gives
      this.changed = [];
      this.more = []; // functions (span, body): others' parts of the pane
      byId("tl-detail-close").addEventListener("click", () => this.clear());
      view.over.push((pen) => this.draw(pen));
    }

    // ---- the tip

    hover(hit, event) {
      const tip = this.tip;
      if (!hit || !event || !this.tipText(hit)) {
        tip.hidden = true;
        return;
      }
      tip.replaceChildren(...this.tipText(hit).map((line, i) => element(i === 0 ? "strong" : "span", line)));
      tip.hidden = false;
      const box = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 6))}px`;
      tip.style.top = `${event.clientY + box.height + 24 > innerHeight ? event.clientY - box.height - 10
        : event.clientY + 18}px`;
    }

    tipText(hit) {
      const { item, time, run } = hit;
      if (hit.span) {
        return [hit.span.name, `${Format.length(hit.span.length)} from ${Format.exact(hit.span.start + run.shift)}`,
          hit.span.category];
      }
      if (hit.node) {
        const { node } = hit, length = node.end - node.start;
        return [`${Format.count(node.count)} spans in ${Format.length(length)}`,
          `${Format.share(node.busy / length)} busy, mostly ${node.name}`,
          ...(node.held === undefined ? [] : [`${Format.count(node.held)} of them on this page`])];
      }
      if (item.kind === "lane") {
        const whose = (one) => (item.parts.length > 1 ? `${one.word}: ` : "");
        return [this.view.scene.lanes[item.lane], ...item.parts.map(({ run: one, activity }) =>
          `${whose(one)}${Format.value(activity.series.at(time - one.shift))} active`),
        `at ${Format.exact(time)}`];
      }
      if (item.kind === "counter" && item.counter.series) {
        const value = item.counter.series.at(time - item.run.shift);
        const about = item.counter.coarse ? ", the mean of samples around" : "";
        return [item.run.counterName(item.counter), Number.isNaN(value) ? "no value" : `${Format.value(value)} ${item.counter.unit}${about}`,
          `at ${Format.exact(time)}`];
      }
      return null;
    }

    // ---- the selection

    clear() {
      this.span = null;
      this.range = null;
      this.text = "";
      this.pane.hidden = true;
      this.tell();
    }

    tell() {
      for (const changed of this.changed) changed(this);
      this.view.soon();
    }

    pick(hit) {
      if (hit && hit.span) this.choose(hit.span);
      else if (hit && hit.node) this.view.time.show(hit.node.start + hit.run.shift, hit.node.end + hit.run.shift, 0.8);
      else if (this.span) this.clear();
    }

    // `reach`: the picture moves to where the span is.
    async choose(span, reach) {
      this.span = span;
      this.range = null;
      if (reach) {
        this.reach(span);
        this.view.time.reach(span.start + span.run.shift, span.end + span.run.shift);
      }
      this.pane.hidden = false;
      this.title(span.name);
      this.text = span.name;
      this.body.replaceChildren(table(this.facts(span)));
      this.tell();
      const args = await span.run.args(span.number);
      if (this.span !== span) return;
      if (args.length > 0) this.body.append(element("h3", "Arguments"), table(args));
      for (const part of this.more) part(span, this.body);
    }

    facts(span) {
      const { run, track } = span, rows = [["Track", `${run.groupOf(track)} · ${track.name}`],
        ["Category", span.category], ["Start", Format.exact(span.start + run.shift)],
        ["Duration", `${Format.length(span.length)} (${Format.count(span.length)} ns)`],
        ["End", Format.exact(span.end + run.shift)]];
      if (this.view.scene.runs.length > 1) rows.unshift(["Run", run.word]);
      const { row } = span, held = run.first[row + 1] - run.first[row];
      if (run.thinned && held < run.allFirst[row + 1] - run.allFirst[row]) {
        rows.push(["Its row", `${Format.count(held)} of ${Format.count(run.allFirst[row + 1] - run.allFirst[row])} spans on this page`]);
      }
      if (span.layout.shape === "open") rows.push(["Note", "it had not ended when recording stopped"]);
      return rows;
    }

    // The picture goes to what is chosen; without a choice, to all of the time.
    frame() {
      const { time } = this.view, { span, range } = this;
      if (range) time.show(range.from, range.to, 0.9);
      else if (span) {
        this.reach(span);
        time.show(span.start + span.run.shift, span.end + span.run.shift);
      } else time.fit();
    }

    // Opens and scrolls to the track of a span.
    reach(span) {
      const item = this.view.scene.reveal(span.track), { scroll } = this.view;
      this.view.arranged();
      if (item.pinned && this.view.stays > 0) return;
      const y = item.y + (span.row - span.track.firstRow) * item.rowHeight;
      if (y < scroll.scrollTop + this.view.stays || y + 24 > scroll.scrollTop + this.view.height) {
        scroll.scrollTop = Math.max(0, y - this.view.height / 3);
      }
    }

    title(text) { byId("tl-detail-title").textContent = text; }

    mark(from, to, done) {
      this.range = { from: Math.min(from, to), to: Math.max(from, to) };
      this.span = null;
      if (done) this.tell();
      else this.view.soon();
    }

    // Outlines the chosen span, shades outside the chosen range.
    draw(pen) {
      const { view } = this;
      if (this.range) {
        const from = view.time.x(this.range.from), to = view.time.x(this.range.to);
        pen.fillStyle = view.colours.inkText;
        pen.globalAlpha = 0.14;
        pen.fillRect(0, 0, from, view.height);
        pen.fillRect(to, 0, view.width - to, view.height);
        pen.globalAlpha = 1;
        pen.fillRect(from, 0, 1, view.height);
        pen.fillRect(to, 0, 1, view.height);
      }
      const box = this.span && view.boxOf(this.span);
      if (!box) return;
      pen.strokeStyle = view.colours.inkText;
      pen.lineWidth = 2;
      pen.strokeRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
    }
  }
  Detail.element = element;
  Detail.table = table;
  return Detail;
})();
