// The search of the reference (tandem doc): names first, then words. Without scripts there are the contents.
// Owns the box over the contents and the list of what was found; "/" goes there, Enter to the first.
"use strict";
(() => {
  const nav = document.querySelector(".contents");
  if (!nav) return;
  const MOST = 40; // entries that are listed
  const element = (name, fields, parent) => {
    const made = Object.assign(document.createElement(name), fields);
    parent.append(made);
    return made;
  };

  // What can be found: sections by their titles, entries by their names, both by their words.
  const items = [];
  for (const section of document.querySelectorAll("main > section")) {
    const title = section.querySelector("h2");
    if (title) {
      const about = section.querySelector(".about");
      items.push({ id: section.id, name: title.textContent, words: about ? about.textContent : "" });
    }
  }
  for (const entry of document.querySelectorAll("article.entry")) {
    const name = entry.querySelector("h3").textContent;
    items.push({ id: entry.id, name, words: entry.dataset.words, all: entry.textContent.toLowerCase() });
  }
  for (const item of items) {
    item.key = item.id.replace(/^(command|topic|keys)-/, "").toLowerCase();
    item.last = item.key.split(/[.:]/).pop();
    item.all ||= (item.name + " " + item.words).toLowerCase();
    item.said = (item.name + " " + item.words).toLowerCase();
  }

  // How well an item fits; 0 where it does not.
  const rank = (item, query, words) => {
    if (item.key === query || item.last === query) return 6;
    if (item.key.startsWith(query) || item.last.startsWith(query)) return 5;
    if (item.key.includes(query)) return 4;
    if (item.name.toLowerCase().includes(query)) return 3;
    if (words.every((word) => item.said.includes(word))) return 2;
    return words.every((word) => item.all.includes(word)) ? 1 : 0;
  };

  const box = document.createElement("div");
  box.className = "find";
  box.setAttribute("role", "search");
  nav.prepend(box);
  const input = element("input", { type: "search", placeholder: "Search  /" }, box);
  input.setAttribute("aria-label", "Search the reference");
  const count = element("output", {}, box);
  const list = element("ul", { className: "found", hidden: true }, nav);
  box.after(list);

  const show = () => {
    const query = input.value.trim().toLowerCase().replace(/^\?/, "").replace(/^tandem\s+(help\s+)?/, "");
    nav.classList.toggle("searching", query !== "");
    list.hidden = query === "";
    list.textContent = "";
    count.textContent = "";
    if (query === "") return;
    const words = query.split(/\s+/);
    const found = items.map((item, place) => ({ item, place, rank: rank(item, query, words) }))
      .filter((one) => one.rank > 0).sort((a, b) => b.rank - a.rank || a.place - b.place);
    for (const { item } of found.slice(0, MOST)) {
      const link = element("a", { href: "#" + item.id }, element("li", {}, list));
      element("code", { textContent: item.name.replace(/[({].*$/s, "").trim() || item.name }, link);
      if (item.words) element("span", { textContent: item.words }, link);
    }
    count.textContent = found.length === 0 ? "Nothing found" : found.length > MOST
      ? `The first ${MOST} of ${found.length}` : `${found.length} found`;
  };
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    const first = list.querySelector("a");
    if (event.key === "Enter" && first) first.click();
    else if (event.key === "ArrowDown" && first) {
      event.preventDefault();
      first.focus();
    }
  });
  list.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = links[links.indexOf(document.activeElement) + step];
    (next || input).focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && input.value !== "") {
      input.value = "";
      show();
      return;
    }
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
})();
