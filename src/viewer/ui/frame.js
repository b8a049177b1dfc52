// A page that tandem made (a timeline, a report), shown inside of this one: fetched here, since only here
// is the token, and handed to frame.html, which runs it in a sandbox.
import { text } from "./api.js";
import { h, notice, problem, replace } from "./dom.js";

const PATIENCE_MS = 15000, MOST_KEPT = 1 << 20;

// The page has no storage in its sandbox: what it wants kept (notes, how its tracks are arranged) is kept
// here, under names that begin as it says.
function keepFor(frame) {
  const listen = ({ source, data }) => {
    if (!frame.isConnected) window.removeEventListener("message", listen);
    else if (source === frame.contentWindow) answer(data || {});
  };
  const ours = (name) => typeof name === "string" && name.startsWith("tandem ") && name.length < 200;
  const answer = ({ kept, keep, text }) => {
    try {
      if (ours(kept)) frame.contentWindow.postMessage({ kept, text: localStorage.getItem(kept) }, "*");
      else if (ours(keep) && text === null) localStorage.removeItem(keep);
      else if (ours(keep) && typeof text === "string" && text.length <= MOST_KEPT) localStorage.setItem(keep, text);
    } catch {
      // no storage here, either
    }
  };
  window.addEventListener("message", listen);
}

function ready(frame) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("The frame for this page did not open.")), PATIENCE_MS);
    const listen = (event) => {
      if (event.source !== frame.contentWindow || event.data !== "frame ready") return;
      clearTimeout(late);
      window.removeEventListener("message", listen);
      resolve();
    };
    window.addEventListener("message", listen);
  });
}

// The address of a page, its title → an element that shows it once it is on the page.
export function framed(path, title) {
  const frame = h("iframe", { class: "frame", title, src: "/ui/frame.html" });
  const box = h("div", { class: "stack" }, h("p", { class: "muted" }, "Loading …"));
  (async () => {
    try {
      const html = await text(path);
      const opened = ready(frame);
      replace(box, frame);
      await opened;
      keepFor(frame);
      // To an origin of its own, which has no name.
      frame.contentWindow.postMessage({ html }, "*");
      frame.dataset.filled = "";
    } catch (error) {
      replace(box, error.status === 422 ? notice("info", error.message) : problem(error));
    }
  })();
  return box;
}
