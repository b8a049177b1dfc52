// What is chosen as text for elsewhere: the name of a span, the sums of a range as a table.
//
// Owns the button. What the text is, `detail.text` says.
"use strict";

TimelineFeatures.push(({ detail }, keys) => {
  const button = document.getElementById("tl-copy");
  let waiting = 0;

  // Within another page the clipboard may be shut; the old way is open there.
  function byHand(text) {
    const area = Detail.element("textarea", text), back = document.activeElement;
    detail.pane.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    back?.focus();
    return done;
  }

  async function copy() {
    const { text } = detail;
    if (!text) return;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      done = byHand(text);
    }
    button.textContent = done ? "copied" : "not allowed";
    clearTimeout(waiting);
    waiting = setTimeout(() => { button.textContent = "copy"; }, 1500);
  }
  button.addEventListener("click", copy);
  keys.c = copy;
});
