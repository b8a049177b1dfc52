// What a person does with lanes, tracks and counters: pin, hide, move, make taller, select for sums;
// by keys on a label, by its menu, and for all of them by the list "tracks" of the toolbar.
//
// Owns the menu and that list. The choices are arrangement.js's, dragging is drag.js's.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);

  TimelineFeatures.push((parts, keys) => {
    const { arrangement, scene, view, detail } = parts, { labels } = view, box = labels.box;
    const menu = byId("tl-menu"), list = byId("tl-hidden"), filter = byId("tl-filter");
    let about = null; // the item whose menu is open
    let begun = false; // nothing is kept before the first choice

    // After a choice, or what was kept has come: everything anew, and the label keeps the focus, or the one where it stood.
    function settle(key) {
      const place = [...box.children].indexOf(document.activeElement);
      scene.arrange();
      view.arranged();
      if (place >= 0) view.bring(key);
      view.draw();
      tell();
      if (begun) arrangement.keep();
      if (place < 0 && !menu.contains(document.activeElement)) return;
      const label = labels.made.get(key);
      (label?.isConnected && scene.items.some((item) => item.key === key) ? label
        : box.children[Math.min(Math.max(place, 0), box.children.length - 1)])?.focus();
    }

    const keysUnder = (item) => (item.kind === "track" ? [item.key]
      : item.kind === "lane" ? item.under.map((one) => one.key) : []);
    const scaleOf = (item) => arrangement.scale.get(item.key) || 1;

    // [words, key, action, whether it can be done]
    function actionsOf(item) {
      const siblings = scene.siblings(item), beside = new Set(siblings), at = siblings.indexOf(item.key);
      const seen = scene.items.filter((one) => beside.has(one.key) && Boolean(one.pinned) === Boolean(item.pinned));
      const place = seen.findIndex((one) => one.key === item.key), near = (by) => seen[place + by];
      const move = (by) => {
        const other = near(by);
        if (other) arrangement.move(item.key, siblings, siblings.indexOf(other.key));
      };
      const tracks = keysUnder(item), selected = tracks.every((key) => arrangement.selected.has(key));
      return [
        [item.pinned ? "Unpin" : "Pin to the top", "P", () => arrangement.pin(item.key), item.kind !== "heading"],
        ["Hide", "H", () => { arrangement.hidden.add(item.key); }, true],
        ["Move up", "Alt ↑", () => move(-1), at >= 0 && near(-1)],
        ["Move down", "Alt ↓", () => move(1), at >= 0 && near(1)],
        ["Taller", "Alt +", () => arrangement.resize(item.key, scaleOf(item) * 1.25), item.kind !== "heading"],
        ["Lower", "Alt −", () => arrangement.resize(item.key, scaleOf(item) / 1.25), item.kind !== "heading"],
        [selected ? "Leave out of sums" : "Select for sums", "X", () => select(tracks, !selected), tracks.length > 0],
      ].map(([words, key, act, can]) => ({ words, key, act, can: Boolean(can) }));
    }

    function select(tracks, on) {
      for (const key of tracks) {
        if (on) arrangement.selected.add(key); else arrangement.selected.delete(key);
      }
      if (detail.range) detail.tell();
    }

    function perform(item, wanted) {
      const action = actionsOf(item).find((one) => one.key === wanted);
      if (!action?.can) return false;
      action.act();
      settle(item.key);
      return true;
    }

    // ---- the menu of a label

    function shut(back) {
      if (menu.hidden) return;
      menu.hidden = true;
      if (back && about) labels.made.get(about.key)?.focus();
      about = null;
    }

    function show(item, x, y) {
      about = item;
      menu.replaceChildren(...actionsOf(item).filter((one) => one.can).map((one) => {
        const button = Detail.element("button");
        button.type = "button";
        button.setAttribute("role", "menuitem");
        button.append(Detail.element("span", one.words), Detail.element("kbd", one.key));
        button.addEventListener("click", () => {
          const { key } = item;
          perform(item, one.key);
          menu.hidden = true;
          about = null;
          labels.made.get(key)?.focus();
        });
        return button;
      }));
      menu.setAttribute("aria-label", scene.nameOf(item));
      menu.hidden = false;
      const size = menu.getBoundingClientRect();
      menu.style.left = `${Math.max(4, Math.min(x, innerWidth - size.width - 4))}px`;
      menu.style.top = `${Math.max(4, Math.min(y, innerHeight - size.height - 4))}px`;
      menu.firstChild?.focus();
    }

    menu.addEventListener("keydown", (event) => {
      const all = [...menu.children], at = all.indexOf(document.activeElement);
      const next = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
      if (next !== undefined) all[next % all.length].focus();
      else if (event.key === "Escape" || event.key === "Tab") shut(true);
      else if (event.key !== "Enter" && event.key !== " ") return;
      if (event.key !== "Enter" && event.key !== " ") event.preventDefault();
      event.stopPropagation();
    });
    document.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) shut(false); });

    // ---- labels

    const itemOf = (target) => target.closest?.(".tl-label")?.item;
    box.addEventListener("contextmenu", (event) => {
      const item = itemOf(event.target);
      if (!item) return;
      event.preventDefault();
      const place = event.target.closest(".tl-label").getBoundingClientRect();
      // By the keyboard it has no place of its own.
      const pointed = event.clientX > 0 || event.clientY > 0;
      show(item, pointed ? event.clientX : place.left + 24, pointed ? event.clientY : place.bottom);
    });
    box.addEventListener("click", (event) => {
      const item = itemOf(event.target);
      if (!item || box.dataset.dragged) return;
      if (event.ctrlKey || event.metaKey) perform(item, "X");
      else if (item.kind !== "counter") {
        scene.toggle(item);
        view.arranged();
      }
    });
    const KEYS = { p: "P", h: "H", x: "X" }, ALT = { ArrowUp: "Alt ↑", ArrowDown: "Alt ↓", "+": "Alt +", "=": "Alt +", "-": "Alt −" };
    box.addEventListener("keydown", (event) => {
      const item = itemOf(event.target);
      if (!item || event.ctrlKey || event.metaKey) return;
      const wanted = event.altKey ? ALT[event.key] : KEYS[event.key.toLowerCase()];
      if (!wanted) return;
      event.preventDefault();
      event.stopPropagation();
      perform(item, wanted);
    });
    box.addEventListener("wheel", (event) => { view.scroll.scrollTop += event.deltaY; }, { passive: true });

    // ---- the list of the toolbar

    const button = (words, act) => {
      const made = Detail.element("button", words);
      made.type = "button";
      made.addEventListener("click", act);
      const item = Detail.element("li");
      item.append(made);
      return item;
    };

    function tell() {
      const hidden = [...arrangement.hidden].filter((key) => scene.byKey.has(key));
      const items = hidden.slice(0, 100).map((key) => button(`Show ${scene.nameOf(scene.byKey.get(key))}`, () => {
        arrangement.hidden.delete(key);
        settle(key);
      }));
      if (hidden.length > 1) items.unshift(button(`Show all ${Format.count(hidden.length)} hidden ones`, () => {
        arrangement.hidden.clear();
        settle();
      }));
      if (arrangement.selected.size > 0) items.push(button("Sums of all tracks again", () => {
        select([...arrangement.selected], false);
        settle();
      }));
      items.push(button("Everything as it was at first", () => {
        const { selected } = arrangement;
        arrangement.clear();
        apply();
        if (selected.size > 0 && detail.range) detail.tell();
      }));
      list.replaceChildren(...items);
      const shown = [hidden.length > 0 && `${Format.count(hidden.length)} hidden`, arrangement.filter && "filtered"];
      byId("tl-tracks-words").textContent = ["tracks", ...shown.filter(Boolean)].join(" · ");
    }

    let waiting;
    filter.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const wrong = filter.value !== "" && !Arrangement.matcher(filter.value);
        filter.setAttribute("aria-invalid", String(wrong));
        if (wrong) return;
        arrangement.filter = filter.value.trim();
        settle();
      }, 120);
    });
    filter.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      filter.value = arrangement.filter = "";
      settle();
      byId("tl-tracks").open = false;
      view.scroll.focus();
    });
    keys.t = () => {
      byId("tl-tracks").open = true;
      filter.focus();
    };

    // Everything as the arrangement says now.
    function apply() {
      filter.value = arrangement.filter;
      if (arrangement.gutter) parts.root.style.setProperty("--gutter", `${arrangement.gutter}px`);
      else parts.root.style.removeProperty("--gutter");
      settle();
    }
    parts.arranged = apply;
    parts.settle = settle;
    parts.keysUnder = keysUnder;
    apply();
    arrangement.came = apply;
    begun = true;
  });
})();
