// A page that tandem made (a timeline, a report), shown inside of this one: fetched here, since only here
// is the token, and handed to frame.html, which runs it in a sandbox.
import { get, put, text } from "./api.js";
import { h, notice, problem, replace } from "./dom.js";

const PATIENCE_MS = 15000, MOST_KEPT = 1 << 20;

// Notes are kept with their runs: those that this page was asked for, none of others.
const NOTES = "tandem notes ";

async function notesOf(ids) {
  const told = await Promise.all(ids.map((id) => get(`/v1/runs/${id}/notes`)));
  const notes = told.flatMap(({ run_id: run, notes: list }) => list.map((note) => ({ run, ...note })));
  return notes.length > 0 ? JSON.stringify({ schema: "tandem.notes/1", notes }) : null;
}

async function keepNotes(ids, text) {
  const all = text === null ? [] : JSON.parse(text).notes;
  for (const id of ids) {
    const notes = all.filter((one) => one.run === id).map(({ from, to, text: words }) => ({ from, to, text: words }));
    await put(`/v1/runs/${id}/notes`, { notes });
  }
}

// The page has no storage in its sandbox: what it wants kept (notes, how its tracks are arranged) is kept
// here, under names that begin as it says.
function keepFor(frame, ids, failed) {
  let last = Promise.resolve();
  const listen = ({ source, data }) => {
    if (!frame.isConnected) window.removeEventListener("message", listen);
    else if (source === frame.contentWindow) answer(data || {});
  };
  const ours = (name) => typeof name === "string" && name.startsWith("tandem ") && name.length < 200;
  const notes = ({ kept, keep, text }) => {
    if (kept) {
      notesOf(ids).then((found) => frame.contentWindow.postMessage({ kept, text: found }, "*"), failed);
    } else if (keep && (text === null || (typeof text === "string" && text.length <= MOST_KEPT))) {
      last = last.then(() => keepNotes(ids, text)).catch(failed); // one after the other
    }
  };
  const answer = ({ kept, keep, text }) => {
    if ([kept, keep].some((name) => typeof name === "string" && name.startsWith(NOTES))) {
      notes({ kept, keep, text });
      return;
    }
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
// `ids`: runs whose notes it may keep. The element's `tell(data)` sends something to the page in it, `isFrom(source)`
// says whether a message came from there.
export function framed(path, title, ids = []) {
  const frame = h("iframe", { class: "frame", title, src: "/ui/frame.html" });
  const box = h("div", { class: "stack" }, h("p", { class: "muted" }, "Loading …"));
  box.isFrom = (source) => source === frame.contentWindow;
  box.tell = (data) => frame.contentWindow?.postMessage(data, "*");
  (async () => {
    try {
      const html = await text(path);
      const opened = ready(frame);
      replace(box, frame);
      await opened;
      keepFor(frame, ids, (error) => box.prepend(problem(error)));
      // To an origin of its own, which has no name.
      frame.contentWindow.postMessage({ html }, "*");
      frame.dataset.filled = "";
    } catch (error) {
      replace(box, error.status === 422 ? notice("info", error.message) : problem(error));
    }
  })();
  return box;
}
