// What the browser keeps for a page: texts by name, in its storage. Inside a page of tandem serve there
// is none for us; the page around keeps them.
//
// Owns nothing. Names begin with "tandem ".
"use strict";

const Kept = (() => {
  let storage = null;
  try {
    storage = window.localStorage;
  } catch {
    // a sandbox
  }
  const around = !storage && window.parent !== window ? window.parent : null, waiting = new Map();
  if (around) {
    window.addEventListener("message", ({ source, data }) => {
      const take = source === around && typeof data?.kept === "string" && waiting.get(data.kept);
      if (take) take(typeof data.text === "string" ? data.text : null);
    });
  }

  // `take` gets the text, or null; at once where storage is ours.
  function get(name, take) {
    if (around) {
      waiting.set(name, take);
      around.postMessage({ kept: name }, "*");
      return;
    }
    let text = null;
    try {
      text = storage && storage.getItem(name);
    } catch {
      // not allowed: nothing is kept
    }
    take(text);
  }

  // null: no more.
  function set(name, text) {
    if (around) {
      around.postMessage({ keep: name, text }, "*");
      return;
    }
    try {
      if (text === null) storage?.removeItem(name);
      else storage?.setItem(name, text);
    } catch {
      // full, or not allowed: it lasts as long as the page
    }
  }
  return { get, set };
})();
